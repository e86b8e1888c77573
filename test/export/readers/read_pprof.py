# SPDX-License-Identifier: Apache-2.0
"""Lets pprof sum a profile, and compares the time of each kernel with prof's table.
PROF_PPROF names the program (github.com/google/pprof)."""
import collections
import csv
import os
import subprocess

import reader

program = os.environ.get("PROF_PPROF", "")
if not program:
    reader.skip("PROF_PPROF does not name the program pprof")

with reader.folder() as folder:
    with open(reader.export("csv", folder, "app.csv"), encoding="utf-8") as file:
        expected = collections.Counter()
        for row in csv.DictReader(file):
            expected[row["name"]] += int(row["duration_ns"])
    profile = reader.export("pprof", folder, "app.pb.gz")
    command = [program, "-top", "-nodecount=1000000", "-nodefraction=0", "-unit=ns",
               "-sample_index=gpu_time", profile]
    text = subprocess.run(command, check=True, capture_output=True, text=True,
                          env={**os.environ, "PPROF_TMPDIR": folder}).stdout

# flat flat% sum% cum cum% name
rows = text.partition(" flat  flat%")[2].splitlines()[1:]
found = {name: int(flat.removesuffix("ns"))
         for flat, _, _, _, _, name in (row.split(None, 5) for row in rows)}
reader.check(len(expected) > 0, "there are operations")
for name, time_ns in expected.items():
    reader.check(found.get(name) == time_ns,
                 f"{name}: {found.get(name)} ns in pprof, {time_ns} in prof")
print("ok")
