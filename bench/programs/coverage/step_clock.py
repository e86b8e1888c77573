# SPDX-License-Identifier: Apache-2.0
"""This module times the steps of a program and prints one line that scripts can read.

The line has how many steps there were, and how long one took in each second of the run, as
step_clock.cc prints it. It also has how long a fixed piece of host code took in each second: where
that differs, the machine was busier or slower, whoever recorded the program.
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


_PROBE_EVERY_S = 0.05
_PROBE_LOOPS = 2000  # 20 to 80 us: a thousandth of the time


def probe_us():
    """How long a fixed piece of host code takes."""
    start = time.perf_counter()
    for _ in range(_PROBE_LOOPS):
        pass
    return (time.perf_counter() - start) * 1e6


def _medians_of_seconds(values):
    seconds = {}
    for when, us in values:
        seconds.setdefault(int(when), []).append(us)
    return [round(statistics.median(found), 2) for _, found in sorted(seconds.items())]


class StepClock:
    def __init__(self, arguments):
        self._limit = arguments
        self._batches = []  # (end, us of a step)
        self._probes = []  # (when, us of the fixed piece of host code)
        self.steps = 0
        self._start = time.perf_counter()
        self._last = 0.0
        self._probed_s = 0.0

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
        self.steps += steps
        if not self._probes or now - self._probes[-1][0] >= _PROBE_EVERY_S:
            self._probes.append((now, probe_us()))
            self._probed_s += self._probes[-1][1] / 1e6
        self._last = time.perf_counter() - self._start

    def run(self, step, per_wait, wait):
        """Runs `step` until the limit, with a `wait` after `per_wait` of them."""
        while self.goes_on():
            count = self.until_wait(per_wait)
            for _ in range(count):
                step()
            wait()
            self.waited(count)

    def print(self, **parameters):
        print("[steps] " + json.dumps({
            "steps": self.steps, "loop_s": round(self._last - self._probed_s, 4),
            "us_of_seconds": _medians_of_seconds(self._batches),
            "host_us_of_seconds": _medians_of_seconds(self._probes),
            "parameters": parameters}), flush=True)
