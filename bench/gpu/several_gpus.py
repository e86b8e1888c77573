#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
#
# A program that uses every GPU of the machine from one process, under prof with all counters: each
# GPU has to be told from the others, copies between them and collectives have to be there, and no
# kernel that waits for another GPU may be sampled.
#
#   several_gpus.py --bin device/bin --markdown OUT.md --json OUT.json
"""Checks a recording of several GPUs against what the program did on them."""

import argparse
import json
import subprocess
import sys
import tempfile

import processes
import results

_STEPS = 300
_RUN_LIMIT_S = 200


def program():
    """Per step and GPU: one GEMM and one addition; then a copy to the next GPU and a sum of all."""
    import torch
    gpus = torch.cuda.device_count()
    if gpus < 2:
        print("[skipped] fewer than two GPUs")
        return
    a = [torch.randn(2048, 2048, device=f"cuda:{i}", dtype=torch.bfloat16) for i in range(gpus)]
    sums = [torch.ones(1 << 20, device=f"cuda:{i}") for i in range(gpus)]
    for _ in range(_STEPS):
        for i in range(gpus):
            with torch.cuda.device(i), torch.cuda.nvtx.range(f"gpu {i}"):
                product = a[i] @ a[i]
                product.add_(1)
        with torch.cuda.nvtx.range("exchange"):
            sums[1].copy_(sums[0])
            torch.cuda.nccl.all_reduce(sums)
    for i in range(gpus):
        torch.cuda.synchronize(i)
    print(f"[checksum] gpus {gpus} sum {sums[0][0].item():.6e}")


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


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--program", action="store_true", help="be the program")
    parser.add_argument("--bin", default="device/bin")
    parser.add_argument("--markdown")
    parser.add_argument("--json")
    arguments = parser.parse_args()
    if arguments.program:
        program()
        return 0
    itself = [sys.executable, __file__, "--program"]
    bare_s, bare = processes.checked(itself, _RUN_LIMIT_S)
    with tempfile.TemporaryDirectory() as scratch:
        snapshot = f"{scratch}/gpus.prof"
        prof_s, under = processes.checked(
            [f"{arguments.bin}/prof", "run", "--counters", "all", "--output", snapshot, "--",
             *itself], _RUN_LIMIT_S)
        done = subprocess.run([f"{arguments.bin}/prof", "report", "--json", snapshot],
                              capture_output=True, text=True, timeout=60, check=True)
    line = next(line for line in bare.splitlines() if line.startswith("[checksum]"))
    checks = [("the program's answer", "the same" if line in under else "another", "the same",
               line in under)]
    checks += checks_of(json.loads(done.stdout), int(line.split()[2]))
    text = "\n".join([
        results.where() + f" Bare {bare_s:.1f} s, with all counters {prof_s:.1f} s.", "",
        results.table(["what", "measured", "expected", "met"], [list(check) for check in checks])])
    results.write_text(arguments.markdown, text)
    results.write(arguments.json, {"bare_s": bare_s, "prof_s": prof_s, "checks": checks})
    print(text)
    return 0 if all(check[-1] for check in checks) else 1


if __name__ == "__main__":
    sys.exit(main())
