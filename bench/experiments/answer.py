# SPDX-License-Identifier: Apache-2.0
"""This experiment takes the time to a full answer: the timeline, and what limits its kernels.

prof needs one run. Without it one takes the timeline with Nsight Systems, looks for the longest
kernels, and profiles the launches of one step of them with Nsight Compute. The time that a person
needs in between is not counted.
"""

import os
import re

from lib import machine
from lib import ncu
from lib import prof_report
from lib import processes
from lib import results

QUESTION = "How long until it is known what limits the ten longest kernels, beside nsys and ncu?"
LIMIT_S = 330
RESULTS = ("answer",)
FILES = ("answer.json",)

_STEPS, _SEED, _TOP = 150, "23", 10
_RUN_LIMIT_S, _LAST_S = 60, 10  # ncu has all the time of the experiment but the last seconds
_TIMES_LESS = 20
_PROFILED = re.compile(r"^==PROF== Profiling .*passes$", re.MULTILINE)
_EVERYTHING = ["--counters", "all", "--budget", "100", "--budget-seconds", "1000"]


def longest(report):
    """The ten kernels with most time."""
    return sorted(report["kernels"], key=lambda kernel: -kernel["total_ns"])[:_TOP]


def answers_of(report):
    """Of the ten longest kernels: how many have a limiter, stalls, and the detail of memory."""
    kernels = longest(report)

    def count(wanted):
        return sum(any(wanted in name for name in kernel["metrics"]) for kernel in kernels)

    return {"kernels": len(kernels),
            "limiters": sum(kernel["verdict"]["decided"] for kernel in kernels),
            "stalls": count("issue_stalled"), "hit_rates": count("hit_rate"),
            "share_of_span": sum(kernel["share"] for kernel in kernels)}


def of_one_step(report, names):
    """(expression for their names, launches of them in a step) for ncu."""
    launches = sum(kernel["launches"] for kernel in report["kernels"] if kernel["name"] in names)
    return f"regex:^({'|'.join(map(re.escape, names))})$", max(1, round(launches / _STEPS))


def _prof(bench, name, options, program):
    snapshot = bench.path(f"answer_{name}.prof")
    seconds, _ = processes.checked([bench.prof, "run", *options, "--output", snapshot, "--",
                                    *program], _RUN_LIMIT_S)
    reading_s, _ = processes.checked([bench.prof, "report", snapshot], _RUN_LIMIT_S)
    report = prof_report.load(bench.prof, snapshot)
    row = {"tool": f"prof, {name}", "commands": 2, "seconds": seconds + reading_s,
           "bytes": os.path.getsize(snapshot), **answers_of(report),
           "command": " ".join(["prof run", *options])}
    return row, report


def _nsys(bench, program):
    """The timeline. Where it makes no report of what it wrote, its time is that of the run."""
    executable, output = machine.nsys(), os.path.join(bench.scratch, "answer")
    if executable is None:
        return None
    command = [executable, "profile", "--trace=cuda,nvtx", "--sample=none", "--cpuctxsw=none",
               "--force-overwrite=true", f"--output={output}"]
    seconds, code, text = processes.timed([*command, *program], _RUN_LIMIT_S)
    left = [path for path in (f"{output}.nsys-rep", f"{output}.qdstrm") if os.path.exists(path)]
    if not left:
        raise RuntimeError(f"nsys: exit code {code}: {text[-200:]}")
    return {"tool": "nsys", "commands": 1, "seconds": seconds, "bytes": os.path.getsize(left[0]),
            "report": left[0].endswith(".nsys-rep"), "command": machine.printable(command)}


def _ncu(bench, program, report):
    names = {kernel["name"] for kernel in longest(report)}
    expression, launches = of_one_step(report, sorted(names))
    output = os.path.join(bench.scratch, "answer.ncu-rep")
    command = [ncu.executable(), "--set", "full", "--clock-control", "none", "--kernel-name",
               expression, "--launch-count", str(launches), "--force-overwrite", "--export", output]
    limit_s = bench.left_s() - _LAST_S
    seconds, code, text = processes.timed([*command, *program], limit_s)
    if not os.path.exists(output):
        raise RuntimeError(f"ncu: exit code {code}: {text[-300:]}")
    return {"tool": "ncu", "commands": 1, "seconds": seconds, "bytes": os.path.getsize(output),
            "kernels": len(names), "launches": launches, "profiled": len(_PROFILED.findall(text)),
            "stopped": seconds >= limit_s,
            "command": machine.printable(command)}


def goals_of(rows, bare_s):
    """In all, and beside what the program takes by itself."""
    seconds = {row["tool"]: row["seconds"] for row in rows}
    others = [seconds[name] for name in ("nsys", "ncu") if name in seconds]
    ours = seconds.get("prof, everything")
    if ours is None or "ncu" not in seconds:
        return []
    more_s = max(ours - bare_s, 1e-3)
    return [{"goal": f"{what}, prof's times less", "measured": ratio, "limit": _TIMES_LESS,
             "met": ratio >= _TIMES_LESS} for what, ratio in (
                 ("the time to the answer", sum(others) / ours),
                 ("what it takes beside the program's own time",
                  (sum(others) - len(others) * bare_s) / more_s))]


def markdown(where, rows, goals, bare_s):
    return "\n".join([
        where + f" The program by itself: {bare_s:.1f} s.", "",
        results.table(["tool", "commands", "s", "bytes", "limiters", "with stalls",
                       "with hit rates", "share of the span"],
                      [[row["tool"], row["commands"], row["seconds"], row["bytes"],
                        row.get("limiters"), row.get("stalls"), row.get("hit_rates"),
                        row.get("share_of_span")] for row in rows]),
        results.goal_table(goals)])


def run(bench):
    program = [bench.python, "bench/programs/coverage/llama.py", "decode", "--seed", _SEED,
               "--steps", str(_STEPS)]
    bare_runs = [processes.checked(program, _RUN_LIMIT_S)[0] for _ in range(2)]
    bare_s = min(bare_runs)
    rows = []
    default, _ = _prof(bench, "default options", [], program)
    full, report = _prof(bench, "everything", _EVERYTHING, program)
    rows += [default, full]
    for measure in (lambda: _nsys(bench, program), lambda: _ncu(bench, program, report)):
        with bench.failing("the peers"):
            row = measure()
            rows += [row] if row else []
    goals = goals_of(rows, bare_s)
    bench.publish("answer", {"steps": _STEPS, "bare_s": bare_s, "bare_runs": bare_runs,
                             "rows": rows, "goals": goals,
                             "failures": bench.failures},
                  markdown(bench.where(), rows, goals, bare_s))
