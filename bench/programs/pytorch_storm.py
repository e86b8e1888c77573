#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""This program launches the smallest kernels of PyTorch as fast as it can.

There tracing costs most. It adds one to one number and prints microseconds per launch.

    pytorch_storm.py [--steps N]
"""

import argparse
import time

import torch

_WAIT_EVERY = 1000


def run(x, steps):
    for step in range(1, steps + 1):
        x.add_(1)
        if step % _WAIT_EVERY == 0:
            torch.cuda.synchronize()
    torch.cuda.synchronize()


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--steps", type=int, default=200_000)
    steps = parser.parse_args().steps
    if not torch.cuda.is_available():
        print("[skipped] no CUDA device")
        return
    x = torch.zeros(1, device="cuda")
    run(x, _WAIT_EVERY)
    start = time.perf_counter()
    run(x, steps)
    us_per_launch = (time.perf_counter() - start) * 1e6 / steps
    print(f"[checksum] storm {x.item():.0f}")
    print(f"[timing] storm steps {steps} us_per_step {us_per_launch:.3f}", flush=True)


if __name__ == "__main__":
    main()
