# SPDX-License-Identifier: Apache-2.0
#
# Runs programs with a limit, and leaves none of them behind on the GPU.
"""timed() runs a command with everything that it starts."""

import os
import re
import signal
import subprocess
import sys
import time

_PATIENCE_S = 30  # for a profiler to write its report when it is told to stop
_NUMBER = r"(\w+) ([0-9.]+)"
_MOST_GROWTH = 1.05  # from the second tenth on: buffers are touched as they are first needed
_KILLED = 128 + signal.SIGTERM


def _interrupt(process):
    os.killpg(process.pid, signal.SIGINT)
    try:
        return process.communicate(timeout=_PATIENCE_S)[0]
    except subprocess.TimeoutExpired:
        os.killpg(process.pid, signal.SIGKILL)
        return process.communicate()[0]


def timed(command, limit_s):
    """(seconds, exit code, output). After limit_s all its processes are interrupted, then killed."""
    # A script that is told to end must end what it started: `timeout` does not reach a session.
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(_KILLED))
    start = time.monotonic()
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
                          errors="replace", start_new_session=True) as process:
        try:
            output, _ = process.communicate(timeout=limit_s)
        except subprocess.TimeoutExpired:
            output = _interrupt(process)
        except BaseException:
            os.killpg(process.pid, signal.SIGKILL)
            raise
        return time.monotonic() - start, process.returncode, output


def checked(command, limit_s):
    """(seconds, output); raises RuntimeError with the last lines when the command failed."""
    seconds, code, output = timed(command, limit_s)
    if code != 0 or "[skipped]" in output:
        raise RuntimeError(f"{command[0]}: exit code {code}: "
                           f"{' / '.join(output.strip().splitlines()[-3:])}")
    return seconds, output


def numbers(tag, output):
    """{"made": 1.0, ...} of the line of `output` that begins with [tag]."""
    line = re.search(rf"^\[{tag}\].*", output, re.MULTILINE)
    if not line:
        raise RuntimeError(f"no [{tag}] line: {output[-300:]}")
    return {name: float(value) for name, value in re.findall(_NUMBER, line[0])}


def resident_mib(output):
    """What memory_watch.h printed: (the most in each tenth of the time, the mappings that grew)."""
    memory = numbers("memory", output)
    return ([memory[f"resident_mib_{i}"] for i in range(1, 11)],
            re.findall(r"^\[mapping\] (.*)", output, re.MULTILINE))


def growth_goal(tenths):
    """Whether the memory in resident_mib()'s tenths stayed where it was."""
    growth = tenths[-1] / tenths[1]
    return {"goal": "resident MiB: last tenth over second", "limit": _MOST_GROWTH,
            "measured": growth, "met": growth <= _MOST_GROWTH}
