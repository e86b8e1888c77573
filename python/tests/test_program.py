# SPDX-License-Identifier: Apache-2.0
"""`python -m prof` is the program prof, and runs Python scripts."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import prof
import pytest
from conftest import MANY_TOKENS, PROGRAM, can_record
from prof.__main__ import with_interpreter


def module(*arguments: object, cwd: Path | None = None) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", "prof", *map(str, arguments)],
        capture_output=True, text=True, cwd=cwd, timeout=120,
    )  # fmt: skip


def test_it_is_the_program_of_the_same_version() -> None:
    assert module("--version").stdout == f"prof {prof.__version__}\n"
    report = subprocess.run([PROGRAM, "report", MANY_TOKENS], capture_output=True, text=True)
    assert module("report", MANY_TOKENS).stdout == report.stdout != ""
    assert module("report", "missing.prof").returncode == 2


@pytest.mark.parametrize(
    ("words", "expected"),
    [
        ("run train.py --epochs 3", "run PY train.py --epochs 3"),
        ("run -o a.prof --report train.py", "run -o a.prof --report PY train.py"),
        ("run --html report.html train.py", "run --html report.html PY train.py"),
        ("run --continuous=50 -m package.train x", "run --continuous=50 -- PY -m package.train x"),
        ("run -- train.py", "run -- PY train.py"),
        ("run -- python train.py", "run -- python train.py"),
        ("run --output x.py ./app y.py", "run --output x.py ./app y.py"),
        ("run ./app train.py", "run ./app train.py"),
        ("report a.py", "report a.py"),
        ("run", "run"),
        ("", ""),
    ],
)
def test_a_script_runs_in_this_interpreter(words: str, expected: str) -> None:
    wanted = [sys.executable if word == "PY" else word for word in expected.split()]
    got = [word for word in with_interpreter(words.split()) if word != "--" or "--" in wanted]
    assert got == wanted


@can_record
def test_run_runs_a_script_with_its_arguments_and_status(tmp_path: Path) -> None:
    (tmp_path / "train.py").write_text(
        "import sys, prof\n"
        "print(sys.argv[1:], sys.executable)\n"
        "with prof.range('step'): pass\n"
        "sys.exit(5)\n"
    )
    run = module("run", "-o", "train.prof", "train.py", "--epochs", "3", cwd=tmp_path)
    assert run.stdout == f"['--epochs', '3'] {sys.executable}\n", run.stderr
    assert run.returncode == 5
