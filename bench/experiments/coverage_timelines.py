# SPDX-License-Identifier: Apache-2.0
"""This experiment records planted timelines with the timeline alone and with default options.

Each keeps the GPU waiting in one known way, or in none. What prof advises must be what was planted,
and must not depend on whether it reads counters. The folder `timelines` has the recordings, for
`prof eval`.
"""

import os
import random
import re
import time
from concurrent import futures

from lib import planted
from lib import processes
from lib import prof_report
from lib import results
from lib import settings
from lib import suite_runs
from lib import suite_verdicts

QUESTION = "Does prof advise what was planted, with default options as with the timeline alone?"
LIMIT_S = 110
RESULTS = ("coverage",)
_NAME = "coverage.coverage_timelines"
FILES = (f"{_NAME}.json",)

FOLDER, LIST, _FORMAT = "timelines", "timelines.json", 1
_SECONDS, _RUN_LIMIT_S = 0.25, 30
_BARE_LIMIT_S = 45   # of all timelines, one after the other
_MOST_S, _LEAST_S = 98, 5  # no recording begins after that, nor with less time
_READERS = 4
_FORMS = (suite_runs.TIMELINE, suite_runs.DEFAULT)


def _program(bench, kind, seed, *limit):
    return [*bench.program("planted", kind), "--seed", str(seed), *map(str, limit)]


def _bare(bench, kind, seed):
    """{kind: what its line has}: the steps of each in its time. `--all` runs all in one process,
    because the start of a process takes longer than a timeline."""
    seconds, code, output = processes.timed(
        _program(bench, kind, seed, "--seconds", _SECONDS), _BARE_LIMIT_S)
    if code != 0 or seconds >= _BARE_LIMIT_S or "[skipped]" in output:
        bench.fail(f"planted {kind}: exit code {code} after {seconds:.0f} s: "
                   f"{output.strip()[-200:]!r}")
    return {line["parameters"]["kind"]: line for line in suite_runs.all_printed(output)}


def _record(bench, kind, seed, bare):
    """A row without what is read of its recordings."""
    row = {"timeline_of": kind, "steps": bare["steps"], "parameters": bare["parameters"],
           "bare_s": bare["loop_s"], "loop_s": {}, "recordings": {}, "findings": {}}
    for form in _FORMS:
        file = f"{kind}_{form}.prof"
        ran = suite_runs.run(suite_runs.under_prof(
            bench.prof, form, os.path.abspath(bench.path(os.path.join(FOLDER, file))),
            _program(bench, kind, seed, "--steps", bare["steps"])), _RUN_LIMIT_S, {})
        row["loop_s"][form], row["recordings"][form] = ran["loop_s"], file
    return row


def _read(bench, row):
    known = planted.TIMELINES[row["timeline_of"]]
    for form, file in row["recordings"].items():
        report = prof_report.load(bench.prof, bench.path(os.path.join(FOLDER, file)))
        row["findings"][form] = suite_verdicts.findings([report])
    alone, default = (set(row["findings"][form]) - planted.NEED_COUNTERS for form in _FORMS)
    row["same"] = alone == default
    row["found"] = known.found(row["findings"][suite_runs.DEFAULT])
    row["named"] = known.named(row["findings"][suite_runs.DEFAULT])
    row["right"] = row["found"] and not row["named"]


def _goal(text, holds):
    return {"goal": f"{text}, of {len(holds)}", "measured": sum(holds), "limit": len(holds),
            "met": bool(holds) and all(holds)}


def goals_of(rows):
    causes = [row for row in rows if planted.TIMELINES[row["timeline_of"]].expected]
    return [_goal("the same findings as with `--counters none`", [row["same"] for row in rows]),
            _goal("what was planted is found with default options",
                  [row["found"] for row in causes]),
            _goal("no other cause is named with default options",
                  [not row["named"] for row in rows])]


def _table(rows):
    return results.table(
        ["timeline", "planted", "found with the timeline alone", "with default options", "same",
         "right", "loop, s: bare", "timeline", "default"],
        [[row["timeline_of"],
          " or ".join(planted.TIMELINES[row["timeline_of"]].expected) or "nothing",
          *(", ".join(row["findings"][form]) or "nothing" for form in _FORMS),
          row["same"], row["right"], row["bare_s"], *(row["loop_s"][form] for form in _FORMS)]
         for row in rows])


def list_row(row):
    """The row of the file that `prof eval` reads."""
    known = planted.TIMELINES[row["timeline_of"]]
    return {"kind": row["timeline_of"], "steps": row["steps"], "bare_s": row["bare_s"],
            "recordings": row["recordings"], "expected": list(known.expected),
            "harmful": known.harmful, "needs_counters": known.needs_counters}


def _wanted():
    return [kind for kind in planted.TIMELINES if re.search(settings.WORKLOADS, kind)]


def _record_all(bench, seed, end):
    rows, bare = [], _bare(bench, "--all", seed)
    for kind in _wanted():
        if time.monotonic() > end:
            bench.fail(f"{kind}: not run, no time left")
            continue
        # What ended the process of all of them costs itself alone.
        line = bare.get(kind) or _bare(bench, kind, seed).get(kind)
        if line is None:
            continue
        with bench.failing(kind):
            rows.append(_record(bench, kind, seed, line))
    return rows


def _read_all(bench, rows):
    """The rows whose recordings can be read."""
    read = []
    with futures.ThreadPoolExecutor(_READERS) as pool:
        for row, job in [(row, pool.submit(_read, bench, row)) for row in rows]:
            with bench.failing(f"the reports of {row['timeline_of']}"):
                job.result()
                read.append(row)
    return read


def run(bench):
    seed = settings.SEED if settings.SEED is not None else \
        random.SystemRandom().randrange(1 << 31)
    os.makedirs(bench.path(FOLDER))
    end = time.monotonic() + min(_MOST_S, bench.left_s() - _LEAST_S)
    rows = _read_all(bench, _record_all(bench, seed, end))
    goals = goals_of(rows)
    table = "\n".join([bench.where(), "", results.goal_table(goals), _table(rows)])
    bench.publish(_NAME, {"seed": seed, "goals": goals, "rows": rows,
                          "failures": bench.failures}, table)
    results.dump(bench.path(os.path.join(FOLDER, LIST)),
                 {"format": _FORMAT, "seed": seed, "hardware": bench.head["hardware"],
                  "driver": bench.head["driver"], "commit": bench.head["commit"],
                  "rows": [list_row(row) for row in rows]})
