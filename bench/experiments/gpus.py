# SPDX-License-Identifier: Apache-2.0
"""This experiment records a program that uses every GPU of the machine from one process.

prof must keep the GPUs apart. It must record the copies between them and the collectives, and must
not sample a kernel that waits for another GPU.
"""

import json

from lib import machine
from lib import processes
from lib import prof_report
from lib import results

QUESTION = "Does prof keep several GPUs of one process apart?"
LIMIT_S = 250
RESULTS = ("several_gpus",)
FILES = ("several_gpus.json",)

_STEPS = 6000  # seconds of work after counters are ready on each GPU
_RUN_LIMIT_S = 200


def checks_of(report, gpus):
    """[(what, measured, expected, met)]"""
    kernels = report["kernels"]

    def of(device, range_name):
        return [kernel for kernel in kernels
                if kernel["device"] == device and kernel["range"] == range_name]

    lost = [loss for loss in report["integrity"] if "extended payloads" not in loss]
    nccl = [kernel for kernel in kernels if "nccl" in kernel["full_name"].lower()]
    copies = [copy for copy in report["copies"] if "peer" in json.dumps(copy).lower()]
    found = [("GPUs", len(report["devices"]), gpus, len(report["devices"]) == gpus)]
    for device in range(gpus):
        mine = of(device, f"gpu {device}")
        strange = [kernel for other in range(gpus) if other != device
                   for kernel in of(other, f"gpu {device}")]
        launches = sum(kernel["launches"] for kernel in mine)
        samples = sum(kernel["samples_used"] for kernel in mine)
        found += [(f"GPU {device}: launches in its range", launches, 2 * _STEPS,
                   launches >= 2 * _STEPS),
                  (f"GPU {device}: of its range on other GPUs", len(strange), 0, not strange),
                  (f"GPU {device}: counter samples", samples, "> 0", samples > 0)]
    sampled = sum(kernel["samples_used"] for kernel in nccl)
    found += [("NCCL launches", sum(kernel["launches"] for kernel in nccl), "> 0", bool(nccl)),
              ("NCCL launches that were sampled", sampled, 0, sampled == 0),
              ("kinds of copies between GPUs", len(copies), "> 0", bool(copies)),
              ("losses, but for NCCL's extended payloads", "; ".join(lost) or "none", "none",
               not lost)]
    return found


def run(bench):
    if len(machine.gpus()) < 2:
        bench.show(f"{bench.name:12} [skipped] fewer than two GPUs")
        return
    program = [bench.python, "bench/programs/several_gpus.py", "--steps", str(_STEPS)]
    snapshot = f"{bench.scratch}/gpus.prof"
    bare_s, bare = processes.checked(program, _RUN_LIMIT_S)
    prof_s, under = processes.checked(bench.under_prof(snapshot, program, "all"), _RUN_LIMIT_S)
    report = prof_report.load(bench.prof, snapshot)
    line = next(line for line in bare.splitlines() if line.startswith("[checksum]"))
    checks = [("the program's answer", "equal" if line in under else "another", "equal",
               line in under)]
    checks += checks_of(report, int(line.split()[2]))
    body = {"bare_s": bare_s, "prof_s": prof_s, "checks": checks}
    bench.publish("several_gpus", body, "\n".join([
        bench.where() + f" Bare {bare_s:.1f} s, with all counters {prof_s:.1f} s.", "",
        results.table(["what", "measured", "expected", "met"],
                      [list(check) for check in checks])]))
    for what, measured, expected, met in checks:
        if not met:
            bench.fail(f"{what}: {measured}, expected {expected}")
