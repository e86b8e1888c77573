# SPDX-License-Identifier: Apache-2.0
"""`python -m prof` is the program prof that the package brings.

`python -m prof run train.py --epochs 3` runs a Python script: its name ends with .py, or it is
`-m module`. This interpreter runs it. Everything else is a program, as for `prof run`.
`python -m prof export --to parquet app.prof` writes Parquet, with pyarrow.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Sequence
from pathlib import Path

from . import _native, _parquet

PROGRAM = Path(__file__).parent / "native" / "bin" / "prof"


def with_interpreter(arguments: Sequence[str]) -> list[str]:
    """The arguments of prof, with this interpreter before a script."""
    words = list(arguments)
    if not words or words[0] != "run":
        return words
    start = _script_at(words)
    if start is None:
        return words
    before = words[:start]
    if "--" not in before:
        before.append("--")
    return [*before, sys.executable, *words[start:]]


def _script_at(words: Sequence[str]) -> int | None:
    """Where the program begins, if that is a script."""
    valued = {"--html", "--inject", *_native.flags_with_value()}
    place = 1
    while place < len(words) and words[place].startswith("-") and words[place] not in ("-m", "--"):
        place += 2 if words[place] in valued else 1
    if place < len(words) and words[place] == "--":
        place += 1
    is_script = place < len(words) and (words[place] == "-m" or words[place].endswith(".py"))
    return place if is_script else None


def main() -> int:
    """Becomes the program prof; returns when it cannot be started, and after a Parquet export."""
    if not PROGRAM.exists():
        print(f"prof: cannot find {PROGRAM}: install the package again", file=sys.stderr)
        return 1
    if _parquet.wanted(sys.argv[1:]):
        return _parquet.export(sys.argv[1:], PROGRAM)
    arguments = with_interpreter(sys.argv[1:])
    os.execv(PROGRAM, [str(PROGRAM), *arguments])


if __name__ == "__main__":
    sys.exit(main())
