#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
#
# Takes the results of a run on a GPU into the tree: JSON to bench/results/, tables into the pages
# that have a place for them.
#
#   into_docs.py FOLDER      what results.tgz of run_on_gpu.sh holds, unpacked
#
# A place is what lies between `<!-- begin NAME -->` and `<!-- end NAME -->` for FOLDER/NAME.md.
"""Copies results and fills the marked places of docs/."""

import pathlib
import re
import shutil
import sys

NAMES = ["accuracy", "counts", "counter_cost", "cost", "continuous", "tracing",
         "peers", "living_with", "several_gpus", "soak"]
ROOT = pathlib.Path(__file__).resolve().parents[2]


def fill(text, name, content):
    pattern = re.compile(f"(<!-- begin {name} -->\n).*?(<!-- end {name} -->)", re.DOTALL)
    return pattern.sub(lambda found: f"{found[1]}{content.strip()}\n{found[2]}", text)


def main():
    if len(sys.argv) != 2:
        print(__doc__, "usage: into_docs.py FOLDER", file=sys.stderr)
        return 2
    folder = pathlib.Path(sys.argv[1])
    found = [name for name in NAMES if (folder / f"{name}.json").exists()]
    for name in found:
        shutil.copy(folder / f"{name}.json", ROOT / "bench/results")
    for page in sorted((ROOT / "docs").glob("*.md")):
        before = text = page.read_text(encoding="utf-8")
        for name in found:
            table = folder / f"{name}.md"
            if table.exists():
                text = fill(text, name, table.read_text(encoding="utf-8"))
        if text != before:
            page.write_text(text, encoding="utf-8")
            print(f"filled {page.relative_to(ROOT)}")
    print(f"results: {', '.join(found) or 'none'}")
    return 0 if found else 1


if __name__ == "__main__":
    sys.exit(main())
