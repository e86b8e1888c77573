# SPDX-License-Identifier: Apache-2.0
"""This experiment records programs that end, clean up, or share CUPTI in ways that are hard.

Each must end as it does by itself, and not much later. Its file must hold every kernel that ended,
or say which it could not see.
"""

import functools
import os
import re
import time

from lib import processes
from lib import prof_report
from lib import results
from lib import risky_ends
from lib import settings

QUESTION = "Does a recording end well however its program ends?"
LIMIT_S = 420
RESULTS = ("endings",)


def _name():
    """The name of the result. Some of the cases are a part of it."""
    words = re.findall(r"\w+", settings.WORKLOADS)
    return ".".join(filter(None, ["endings", "_".join(words)]))


_NAME = _name()
FILES = (f"{_NAME}.json",)

_KINDS = ("at-once", "reset", "contexts", "thread-exits", "in-range", "persistent")
_OPTIONS = {"default": ("auto", ()), "timeline": ("none", ()),
            "continuous": ("none", ("--continuous",))}
_TEARDOWN = {"unset": {}, "1": {"TEARDOWN_CUPTI": "1"}, "0": {"TEARDOWN_CUPTI": "0"}}
_STEPS, _RUN_LIMIT_S, _MOST_LATER_S = 2000, 20, 3.0
_LAUNCHED = re.compile(r"^\[ending\] kernels (\d+)", re.MULTILINE)
_ANSWER = re.compile(r"^\[(?:checksum|profiled)\].*", re.MULTILINE)
_FROM_PROF = re.compile(r"^prof: .*", re.MULTILINE)


def problems_of(row):
    """Why a row is not good; empty: it is."""
    problems = []
    if row["exit_code"] != row["bare_exit_code"]:
        problems.append(f"exit code {row['exit_code']}, bare {row['bare_exit_code']}")
    if row["bare_s"] is None:  # a program that has no meaning without prof
        if row["seconds"] > row["limit_s"]:
            problems.append(f"{row['seconds']:.1f} s")
    elif row["seconds"] > row["bare_s"] + _MOST_LATER_S:
        problems.append(f"{row['seconds']:.1f} s, bare {row['bare_s']:.1f} s")
    if row["recorded"] is None:
        problems.append("no recording")
    elif row["recorded"] < row["launched"] and not row["losses"]:
        problems.append(f"{row['recorded']} of {row['launched']} kernels, and no loss is named")
    if not row.get("same_answer", True):
        problems.append("another answer")
    return problems + row.get("wrong", [])


def _recorded(bench, snapshot):
    if not os.path.exists(snapshot):
        return None
    report = prof_report.load(bench.prof, snapshot)
    os.remove(snapshot)
    return report


def _ending(bench, kind, name):
    counters, options = _OPTIONS[name]
    program = bench.program("endings", kind)
    bare_s, bare_code, _ = processes.timed(program, _RUN_LIMIT_S)
    snapshot = f"{bench.scratch}/ending.prof"
    seconds, code, output = processes.timed(
        bench.under_prof(snapshot, program, counters, *options), _RUN_LIMIT_S)
    report, launched = _recorded(bench, snapshot), _LAUNCHED.search(output)
    return {"case": f"{kind}, {name}", "bare_s": bare_s, "seconds": seconds,
            "bare_exit_code": bare_code, "exit_code": code,
            "launched": int(launched[1]) if launched else 0,
            "recorded": report and sum(kernel["launches"] for kernel in report["kernels"]
                                       if kernel["name"] == "counted"),
            "losses": report["integrity"] if report else [], "said": _FROM_PROF.findall(output)}


def _profiler(bench, setting):
    """torch.profiler beside prof: the kernels of each phase, and the program's answer."""
    environment = [f"{name}={value}" for name, value in _TEARDOWN[setting].items()]
    program = [bench.python, "bench/programs/profiler_in_turns.py", "--steps", str(_STEPS)]
    bare_s, bare_code, bare = processes.timed(["env", *environment, *program], _RUN_LIMIT_S)
    snapshot = f"{bench.scratch}/turns.prof"
    seconds, code, output = processes.timed(
        ["env", *environment, *bench.under_prof(snapshot, program)], _RUN_LIMIT_S)
    report = _recorded(bench, snapshot)
    own = {} if report is None else {
        phase: sum(kernel["launches"] for kernel in report["kernels"]
                   if kernel["range"] == phase) for phase in ("before", "between", "after")}
    return {"case": f"torch.profiler in turns, TEARDOWN_CUPTI {setting}", "bare_s": bare_s,
            "seconds": seconds, "bare_exit_code": bare_code, "exit_code": code,
            "launched": 3 * _STEPS, "recorded": sum(own.values()) if report else None,
            "own_phases": own, "same_answer": _ANSWER.findall(output) == _ANSWER.findall(bare),
            "losses": report["integrity"] if report else [], "said": _FROM_PROF.findall(output)}


def _printed(row):
    """What prof printed beside the name of the file, which each recording has."""
    return [line.removeprefix("prof: ") for line in row["said"]
            if not line.startswith(("prof: wrote", "prof: read it with"))]


def markdown(where, rows):
    return "\n".join([where, "", results.table(
        ["case", "exit code", "bare", "seconds", "bare", "kernels launched", "recorded", "losses",
         "printed by prof", "problems"],
        [[row["case"], row["exit_code"], row["bare_exit_code"], row["seconds"], row["bare_s"],
          row["launched"], row["recorded"], " ".join(row["losses"]), " / ".join(_printed(row)),
          "; ".join(row["problems"]) or "none"] for row in rows]),
        risky_ends.phases_table(rows)])


def _measurements(bench):
    """{case: how to measure it}, default options first."""
    found = {f"{kind}, {name}": functools.partial(_ending, bench, kind, name)
             for name in _OPTIONS for kind in _KINDS}
    found.update({f"torch.profiler in turns, TEARDOWN_CUPTI {setting}":
                  functools.partial(_profiler, bench, setting) for setting in _TEARDOWN})
    found.update(risky_ends.measurements(bench))
    return {case: measure for case, measure in found.items()
            if re.search(settings.WORKLOADS, case)}


def run(bench):
    rows = []
    for case, measure in _measurements(bench).items():
        if time.monotonic() > bench.deadline(2 * _RUN_LIMIT_S):
            bench.fail(f"{case}: not run, no time left")
            continue
        with bench.failing(case):
            row = measure()
            row["problems"] = problems_of(row)
            rows.append(row)
            bare = "" if row["bare_s"] is None else f", bare {row['bare_s']:.1f}"
            bench.show(f"{bench.name:12} {case}: {row['seconds']:.1f} s{bare}")
    bench.publish(_NAME, {"rows": rows}, markdown(bench.where(), rows))
    for row in rows:
        for problem in row["problems"]:
            report = bench.show if row.get("control") else bench.fail
            report(f"{row['case']}: {problem}")
