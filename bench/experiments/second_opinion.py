# SPDX-License-Identifier: Apache-2.0
"""This experiment puts prof's verdicts on kernels of libraries beside Nsight Compute's own rules.

The program runs under prof with default options, under prof with all counters, and each kernel once
under ncu. Every disagreement is listed with the numbers of both tools.
"""

import json
import os
import random
import re

from lib import ncu
from lib import ncu_rules
from lib import opinion_table
from lib import prof_report
from lib import processes
from lib import results
from lib import second_opinion
from lib import settings
from lib import suite_runs

QUESTION = "Do prof's verdicts on kernels of libraries agree with the rules of Nsight Compute?"
LIMIT_S = 330
RESULTS = ("second_opinion",)
FILES = ("second_opinion.json", "second_opinion.md")

_PROGRAM = "bench/programs/library_kernels.py"
_FORMS = {"default": suite_runs.DEFAULT, "all": suite_runs.FULL}
_PARTS = {"default": 3, "all": 1}  # the budget of PM sampling is that of a process
_SECONDS = {"default": 0.8, "all": 0.6}  # of each case
_RUN_LIMIT_S, _NCU_LIMIT_S, _LAST_S = 70, 150, 20
_LEAST_KERNELS = 30


def _program(bench, seed, *words):
    return [bench.python, _PROGRAM, "--seed", str(seed), *words]


def _cases(bench, seed):
    _, output = processes.checked(_program(bench, seed, "--list"), _RUN_LIMIT_S)
    return [json.loads(line) for line in output.splitlines() if line.startswith("{")]


def _record(bench, form, part, seed):
    """The report of a part of the cases, or None."""
    name = f"second_opinion_{form}_{part}"
    program = _program(bench, seed, "--part", f"{part}/{_PARTS[form]}",
                       "--seconds", str(_SECONDS[form]))
    snapshot = os.path.abspath(bench.path(f"{name}.prof"))
    bench.step(_RUN_LIMIT_S, f"{name}.txt",
               suite_runs.under_prof(bench.prof, _FORMS[form], snapshot, program))
    return prof_report.load(bench.prof, snapshot) if os.path.exists(snapshot) else None


def _reports(bench, seed):
    """{form: [reports]}"""
    found = {form: [] for form in _FORMS}
    for form, parts in _PARTS.items():
        for part in range(parts):
            with bench.failing(f"the recording {form} {part}"):
                report = _record(bench, form, part, seed)
                found[form] += [report] if report else []
    return found


def _profile(bench, seed, cases, reports):
    """What ncu has of the longest kernel of each case, and of others with the same name."""
    labels = {case["label"] for case in cases}
    # prof keeps the template arguments of a name that says nothing without them; ncu does not.
    kernels = {kernel["name"].partition("<")[0] for report in reports["default"]
               for kernel in second_opinion.kernels_by_label(report, labels).values()}
    profiled = ncu_rules.profile(
        _program(bench, seed, "--once"), os.path.join(bench.scratch, "second_opinion.ncu-rep"),
        second_opinion.metrics_for_ncu(reports["all"]), kernels,
        min(_NCU_LIMIT_S, max(bench.left_s() - _LAST_S, 1)))
    results.write_text(bench.path("second_opinion_ncu.csv"), profiled.pop("table"))
    results.write_text(bench.path("second_opinion_ncu.txt"), profiled.pop("output"))
    bench.show(f"{'':12} {len(profiled['launches'])} launches in {profiled['ncu_s']:.0f} s "
               "under ncu")
    return profiled


def _errors(bench, labels):
    """{label: what the program wrote of a case that failed}"""
    found = {}
    for form, parts in _PARTS.items():
        for part in range(parts):
            for line in bench.text(f"second_opinion_{form}_{part}.txt").splitlines():
                label, separator, reason = line.partition(": ")
                if separator and label in labels:
                    found[label] = reason
    return found


def goals_of(rows):
    found = [{"goal": "kernels of libraries with both opinions", "measured": len(rows),
              "limit": _LEAST_KERNELS, "met": len(rows) >= _LEAST_KERNELS}]
    for form in _FORMS:
        still_open = second_opinion.counts(rows, form)["open"] if rows else 0
        found.append({"goal": f"disagreements that the data do not explain ({form})",
                      "measured": still_open, "limit": 0, "met": still_open == 0})
    return found


def _version():
    _, _, output = processes.timed([ncu.executable(), "--version"], _LAST_S)
    found = re.search(r"Version (\S+)", output)
    return found[1] if found else "unknown"


def run(bench):
    seed = settings.SEED if settings.SEED is not None else \
        random.SystemRandom().randrange(1 << 31)
    cases = _cases(bench, seed)
    reports = _reports(bench, seed)
    profiled = _profile(bench, seed, cases, reports)
    rows, without = second_opinion.compare(cases, reports, profiled["launches"])
    errors = _errors(bench, {case["label"] for case in cases})
    without = [[label, errors.get(label, why)] for label, why in without]
    goals = goals_of(rows)
    table = opinion_table.markdown(bench.where(), seed, rows, without, goals)
    del profiled["launches"]
    bench.publish("second_opinion", {
        "seed": seed, "ncu": {"version": _version(), **profiled}, "goals": goals,
        "counts": {form: second_opinion.counts(rows, form) for form in _FORMS},
        "without_row": without, "rows": rows, "failures": bench.failures}, table,
        opinion_table.summary(rows, without, goals))
    if not rows:
        bench.fail("no kernel has both opinions")
