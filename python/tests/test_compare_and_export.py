# SPDX-License-Identifier: Apache-2.0
"""Comparisons and exports do what the commands of the program do."""

from __future__ import annotations

import json
import sqlite3
import subprocess
from pathlib import Path

import prof
import pytest
from conftest import MANY_TOKENS, ONE_TOKEN, PROGRAM


def test_a_comparison_has_what_the_program_prints() -> None:
    comparison = prof.compare(ONE_TOKEN, prof.load(MANY_TOKENS))
    run = subprocess.run(
        [PROGRAM, "compare", "--json", str(ONE_TOKEN), str(MANY_TOKENS)],
        capture_output=True,
        text=True,
    )
    expected = json.loads(run.stdout)
    found = json.loads(comparison.json())
    assert found["kernels"] == expected["kernels"]
    assert comparison.overall in ("slower", "inconclusive", "faster", "same")
    assert len(comparison.kernels) == len(expected["kernels"]) > 5
    assert comparison.kernels[0].time.name
    assert "overall" in repr(comparison)
    assert comparison.order == "unknown"  # a run of each side
    assert expected["order"] is None
    assert comparison.overall_work == expected["overall_work"]
    works = [kernel.work for kernel in comparison.kernels]
    assert [work.change for work in works] == [k["work"]["change"] for k in expected["kernels"]]
    assert all(work.why for work in works)
    assert str(comparison) == comparison.text()


def test_sides_may_be_lists_of_runs() -> None:
    comparison = prof.compare([ONE_TOKEN], [MANY_TOKENS])
    assert len(comparison.run) > 0


def test_the_same_recording_twice_on_a_side_is_an_error() -> None:
    with pytest.raises(prof.Error, match="same recording|twice"):
        prof.compare([ONE_TOKEN, ONE_TOKEN], MANY_TOKENS)


def test_no_runs_are_an_error() -> None:
    with pytest.raises(prof.Error):
        prof.compare([], ONE_TOKEN)


@pytest.mark.filterwarnings("ignore::UserWarning")
@pytest.mark.parametrize("to", ["perfetto", "chrome", "sqlite", "speedscope", "pprof", "csv"])
def test_an_export_is_that_of_the_program(to: str, tmp_path: Path) -> None:
    mine = prof.export(ONE_TOKEN, to=to, out=tmp_path / "mine")  # type: ignore[arg-type]
    assert mine == str(tmp_path / "mine")
    subprocess.run(
        [PROGRAM, "export", "--to", to, "-o", tmp_path / "theirs", ONE_TOKEN],
        check=True,
        capture_output=True,
    )
    if to == "sqlite":
        tables = "select name from sqlite_master where type = 'table' order by name"
        names = [
            sqlite3.connect(tmp_path / side).execute(tables).fetchall()
            for side in ("mine", "theirs")
        ]
        assert names[0] == names[1] != []
    else:
        assert (tmp_path / "mine").read_bytes() == (tmp_path / "theirs").read_bytes()


def test_the_name_of_an_export_comes_from_the_recording(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    assert prof.export(ONE_TOKEN, to="csv", table="kernels") == "transformer_layer_1.kernels.csv"
    assert (tmp_path / "transformer_layer_1.kernels.csv").read_text().startswith("name,")
    chrome = prof.export(prof.load(ONE_TOKEN), to="chrome", keep=10, verdicts=False)
    trace = json.loads(Path(chrome).read_text())
    assert sum(event.get("cat") == "kernel" for event in trace["traceEvents"]) <= 10


def test_an_export_over_its_recording_is_an_error(tmp_path: Path) -> None:
    copy = tmp_path / "copy.prof"
    copy.write_bytes(ONE_TOKEN.read_bytes())
    with pytest.raises(ValueError, match="the recording itself"):
        prof.export(copy, to="csv", out=copy)
    assert copy.read_bytes() == ONE_TOKEN.read_bytes()


def test_another_format_or_place_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match="perfetto"):
        prof.export(ONE_TOKEN, to="arrow", out=tmp_path / "x")  # type: ignore[arg-type]
    with pytest.raises(prof.Error, match="cannot write"):
        prof.export(ONE_TOKEN, to="csv", out=tmp_path / "missing" / "x")
