# SPDX-License-Identifier: Apache-2.0
"""This module runs a program of the suite bare and under prof, and compares what it printed."""

import contextlib
import glob
import json
import os
import re
import shutil
import tempfile

from lib import processes
from lib import prof_report
from lib import prof_threads
from lib import results
from lib import settings

BARE, TIMELINE, DEFAULT, FULL = "bare", "timeline", "default", "full"
# The same once more: how far two equal runs are apart.
TIMELINE_AGAIN, FULL_AGAIN = "timeline again", "full again"
_NO_COUNTERS = ["--counters", "none"]
_EVERYTHING = ["--counters", "all", "--budget", "100", "--budget-seconds", "1000"]
OPTIONS = {
    TIMELINE: _NO_COUNTERS,
    DEFAULT: [],
    FULL: _EVERYTHING,
    TIMELINE_AGAIN: _NO_COUNTERS,
    FULL_AGAIN: _EVERYTHING,
}
VARIANTS = (BARE, *OPTIONS)
AGAIN = "again"


def is_wanted(variant, expression):
    """Whether `expression` chooses it. What runs once more has to be named."""
    return re.search(expression, variant) is not None and (
        AGAIN not in variant or AGAIN in expression)

_LINE = re.compile(r"^\[(?:steps|phases)\] (\{.*\})$", re.MULTILINE)
_OURS = re.compile(r"^\[(?:steps|phases|thread|timing|delays)\]")
_FROM_PROF = "prof: "
_CHOICE = "[choice]"
# What differs between two runs of one program: times, addresses, ids, folders of a run.
_VARIES = re.compile(r"0x[0-9a-f]+|/tmp/\S+|\d+")
_REPORT_LIMIT_S = 90
_MOST_LINES = 5  # of a difference


def printed(stdout):
    """The line of the step clock or of the phases, as JSON."""
    found = _LINE.search(stdout)
    if not found:
        raise RuntimeError(f"no [steps] line: {stdout[-200:]!r}")
    return json.loads(found[1])


def all_printed(stdout):
    """All such lines, in order."""
    return [json.loads(found) for found in _LINE.findall(stdout)]


def without_prof(lines):
    """A line of prof, and those that go on from it, are not the program's."""
    kept, inside = [], False
    for line in lines:
        inside = line.startswith(_FROM_PROF) or (inside and line[:1].isspace())
        if not inside and line.strip():
            kept.append(line)
    return kept


def answers(stdout):
    """What the program prints whether or not somebody looks: no times, no choices."""
    return [line for line in without_prof(stdout.splitlines())
            if not _OURS.match(line) and not line.startswith(_CHOICE)]


def choices(stdout):
    return [line for line in stdout.splitlines() if line.startswith(_CHOICE)]


def _missing(lines, others):
    return [line for line in lines if line not in others][:_MOST_LINES]


def warnings(stderr):
    """{a line without numbers: the line}"""
    return {_VARIES.sub("#", line): line for line in without_prof(stderr.splitlines())}


def run(command, limit_s, environment):
    """One run as a dictionary. It raises RuntimeError where the program has no result."""
    pairs = [f"{name}={value}" for name, value in environment.items()]
    with tempfile.TemporaryFile(mode="w+", encoding="utf-8", errors="replace") as file, \
            prof_threads.ProfThreads() as threads:
        seconds, code, stderr = processes.timed(["env", *pairs, *command], limit_s, file)
        file.seek(0)
        stdout = file.read()
    if seconds >= limit_s:
        raise RuntimeError(f"stopped after {limit_s:.0f} s: {stderr[-200:]!r}")
    if code != 0 or "[skipped]" in stdout:
        raise RuntimeError(f"exit code {code}: {(stderr or stdout).strip()[-300:]!r}")
    return {"wall_s": seconds, "prof_cpu_s": threads.cpu_s, "stdout": stdout, "stderr": stderr,
            **{name: value for name, value in printed(stdout).items() if name != "plan"}}


def under_prof(prof, variant, snapshot, command):
    return [prof, "run", *OPTIONS[variant], "--output", snapshot, "--", *command]


def _put_away(path):
    if not settings.KEEP:
        with contextlib.suppress(OSError):
            os.remove(path)
        return
    os.makedirs(settings.KEEP, exist_ok=True)
    kept = os.path.join(settings.KEEP, os.path.basename(path))
    while os.path.exists(kept):
        kept += ".again"
    shutil.move(path, kept)


def reports(prof, pattern, limit_s=_REPORT_LIMIT_S):
    """The report of each process that left a snapshot with kernels, in the order of their ids.

    It removes the snapshots, or moves them to the folder `settings.KEEP`.
    """
    found, problems = [], ["no snapshot with kernels"]
    for path in sorted(glob.glob(pattern.replace("%p", "*"))):
        try:
            report = prof_report.load(prof, path, limit_s)
        except RuntimeError as error:  # another process of the program may have left a good one
            problems.append(str(error))
            report = None
        if report and report["kernels"]:
            found.append(report)
        _put_away(path)
    if not found:
        raise RuntimeError("; ".join(problems))
    return sorted(found, key=lambda report: report.get("pid") or 0)


def chooses_otherwise(bare_runs, other):
    """Whether a run chose what none of the others did, which all chose the same."""
    usual = {tuple(choices(run["stdout"])) for run in bare_runs}
    return len(usual) == 1 and tuple(choices(other["stdout"])) not in usual


def changes(bare_runs, other):
    """What a program did in another way in the run `other`, in words.

    `bare_runs` are without prof: what differs between them is not prof's doing. The last one says
    what is usual.
    """
    found = []
    bare = bare_runs[-1]
    expected, answered = answers(bare["stdout"]), answers(other["stdout"])
    if expected != answered:
        found.append(f"output: {answered[:_MOST_LINES]} instead of {expected[:_MOST_LINES]}")
    usual = {key for run in bare_runs for key in warnings(run["stderr"])}
    new = [line for key, line in warnings(other["stderr"]).items() if key not in usual]
    if new:
        found.append(f"stderr: {new[:_MOST_LINES]}")
    if chooses_otherwise(bare_runs, other):
        usual, chosen = choices(bare["stdout"]), choices(other["stdout"])
        found.append(f"choices: {_missing(chosen, usual)} instead of {_missing(usual, chosen)}")
    return found


def for_result(found):
    """Of a run, what belongs into the result."""
    return {name: value for name, value in found.items()
            if name not in ("stdout", "stderr", "parameters", "phases")}


def keep_output(folder, name, found):
    """Both outputs of a run, so that a difference can be examined."""
    for stream in ("stdout", "stderr"):
        results.write_text(os.path.join(folder, f"{name}.{stream}.txt".replace(" ", "_")),
                           found[stream])
