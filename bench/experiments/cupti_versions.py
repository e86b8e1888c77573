# SPDX-License-Identifier: Apache-2.0
"""This experiment records the same programs with each copy of CUPTI in device/cupti/.

A copy is a folder with the files of a wheel's lib/: libcupti.so.N and the libraries of metrics. Its
name is the version. prof must record as many kernels with each of them as with the toolkit's, read
counters and PM samples where the version has them, and give a reason where it has not.
"""

import glob
import os
import re
import time

from lib import processes
from lib import prof_report
from lib import results

QUESTION = "What works with which version of CUPTI?"
LIMIT_S = 300
RESULTS = ("cupti_versions",)
FILES = ("cupti_versions.json",)

_TOOLKIT = "toolkit"  # whatever prof finds by itself
_FOLDER = os.path.join("device", "cupti")
_KERNELS, _RUN_LIMIT_S, _SECONDS = "20000", 15, "6"
_VERSION = re.compile(r"CUPTI (\S+)")
_FROM_PROF = re.compile(r"^prof: .*", re.MULTILINE)

# {case: (program, settings of prof)}. The first ones have a known number of kernels.
_SMALL = "small buffers"  # records may be lost, and the recording has to say so
_COUNTED = {
    "launches": (("storm_bare", _KERNELS, "1", "plain"), {}),
    "ranges": (("storm_bare", _KERNELS, "2", "ranges"), {}),
    "graphs": (("storm_bare", _KERNELS, "1", "graph"), {}),
    _SMALL: (("storm_bare", _KERNELS, "1", "plain"), {"PROF_BUFFER_MIB": "1"}),
}
_SAMPLED = {
    "default options": ("auto", {}),
    "all counters": ("all", {}),
    "continuous": ("none", {"PROF_CONTINUOUS": "1"}),
}


def copies(folder=_FOLDER):
    """{version: path of its libcupti}, oldest first."""
    found = {}
    for path in sorted(glob.glob(os.path.join(folder, "*"))):
        libraries = sorted(glob.glob(os.path.join(path, "libcupti.so*")))
        if libraries:
            found[os.path.basename(path).removeprefix("cupti-")] = os.path.abspath(libraries[0])
    return dict(sorted(found.items(), key=lambda item: [int(n) for n in item[0].split(".")]))


def answers_of(report):
    """What the report of one recording has."""
    verdicts = report["verdicts"]
    missing = [kernel["verdict"]["missing"] for kernel in report["kernels"]
               if kernel["verdict"]["limiter"] == "not-measured"]
    return {"missing": missing[0] if missing else "",
            "pm_samples": sum(series["samples"] for series in report["continuous"]),
            "kernels": report["totals"]["kernels"], "samples": report["totals"]["samples"],
            "pm_series": len(report["continuous"]), "verdicts": verdicts["share"],
            "from_pm_samples": verdicts["pm_samples"] + verdicts["both"],
            "losses": report["integrity"],
            "notices": [notice["what"] for notice in report["notices"]]}


def _is_unanswered(row):
    """PM samples, and no verdict: one of some twenty runs, of any version, and nobody knows why."""
    return row.get("pm_series") and not row.get("verdicts")


def _record(bench, library, snapshot, counters, settings, program):
    pairs = {**settings, **({"PROF_CUPTI": library} if library else {})}
    command = ["env", *(f"{name}={value}" for name, value in pairs.items()),
               *bench.under_prof(snapshot, program, counters)]
    _, code, output = processes.timed(command, _RUN_LIMIT_S)
    row = {"exit_code": code, "said": _FROM_PROF.findall(output)}
    if os.path.exists(snapshot):
        row.update(answers_of(prof_report.load(bench.prof, snapshot)))
        _, _, info = processes.timed([bench.prof, "info", snapshot], _RUN_LIMIT_S)
        found = _VERSION.search(info)
        row["cupti"] = found[1] if found else None
        if _is_unanswered(row):
            os.replace(snapshot, bench.path("without_verdict.prof"))
        else:
            os.remove(snapshot)
    return row


def _cases(bench):
    """{case: (counters, settings, program)}"""
    steady = bench.program("planted", "clean", "--seed", "1", "--seconds", _SECONDS)
    found = {case: ("none", settings, bench.program(*words))
             for case, (words, settings) in _COUNTED.items()}
    found.update({case: (counters, settings, steady)
                  for case, (counters, settings) in _SAMPLED.items()})
    return found


def problems_of(rows):
    """What a version misses of the kernels that the toolkit's copy recorded, or of the verdicts that
    its samples should give.
    """
    expected = {row["case"]: row.get("kernels") for row in rows if row["version"] == _TOOLKIT}
    found = []
    for row in rows:
        name = f"{row['version']}, {row['case']}"
        if row["exit_code"] != 0:
            found.append(f"{name}: exit code {row['exit_code']}")
        elif "kernels" not in row:
            found.append(f"{name}: no recording")
        elif row["case"] == _SMALL:
            if row["kernels"] < expected.get("launches", 0) and not row["losses"]:
                found.append(f"{name}: kernels are missing, and no loss was reported")
        elif row["case"] in _COUNTED and row["kernels"] != expected.get(row["case"]):
            found.append(f"{name}: {row['kernels']} kernels of {expected.get(row['case'])}")
        elif _is_unanswered(row):
            found.append(f"{name}: PM samples, and no verdict: {row['missing']}")
    return found


def markdown(where, rows):
    return "\n".join([where, "", results.table(
        ["CUPTI", "used", "case", "exit code", "kernels", "counter samples", "PM series",
         "share with a verdict", "losses", "printed by prof"],
        [[row["version"], row.get("cupti"), row["case"], row["exit_code"], row.get("kernels"),
          row.get("samples"), row.get("pm_series"), row.get("verdicts"),
          "; ".join(row.get("losses", []))[:120], " / ".join(row["said"])[:120]]
         for row in rows])])


def run(bench):
    found = copies()
    if not found:
        bench.show(f"{bench.name:12} [skipped] {_FOLDER} has no copy of CUPTI")
        return
    rows = []
    for version, library in {_TOOLKIT: None, **found}.items():
        for case, (counters, settings, program) in _cases(bench).items():
            if time.monotonic() > bench.deadline(_RUN_LIMIT_S):
                bench.fail(f"{version}, {case}: not run, no time left")
                continue
            with bench.failing(f"{version}, {case}"):
                rows.append({"version": version, "case": case, **_record(
                    bench, library, f"{bench.scratch}/cupti.prof", counters, settings, program)})
    bench.publish("cupti_versions", {"rows": rows}, markdown(bench.where(), rows))
    for problem in problems_of(rows):
        bench.fail(problem)
