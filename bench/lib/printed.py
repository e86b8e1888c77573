# SPDX-License-Identifier: Apache-2.0
"""This module reads the lines that our programs print: [timing], [counts], [memory], [thread]."""

import re

_NUMBER = re.compile(r"(\w+) ([0-9.]+)")
_ROUNDS = re.compile(r"\[timing\] rounds (\d+) seconds ([0-9.]+)")
_THREAD = re.compile(r"\[thread\] (\S+) cpu_s ([0-9.]+)")
_FOR_SUMMARY = re.compile(
    r"^\[(?:timing|checksum|counts|thread|memory|loss|failed)\].*", re.MULTILINE)
_MOST_GROWTH = 1.05  # from the second tenth on: before that, buffers are touched for the first time


def for_summary(output):
    return _FOR_SUMMARY.findall(output)


def numbers(tag, output):
    """{"made": 1.0, ...} of the line of `output` that begins with [tag]."""
    line = re.search(rf"^\[{tag}\].*", output, re.MULTILINE)
    if not line:
        raise RuntimeError(f"no [{tag}] line: {output[-300:]}")
    return {name: float(value) for name, value in _NUMBER.findall(line[0])}


def rounds(output):
    """(rounds, seconds) of known_kernels."""
    found = _ROUNDS.search(output)
    if not found:
        raise RuntimeError(f"no [timing] line: {output[-300:]}")
    return int(found[1]), float(found[2])


def thread_times(output):
    """{thread of prof: seconds of CPU}"""
    return {name: float(seconds) for name, seconds in _THREAD.findall(output)}


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
