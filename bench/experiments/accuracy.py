# SPDX-License-Identifier: Apache-2.0
"""This experiment compares prof's counters with Nsight Compute's and with arithmetic.

The same kernels run under prof, which samples ordinary launches, and under ncu. The cost of both is
compared as well, because the data are the same.
"""

import json
import os

from lib import counter_cost
from lib import expected_counts
from lib import ncu
from lib import ncu_comparison
from lib import results

QUESTION = "Are prof's counters true: beside Nsight Compute's, and beside arithmetic?"
LIMIT_S = 400
RESULTS = ("accuracy", "counts", "cost")  # of cost: the part counter_cost
FILES = ("accuracy.json", "counts.json", "cost.counter_cost.json", "accuracy.md")

_KERNELS = "bench/programs/python_kernels.py"
_NCU_MARGIN_S = 50  # of a run under ncu: what the bare run and the reading take


def _profile(bench, name, program, limit_s):
    """The metrics of <name>.json under ncu, to ncu_<name>.json."""
    def profile():
        profiled = ncu.profile_beside(program, results.read(bench.path(f"{name}.json")),
                                      limit_s - _NCU_MARGIN_S)
        with open(bench.path(f"ncu_{name}.json"), "w", encoding="utf-8") as file:
            json.dump(profiled, file, indent=1)
        bench.show(f"{'':12} {ncu.in_words(profiled)}")
        if not profiled["launches"]:
            bench.fail(f"ncu profiled no launch of {name}")

    bench.part(limit_s, f"ncu, {name}", profile)


def _measure(bench):
    known = bench.program("known_kernels")
    bench.step(60, "expected_known.txt",
               [*known, "--expected", bench.path("expected_known.json")])
    bench.step(20, "expected_python.txt",
               [bench.python, _KERNELS, "--expected", bench.path("expected_python.json")])
    bench.step(100, "known.txt", [*known, "--json", bench.path("known.json")])
    bench.show_lines_of("known.txt")
    _profile(bench, "known", [*known, "--bare"], 200)
    bench.step(60, "python.txt", [
        "env", "PROF_BUDGET_PERCENT=100", "PROF_BUDGET_SECONDS=60",
        *bench.under_prof(bench.path("python.prof"),
                          [bench.python, _KERNELS, "--seconds", "12"], "all")])
    bench.report_json("python.prof", "python.json")
    _profile(bench, "python", [bench.python, _KERNELS], 130)


def _pairs(bench, left, right):
    """What was measured for both programs: [(<left>_NAME.json, <right>_NAME.json)]."""
    paths = [tuple(bench.path(f"{side}{name}.json") for side in (left, right))
             for name in ("known", "python")]
    return [pair for pair in paths if all(map(os.path.exists, pair))]


def run(bench):
    _measure(bench)
    with bench.failing("counts"):
        expected_counts.publish(bench, _pairs(bench, "expected_", ""))
    with bench.failing("counter cost"):
        counter_cost.publish(bench, bench.program("known_kernels", "--bare"),
                             results.read(bench.path("known.json")), bench.text("known.txt"),
                             results.read(bench.path("ncu_known.json")))
    with bench.failing("accuracy"):
        ncu_comparison.publish(bench, _pairs(bench, "", "ncu_"))
