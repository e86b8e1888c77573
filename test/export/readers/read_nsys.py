# SPDX-License-Identifier: Apache-2.0
"""Runs reports of Nsight Systems on an SQLite file (the scripts of `nsys stats`), and compares their
sums with prof's tables. PROF_NSYS names the folder that holds `reports`, as Debian's package
nsight-systems installs it; PYTHONPATH finds the module nsysstats that lies beside it."""
import collections
import csv
import os
import re
import subprocess
import sys

import reader

HOME = os.environ.get("PROF_NSYS", "")
if not HOME:
    reader.skip("PROF_NSYS names no folder with the reports of Nsight Systems")


def rows(report, database, *arguments):
    """The reports need functions (median) that NVIDIA's SQLite has."""
    library = os.path.join(HOME, "libsqlite3-shared.so")
    done = subprocess.run([sys.executable, os.path.join(HOME, "reports", report + ".py"), database,
                           *arguments], env={**os.environ, "LD_PRELOAD": library},
                          capture_output=True, text=True, check=False)
    reader.check(done.returncode == 0, f"{report}: {done.stdout}{done.stderr}")
    # A unit stands behind the name of a column.
    return [{name.split(":")[0]: value for name, value in row.items()}
            for row in csv.DictReader(done.stdout.splitlines())]


def table(name, folder):
    path = reader.export("csv", folder, name + ".csv", "--table", name)
    with open(path, encoding="utf-8") as file:
        return list(csv.DictReader(file))


def sums(entries):
    """By key: the sum of the durations, and how many there are."""
    found = collections.defaultdict(lambda: (0, 0))
    for key, duration, times in entries:
        total, count = found[key]
        found[key] = (total + int(duration), count + int(times))
    return dict(found)


def same(report, theirs, ours):
    reader.check(theirs and theirs == ours, f"{report} has {theirs}, prof {ours}")


def without_version(call):
    """As cudaapisum has names of calls."""
    return re.sub(r"_v\d{4,5}$", "", call)


with reader.folder() as folder:
    data = reader.export("sqlite", folder, "app.sqlite")
    launches, calls, ranges = (table(name, folder) for name in ("launches", "calls", "ranges"))
    kernels = [row for row in launches if row["kind"] == "kernel"]
    same("gpukernsum",
         sums(((row["Name"], tuple(row["GridXYZ"].split())), row["Total Time"], row["Instances"])
              for row in rows("gpukernsum", data, "base")),
         sums(((row["name"], tuple(row[f"grid_{axis}"] for axis in "xyz")), row["duration_ns"], 1)
              for row in kernels))
    same("cudaapisum",
         sums((row["Name"], row["Total Time"], row["Num Calls"])
              for row in rows("cudaapisum", data)),
         sums((without_version(row["name"]), row["duration_ns"], 1) for row in calls))
    same("nvtxppsum",
         sums((row["Range"], row["Total Time"], row["Instances"])
              for row in rows("nvtxppsum", data)),
         sums((row["name"], row["duration_ns"], 1) for row in ranges if row["kind"] == "push"))
    same("gputrace",
         sums((row["Strm"], row["Duration"], 1) for row in rows("gputrace", data)),
         sums((row["stream"], row["duration_ns"], 1) for row in launches))
    traced = rows("cudaapitrace", data)
    reader.check(len(traced) == len(calls), f"cudaapitrace has {len(traced)} calls, not {len(calls)}")
    launched = rows("kernexectrace", data)
    reader.check(0 < len(launched) <= len(kernels), f"kernexectrace has {len(launched)} kernels")
print("ok")
