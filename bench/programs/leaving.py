#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""This program records itself again and again, and leaves CUPTI each time, while threads launch.

    leaving.py [--rounds N] [--bare]

--bare: without a recording, as long. It prints how many launches each recording has, what a step takes before the first recording, after
one that leaves CUPTI and after one that does not, and whether its results are right. Counters are
read in every third recording: CUPTI's profiler starts again, too.
"""

import argparse
import itertools
import json
import statistics
import threading
import time

import prof
import torch

SIZE, PER_STEP = 1024, 200
COUNTERS_S = 2  # so long a recording with counters lasts


def step(x):
    for _ in range(PER_STEP):
        x.add_(1)


def timed(x, steps=40):
    torch.cuda.synchronize()
    times = []
    for _ in range(steps):
        begin = time.perf_counter()
        step(x)
        torch.cuda.synchronize()
        times.append((time.perf_counter() - begin) / PER_STEP * 1e6)
    return statistics.median(times)


def beside(stop, count):
    """Launches on a stream of its own until it is told to stop."""
    with torch.cuda.stream(torch.cuda.Stream()):
        x = torch.zeros(SIZE, device="cuda")
        while not stop.is_set():
            step(x)
            torch.cuda.current_stream().synchronize()
            count[0] += PER_STEP
        count[1] = float(x.sum().item()) == count[0] * SIZE


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rounds", type=int, default=30)
    parser.add_argument("--bare", action="store_true")
    arguments = parser.parse_args()
    rounds = arguments.rounds
    if not torch.cuda.is_available():
        print("[skipped] no CUDA device")
        return
    x = torch.zeros(SIZE, device="cuda")
    known = {"before": timed(x)}
    stop, others = threading.Event(), [[0, False] for _ in range(2)]
    threads = [threading.Thread(target=beside, args=(stop, one)) for one in others]
    for thread in threads:
        thread.start()
    recorded, samples = [], 0
    for number in range(rounds):
        if arguments.bare:
            for _ in range(21):
                step(x)
            torch.cuda.synchronize()
            continue
        counters = "sol" if number % 3 == 2 else "none"
        with prof.session(counters=counters, leave=True) as session:
            until = time.monotonic() + (COUNTERS_S if counters != "none" else 0)
            for number_of_steps in itertools.count():
                if number_of_steps >= 20 and time.monotonic() >= until:
                    break
                step(x)
            torch.cuda.synchronize()
        kernels = sum(kernel.launches for kernel in session.report.kernels)
        recorded.append(kernels)
        samples += len(session.report.samples)
        if counters != "none" and not session.report.samples:
            print(f"[failed] recording {number}: no counters, {session.report.notices}")
        if kernels < 20 * PER_STEP or session.report.incomplete:
            print(f"[failed] recording {number}: {kernels} kernels, {session.report.incomplete}")
        step(x)  # here one of the threads leaves
    stop.set()
    for thread in threads:
        thread.join()
    known["after" if arguments.bare else "after leaving"] = timed(x)
    if not arguments.bare:
        with prof.session(counters="none"):
            step(x)
        known["after Stop"] = timed(x)
    made = float(x[0].item())
    right = bool((x == made).all()) and all(one[1] for one in others)
    print("[leaving] " + json.dumps({"rounds": rounds, "least_recorded": min(recorded, default=0),
                                     "samples": samples, "right": right, "us_per_launch": known}),
          flush=True)


if __name__ == "__main__":
    main()
