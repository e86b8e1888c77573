# SPDX-License-Identifier: Apache-2.0
"""This experiment measures what the GPU reaches, as a user would: with examples/ceilings.

A second run shows whether the rates come again.
"""

import csv
import io
import time

from lib import processes
from lib import results

QUESTION = "What do the GPU's units and links reach, and does a second calibration agree?"
LIMIT_S = 60
RESULTS = ("ceilings",)
FILES = ("ceilings.json",)

_PROGRAM, _RUN_LIMIT_S = "device/bin/ceilings", 25
_MOST_S, _MOST_APART = 5, 0.03


def rows_of(output):
    """The rows of the CSV as dictionaries, with numbers. Lines on stderr are among them."""
    lines = [line for line in output.splitlines() if not line.startswith("ceilings: ")]
    rows = list(csv.DictReader(io.StringIO("\n".join(lines))))
    if not rows:
        raise RuntimeError(f"no rates: {output[-200:]!r}")
    return [{"kind": row["kind"],
             **{name: float(row[name]) for name in ("per_s", "min", "max", "sm_clock_hz")}}
            for row in rows]


def _rate(row):
    """Of a clock cycle where the clock is known: prof takes it to that of the kernel."""
    return row["per_s"] / (row["sm_clock_hz"] or 1)


def goals_of(rows, again, seconds):
    """How long it took, and how far the rates of two runs are apart at most. A rate that only one
    of them has is as far apart as can be.
    """
    other = {row["kind"]: _rate(row) for row in again}
    apart = {row["kind"]: abs(_rate(row) / other[row["kind"]] - 1) if row["kind"] in other else 1
             for row in rows}
    worst = max(apart, key=apart.get)
    return [{"goal": "seconds of a calibration", "measured": seconds, "limit": _MOST_S,
             "met": seconds <= _MOST_S},
            {"goal": f"the rates of two calibrations apart, at most ({worst})",
             "measured": apart[worst], "limit": _MOST_APART, "met": apart[worst] <= _MOST_APART}]


def _shown(row):
    if row is None:
        return None
    unit = "Tflop/s" if row["kind"].startswith("flops") else "GB/s"
    return f"{row['per_s'] / (1e12 if unit == 'Tflop/s' else 1e9):.4g} {unit}"


def run(bench):
    begin = time.monotonic()
    _, output = processes.checked([_PROGRAM], _RUN_LIMIT_S)
    seconds = time.monotonic() - begin
    rows, again = rows_of(output), rows_of(processes.checked([_PROGRAM], _RUN_LIMIT_S)[1])
    goals = goals_of(rows, again, seconds)
    second = {row["kind"]: row for row in again}
    bench.publish("ceilings", {"rows": rows, "again": again, "goals": goals}, "\n".join([
        bench.where() + " Medians of 11 launches or copies.", "",
        results.table(["what", "reached", "in a second run"],
                      [[row["kind"], _shown(row), _shown(second.get(row["kind"]))]
                       for row in rows]),
        "", results.goal_table(goals)]))
