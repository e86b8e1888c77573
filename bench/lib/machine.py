# SPDX-License-Identifier: Apache-2.0
"""This module names the hardware, driver, commit, command and date of a measurement."""

import datetime
import os
import pathlib
import platform
import re
import shutil
import subprocess


def _output(*command):
    try:
        done = subprocess.run(command, capture_output=True, text=True, timeout=20, check=False)
    except (OSError, subprocess.TimeoutExpired):
        return ""
    return done.stdout.strip() if done.returncode == 0 else ""


def commit():
    """pack.sh leaves it in device/, because a machine with a GPU may have no .git."""
    packed = pathlib.Path("device/commit")
    if packed.exists():
        return packed.read_text(encoding="utf-8").strip()
    return checked_out()


def checked_out():
    """The commit, with "-dirty" when the tree has changes that may change what is measured.

    Results and docs do not: otherwise the first result would make the tree unfit for the second.
    """
    found = _output("git", "describe", "--always", "--abbrev=12")
    if not found:
        return "unknown"
    changed = _output("git", "status", "--porcelain", "--untracked-files=no", "--", ":/",
                      ":(top,exclude)bench/results", ":(top,exclude)docs")
    return f"{found}-dirty" if changed else found


def today():
    return datetime.datetime.now(datetime.timezone.utc).strftime("%Y-%m-%d")


def printable(command):
    """A command as another user would type it: without environment and absolute folders."""
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
    """The path of Nsight Systems, or None. The copy that Nsight Compute brings makes no report."""
    found = shutil.which("nsys")
    if found:
        return found
    folders = sorted(pathlib.Path("/opt/nvidia").glob("nsight-*"))
    inside = [path for folder in folders for path in folder.rglob("nsys") if path.is_file()]
    return str(inside[0]) if inside else None


def gpus():
    """A line "name, driver version" for each GPU."""
    return _output("nvidia-smi", "--query-gpu=name,driver_version",
                   "--format=csv,noheader").splitlines()


def describe(command):
    """The head of a result that was measured on a GPU."""
    name, _, driver = (gpus() or ["no GPU, none"])[0].partition(", ")
    return {"hardware": name, "driver": driver,
            "host": f"{platform.system()} {platform.release()} {platform.machine()}",
            "commit": commit(), "command": command, "date": today()}


def describe_cpu(command):
    """The head of a result that needs no GPU. Its programs come from the checked-out tree."""
    text = pathlib.Path("/proc/cpuinfo").read_text(encoding="utf-8")
    model = re.search(r"model name\s*: (.*)", text)
    name = model[1].strip() if model else "unknown"
    return {"hardware": f"{os.cpu_count()} CPUs ({name}), no GPU used", "driver": "none",
            "commit": checked_out(), "command": command, "date": today()}
