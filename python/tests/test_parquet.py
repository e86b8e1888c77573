# SPDX-License-Identifier: Apache-2.0
"""Parquet has the names and values of CSV, and null where CSV has an empty cell."""

from __future__ import annotations

import csv
import subprocess
import sys
from pathlib import Path
from typing import Any

import prof
import pytest
from conftest import ONE_TOKEN, PROGRAM
from prof import _parquet

parquet = pytest.importorskip("pyarrow.parquet")

TABLES = ["kernels", "launches", "counters", "ranges", "calls"]
KNOWN_TEXTS = ("name", "full_name", "range", "path")  # empty, never null


def rows_of_csv(path: Path) -> list[dict[str, str]]:
    with path.open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


def same(name: str, value: Any, cell: str) -> bool:
    if cell == "":
        return value == "" if name in KNOWN_TEXTS else value is None
    if isinstance(value, str):
        return value == cell
    return value is not None and float(value) == float(cell)


def check_same(found: Any, expected: list[dict[str, str]]) -> None:
    assert found.num_rows == len(expected)
    for name, column in zip(found.column_names, found.columns, strict=True):
        cells = [row[name] for row in expected]
        wrong = [
            pair
            for pair in zip(column.to_pylist(), cells, strict=True)
            if not same(name, *pair)
        ]
        assert not wrong, (name, wrong[:3])


@pytest.mark.filterwarnings("ignore::UserWarning")
@pytest.mark.parametrize("table", TABLES)
def test_a_table_has_the_names_and_values_of_csv(table: Any, tmp_path: Path) -> None:
    written = prof.export(ONE_TOKEN, to="parquet", table=table, out=tmp_path / "a.parquet")
    prof.export(ONE_TOKEN, to="csv", table=table, out=tmp_path / "a.csv")
    found = parquet.read_table(written)
    expected = rows_of_csv(tmp_path / "a.csv")
    assert found.column_names == list(expected[0])
    check_same(found, expected)
    assert sorted(path.name for path in tmp_path.iterdir()) == ["a.csv", "a.parquet"]


def test_times_are_integers_and_a_value_that_is_not_known_is_null(tmp_path: Path) -> None:
    source = tmp_path / "in.csv"
    source.write_text('start_ns,bytes,name,range,copy,value\n9007199254740993,,"a\n""b""",,,0.5\n')
    with source.open("rb") as file:
        _parquet.write(file, str(tmp_path / "out.parquet"))
    row = parquet.read_table(tmp_path / "out.parquet").to_pylist()[0]
    assert row == {
        "start_ns": 9007199254740993, "bytes": None, "name": 'a\n"b"', "range": "", "copy": None,
        "value": 0.5,
    }  # fmt: skip


def test_a_table_without_rows_has_its_columns(tmp_path: Path) -> None:
    source = tmp_path / "in.csv"
    source.write_text("start_ns,name\n")
    with source.open("rb") as file:
        _parquet.write(file, str(tmp_path / "out.parquet"))
    found = parquet.read_table(tmp_path / "out.parquet")
    assert found.num_rows == 0
    assert [str(field.type) for field in found.schema] == ["int64", "string"]


def test_a_large_table_is_written_in_row_groups(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(_parquet, "_BLOCK_BYTES", 1 << 20)
    prof.export(ONE_TOKEN, to="parquet", out=tmp_path / "a.parquet", verdicts=False)
    file = parquet.ParquetFile(tmp_path / "a.parquet")
    assert file.num_row_groups > 1
    prof.export(ONE_TOKEN, to="csv", out=tmp_path / "a.csv")
    check_same(file.read(), rows_of_csv(tmp_path / "a.csv"))


def run(*words: str | Path, cwd: Path) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", "prof", "export", *words], cwd=cwd, capture_output=True, text=True
    )


def test_the_program_of_the_package_writes_parquet(tmp_path: Path) -> None:
    done = run("--to", "parquet", "--keep", "50", ONE_TOKEN, cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    assert "wrote transformer_layer_1.launches.parquet" in done.stderr
    assert parquet.read_table(tmp_path / "transformer_layer_1.launches.parquet").num_rows == 50
    named = run("--to=parquet", "--table=calls", "-o", "c", "--keep=50", ONE_TOKEN, cwd=tmp_path)
    assert named.returncode == 0, named.stderr
    assert 0 < parquet.read_table(tmp_path / "c").num_rows <= 50


def test_an_error_of_the_program_leaves_no_file(tmp_path: Path) -> None:
    recording = str(ONE_TOKEN)
    for words in (["missing.prof"], [recording, "--range", "("], [recording, "--nonsense"]):
        done = run("--to", "parquet", *words, cwd=tmp_path)
        assert done.returncode != 0
        assert done.stderr
        assert list(tmp_path.iterdir()) == []


def test_an_export_over_its_recording_is_an_error(tmp_path: Path) -> None:
    copy = tmp_path / "copy.prof"
    copy.write_bytes(ONE_TOKEN.read_bytes())
    with pytest.raises(ValueError, match="the recording itself"):
        prof.export(copy, to="parquet", out=copy)
    done = run("--to", "parquet", copy, "-o", copy, cwd=tmp_path)
    assert "the recording itself" in done.stderr
    assert copy.read_bytes() == ONE_TOKEN.read_bytes()


def test_a_place_that_cannot_be_written_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(prof.Error, match="cannot write"):
        prof.export(ONE_TOKEN, to="parquet", out=tmp_path / "missing" / "x")
    done = run("--to", "parquet", ONE_TOKEN, "-o", "missing/x", cwd=tmp_path)
    assert "cannot write" in done.stderr
    assert done.returncode == 1


def test_the_program_alone_names_the_package() -> None:
    done = subprocess.run(
        [PROGRAM, "export", "--to", "parquet", ONE_TOKEN], capture_output=True, text=True
    )
    assert done.returncode != 0
    assert "prof[parquet]" in done.stderr
