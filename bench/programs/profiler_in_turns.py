#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""This program uses torch.profiler twice, with work of its own before, between and after.

    profiler_in_turns.py [--steps N]

Each phase is a range: "own 0", "profiled 1", "own 2", "profiled 3", "own 4". An own phase begins
after some seconds, in which whoever lost CUPTI can take it up again.
"""

import argparse
import time

import torch
from torch.profiler import ProfilerActivity, profile

_REST_S = 2.5


def phase(name, x, steps):
    with torch.cuda.nvtx.range(name):
        for _ in range(steps):
            x.add_(1)
    torch.cuda.synchronize()


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--steps", type=int, default=2000)
    steps = parser.parse_args().steps
    if not torch.cuda.is_available():
        print("[skipped] no CUDA device")
        return
    x = torch.zeros(1, device="cuda")
    phase("own 0", x, steps)
    for i in (1, 3):
        with profile(activities=[ProfilerActivity.CUDA, ProfilerActivity.CPU]) as profiler:
            phase(f"profiled {i}", x, steps)
        adds = sum(event.count for event in profiler.key_averages() if event.key == "aten::add_")
        print(f"[profiled] {adds}")
        time.sleep(_REST_S)
        phase(f"own {i + 1}", x, steps)
    print(f"[checksum] {x.item():.0f}")


if __name__ == "__main__":
    main()
