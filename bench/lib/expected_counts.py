# SPDX-License-Identifier: Apache-2.0
"""This module compares prof's counts with those that follow from a kernel's arguments."""

from lib import prof_report
from lib import results

_GOAL = 0.001
_FLOOR = 64  # events: CUPTI's own kernel stores a sector beside each sampled launch


def compare(expected, report):
    by_label = {kernel.label: kernel for kernel in prof_report.kernels_of(report)}
    rows = []
    for name, known in expected["kernels"].items():
        kernel = by_label.get(name)
        for metric, value in known["expected"].items():
            ours = kernel.metrics.get(metric) if kernel else None
            row = {"kernel": name, "bottleneck": known["bottleneck"], "metric": metric,
                   "expected": value, "prof": None, "difference": None, "within": None}
            if ours and ours["median"] is not None:
                off = ours["median"] - value
                row.update(prof={key: ours[key] for key in ("n", "median", "min", "max")},
                           difference=100 * off / value if value else None,
                           within=abs(off) <= max(_GOAL * value, _FLOOR))
            rows.append(row)
    return rows


def markdown_table(rows):
    return results.table(
        ["kernel", "metric", "expected", "prof", "difference, %", "within 0.1 %"],
        [[row["kernel"], row["metric"], f"{row['expected']:.10g}",
          f"{row['prof']['median']:.10g} (n {row['prof']['n']})", row["difference"], row["within"]]
         for row in rows if row["prof"]])


def publish(bench, pairs):
    """`pairs`: [(what a program wrote with --expected, prof's report of the program)]."""
    rows = []
    for expected_path, prof_path in pairs:
        rows += compare(results.read(expected_path), results.read(prof_path))
    compared = [row for row in rows if row["within"] is not None]
    missing = sorted({row["metric"] for row in rows if row["prof"] is None})
    bench.publish("counts", {"rows": rows}, bench.where() + "\n\n" + markdown_table(rows),
                  f"{sum(row['within'] for row in compared)} of {len(compared)} counts within "
                  f"0.1 %; not measured by prof: {', '.join(missing) or 'none'}")
    if not compared:
        bench.fail("no count was compared")
