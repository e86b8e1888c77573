#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""This program uses torch.profiler twice, with work of its own before, between and after.

    profiler_in_turns.py [--steps N]

Each phase is a range: "before", "profiled 1", "between", "profiled 2", "after". The names of the
own ones differ in more than numbers: prof's report would have one row for them. An own phase begins
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
    phase("before", x, steps)
    for i, then in ((1, "between"), (2, "after")):
        with profile(activities=[ProfilerActivity.CUDA, ProfilerActivity.CPU]) as profiler:
            phase(f"profiled {i}", x, steps)
        adds = sum(event.count for event in profiler.key_averages() if event.key == "aten::add_")
        print(f"[profiled] {adds}")
        time.sleep(_REST_S)
        phase(then, x, steps)
    print(f"[checksum] {x.item():.0f}")


if __name__ == "__main__":
    main()
