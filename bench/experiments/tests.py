# SPDX-License-Identifier: Apache-2.0
"""This experiment runs the tests that need a GPU, and programs that end at once."""

import glob
import os

from lib import catch_report
from lib import processes
from lib import results

QUESTION = "Do the tests pass that need a GPU?"
LIMIT_S = 150
RESULTS = ("gpu_tests",)
FILES = ("gpu_tests.json",)

_SHORT_OPTIONS = [(), ("--counters", "pulse"), ("--continuous", "--counters", "none")]
_SHORT_RUNS = 15  # for each of the options
_LAUNCHES = 400   # more with each run
_RUN_LIMIT_S = 60
_IN_XML = ("--reporter", "xml", "--durations", "yes")


def _cell(text):
    return text.replace("|", "\\|")


def markdown(where, rows):
    """The counts of each program, and each case that did not pass."""
    parts = [where, "", results.table(
        ["program", *catch_report.OUTCOMES, "seconds"],
        [[f"`{one['program']}`", *(one[outcome] for outcome in catch_report.OUTCOMES),
          round(one["seconds"], 1)] for one in catch_report.counts_of(rows)])]
    others = [row for row in rows if row["outcome"] != catch_report.PASSED]
    if others:
        parts.append(results.table(
            ["program", "case", "outcome", "why"],
            [[f"`{row['program']}`", _cell(row["case"]), row["outcome"],
              f"`` {_cell(row['why'])} ``"] for row in others]))
    return "\n".join(parts)


def _rows_of(bench, name):
    """A row for each test case of a program, and one for the program where it left none."""
    report = f"test_{name}.xml"
    is_example = name == "saxpy_test"
    ended = bench.step(60 if is_example else 100, f"test_{name}.txt",
                       bench.program(name, *_IN_XML, *([] if is_example else ["[gpu]"])), report)
    try:
        rows = catch_report.rows_of(name, bench.text(report))
    except ValueError as error:
        bench.fail(str(error))
        rows = []
    if not rows or not (ended or any(row["outcome"] == catch_report.FAILED for row in rows)):
        rows.append({"program": name, "case": "the program itself", "outcome": catch_report.FAILED,
                     "seconds": None, "why": "it did not end well" if rows else "no test case"})
    return rows


def run_tests(bench):
    rows = []
    for program in sorted(glob.glob(bench.binary("*_test"))):
        rows += _rows_of(bench, os.path.basename(program))
    if not rows:
        bench.fail("there is no program with tests")
        return
    bench.publish("gpu_tests", {"rows": rows}, markdown(bench.where(), rows))
    for row in rows:
        if row["outcome"] == catch_report.FAILED:
            bench.fail(f"{row['program']}: {row['case']}: {row['why']}")


def _run_short_programs(bench):
    """Programs that end while counters or PM sampling are still being prepared."""
    snapshot = os.path.join(bench.scratch, "short.prof")
    failed = 0
    for options in _SHORT_OPTIONS:
        for i in range(1, _SHORT_RUNS + 1):
            program = [bench.binary("storm_bare"), str(i * _LAUNCHES), "1", "ranges"]
            recorded = [bench.prof, "run", *options, "--output", snapshot, "--", *program]
            try:
                processes.checked(recorded, _RUN_LIMIT_S)
                processes.checked([bench.prof, "report", snapshot], _RUN_LIMIT_S)
            except RuntimeError as error:
                bench.fail(f"{' '.join(options)}, {i * _LAUNCHES} launches: {error}")
                failed += 1
    bench.show(f"{'':12} short programs: {failed} of {_SHORT_RUNS * len(_SHORT_OPTIONS)} failed")


def run(bench):
    run_tests(bench)
    bench.step(60, "saxpy.txt", bench.program("saxpy"))
    bench.part(150, "short programs", lambda: _run_short_programs(bench))
