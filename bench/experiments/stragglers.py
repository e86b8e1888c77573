# SPDX-License-Identifier: Apache-2.0
"""This experiment makes one rank of a job late, in several ways, and asks prof ranks who it is.

Which rank, by how much, and the sizes of the model are drawn. The jobs run on all GPUs.
"""

import json
import os
import random
import re
import shutil

from lib import machine
from lib import processes
from lib import results
from lib import settings

QUESTION = "Does prof ranks name the rank that the others wait for, and the reason?"
LIMIT_S = 400
RESULTS = ("stragglers",)
FILES = ("stragglers.json",)

_RUN_LIMIT_S, _LEAST_S = 60, 40
_ROUNDS = 3
_LATE = (0.05, 0.2)  # of a step
# What prof ranks is to say of each kind: (findings, causes).
EXPECTED = {
    "nobody": ("together or in-turn", ()),  # the hosts differ from step to step
    "work": ("straggler", ("more-work",)),
    "host": ("straggler", ("host",)),
    "neighbour": ("straggler", ("slower-kernels",)),
    "inputs": ("straggler", ("slower-kernels", "more-work")),  # cuBLAS may take another kernel
    "in-turn": ("in-turn", ()),
}
_SLOWER = 0.97  # a GPU whose SM clock is lower than this part of the others' is late by itself
_LATE_LINE = re.compile(r"^\[late\] (\w+) of (\d+)$", re.MULTILINE)
_STEPS_LINE = re.compile(r"^\[steps\] (.*)$", re.MULTILINE)


def slow_by_itself(job):
    """The GPUs that prof ranks names for slower kernels, and whose SM clock is lower."""
    return {rank["device"] for rank in job["ranks"]
            if rank["straggles"] and rank["cause"] == "slower-kernels"
            and rank.get("sm_clock_hz", 1) < _SLOWER * rank.get("others_sm_clock_hz", 1)}


def judge(kind, late, job):
    """[what is wrong]: of prof ranks' answer `job`, where the rank on GPU `late` is (None: nobody).
    """
    findings, causes = EXPECTED[kind]
    slow = slow_by_itself(job) - {late}
    named = {rank["device"]: rank["cause"] for rank in job["ranks"]
             if rank["straggles"] and rank["device"] not in slow}
    problems = []
    if job["finding"] not in findings.split(" or ") and not (slow and not named and not causes):
        problems.append(f"{job['finding']} for {findings}")
    if set(named) != ({late} if causes else set()):
        problems.append(f"late by prof: {sorted(named) or 'none'}")
    elif causes and named[late] not in causes:
        problems.append(f"cause {named[late]} for {' or '.join(causes)}")
    return problems


def _ask(bench, folder):
    answer = os.path.join(bench.scratch, "job.json")
    processes.checked([bench.prof, "ranks", "--json", "-o", answer, folder], _RUN_LIMIT_S)
    with open(answer, encoding="utf-8") as file:
        return json.load(file)


def _once(bench, kind, draw):
    folder = os.path.join(bench.scratch, "job")
    shutil.rmtree(folder, ignore_errors=True)
    os.makedirs(folder)
    seed, late = draw.randrange(1 << 31), round(draw.uniform(*_LATE), 3)
    program = [bench.python, "bench/programs/late_rank.py", kind, "--seed", str(seed), "--late",
               str(late)]
    command = bench.under_prof(os.path.join(folder, "rank-%p.prof"), program, "auto")
    seconds, output = processes.checked(command, _RUN_LIMIT_S)
    rank, ranks = _LATE_LINE.search(output).groups()
    rank = None if rank == "none" else int(rank)
    steps = json.loads(_STEPS_LINE.search(output).group(1))
    job = _ask(bench, folder)
    for one in job["ranks"]:  # names of this machine
        del one["file"], one["host"], one["name"]
    job["notes"] = [note for note in job["notes"] if folder not in note]
    results.write_text(bench.path(f"{kind}.{seed}.txt"),
                       processes.timed([bench.prof, "ranks", folder], _RUN_LIMIT_S)[2])
    return {"kind": kind, "seed": seed, "late": late, "late_rank": rank, "ranks": int(ranks),
            "wall_s": seconds, **steps, "job": job, "problems": judge(kind, rank, job)}


def _lost_s(row):
    """What the late rank cost the job: the time that its steps took more than those before."""
    return (row["late_s"] - row["clean_s"]) * row["steps"]


def _shown(row):
    is_late = row["late_rank"] is not None
    named = [f"{rank['device']} ({rank['cause']})" for rank in row["job"]["ranks"]
             if rank["straggles"]]
    return [row["kind"], "none" if row["late_rank"] is None else row["late_rank"],
            f"{100 * (row['late_s'] / row['clean_s'] - 1):.1f} %", row["job"]["finding"],
            ", ".join(named) or "none", row["job"]["meetings"],
            f"{_lost_s(row):.3f}" if is_late else "",
            f"{row['job']['gain_ns'] * 1e-9:.3f}" if is_late else "",
            "; ".join(row["problems"]) or "as planted" + "".join(
                f", and GPU {device} has a lower clock"
                for device in sorted(slow_by_itself(row["job"]) - {row["late_rank"]}))]


def _table(bench, rows):
    good = sum(not row["problems"] for row in rows)
    return "\n".join([
        f"{bench.where()} {rows[0]['ranks']} GPUs; {good} of {len(rows)} jobs as planted.", "",
        results.table(["planted", "late rank", "steps longer by", "finding", "late by prof",
                       "meetings", "lost, s", "gain at most, s", "answer"],
                      [_shown(row) for row in rows])])


def run(bench):
    if len(machine.gpus()) < 2:
        bench.show(f"{bench.name:12} [skipped] fewer than two GPUs")
        return
    seed = settings.SEED if settings.SEED is not None else random.SystemRandom().randrange(1 << 31)
    draw, rows = random.Random(seed), []
    for _ in range(_ROUNDS):  # in turns: when the time ends, each kind had its share
        for kind in EXPECTED:
            if bench.left_s() < _LEAST_S or not re.search(settings.WORKLOADS, kind):
                continue
            with bench.failing(kind):
                rows.append(_once(bench, kind, draw))
                bench.show(f"{bench.name:12} {' | '.join(map(str, _shown(rows[-1])))}")
    if not rows:
        bench.fail("no job was run")
        return
    bench.publish("stragglers", {"seed": seed, "jobs": rows}, _table(bench, rows))
    for row in rows:
        for problem in row["problems"]:
            bench.fail(f"{row['kind']}, seed {row['seed']}: {problem}")
