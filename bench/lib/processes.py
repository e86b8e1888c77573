# SPDX-License-Identifier: Apache-2.0
"""This module runs programs and functions with a limit, and leaves none of them behind."""

import multiprocessing
import os
import signal
import subprocess
import sys
import threading
import time

_PATIENCE_S = 30      # for a profiler to write its report when it is interrupted
_KILL_AFTER_S = 10    # a function that does not end at SIGTERM
_KILLED = 128 + signal.SIGTERM
STOPPED = 124         # the exit code of what ran too long


def exit_on_sigterm():
    """A script that must end also ends what it started: SIGTERM does not reach other sessions.

    Python allows it in the main thread alone; in others it does nothing.
    """
    if threading.current_thread() is not threading.main_thread():
        return
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(_KILLED))


def _interrupt(process):
    os.killpg(process.pid, signal.SIGINT)
    try:
        return process.communicate(timeout=_PATIENCE_S)
    except subprocess.TimeoutExpired:
        os.killpg(process.pid, signal.SIGKILL)
        return process.communicate()


def timed(command, limit_s, stdout=None):
    """(seconds, exit code, output). After limit_s all its processes are interrupted, then killed.

    `stdout`: a file for the program's stdout; then the output is its stderr alone.
    """
    exit_on_sigterm()
    start = time.monotonic()
    pipes = {"stdout": subprocess.PIPE, "stderr": subprocess.STDOUT}
    if stdout is not None:
        pipes = {"stdout": stdout, "stderr": subprocess.PIPE}
    with subprocess.Popen(command, **pipes, text=True, errors="replace",
                          start_new_session=True) as process:
        try:
            outputs = process.communicate(timeout=limit_s)
        except subprocess.TimeoutExpired:
            outputs = _interrupt(process)
        except BaseException:
            os.killpg(process.pid, signal.SIGKILL)
            raise
        return time.monotonic() - start, process.returncode, "".join(filter(None, outputs))


def checked(command, limit_s):
    """(seconds, output). Raises RuntimeError with the last lines when the command failed."""
    seconds, code, output = timed(command, limit_s)
    if code != 0 or "[skipped]" in output:
        raise RuntimeError(f"{command[0]}: exit code {code}: "
                           f"{' / '.join(output.strip().splitlines()[-3:])}")
    return seconds, output


def isolated(function, limit_s):
    """The exit code of `function` in a process of its own, or STOPPED after limit_s."""
    process = multiprocessing.get_context("fork").Process(target=function)
    process.start()
    try:
        process.join(limit_s)
        if not process.is_alive():
            return process.exitcode
        return STOPPED
    finally:
        if process.is_alive():
            process.terminate()
            process.join(_KILL_AFTER_S)
        if process.is_alive():
            process.kill()
            process.join()
