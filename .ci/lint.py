#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
#
# clang-tidy over the product's sources, with less repeated work than one run a file:
# - The checks that match code spend their time in the headers, so they get many files of a part of
#   prof together, as one translation unit. Files whose names collide are taken apart again.
# - The static analyzer looks only into the file that it is given, so it gets each file alone. It
#   looks less deep than it could (`--deep`), which takes a third of the time.
# - With `--recent 40` it looks only into the files that the last 40 commits changed, and the checks
#   that match code also into those that include, directly or not, a header that they changed. Of the
#   others clang-tidy would read the same text as before.
# - A run that found nothing is remembered by the text that it read, and not repeated.
#
#   .ci/lint.py [--build build/release] [--deep] [--recent N] [FILE...]     without files: all of the product
"""Runs clang-tidy and prints what it finds; the exit status is 1 when there is anything."""

import argparse
import concurrent.futures
import hashlib
import json
import os
import pathlib
import re
import shlex
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
CACHE = pathlib.Path(os.environ.get("XDG_CACHE_HOME", "~/.cache")).expanduser() / "prof-lint"
CHECKS = ".clang-tidy"
INCLUDE = re.compile(r'^#include "([^"]+)"', re.MULTILINE)
PRODUCT = re.compile(r"(lib|cupti_backend|nvtx_bridge|python_bridge|native_bridge|torch_bridge)/.*\.cc")
MOST_FILES_TOGETHER = 24
# -bugprone-suspicious-include: files together are included by the one that puts them together.
TOGETHER = "-clang-analyzer-*,-bugprone-suspicious-include"
ALONE = "-*,clang-analyzer-*,-clang-analyzer-optin.performance.Padding"
# clang's AnalyzerOptions: 75,000 nodes a function instead of 225,000, and only small calls inlined.
SHALLOW = ["--extra-arg=-Xclang", "--extra-arg=-analyzer-config",
           "--extra-arg=-Xclang", "--extra-arg=mode=shallow"]
HEADERS = f"^{re.escape(str(ROOT))}/(lib|cupti_backend|nvtx_bridge|python_bridge|native_bridge|torch_bridge|include)/"


def run(command):
    return subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)


def flags_of(entry):
    """The flags that clang needs of a compile command: where headers are, macros, the standard."""
    words, flags = shlex.split(entry["command"]), ["-Wthread-safety"]
    for i, word in enumerate(words):
        if word in ("-I", "-isystem"):
            flags += [word, words[i + 1]]
        elif re.match(r"-(I|D|std=)", word):
            flags.append(word)
    return flags


def compiled(file):
    """The sources of a translation unit: those that CMake put together, or the file itself."""
    if "/Unity/unity_" not in file:
        return [file]
    return re.findall(r'#include "(.*)"', pathlib.Path(file).read_text(encoding="utf-8"))


def sources(build, wanted):
    """{file: its flags}"""
    found = {}
    for entry in json.loads((build / "compile_commands.json").read_text(encoding="utf-8")):
        for file in compiled(entry["file"]):
            path = os.path.relpath(file, ROOT)
            if PRODUCT.fullmatch(path) and (not wanted or path in wanted):
                found[path] = flags_of(entry)
    return found


def batches(files):
    """Files of one part with the same flags, some at a time: lists of paths."""
    alike = {}
    for path, flags in sorted(files.items()):
        part = re.match(r"lib/\w+|\w+", path)[0]
        alike.setdefault((part, *flags), []).append(path)
    return [group[i:i + MOST_FILES_TOGETHER] for group in alike.values()
            for i in range(0, len(group), MOST_FILES_TOGETHER)]


class Lint:
    def __init__(self, build, files, deep):
        self.files = files
        self.depth = [] if deep else SHALLOW
        self.folder = build / "lint"
        self.folder.mkdir(parents=True, exist_ok=True)
        CACHE.mkdir(parents=True, exist_ok=True)
        self.setup = (run(["clang-tidy", "--version"]).stdout + TOGETHER + ALONE +
                      (ROOT / ".clang-tidy").read_text(encoding="utf-8"))

    def tidy(self, path, flags, checks, *more):
        """What clang-tidy finds in one translation unit."""
        text = run(["clang++", "-E", "-C", *flags, str(path)]).stdout
        read = [self.setup, checks, *more, *flags, text]
        stamp = CACHE / hashlib.sha256("\0".join(read).encode()).hexdigest()
        if text and stamp.exists():
            return ""
        done = run(["clang-tidy", "--quiet", f"--checks={checks}", f"--header-filter={HEADERS}",
                    *more, str(path), "--", *flags])
        if done.returncode == 0 and not done.stdout.strip():
            stamp.touch()
            return ""
        return done.stdout + (done.stderr if done.returncode != 0 and not done.stdout else "")

    def together(self, paths):
        """The matching checks over some files of one part."""
        flags = self.files[paths[0]]
        if len(paths) == 1:
            return self.tidy(ROOT / paths[0], flags, TOGETHER)
        unit = self.folder / (hashlib.sha256(" ".join(paths).encode()).hexdigest()[:16] + ".cc")
        unit.write_text("".join(f'#include "{ROOT / path}"\n' for path in paths), encoding="utf-8")
        if run(["clang++", "-fsyntax-only", "-w", *flags, str(unit)]).returncode == 0:
            return self.tidy(unit, flags, TOGETHER)
        half = len(paths) // 2
        return self.together(paths[:half]) + self.together(paths[half:])

    def alone(self, path):
        return self.tidy(ROOT / path, self.files[path], ALONE, *self.depth)


def changed(commits):
    """The files that the last commits changed, or that are not committed; None: not known."""
    done = run(["git", "diff", "--name-only", f"HEAD~{commits}"])
    return set(done.stdout.split("\n")) if done.returncode == 0 else None


def reads(path, known):
    """A file and all headers of ours that it includes, directly or not. `known`: of other files."""
    if path not in known:
        known[path] = {path}  # where headers include each other
        text = (ROOT / path).read_text(encoding="utf-8")
        for name in INCLUDE.findall(text):
            found = [place for place in (name, f"include/{name}") if (ROOT / place).exists()]
            known[path] = known[path].union(*(reads(place, known) for place in found))
    return known[path]


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--build", default="build/release")
    parser.add_argument("--deep", action="store_true")
    parser.add_argument("--recent", type=int, metavar="N")
    parser.add_argument("files", nargs="*")
    arguments = parser.parse_args()
    build = ROOT / arguments.build
    files = sources(build, {os.path.relpath(path, ROOT) for path in arguments.files})
    if not files:
        print(f"no sources of the product in {build}/compile_commands.json", file=sys.stderr)
        return 2
    recent = changed(arguments.recent) if arguments.recent else None
    if recent is not None and CHECKS not in recent:
        known = {}
        files = {path: flags for path, flags in files.items() if reads(path, known) & recent}
    lint, findings = Lint(build, files, arguments.deep), []
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        jobs = [pool.submit(lint.together, paths) for paths in batches(files)]
        jobs += [pool.submit(lint.alone, path) for path in sorted(files)
                 if recent is None or path in recent]
        for job in concurrent.futures.as_completed(jobs):
            if job.result().strip() and job.result() not in findings:
                findings.append(job.result())
                print(job.result(), flush=True)
    print(f"clang-tidy: {len(files)} files, {len(findings)} runs with findings")
    return 1 if findings else 0


if __name__ == "__main__":
    sys.exit(main())
