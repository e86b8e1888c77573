# SPDX-License-Identifier: Apache-2.0
"""This experiment runs planted timelines with the timeline alone and with default options.

Each keeps the GPU waiting in one known way, or in none. What prof advises must not depend on
whether it reads counters.
"""

import os
import random

from lib import results
from lib import settings
from lib import suite
from lib import suite_runs
from lib import suite_verdicts

QUESTION = "Does prof advise the same with default options as with the timeline alone?"
LIMIT_S = 120
RESULTS = ("coverage",)
_NAME = "coverage.coverage_timelines"
FILES = (f"{_NAME}.json",)

_SECONDS, _RUN_LIMIT_S, _LEAST_S = 0.6, 30, 20
# {kind: ids, one of which must be there}; nothing: none of the ids of all others.
PLANTED = {
    "launches": ("launch-bound", "cuda-graph", "small-kernels"),
    "graph": ("dependency-idle", "small-kernels"),  # its nodes are tiny, with gaps between them
    "waits": ("sync-bound",),
    "host-work": ("host-work",),
    "allocations": ("allocation", "sync-bound"),
    "values-back": ("sync-bound", "sync-copy"),
    "pageable": ("pageable-copy",),
    "pinned": ("copy-not-overlapped",),
    "overlapped": (),
    "small-copies": ("small-copies",),
    "two-streams": (),
    "clean": (),
}
_ALL_IDS = {found for ids in PLANTED.values() for found in ids}


def is_right(kind, ids):
    """Whether `ids` has what was planted, or nothing of it where nothing was."""
    return bool(set(ids) & set(PLANTED[kind])) if PLANTED[kind] else not set(ids) & _ALL_IDS


def _measure(bench, kind, seed):
    program = suite.Program(kind, tuple(bench.program("planted", kind)), suite.OTHER, _SECONDS)
    first = suite_runs.run(suite.words(program, seed), _RUN_LIMIT_S, {})
    steps = suite.calibrate(program, suite_runs.printed(first["stdout"]))
    row = {"timeline_of": kind, "steps": steps, "bare_s": first["loop_s"], "findings": {},
           "loop_s": {}}
    for variant in (suite_runs.TIMELINE, suite_runs.DEFAULT):
        snapshot = os.path.join(bench.scratch, f"{kind}.{variant}-%p.prof")
        ran = suite_runs.run(suite_runs.under_prof(bench.prof, variant, snapshot,
                                                   suite.words(program, seed, steps)),
                             _RUN_LIMIT_S, {})
        row["loop_s"][variant] = ran["loop_s"]
        row["findings"][variant] = suite_verdicts.findings(
            suite_runs.reports(bench.prof, snapshot))
    found = row["findings"]
    row["same"] = found[suite_runs.TIMELINE] == found[suite_runs.DEFAULT]
    row["right"] = is_right(kind, found[suite_runs.DEFAULT])
    return row


def goals_of(rows):
    return [{"goal": f"{text}, of {len(PLANTED)}", "measured": sum(row[key] for row in rows),
             "limit": len(PLANTED), "met": sum(row[key] for row in rows) == len(PLANTED)}
            for text, key in (("the same findings as with `--counters none`", "same"),
                              ("what was planted is found with default options", "right"))]


def _table(rows):
    return results.table(
        ["timeline", "planted", "found with the timeline alone", "with default options", "same",
         "right", "loop, s: bare", "timeline", "default"],
        [[row["timeline_of"], " or ".join(PLANTED[row["timeline_of"]]) or "nothing",
          *(", ".join(row["findings"][variant]) or "nothing"
            for variant in (suite_runs.TIMELINE, suite_runs.DEFAULT)),
          row["same"], row["right"], row["bare_s"],
          *(row["loop_s"][variant] for variant in (suite_runs.TIMELINE, suite_runs.DEFAULT))]
         for row in rows])


def run(bench):
    seed = settings.SEED if settings.SEED is not None else \
        random.SystemRandom().randrange(1 << 31)
    rows = []
    for kind in PLANTED:
        if bench.left_s() < _LEAST_S:
            bench.fail(f"{kind}: not run, no time left")
            continue
        with bench.failing(kind):
            rows.append(_measure(bench, kind, seed))
    goals = goals_of(rows)
    table = "\n".join([bench.where(), "", results.goal_table(goals), _table(rows)])
    bench.publish(_NAME, {"seed": seed, "goals": goals, "rows": rows,
                          "failures": bench.failures}, table)
