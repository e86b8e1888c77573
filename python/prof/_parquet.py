# SPDX-License-Identifier: Apache-2.0
"""Tables of CSV as Parquet, with pyarrow: pip install 'prof[parquet]'."""

from __future__ import annotations

import argparse
import contextlib
import csv
import io
import os
import subprocess
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

# CSV has an empty cell for "not known", and for an empty text. These columns are always known.
_ALWAYS_TEXT = frozenset("name full_name range path".split())
_TEXT = _ALWAYS_TEXT | frozenset(
    "action confidence copy destination kernel kind level limiter memory_sol_largest metric "
    "missing occupancy_limited_by rule sm_sol_largest source summary torch_forward torch_op unit".split()
)
_INTEGERS = frozenset(
    "bytes block_x block_y block_z call_duration_ns call_start_ns closed context correlation "
    "counted_duration_ns counted_start_ns device duration_from_counters duration_n duration_ns "
    "dynamic_shared_bytes error graph grid_x grid_y grid_z in_graph kernel_duration_ns "
    "kernel_start_ns launches local_bytes_per_thread memory_sol_missing registers_per_thread "
    "sampled samples_rejected samples_used sm_sol_missing start_ns static_shared_bytes stream "
    "thread".split()
)
_BLOCK_BYTES = 16 << 20  # of CSV; each becomes a row group

# The options of `prof export` that are passed on.
_VALUED = ("table", "range", "gpu", "from-time", "to-time", "keep")


def check() -> None:
    """Raises ImportError where Parquet cannot be written."""
    _pyarrow()


def write(source: io.BufferedReader, path: str) -> None:
    """Writes the CSV of `source` as Parquet into the file `path`.

    A column has the name and the unit that it has in CSV: text, 64-bit integers, or doubles. A
    value that is not known is null. Memory is that of some blocks of 16 MB, whatever the size of
    the table.
    """
    arrow = _pyarrow()
    names = next(csv.reader([source.readline().decode()]))
    schema = arrow.schema([(name, _type(arrow, name)) for name in names])
    with arrow.parquet.ParquetWriter(path, schema, compression="zstd") as writer:
        if not source.peek(1):
            return
        batches = arrow.csv.open_csv(
            source,
            read_options=arrow.csv.ReadOptions(column_names=names, block_size=_BLOCK_BYTES),
            parse_options=arrow.csv.ParseOptions(newlines_in_values=True),
            convert_options=arrow.csv.ConvertOptions(
                column_types=schema, null_values=[""], strings_can_be_null=True
            ),
        )
        for batch in batches:
            columns = [
                column.fill_null("") if name in _ALWAYS_TEXT else column
                for name, column in zip(names, batch.columns, strict=True)
            ]
            rows = arrow.Table.from_arrays(columns, schema=schema)
            writer.write_table(rows, row_group_size=rows.num_rows)


@contextlib.contextmanager
def complete(target: str) -> Iterator[str]:
    """A file to write, which becomes `target` in the end; after an exception it is gone."""
    part = target + ".part"
    try:
        yield part
        os.replace(part, target)
    finally:
        with contextlib.suppress(FileNotFoundError):
            os.unlink(part)


def wanted(words: Sequence[str]) -> bool:
    """Whether these are arguments of `prof` for an export as Parquet."""
    places = range(1, len(words))
    return words[:1] == ["export"] and any(
        words[i] == "--to=parquet" or words[i - 1 : i + 1] == ["--to", "parquet"] for i in places
    )


def export(words: Sequence[str], program: Path) -> int:
    """`prof export --to parquet`, with the options of the program; its exit status."""
    options, unknown = _parser().parse_known_args(words[1:])
    # The program has the words for what it does not know, and the text of --help.
    command = [str(program), "export", "--to=csv", *_as_given(options), *unknown]
    if unknown or not options.file:
        return subprocess.run(command).returncode
    stem = "prof" if options.file == "-" else Path(options.file).stem
    target = options.output or f"{stem}.{options.table or 'launches'}.parquet"
    try:
        check()
        _check_target(options.file, target)
        with complete(target) as part:
            _convert([*command, "--output=-"], part)
    except subprocess.CalledProcessError as failed:
        return failed.returncode  # the program has printed why
    except (ImportError, ValueError) as problem:
        print(f"prof: {problem}", file=sys.stderr)
        return 1
    except OSError as problem:
        print(f"prof: cannot write '{target}': {problem.strerror or problem}", file=sys.stderr)
        return 1
    print(f"prof: wrote {target}", file=sys.stderr)
    return 0


def _convert(command: Sequence[str], path: str) -> None:
    """Writes what a command prints. Raises CalledProcessError where it fails."""
    with subprocess.Popen(command, stdout=subprocess.PIPE) as running:
        assert isinstance(running.stdout, io.BufferedReader)
        if running.stdout.peek(1):
            write(running.stdout, path)
    if running.returncode != 0:
        raise subprocess.CalledProcessError(running.returncode, command)


def _check_target(recording: str, target: str) -> None:
    if target == "-":
        raise ValueError("Parquet needs a file: name one with -o")
    if os.path.exists(target) and os.path.exists(recording):
        if os.path.samefile(target, recording):
            raise ValueError(f"'{target}' is the recording itself: choose another file with -o")


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="prof export", add_help=False, allow_abbrev=False)
    parser.add_argument("file", nargs="?", default="")
    parser.add_argument("--to")
    parser.add_argument("-o", "--output", default="")
    for name in _VALUED:
        parser.add_argument(f"--{name}")
    parser.add_argument("--no-verdicts", action="store_true")
    return parser


def _as_given(options: argparse.Namespace) -> list[str]:
    """The options that the program gets."""
    words = ["--no-verdicts"] if options.no_verdicts else []
    for name in _VALUED:
        value = getattr(options, name.replace("-", "_"))
        if value is not None:
            words.append(f"--{name}={value}")
    return [*words, options.file] if options.file else words


def _type(arrow: Any, name: str) -> Any:
    if name in _TEXT:
        return arrow.string()
    return arrow.int64() if name in _INTEGERS else arrow.float64()


def _pyarrow() -> Any:
    try:
        import pyarrow
        import pyarrow.csv
        import pyarrow.parquet
    except ImportError as missing:
        raise ImportError("Parquet needs pyarrow: pip install 'prof[parquet]'") from missing
    return pyarrow
