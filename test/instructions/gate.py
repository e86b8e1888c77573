#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
#
#   test/instructions/gate.py [--build build/release] [--update]
#
# Counts the instructions of prof's hot paths with callgrind, and fails when one differs by more than
# the bound from expected.json. Counts depend on the compiler and the C library, so the gate is for
# the build that expected.json names, and says so for another one.
"""Instructions per launch, range, decoded record and read launch, held by expected.json."""

import argparse
import json
import pathlib
import re
import shutil
import subprocess
import sys

HERE = pathlib.Path(__file__).resolve().parent
EXPECTED = HERE / "expected.json"
UPDATE = "test/instructions/gate.py --update"


def instructions(program, case):
    """Instructions of one operation."""
    done = subprocess.run(
        ["valgrind", "--tool=callgrind", "--callgrind-out-file=/dev/null", "--collect-atstart=no",
         "--toggle-collect=MeasuredPart", str(program), case],
        capture_output=True, text=True, check=False)
    collected = re.search(r"Collected : (\d+)", done.stderr)
    operations = int(done.stdout) if done.stdout.strip().isdecimal() else 0
    if done.returncode != 0 or not collected or operations == 0:
        sys.exit(f"{case}: no count ({done.returncode}):\n{done.stdout}{done.stderr}")
    return int(collected[1]) / operations


def judge(case, measured, expected, bound):
    """A line about one case, and whether it is within the bound."""
    percent = 100 * (measured / expected - 1)
    line = f"{case:8} {measured:9.1f} instructions, expected {expected:9.1f}: {percent:+.1f} %"
    if abs(percent) <= bound:
        return line, True
    what = "dearer than before" if percent > 0 else "cheaper: keep the gain"
    return f"{line}, more than {bound} %: {what}", False


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--build", default=str(HERE.parent.parent / "build" / "release"))
    parser.add_argument("--update", action="store_true", help="write what is measured")
    arguments = parser.parse_args()
    program = pathlib.Path(arguments.build) / "test" / "instructions" / "hot_paths"
    if not program.exists():
        print(f"[skipped] {program} is not built: it needs the headers of the CUDA toolkit")
        return 0
    if not shutil.which("valgrind"):
        print("valgrind is not installed: apt-get install valgrind")
        return 1
    build = subprocess.run([program], capture_output=True, text=True, check=True).stdout.strip()
    expected = json.loads(EXPECTED.read_text(encoding="utf-8"))
    if build != expected["build"] and not arguments.update:
        print(f"[skipped] the counts are those of {expected['build']}; this is {build}")
        return 0
    measured = {case: round(instructions(program, case), 1) for case in expected["instructions"]}
    if arguments.update:
        expected["build"] = build
        expected["instructions"] = measured
        EXPECTED.write_text(json.dumps(expected, indent=2) + "\n", encoding="utf-8")
        print(json.dumps(measured))
        return 0
    results = [judge(case, measured[case], count, expected["bound_percent"])
               for case, count in expected["instructions"].items()]
    for line, _ in results:
        print(line)
    if all(within for _, within in results):
        return 0
    print(f"If that is meant, run {UPDATE}, and say in the commit why it is worth that.")
    return 1


if __name__ == "__main__":
    sys.exit(main())
