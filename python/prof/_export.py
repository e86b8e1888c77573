# SPDX-License-Identifier: Apache-2.0
"""A recording in the formats of other tools."""

from __future__ import annotations

import os
import tempfile
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Literal

from . import _parquet
from ._native import Error
from ._report import Report, load

Format = Literal["perfetto", "chrome", "sqlite", "speedscope", "pprof", "folded", "csv", "parquet"]
Table = Literal["kernels", "launches", "counters", "ranges", "calls"]

_ENDINGS = {
    "perfetto": ".pftrace",
    "chrome": ".trace.json",
    "sqlite": ".sqlite",
    "speedscope": ".speedscope.json",
    "folded": ".folded",
    "pprof": ".pb.gz",
}


def export(
    path: str | os.PathLike[str] | Report,
    to: Format,
    out: str | os.PathLike[str] | None = None,
    *,
    table: Table = "launches",
    range: str = "",
    gpu: int | None = None,
    from_ns: int | None = None,
    to_ns: int | None = None,
    keep: int = 0,
    verdicts: bool = True,
) -> str:
    """Writes a recording, or the one of a report, in another tool's format; returns the file.

    `out`: the file to write; None: the recording's name with the format's ending, in the working
    folder. `table`: for csv and parquet. `parquet` needs pyarrow (pip install 'prof[parquet]'), and
    meanwhile the room of the table as CSV in the folder of `out`. `range`: only NVTX ranges whose path
    matches this regular expression.
    `gpu`: only this device. `from_ns`, `to_ns`: only this part, from the begin of the recording.
    `keep`: only so many operations, the longest ones; 0: all. `verdicts`: with what limits each
    kernel. Raises ValueError for another format or table, ImportError without pyarrow, and
    prof.Error where the file cannot be written. Warns (UserWarning) about what a reader of the
    file has to know.
    """
    report = path if isinstance(path, Report) else load(path)
    ending = f".{table}.{to}" if to in ("csv", "parquet") else _ENDINGS.get(to, "")
    target = os.fspath(out) if out is not None else (Path(report.name).stem or "prof") + ending
    if report.name and os.path.exists(target) and os.path.samefile(target, report.name):
        raise ValueError(f"{target!r} is the recording itself: choose another file")

    def write(to: str, out: str) -> list[str]:
        return report._recording.write(
            to=to, out=out, table=table, range=range, gpu=gpu,
            from_ns=from_ns, to_ns=to_ns, keep=keep, verdicts=verdicts,
        )  # fmt: skip

    notes = _write_parquet(write, target) if to == "parquet" else write(to, target)
    for note in notes:
        warnings.warn(note, stacklevel=2)
    return target


def _write_parquet(write: Callable[[str, str], list[str]], target: str) -> list[str]:
    _parquet.check()
    folder = os.path.dirname(target) or "."
    try:
        with tempfile.TemporaryDirectory(prefix=".prof-", dir=folder) as temporary:
            table = os.path.join(temporary, "table.csv")
            notes = write("csv", table)
            with open(table, "rb") as source, _parquet.complete(target) as part:
                _parquet.write(source, part)
    except OSError as problem:
        raise Error(f"cannot write '{target}': {problem.strerror or problem}") from problem
    return notes
