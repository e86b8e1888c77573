#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
#
# All sources of a library as one translation unit, for each library. CMake puts sixteen of them
# together (prof_compile_together() in cmake/ProfOptions.cmake, the presets of the sanitizers), and
# a new file moves the others to other units: names that collide would fail then, in a build that
# has nothing to do with them. Where all of a library compiles together, so does any part of it.
#
# - Each library is checked in two orders, from the first file to the last and back: a name only
#   meets those that come before it.
# - Sources that CMake never puts together are left out: SKIP_UNITY_BUILD_INCLUSION and
#   UNITY_BUILD OFF in CMakeLists.txt, and those with flags of their own.
# - clang only looks at the syntax and types. The build must be there, for its generated files.
# - Not found: an overload that takes the calls of another file without an error.
# - With `--recent 40` it looks only at libraries in whose folders the last 40 commits changed a file.
#   Of the others nothing has a new name.
#
#   .ci/one_unit.py [--recent N] [build/release/compile_commands.json]
"""Compiles each library as one translation unit; prints the errors, and exits with 1 for any."""

import argparse
import concurrent.futures
import json
import os
import pathlib
import re
import subprocess
import sys

sys.dont_write_bytecode = True
from lint import ROOT, changed, compiled, flags_of  # pylint: disable=wrong-import-position

FOLDERS = ("lib", "cupti_backend", "nvtx_bridge", "python_bridge", "native_bridge", "torch_bridge")
# The object file of a library's source, as seen from the folder of the build.
OBJECT = re.compile(rf" -o (?:{'|'.join(FOLDERS)})/(?:\S+/)?CMakeFiles/(\w+)\.dir/")
SKIPPED = re.compile(r"set_source_files_properties\(([^()]*?)\s+PROPERTIES[^()]*?"
                     r"\bSKIP_UNITY_BUILD_INCLUSION\s+ON\b")
APART = re.compile(r"set_target_properties\(([^()]*?)\s+PROPERTIES[^()]*?\bUNITY_BUILD\s+OFF\b")


def never_together():
    """The sources and the targets that CMake never puts together: (paths, names)."""
    files, targets = set(), set()
    for folder in FOLDERS:
        for lists in (ROOT / folder).rglob("CMakeLists.txt"):
            text = lists.read_text(encoding="utf-8")
            for names in SKIPPED.findall(text):
                files.update(str(lists.parent / name) for name in names.split())
            for names in APART.findall(text):
                targets.update(names.split())
    return files, targets


def libraries(database):
    """{(target, flags): its sources}, of all that have two sources or more"""
    files, targets = never_together()
    found = {}
    for entry in json.loads(database.read_text(encoding="utf-8")):
        target = OBJECT.search(entry["command"])
        if target is None or target[1] in targets:
            continue
        sources = found.setdefault((target[1], *flags_of(entry)), [])
        sources += [path for path in compiled(entry["file"]) if path not in files]
    return {key: sorted(sources) for key, sources in found.items() if len(sources) > 1}


def errors_in(flags, sources):
    """What clang finds in one translation unit, with paths from the root of the repository."""
    done = subprocess.run(
        ["clang++", "-fsyntax-only", "-w", "-fno-caret-diagnostics", *flags, "-x", "c++", "-"],
        input="".join(f'#include "{path}"\n' for path in sources),
        cwd=ROOT, capture_output=True, text=True, check=False)
    if done.returncode == 0:
        return []
    lines = [line.replace(f"{ROOT}/", "") for line in done.stderr.split("\n")]
    return [line for line in lines if re.search(r"\b(error|note): ", line)] or lines


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("database", nargs="?", type=pathlib.Path,
                        default=ROOT / "build/release/compile_commands.json")
    parser.add_argument("--recent", type=int, metavar="N")
    arguments = parser.parse_args()
    database = arguments.database
    if not database.exists():
        print(f"one_unit: {database} is missing: configure and build first", file=sys.stderr)
        return 2
    units = libraries(database)
    if not units:
        print(f"one_unit: {database} has no library of several sources", file=sys.stderr)
        return 2
    recent = changed(arguments.recent) if arguments.recent else None
    if recent is not None:
        recent = {os.path.dirname(path) for path in recent}
        units = {unit: sources for unit, sources in units.items()
                 if recent & {os.path.dirname(os.path.relpath(path, ROOT)) for path in sources}}
    printed = set()
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        # The largest libraries come first, so that none of them is left for the end.
        jobs = {pool.submit(errors_in, flags, order): target
                for (target, *flags), sources in sorted(units.items(), key=lambda u: -len(u[1]))
                for order in (sources, sources[::-1])}
        for job in concurrent.futures.as_completed(jobs):
            if job.result():
                printed.add(jobs[job])
                print(f"{jobs[job]} does not compile as one unit:", *job.result(), sep="\n  ",
                      flush=True)
    files = sum(len(sources) for sources in units.values())
    print(f"one_unit: {len(units)} libraries of {files} sources, {len(printed)} with errors")
    return 1 if printed else 0


if __name__ == "__main__":
    sys.exit(main())
