#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""This program runs drawn steps of a model, under recordings of all and of a share of the time.

    duty_turns.py train|decode VARIANTS [--rounds N] [--seconds S] [--seed N]

VARIANTS is JSON: {name: options of prof.session(); null: no recording}; without counters unless
they say so. The steps of a round differ in the number of positions or tokens; their order is drawn,
and the same for all variants of the round, so that they launch the same kernels. Prints as JSON,
for each round and variant, the time of a step and, of each kernel, launches and time: all of the
timeline, or the estimate of the whole run. The first turns run before any recording ("bare").
"""

import argparse
import json
import random
import time

import timed_steps  # sets what makes cuBLAS deterministic, before PyTorch is there
import prof
import torch

STEPS = {"train": (timed_steps.train_step, (64, 128, 256)),  # tokens
         "decode": (timed_steps.decode_step, (16, 64, 256, 1024))}  # positions
WARM_UP, BARE_TURNS = 3, 3


def run(steps, order):
    """Microseconds a step."""
    torch.cuda.synchronize()
    begin = time.perf_counter()
    for size in order:
        steps[size]()
    torch.cuda.synchronize()
    return (time.perf_counter() - begin) / len(order) * 1e6


def draw(random_, steps, count):
    """Phases of one size and mixtures, of drawn lengths."""
    order = []
    while len(order) < count:
        length = random_.randint(1, max(1, count // 6))
        if random_.random() < 0.5:
            order += [random_.choice(list(steps))] * length
        else:
            order += [random_.choice(list(steps)) for _ in range(length)]
    return order[:count]


def _key(kernel):
    return f"{kernel.name} {tuple(kernel.grid)} {tuple(kernel.block)} {kernel.dynamic_shared_bytes}"


def known_of(report):
    """What a recording says about the whole run."""
    run_, kernels = report.whole_run, {}
    for kernel in (run_ or report).kernels:  # kernels of one short name count as one
        known = kernels.setdefault(_key(kernel), {"launches": 0, "ns": 0.0, "error_ns": 0.0})
        known["launches"] += kernel.launches
        known["ns"] += kernel.total_ns if run_ is None else kernel.time.ns if kernel.time else 0
        if run_ is not None and (kernel.time is None or kernel.time.error_ns is None):
            known["error_ns"] = None
        elif run_ is not None and known["error_ns"] is not None:
            known["error_ns"] += kernel.time.error_ns
    if run_ is None:
        return {"kernels": kernels, "ns": sum(known["ns"] for known in kernels.values())}
    return {"kernels": kernels, "windows": run_.windows, "traced": run_.traced_ns / run_.span_ns,
            "ns": run_.kernels_time.ns, "error_ns": run_.kernels_time.error_ns,
            "without": run_.launches_without}


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("kind", choices=tuple(STEPS))
    parser.add_argument("variants", type=json.loads)
    parser.add_argument("--rounds", type=int, default=4)
    parser.add_argument("--seconds", type=float, default=6, help="of a turn")
    parser.add_argument("--seed", type=int, default=None)
    arguments = parser.parse_args()
    if not torch.cuda.is_available():
        print("[skipped] no CUDA device")
        return
    seed = random.randrange(1 << 30) if arguments.seed is None else arguments.seed
    random_ = random.Random(seed)
    model = timed_steps.new_model()
    make, sizes = STEPS[arguments.kind]
    steps = {size: make(model, size) for size in sizes}
    for _ in range(WARM_UP):
        run(steps, list(steps))
    count = max(10, int(arguments.seconds * 1e6 / run(steps, draw(random_, steps, 20))))
    orders = [draw(random_, steps, count) for _ in range(arguments.rounds)]
    turns = [{"round": i, "variant": "bare", "us_per_step": run(steps, orders[i % len(orders)])}
             for i in range(BARE_TURNS)]
    for i, order in enumerate(orders):
        names = list(arguments.variants)
        random_.shuffle(names)
        for name in names:
            if arguments.variants[name] is None:
                turns.append({"round": i, "variant": name, "us_per_step": run(steps, order)})
                continue
            with prof.session(**{"counters": "none", **arguments.variants[name]}) as session:
                us = run(steps, order)
            turns.append({"round": i, "variant": name, "us_per_step": us,
                          "incomplete": session.report.incomplete, **known_of(session.report)})
    print("[duty] " + json.dumps({"seed": seed, "steps": count, "turns": turns}), flush=True)


if __name__ == "__main__":
    main()
