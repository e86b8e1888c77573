# SPDX-License-Identifier: Apache-2.0
"""This module times the steps of a program and prints one line that scripts can read.

The line has how many steps there were, and how long one took in each second of the run. It is the
same as step_clock.cc prints.
"""

import argparse
import json
import statistics
import time


def parse(description, kinds=()):
    """The arguments that every program of the coverage suite has."""
    parser = argparse.ArgumentParser(description=description)
    if kinds:
        parser.add_argument("kind", choices=kinds)
    parser.add_argument("--seed", type=int, required=True)
    parser.add_argument("--steps", type=int, default=0, help="0: as many as --seconds allow")
    parser.add_argument("--seconds", type=float, default=1)
    return parser.parse_args()


class StepClock:
    def __init__(self, arguments):
        self._limit = arguments
        self._batches = []  # (end, us of a step)
        self.steps = 0
        self._start = time.perf_counter()
        self._last = 0.0

    def goes_on(self):
        if self._limit.steps:
            return self.steps < self._limit.steps
        return time.perf_counter() - self._start < self._limit.seconds

    def until_wait(self, most):
        """The steps until the next wait for the GPU: at most `most`."""
        return min(most, self._limit.steps - self.steps) if self._limit.steps else most

    def waited(self, steps):
        now = time.perf_counter() - self._start
        self._batches.append((now, (now - self._last) * 1e6 / steps))
        self._last = now
        self.steps += steps

    def run(self, step, per_wait, wait):
        """Runs `step` until the limit, with a `wait` after `per_wait` of them."""
        while self.goes_on():
            count = self.until_wait(per_wait)
            for _ in range(count):
                step()
            wait()
            self.waited(count)

    def print(self, **parameters):
        seconds = {}
        for end, us in self._batches:
            seconds.setdefault(int(end), []).append(us)
        print("[steps] " + json.dumps({
            "steps": self.steps, "loop_s": round(self._last, 4),
            "us_of_seconds": [round(statistics.median(found), 2)
                              for _, found in sorted(seconds.items())],
            "parameters": parameters}), flush=True)
