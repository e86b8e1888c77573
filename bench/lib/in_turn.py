# SPDX-License-Identifier: Apache-2.0
"""This module runs programs one after another, and lets the next ones load meanwhile.

Each program gets a line on stdin when its turn comes. A program that loads for seconds, as PyTorch
does, is started before, and waits for that line before it uses the GPU. Others ignore it.
"""

import collections
import itertools
import os
import signal
import subprocess
import time

from lib import processes

_PATIENCE_S = 10  # for a profiler to end when it is interrupted


class _Started:
    def __init__(self, command):
        self._process = subprocess.Popen(
            command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
            text=True, errors="replace", start_new_session=True)

    def take_turn(self, limit_s):
        """(seconds, exit code, output). The exit code is STOPPED after limit_s."""
        start = time.monotonic()
        try:
            output, _ = self._process.communicate("go\n", timeout=limit_s)
            return time.monotonic() - start, self._process.returncode, output
        except subprocess.TimeoutExpired:
            return time.monotonic() - start, processes.STOPPED, self._interrupt()

    def _interrupt(self):
        os.killpg(self._process.pid, signal.SIGINT)
        try:
            return self._process.communicate(timeout=_PATIENCE_S)[0]
        except subprocess.TimeoutExpired:
            os.killpg(self._process.pid, signal.SIGKILL)
            return self._process.communicate()[0]

    def end(self):
        if self._process.poll() is None:
            os.killpg(self._process.pid, signal.SIGKILL)
            self._process.communicate()


def run(commands, limit_s, ahead=0):
    """Yields (seconds, exit code, output) of each command, in their order.

    At most `ahead` programs load while another one has its turn. None outlives the iteration.
    """
    processes.exit_on_sigterm()
    rest, started = iter(commands), collections.deque()
    try:
        while True:
            for command in itertools.islice(rest, ahead + 1 - len(started)):
                started.append(_Started(command))
            if not started:
                return
            yield started[0].take_turn(limit_s)
            started.popleft()
    finally:
        for program in started:
            program.end()
