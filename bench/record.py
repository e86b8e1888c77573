#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""This program runs a benchmark that needs no GPU and writes its result.

    bench/record.py build/release/bench/bench_decode bench/results/decode.json [--benchmark_...]
"""

import json
import os
import subprocess
import sys

from lib import machine
from lib import results

_NOT_COUNTERS = {"family_index", "per_family_instance_index", "repetitions", "repetition_index",
                 "threads", "iterations", "real_time", "cpu_time"}
_NS = {"ns": 1, "us": 1e3, "ms": 1e6, "s": 1e9}


def row_of(benchmark):
    """Times in nanoseconds, whatever unit the benchmark printed. All counters by their name."""
    factor = _NS[benchmark["time_unit"]]
    counters = {name: value for name, value in benchmark.items()
                if isinstance(value, (int, float)) and name not in _NOT_COUNTERS}
    return {"name": benchmark["name"], "cpu_ns": round(benchmark["cpu_time"] * factor, 3),
            "real_ns": round(benchmark["real_time"] * factor, 3),
            "iterations": benchmark["iterations"],
            **{name: round(value, 3) for name, value in counters.items()}}


def main(words):
    if len(words) < 2:
        print(__doc__, file=sys.stderr)
        return 2
    program, path, *arguments = words
    done = subprocess.run([program, "--benchmark_format=json", *arguments], check=True,
                          stdout=subprocess.PIPE, text=True)
    printed = json.loads(done.stdout)
    rows = [row_of(benchmark) for benchmark in printed["benchmarks"]]
    for row in rows:
        print(row)
    head = machine.describe_cpu(" ".join([os.path.basename(program), *arguments]))
    problem = results.write(path, head, {"load": printed["context"]["load_avg"][:1], "rows": rows})
    if problem:
        print(f"no {path}: {problem}", file=sys.stderr)
    return 1 if problem else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
