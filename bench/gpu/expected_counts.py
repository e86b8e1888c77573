#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
#
# prof's counts beside those that follow from a kernel's arguments.
#
#   expected_counts.py --pair EXPECTED.json PROF.json [--pair ...] --markdown OUT.md --json OUT.json
#
# EXPECTED.json is what known_kernels or python_kernels.py wrote with --expected.
"""Compares known operation, request and sector counts with prof's."""

import argparse
import sys

import prof_report
import results

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


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--pair", nargs=2, action="append", required=True,
                        metavar=("EXPECTED.json", "PROF.json"))
    parser.add_argument("--markdown", required=True)
    parser.add_argument("--json", required=True)
    arguments = parser.parse_args()

    rows = []
    for expected_path, prof_path in arguments.pair:
        rows += compare(results.read(expected_path), results.read(prof_path))
    missing = sorted({row["metric"] for row in rows if row["prof"] is None})
    results.write(arguments.json, {"rows": rows})
    results.write_text(arguments.markdown, results.where() + "\n\n" + markdown_table(rows))
    print(markdown_table(rows), end="")
    compared = [row for row in rows if row["within"] is not None]
    print(f"{sum(row['within'] for row in compared)} of {len(compared)} counts within 0.1 %; "
          f"not measured by prof: {', '.join(missing) or 'none'}")
    return 0 if compared else 1


if __name__ == "__main__":
    sys.exit(main())
