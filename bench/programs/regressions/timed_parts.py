# SPDX-License-Identifier: Apache-2.0
"""This module repeats the step of a program and times its parts with CUDA events.

It prints the lines that timed_steps.cc prints: [sum], [parts] and [steps].
"""

import argparse
import contextlib
import json
import pathlib
import statistics
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "coverage"))
import step_clock
import torch

_WARM_UP_STEPS, _STEPS_PER_WAIT = 3, 20


def parse(description, kinds):
    """The arguments of a program. With --wait it first waits for a line of stdin."""
    parser = argparse.ArgumentParser(description=description)
    parser.add_argument("kind", choices=kinds)
    parser.add_argument("--seed", type=int, required=True)
    parser.add_argument("--steps", type=int, default=0, help="0: as many as --seconds allow")
    parser.add_argument("--seconds", type=float, default=1)
    parser.add_argument("--wait", action="store_true",
                        help="wait for a line of stdin before the GPU is used")
    arguments = parser.parse_args()
    if arguments.wait:
        sys.stdin.readline()
    return arguments


class TimedParts:
    def __init__(self):
        self._free, self._open, self._us = [], [], {}

    @contextlib.contextmanager
    def part(self, name):
        """Times what is launched inside."""
        events = self._free.pop() if self._free else [
            torch.cuda.Event(enable_timing=True) for _ in range(2)]
        events[0].record()
        yield
        events[1].record()
        self._open.append((name, events))

    def _read(self):
        """The times of all steps so far; the GPU has no work left."""
        for name, events in self._open:
            self._us.setdefault(name, []).append(1000 * events[0].elapsed_time(events[1]))
            self._free.append(events)
        self._open.clear()

    def run(self, arguments, step, total, **parameters):
        """`total` is called once, after the warm-up: it does not depend on the number of steps."""
        for _ in range(_WARM_UP_STEPS):
            step()
        torch.cuda.synchronize()
        print(f"[sum] {total():.6e}")
        self._read()
        self._us.clear()
        clock = step_clock.StepClock(arguments)

        def wait():
            torch.cuda.synchronize()
            self._read()

        clock.run(step, _STEPS_PER_WAIT, wait)
        parts = {name: {"us": round(statistics.median(us), 3), "n": len(us)}
                 for name, us in self._us.items()}
        print(f"[parts] {json.dumps(parts)}")
        clock.print(**parameters)
