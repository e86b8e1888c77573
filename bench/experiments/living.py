# SPDX-License-Identifier: Apache-2.0
"""This experiment runs prof and another tool in one process.

The program must run as without both. prof must report what it could not record.
"""

import os
import re
import shutil
import tempfile
import time

from lib import machine
from lib import processes
from lib import prof_report
from lib import results

QUESTION = "Does a program run as before with prof and another profiler or debugger in it?"
LIMIT_S = 300
RESULTS = ("living_with",)
FILES = ("living_with.json",)

_MARGIN_S = 150  # for the last case: two runs of the program, under tools that may wait
_KERNELS, _STEPS = 4_000, 20_000
_RUN_LIMIT_S = 60
_REPORT_LIMIT_S = 30
# These tools refuse to share a process. prof cannot change that.
_REFUSE = {
    "ncu": "it ends where CUDA_INJECTION64_PATH is set",
    "proton": "its subscription to CUPTI fails, which it raises as an exception",
}
_FROM_PROF = re.compile(r"^prof: .*", re.MULTILINE)
_ANSWER = re.compile(r"^\[(?:checksum|failed)\].*", re.MULTILINE)


def tools(scratch):
    """{tool: the words before a program}."""
    return {
        "nsys": [machine.nsys() or "nsys", "profile", "--trace=cuda,nvtx", "--sample=none",
                 "--cpuctxsw=none", "--force-overwrite=true", f"--output={scratch}/nsys"],
        "ncu": ["ncu", "--launch-count", "3", "--metrics", "dram__bytes.sum"],
        "compute-sanitizer": ["compute-sanitizer"],
        "cuda-gdb": ["cuda-gdb", "--batch", "-ex", "run", "--args"],
    }


def cases(bench):
    """{name: (command, snapshot, command without prof)}."""
    storm = [bench.binary("storm_bare"), str(_KERNELS), "1", "ranges"]
    pytorch = [bench.python, "bench/programs/pytorch_storm.py", "--steps", str(_STEPS)]
    found = {}
    for name, before in tools(bench.scratch).items():
        if not shutil.which(before[0]):
            continue
        snapshots = [f"{bench.scratch}/{name}_{place}.prof" for place in ("outside", "inside")]
        found[f"{name} around prof"] = ([*before, *bench.under_prof(snapshots[0], storm)],
                                        snapshots[0], storm)
        found[f"prof around {name}"] = (bench.under_prof(snapshots[1], [*before, *storm]),
                                        snapshots[1], storm)
    for name in ("torch", "torch-cpu", "proton"):
        snapshot = f"{bench.scratch}/{name}.prof"
        under = [bench.python, "bench/programs/with_tool.py", name,
                 f"{bench.scratch}/{name}.hatchet", "--", *pytorch[1:]]
        found[f"{name} inside prof"] = (bench.under_prof(snapshot, under), snapshot, pytorch)
    return found


def inspect(bench, command, snapshot, bare):
    """Runs one case and its program alone. Returns the row that compares them."""
    _, bare_code, bare_output = processes.timed(bare, _RUN_LIMIT_S)
    seconds, code, output = processes.timed(command, _RUN_LIMIT_S)
    for folder in (os.getcwd(), os.path.dirname(snapshot), tempfile.gettempdir()):
        output = output.replace(folder + "/", "")
    ended = code == bare_code and "[timing]" in output
    row = {"seconds": seconds, "exit_code": code, "bare_exit_code": bare_code,
           "same_answer": ended and _ANSWER.findall(output) == _ANSWER.findall(bare_output),
           "said": _FROM_PROF.findall(output), "kernels": None, "losses": None,
           "output_tail": output.strip().splitlines()[-3:]}
    if os.path.exists(snapshot):
        try:
            report = prof_report.load(bench.prof, snapshot, _REPORT_LIMIT_S)
            row.update(kernels=report["totals"]["kernels"], losses=report["integrity"])
        except (RuntimeError, KeyError) as error:
            row["losses"] = [str(error)]
    return row


def markdown(where, rows):
    return "\n".join([
        where, "",
        results.table(["case", "exit code", "bare", "same answer", "kernels in the snapshot",
                       "printed by prof"],
                      [[row["case"], row["exit_code"], row["bare_exit_code"], row["same_answer"],
                        row["kernels"], " / ".join(row["said"])[:160]] for row in rows])])


def run(bench):
    rows = []
    for name, (command, snapshot, bare) in cases(bench).items():
        if time.monotonic() > bench.deadline(_MARGIN_S):
            break
        rows.append({"case": name, **inspect(bench, command, snapshot, bare)})
        body, table = {"rows": rows, "refuse": _REFUSE}, markdown(bench.where(), rows)
        bench.write("living_with", body, table)  # after each, because the time may end here
    if not rows:
        bench.fail("no case was run")
        return
    bench.publish("living_with", body, table)
    for row in rows:
        if not row["same_answer"] and not any(tool in row["case"].split() for tool in _REFUSE):
            bench.fail(f"{row['case']}: the program did not end, or answer, as it does without "
                       "tools")
