# SPDX-License-Identifier: Apache-2.0
"""This module lets variants of a program take turns (A B C A B C ...).

So a drift of the machine falls on all of them.
"""

import json
import random
import re
import statistics
import time

from lib import machine
from lib import processes
from lib import results

WALL = "wall_s"
_TIMING = re.compile(r"^\[timing\] (?:(\w+) )?steps ", re.MULTILINE)
_QUANTITY = re.compile(r"(\w*us_per_step) ([0-9.]+)")
_RUN_LIMIT_S = 120
_OF_FULL_SPEED = 1.15
_RESAMPLES = 2000


def take(name, variants, repeats, deadline, measure, fail):
    """Yields (variant, measure(its value)). A variant that fails once is not tried again."""
    broken = set()
    for _ in range(repeats):
        for variant, value in variants.items():
            if variant in broken or time.monotonic() > deadline:
                continue
            try:
                measured = measure(value)
            except (RuntimeError, OSError) as error:
                fail(f"{name}, {variant}: {error}")
                broken.add(variant)
                continue
            yield variant, measured


def quantities_in(output):
    """{"decode us_per_step": 5118.6, ...} from the lines that begin with [timing]."""
    found = {}
    for line in output.splitlines():
        timing = _TIMING.match(line)
        if timing:
            prefix = f"{timing[1]} " if timing[1] else ""
            found.update({prefix + name: float(value) for name, value in _QUANTITY.findall(line)})
    return found


def rounds_in(output):
    """{variant: [microseconds a step, a round]} of session_turns.py: the rounds that came to their
    end. An error where there are fewer than two, or a recording was not whole.
    """
    printed = re.findall(r"^\[turns\] (.*)$", output, re.MULTILINE)
    if len(printed) < 2 or "[incomplete]" in output:
        raise RuntimeError(f"{len(printed)} rounds: {output[-500:]}")
    return json.loads(printed[-1])


def parts_in(output):
    """{variant: [[microseconds a step, microseconds of a fixed piece of host code], ...]} of
    session_turns.py: the parts of all rounds. (tracing_parts.cc has lines of that name, too.)
    """
    printed = re.findall(r"^\[parts\] (\{.*\})$", output, re.MULTILINE)
    return json.loads(printed[-1]) if printed else {}


def at_full_speed(parts):
    """{variant: [microseconds a step]}: the parts beside which the host was as fast as it can be.

    A virtual machine that shares its cores has two speeds, one 1.8 times the other, and changes
    between them within a run. The fastest hundredth of the fixed pieces is its full speed.
    """
    hosts = sorted(host_us for found in parts.values() for _, host_us in found)
    if not hosts:
        return {}
    limit_us = _OF_FULL_SPEED * hosts[len(hosts) // 100]
    return {variant: [us for us, host_us in found if host_us <= limit_us]
            for variant, found in parts.items()}


def ratio_of_medians(values, base, seed=1):
    """(ratio, low, high): with an interval of 95 % by 2,000 resamples."""
    random_ = random.Random(seed)
    found = sorted(statistics.median(random_.choices(values, k=len(values)))
                   / statistics.median(random_.choices(base, k=len(base)))
                   for _ in range(_RESAMPLES))
    outer = _RESAMPLES // 40
    return statistics.median(values) / statistics.median(base), found[outer], found[-1 - outer]


def _run(command):
    """({quantity: value}, checksums) of one run."""
    wall_s, output = processes.checked(command, _RUN_LIMIT_S)
    quantities = quantities_in(output)
    if not quantities:
        raise RuntimeError(f"no [timing] line: {output[-300:]}")
    checksums = [line for line in output.splitlines() if line.startswith("[checksum]")]
    return {**quantities, WALL: wall_s}, checksums


def measure_workload(name, variants, repeats, deadline, fail):
    """Rows for one workload: {variant: command}. The first variant is the base."""
    runs = {variant: {} for variant in variants}
    checksums = {}
    for variant, (quantities, checksums[variant]) in take(name, variants, repeats, deadline, _run,
                                                          fail):
        for quantity, value in quantities.items():
            runs[variant].setdefault(quantity, []).append(value)
    return rows_of(name, variants, runs, checksums)


def rows_of(name, variants, runs, checksums):
    """`runs`: {variant: {quantity: [value of each run]}}."""
    rows = []
    base_variant = next(iter(variants))
    for variant, quantities in runs.items():
        for quantity, values in quantities.items():
            base = runs[base_variant].get(quantity)
            median = statistics.median(values)
            rows.append({
                "workload": name, "variant": variant, "quantity": quantity,
                "median": median, "min": min(values), "max": max(values), "n": len(values),
                "over_bare": median / statistics.median(base) if base else None,
                "same_output": checksums[variant] == checksums.get(base_variant) if base else None,
                "command": machine.printable(variants[variant]),
            })
    return rows


def table(rows):
    """The table of rows_of()."""
    return results.table(
        ["workload", "variant", "quantity", "median", "n", "over bare", "same output"],
        [[row["workload"], row["variant"], row["quantity"], row["median"], row["n"],
          row["over_bare"], row["same_output"]] for row in rows])
