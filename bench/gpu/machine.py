# SPDX-License-Identifier: Apache-2.0
#
# What a benchmark result must say of where it comes from.
"""describe() names the hardware, driver, commit, command and date of a measurement."""

import datetime
import pathlib
import platform
import re
import shutil
import subprocess
import sys


def _output(*command):
    try:
        done = subprocess.run(command, capture_output=True, text=True, timeout=20, check=False)
    except (OSError, subprocess.TimeoutExpired):
        return ""
    return done.stdout.strip() if done.returncode == 0 else ""


def _commit():
    packed = pathlib.Path("device/commit")  # left by pack.sh; the checkout may have no .git
    if packed.exists():
        return packed.read_text(encoding="utf-8").strip()
    return _output("git", "describe", "--always", "--dirty", "--abbrev=12") or "unknown"


def printable(command):
    """A command as somebody else would type it: without environment and absolute folders."""
    words = list(command)
    while words and (words[0] == "env" or "=" in words[0].split("/")[0]):
        words.pop(0)
    root = str(pathlib.Path.cwd()) + "/"
    words = [re.sub(r"(^|=)(/tmp/[^/]+|out/gpu\.\d+)/", r"\1", word.replace(root, ""))
             for word in words]
    tools = ("/python3", "/nsys")
    return " ".join(pathlib.PurePath(word).name if word.endswith(tools) else word
                    for word in words)


def nsys():
    """Where Nsight Systems is, or None. Nsight Compute brings one that collects, but makes no report."""
    found = shutil.which("nsys")
    if found:
        return found
    folders = sorted(pathlib.Path("/opt/nvidia").glob("nsight-*"))
    inside = [path for folder in folders for path in folder.rglob("nsys") if path.is_file()]
    return str(inside[0]) if inside else None


def describe():
    gpu = _output("nvidia-smi", "--query-gpu=name,driver_version", "--format=csv,noheader")
    name, _, driver = gpu.splitlines()[0].partition(", ") if gpu else ("no GPU", "", "none")
    return {
        "hardware": name,
        "driver": driver,
        "host": f"{platform.system()} {platform.release()} {platform.machine()}",
        "commit": _commit(),
        "command": printable(sys.argv),
        "date": datetime.datetime.now(datetime.timezone.utc).strftime("%Y-%m-%d"),
    }
