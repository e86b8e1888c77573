# SPDX-License-Identifier: Apache-2.0
"""This experiment records programs of several processes, again and again.

Each process that used the GPU must leave a file of its own with all of its kernels, whichever way
it was started and whichever way it ended, with counters on as a user has them. All ways run at once:
their recordings share the GPUs and take turns with the counters.
"""

import collections
import concurrent.futures
import glob
import os
import re
import shutil
import time

from lib import machine
from lib import processes
from lib import prof_report
from lib import results

QUESTION = "Does each process of a program leave its recording?"
LIMIT_S = 500
RESULTS = ("many_processes",)
FILES = ("many_processes.json",)

_ROUNDS, _RUN_LIMIT_S, _MARGIN_S = 25, 60, 45
_WAYS = ("fork", "forkserver", "spawn", "os-exit", "mpirun", "ranks")
_LEAST_RANKS = 2
_WORKER = re.compile(r"^\[worker\] pid (\d+) kernels (\d+)", re.MULTILINE)


def problems_of(workers, reports):
    """`workers`: {pid: kernels that it launched}; `reports`: {pid: its report}."""
    problems = [f"pid {pid}: no recording" for pid in sorted(set(workers) - set(reports))]
    for pid, kernels in workers.items():
        if pid not in reports:
            continue
        recorded = reports[pid]["totals"]["kernels"]
        if recorded < kernels:  # NCCL and copies of PyTorch add some
            problems.append(f"pid {pid}: {recorded} of {kernels} kernels")
        problems += [f"pid {pid}: {loss}" for loss in reports[pid]["integrity"]
                     if "extended payloads" not in loss]
    return problems


def _command(bench, way):
    program = "bench/programs/many_processes.py"
    if way != "ranks":
        return [bench.python, program, way]
    return [bench.python, "-m", "torch.distributed.run", "--standalone",
            f"--nproc-per-node={max(_LEAST_RANKS, len(machine.gpus()))}", program, way]


def _once(bench, way):
    """The problems of one run."""
    folder = os.path.join(bench.scratch, "processes", way)
    shutil.rmtree(folder, ignore_errors=True)
    os.makedirs(folder)
    command = bench.under_prof(os.path.join(folder, "%p.prof"), _command(bench, way), "auto")
    _, code, output = processes.timed(command, _RUN_LIMIT_S)
    workers = {int(pid): int(kernels) for pid, kernels in _WORKER.findall(output)}
    reports = {}
    for path in glob.glob(os.path.join(folder, "**", "*.prof"), recursive=True):
        report = prof_report.load(bench.prof, path)
        reports[report["pid"]] = report
    problems = [] if code == 0 else [f"exit code {code}: {output.strip()[-200:]}"]
    if not workers:
        problems.append("no worker printed its line")
    return problems + problems_of(workers, reports)


def _row(way, outcomes):
    """`outcomes`: the list of problems of each run."""
    found = collections.Counter(re.sub(r"\d+", "N", problem)
                                for problems in outcomes for problem in problems)
    return {"way": way, "runs": len(outcomes), "good": sum(not problems for problems in outcomes),
            "problems": found.most_common(5)}


def markdown(where, gpus, rows):
    return "\n".join([f"{where} {gpus} GPU{'s' if gpus != 1 else ''}.", "", results.table(
        ["way", "runs", "good", "problems"],
        [[row["way"], row["runs"], row["good"],
          "; ".join(f"{n} x {what}" for what, n in row["problems"]) or "none"]
         for row in rows])])


def run(bench):
    outcomes = {way: [] for way in _WAYS}
    processes.exit_on_sigterm()
    with concurrent.futures.ThreadPoolExecutor(len(_WAYS)) as pool:
        for _ in range(_ROUNDS):
            if time.monotonic() > bench.deadline(_MARGIN_S):
                break
            for way, problems in zip(_WAYS, pool.map(lambda way: _once(bench, way), _WAYS)):
                outcomes[way].append(problems)
    rows = [_row(way, outcomes[way]) for way in _WAYS]
    gpus = len(machine.gpus())
    bench.publish("many_processes", {"gpus": gpus, "rows": rows},
                  markdown(bench.where(), gpus, rows))
    for row in rows:
        if row["good"] < row["runs"] or not row["runs"]:
            bench.fail(f"{row['way']}: {row['good']} good runs of {row['runs']}")
