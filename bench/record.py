#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
#
# Runs one of the benchmarks beside this script and keeps what it says, with where it comes from.
#
#   bench/record.py build/release/bench/bench_decode bench/results/decode.json [--benchmark_...]
"""Writes a Google Benchmark run as a result file."""

import datetime
import json
import os
import pathlib
import re
import subprocess
import sys

_NOT_COUNTERS = {"family_index", "per_family_instance_index", "repetitions", "repetition_index",
                 "threads", "iterations", "real_time", "cpu_time"}


def cpu():
    text = pathlib.Path("/proc/cpuinfo").read_text(encoding="utf-8")
    model = re.search(r"model name\s*: (.*)", text)
    return f"{os.cpu_count()} CPUs ({model[1].strip() if model else 'unknown'}), no GPU used"


def row_of(benchmark):
    """Times in nanoseconds whatever unit it printed; all counters by their name."""
    factor = {"ns": 1, "us": 1e3, "ms": 1e6, "s": 1e9}[benchmark["time_unit"]]
    counters = {name: value for name, value in benchmark.items()
                if isinstance(value, (int, float)) and name not in _NOT_COUNTERS}
    return {"name": benchmark["name"], "cpu_ns": round(benchmark["cpu_time"] * factor, 3),
            "real_ns": round(benchmark["real_time"] * factor, 3),
            "iterations": benchmark["iterations"],
            **{name: round(value, 3) for name, value in counters.items()}}


def main():
    if len(sys.argv) < 3:
        print(__doc__, "usage: record.py PROGRAM OUT.json [arguments]", file=sys.stderr)
        return 2
    program, out, *arguments = sys.argv[1:]
    done = subprocess.run([program, "--benchmark_format=json", *arguments], check=True,
                          capture_output=True, text=True)
    commit = subprocess.run(["git", "describe", "--always", "--dirty", "--abbrev=12"], text=True,
                            capture_output=True, check=False).stdout.strip()
    head = {"hardware": cpu(), "load": json.loads(done.stdout)["context"]["load_avg"][:1],
            "driver": "none", "command": " ".join([os.path.basename(program), *arguments]),
            "commit": commit or "unknown",
            "date": datetime.datetime.now(datetime.timezone.utc).strftime("%Y-%m-%d")}
    rows = [row_of(benchmark) for benchmark in json.loads(done.stdout)["benchmarks"]]
    body = ",\n".join("  " + json.dumps(row) for row in rows)
    fields = "".join(f" {json.dumps(name)}: {json.dumps(value)},\n" for name, value in head.items())
    pathlib.Path(out).write_text("{\n" + fields + ' "rows": [\n' + body + "\n ]\n}\n",
                                 encoding="utf-8")
    for row in rows:
        print(row)
    return 0


if __name__ == "__main__":
    sys.exit(main())
