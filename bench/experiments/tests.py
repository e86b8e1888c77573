# SPDX-License-Identifier: Apache-2.0
"""This experiment runs the tests that need a GPU, and programs that end at once."""

import glob
import os
import re

from lib import processes

QUESTION = "Do the tests pass that need a GPU?"
LIMIT_S = 150
RESULTS = ()
FILES = ()

_SHORT_OPTIONS = [(), ("--counters", "pulse"), ("--continuous", "--counters", "none")]
_SHORT_RUNS = 15  # for each of the options
_LAUNCHES = 400   # more with each run
_RUN_LIMIT_S = 60
_CATCH_TOTAL = re.compile(r"^(?:All tests passed|test cases:).*", re.MULTILINE)


def _run_tests(bench):
    for program in sorted(glob.glob(bench.binary("*_test"))):
        name = os.path.basename(program)
        is_example = name == "saxpy_test"
        bench.step(60 if is_example else 100, f"test_{name}.txt",
                   bench.program(name, *([] if is_example else ["[gpu]"])))
        totals = _CATCH_TOTAL.findall(bench.text(f"test_{name}.txt"))
        bench.show(f"{'':12} {totals[-1] if totals else ''}")


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
    _run_tests(bench)
    bench.step(60, "saxpy.txt", bench.program("saxpy"))
    bench.part(150, "short programs", lambda: _run_short_programs(bench))
