#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""This program runs steps of a model under sessions of prof that take turns in one process.

    session_turns.py train|decode VARIANTS [--rounds N] [--steps N] [--parts N]

VARIANTS is JSON: {name: options of prof.session(); two numbers: a set of parts of tracing_parts.cc,
which is the injection library then, and the set that ends tracing; null: neither}. In each round
each variant takes some steps, in an order that is drawn. So a drift of the machine falls on all of
them, and each has the caches and the memory that the others have. The time of a turn is the median
of its parts: what disturbs the machine for a moment does not count. Prints
{name: [microseconds a step, a round]} as JSON after each round, and for all parts so far
{name: [[microseconds a step, microseconds of a fixed piece of host code], ...]}: a host may have
several speeds, and parts at one of them can be compared.
"""

import argparse
import ctypes
import json
import random
import signal
import statistics
import threading
import time

import timed_steps  # sets what makes cuBLAS deterministic, before PyTorch is there
import prof
import torch

ATTACH_S = 0.3  # prof looks for PyTorch every 20 ms, and tests it once


def request_parts(number):
    """The handler of tracing_parts.cc runs on this thread, before the call returns."""
    thread = ctypes.c_ulong(threading.get_ident())
    ctypes.CDLL(None).pthread_sigqueue(thread, signal.SIGUSR2, ctypes.c_void_p(number))


def turn(step, steps, parts, variant):
    """(its parts, the report of a recording or None)."""
    if not isinstance(variant, dict):
        if variant is not None:
            request_parts(variant[0])
        time.sleep(ATTACH_S)  # as below, where the machine rests, too
        times = timed_steps.timed(step, steps, parts)
        if variant is not None:
            request_parts(variant[1])
        return times, None
    with prof.session(counters="none", **variant) as session:
        time.sleep(ATTACH_S)
        times = timed_steps.timed(step, steps, parts)
    torch.cuda.synchronize()  # a recording that leaves CUPTI does so behind it
    return times, session.report


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("kind", choices=("train", "decode"))
    parser.add_argument("variants", type=json.loads)
    parser.add_argument("--rounds", type=int, default=12)
    parser.add_argument("--steps", type=int, default=20, help="of a part")
    parser.add_argument("--parts", type=int, default=1, help="of a turn")
    arguments = parser.parse_args()
    if not torch.cuda.is_available():
        print("[skipped] no CUDA device")
        return
    step = {"train": timed_steps.train_step,
            "decode": timed_steps.decode_step}[arguments.kind](timed_steps.new_model())
    times, all_parts = ({name: [] for name in arguments.variants} for _ in range(2))
    timed_steps.timed(step, timed_steps.WARM_UP)
    for round_number in range(-1, arguments.rounds):  # the first one warms up
        names = list(arguments.variants)
        random.shuffle(names)
        for name in names:
            variant = arguments.variants[name]
            parts, report = turn(step, arguments.steps, arguments.parts, variant)
            if round_number >= 0:
                times[name].append(round(statistics.median(us for us, _ in parts), 2))
                all_parts[name] += parts
            elif report and report.incomplete:
                print(f"[incomplete] {name}: {report.incomplete}")
            elif report and variant.get("torch", "off") != "off" and not report.ops:
                print(f"[incomplete] {name}: no ops")
        if round_number >= 0:  # the last line has all rounds, also of a run that is stopped
            print("[turns] " + json.dumps(times), flush=True)
            print("[parts] " + json.dumps(all_parts), flush=True)


if __name__ == "__main__":
    main()
