# SPDX-License-Identifier: Apache-2.0
"""This experiment compares the values of PM sampling with Nsight Compute's, for all units.

The known kernels have sizes and rounds that a seed draws, so that nothing is tuned to them.
"""

import os
import random

from lib import ncu
from lib import prof_report
from lib import processes
from lib import results
from lib import settings
from lib import suite_runs
from lib import triage_values

QUESTION = "Are the values of PM sampling those of Nsight Compute, for all units?"
LIMIT_S = 200
RESULTS = ("coverage",)
_NAME = "coverage.coverage_ncu"
FILES = (f"{_NAME}.json",)

_SECONDS = 6
_RUN_LIMIT_S, _NCU_LIMIT_S = 60, 150
_PRINTED = 12


def run(bench):
    seed = settings.SEED if settings.SEED is not None else \
        random.SystemRandom().randrange(1 << 31)
    drawn = ("--seed", str(seed))
    snapshot = os.path.abspath(bench.path("coverage_ncu.prof"))
    long_program = bench.program("known_kernels", "--bare", "--seconds", str(_SECONDS), *drawn)
    processes.checked(suite_runs.under_prof(bench.prof, suite_runs.DEFAULT, snapshot,
                                            long_program), _RUN_LIMIT_S)
    report = prof_report.load(bench.prof, snapshot, _RUN_LIMIT_S)
    profiled = ncu.profile(bench.program("known_kernels", "--bare", *drawn),
                           triage_values.ncu_metrics(),
                           # ncu would run each kernel several times in a row, and each run would
                           # find in L2 what the one before it left.
                           options=(*ncu.BETWEEN_PROFILER_CALLS, "--replay-mode", "application"),
                           limit_s=min(_NCU_LIMIT_S, max(bench.left_s(), 1)))
    rows, without = triage_values.compare(report, profiled["launches"])
    goals = triage_values.goals_of(rows)
    head = "\n".join([
        bench.where(), "", results.goal_table(goals, ("measured", "wanted", "met")),
        triage_values.unit_table(rows),
        f"Kernels of 10 us or more without a value: {', '.join(without) or 'none'}.", ""])
    bench.publish(_NAME, {"seed": seed, "goals": goals, "without_values": without,
                          "not_known_to_ncu": profiled["dropped"], "values": rows},
                  head + triage_values.value_table(rows),
                  head + triage_values.value_table(rows[:_PRINTED]))
    if not rows:
        bench.fail(f"no value was compared: {len(profiled['launches'])} launches of ncu, "
                   f"{len(report['kernels'])} kernels of prof")
