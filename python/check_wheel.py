#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Builds the wheel, installs it into a clean environment, and runs the tests of the package there.

    python/check_wheel.py [--wheels FOLDER] [-D VARIABLE=VALUE ...]

The wheel goes to FOLDER (default: build/wheels). Values go to CMake; compiler, toolkit and warnings
are otherwise those of build/release, so that ccache has what was compiled there. Exit status 77,
with the reason on stdout: pip cannot fetch what the build needs, or Python lacks it, and nothing was
checked. Nothing outside of build/ and a temporary folder is changed.
"""

from __future__ import annotations

import argparse
import importlib.util
import os
import re
import subprocess
import sys
import sysconfig
import tempfile
import venv
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
BUILD_NEEDS = ["scikit-build-core>=1.0", "nanobind>=3.1,<4"]
TEST_NEEDS = ["pytest", "pandas", "pyarrow", "mypy", "nbconvert", "ipykernel"]
SKIPPED = 77
# What every Linux of Python has; everything else has to be in the wheel.
SYSTEM = re.compile(r"(linux-vdso|ld-linux.*|lib(c|m|dl|rt|pthread|stdc\+\+|gcc_s))\.so")


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--wheels", type=Path, default=ROOT / "build" / "wheels")
    parser.add_argument("-D", dest="defines", action="append", default=[], metavar="NAME=VALUE")
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="prof-wheel-") as temporary:
        folder = Path(temporary)
        unfit = why_not_here()
        if unfit:
            print("[skipped] " + unfit)
            return SKIPPED
        python = make_environment(folder / "venv")
        fetched = pip(python, "install", "--quiet", *BUILD_NEEDS, *TEST_NEEDS, quiet=True)
        if fetched.returncode != 0:
            print("[skipped] pip cannot install " + ", ".join(BUILD_NEEDS + TEST_NEEDS))
            print(fetched.stderr[-2000:])
            return SKIPPED
        wheel = build(python, folder / "wheel", [*those_of_release(), *arguments.defines])
        check(pip(python, "install", "--quiet", "--no-deps", str(wheel)))
        package = Path(
            run(python, "-c", "import prof; print(prof.__file__)", cwd=folder, text=True).strip()
        ).parent
        check_libraries(package)
        run(python, "-m", "pytest", "-q", str(ROOT / "python" / "tests"), cwd=folder)
        check_types(python, folder)
        for notebook in sorted((ROOT / "python" / "examples").glob("*.ipynb")):
            show(python, notebook, folder)
        arguments.wheels.mkdir(parents=True, exist_ok=True)
        kept = arguments.wheels / wheel.name
        kept.write_bytes(wheel.read_bytes())
        print(f"check_wheel: {kept} ({kept.stat().st_size / 1e6:.1f} MB)")
    return 0


def why_not_here() -> str:
    """What this Python lacks; empty: it can build a wheel."""
    if importlib.util.find_spec("ensurepip") is None:
        return "this Python cannot make environments (Debian: python3-venv)"
    if not Path(sysconfig.get_path("include"), "Python.h").exists():
        return "this Python has no headers (Debian: python3-dev)"
    if sys.version_info < (3, 10):
        return "the package needs Python 3.10 or newer"
    return ""


def make_environment(folder: Path) -> Path:
    venv.create(folder, with_pip=True)
    return folder / "bin" / "python"


def clean_variables() -> dict[str, str]:
    """Without what would let the tests find prof, or libraries, outside of the wheel."""
    unwanted = ("PYTHONPATH", "LD_LIBRARY_PATH", "LD_PRELOAD")
    return {name: value for name, value in os.environ.items() if name not in unwanted}


def pip(python: Path, *words: str, quiet: bool = False) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [python, "-m", "pip", *words],
        env=clean_variables(), text=True, capture_output=quiet,
    )  # fmt: skip


def those_of_release() -> list[str]:
    """What the build in build/release was configured with."""
    cache = ROOT / "build" / "release" / "CMakeCache.txt"
    if not cache.exists():
        return []
    kept = "CMAKE_CXX_COMPILER|CUDAToolkit_ROOT|PROF_CUDA|PROF_WERROR"
    found = re.findall(rf"^({kept}):\w+=(.+)$", cache.read_text(), re.MULTILINE)
    return [f"{name}={value}" for name, value in found]


def build(python: Path, folder: Path, defines: list[str]) -> Path:
    """The wheel of the tree. The build needs are installed, so that nothing is fetched again."""
    settings = [f"--config-settings=cmake.define.{define}" for define in defines]
    words = ["wheel", "--no-deps", "--no-build-isolation", "-w", str(folder), *settings]
    check(pip(python, *words, str(ROOT / "python")))
    (wheel,) = folder.glob("*.whl")
    return wheel


def check_types(python: Path, folder: Path) -> None:
    """mypy --strict. The types of sessions are those of a build that has them."""
    program = "import prof; print(prof._native.has_capture)"
    can_record = run(python, "-c", program, cwd=folder, text=True)
    if can_record.strip() != "True":
        print("check_wheel: types are not checked: this build cannot record")
        return
    config = str(ROOT / "python" / "pyproject.toml")
    run(python, "-m", "mypy", "--config-file", config, cwd=folder)


def show(python: Path, notebook: Path, folder: Path) -> None:
    """Runs all cells; fails when one of them fails."""
    words = ["-m", "nbconvert", "--execute", "--to", "markdown", "--output-dir", str(folder)]
    run(python, *words, str(notebook))


def check_libraries(package: Path) -> None:
    """Fails when the package needs a library that is neither in it nor of each system.

    The module and the program lead to the libraries in native/lib/prof, and to what those need.
    """
    outside = []
    brought = package / "native" / "lib" / "prof"
    files = [path for path in package.rglob("*") if path.is_file() and is_elf(path)]
    files = [path for path in files if path.parent != brought]
    for path in files:
        for line in run("ldd", str(path), text=True).splitlines():
            name, _, found = line.strip().partition(" => ")
            if SYSTEM.match(Path(name.split()[0]).name):
                continue
            if not found.startswith(str(package)):
                outside.append(f"{path.relative_to(package)} needs {line.strip()}")
    if outside:
        sys.exit("check_wheel: not in the wheel:\n" + "\n".join(outside))
    print(f"check_wheel: {len(files)} files need nothing outside of the wheel")


def is_elf(path: Path) -> bool:
    with path.open("rb") as file:
        return file.read(4) == b"\x7fELF"


def run(*words: str | Path, cwd: Path | None = None, text: bool = False) -> str:
    done = subprocess.run(
        words, cwd=cwd, env=clean_variables(),
        stdout=subprocess.PIPE if text else None, text=True,
    )  # fmt: skip
    check(done)
    return done.stdout or ""


def check(done: subprocess.CompletedProcess[str]) -> None:
    if done.returncode != 0:
        sys.exit(f"check_wheel: failed with status {done.returncode}: {done.args}")


if __name__ == "__main__":
    sys.exit(main())
