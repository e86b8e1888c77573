# SPDX-License-Identifier: Apache-2.0
"""What the tests share: recordings of an H200, and Python programs in processes of their own."""

from __future__ import annotations

import os
import subprocess
import sys
import textwrap
from collections.abc import Callable
from pathlib import Path

import prof
import pytest

ROOT = Path(__file__).resolve().parents[2]
ONE_TOKEN = ROOT / "examples" / "recordings" / "transformer_layer_1.prof"
MANY_TOKENS = ROOT / "examples" / "recordings" / "transformer_layer_2048.prof"
TRAINING = ROOT / "test" / "data" / "made_up_training.prof"  # write_training_recording in test/html
PROGRAM = Path(prof.__file__).parent / "native" / "bin" / "prof"

can_record = pytest.mark.skipif(
    not prof._native.has_capture, reason="prof was built without CUDA: it cannot record"
)


@pytest.fixture(scope="session")
def report() -> prof.Report:
    return prof.load(MANY_TOKENS)


@pytest.fixture(scope="session")
def training() -> prof.Report:
    """Made up, with what the recordings lack: ops of PyTorch, Python stacks, memory that grows."""
    return prof.load(TRAINING)


@pytest.fixture
def run_python(tmp_path: Path) -> Callable[..., subprocess.CompletedProcess[str]]:
    """Runs a program in an interpreter of its own, in an empty folder; its result.

    A process can be recorded once before it forks, and a test must not decide for the next one.
    """

    def run(program: str, *arguments: str, **variables: str) -> subprocess.CompletedProcess[str]:
        script = tmp_path / "program.py"
        script.write_text(textwrap.dedent(program))
        return subprocess.run(
            [sys.executable, str(script), *arguments],
            capture_output=True,
            text=True,
            cwd=tmp_path,
            timeout=120,
            env={**os.environ, **variables},
        )

    return run
