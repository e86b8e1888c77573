#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""This program uses every GPU of the machine from one process.

In each step, each GPU runs one GEMM and one addition. Then one GPU copies to the next, and all sum
up over NCCL.

    several_gpus.py [--steps N]
"""

import argparse

import torch


def run(gpus, steps):
    a = [torch.randn(2048, 2048, device=f"cuda:{i}", dtype=torch.bfloat16) for i in range(gpus)]
    sums = [torch.ones(1 << 20, device=f"cuda:{i}") for i in range(gpus)]
    for _ in range(steps):
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


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--steps", type=int, default=300)
    arguments = parser.parse_args()
    gpus = torch.cuda.device_count()
    if gpus < 2:
        print("[skipped] fewer than two GPUs")
        return
    run(gpus, arguments.steps)


if __name__ == "__main__":
    main()
