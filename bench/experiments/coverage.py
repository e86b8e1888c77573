# SPDX-License-Identifier: Apache-2.0
"""This experiment runs programs of many kinds bare, with the timeline, and with default options.

How much of the kernel time gets a verdict? Are the verdicts those of a measurement without a
budget? What does it cost, and is the program the same?
"""

import os
import random
from concurrent import futures

from lib import machine
from lib import settings
from lib import suite
from lib import suite_goals
from lib import suite_runs
from lib import suite_verdicts

QUESTION = "Does every program get its answers with default options, and at what cost?"
LIMIT_S = 600
RESULTS = ("coverage",)
FILES = ("coverage.json",)
MERGE = suite_goals.merge

_RUN_LIMIT_S = 75
_LEAST_S = 60  # no program begins with less
_LEAST_OF_RUN_S = 20  # and none of its runs with less than that
_FIRST = "first"
_BARE_AGAIN = f"{suite_runs.BARE} {suite_runs.AGAIN}"
_MORE_BARE_RUNS = 4  # where prof's run chose otherwise


def _environment(bench):
    """The first run of a program compiles, the others find what it left."""
    return {name: os.path.abspath(os.path.join(bench.scratch, name.lower()))
            for name in ("TORCHINDUCTOR_CACHE_DIR", "TRITON_CACHE_DIR", "CUPY_CACHE_DIR")}


def _is_wanted(variant):
    return suite_runs.is_wanted(variant, settings.VARIANTS)


class _Measurement:
    """What was measured of one program: a row of the result."""

    def __init__(self, bench, program, seed):
        self._bench, self._program, self._seed = bench, program, seed
        self._runs, self._reports = {}, {}
        self.row = {"program": program.name, "kind": program.kind, "gpus": program.gpus,
                    "seed": seed, "parameters": {}, "share": {}, "findings": {}, "idle": {},
                    "runs": {}, "errors": []}

    def take(self):
        if not self._try(_FIRST, None):
            return
        calibrated = suite.calibrate(self._program,
                                     suite_runs.printed(self._runs[_FIRST]["stdout"]))
        for variant in filter(_is_wanted, suite_runs.VARIANTS):
            if variant == suite_runs.BARE and not self._program.chooses:
                self._keep(variant, self._runs[_FIRST])
            else:
                self._try(variant, calibrated)
        self._doubt_choices(calibrated)
        self._read()
        self._compare()

    def _try(self, variant, calibrated):
        if self._bench.left_s() < _LEAST_OF_RUN_S:
            self.row["errors"].append(f"no time was left for {variant}")
            return False
        try:
            self._run(variant, calibrated)
        except (RuntimeError, OSError, ValueError, KeyError) as error:
            self.row["errors"].append(f"{variant}: {error}")
            return False
        return True

    def _bare_runs(self):
        named = [name for name in self._runs if name.startswith(_BARE_AGAIN)]
        return [self._runs[name] for name in (_FIRST, *named, suite_runs.BARE)
                if name in self._runs]

    def _doubt_choices(self, calibrated):
        """Does the program alone choose the same each time? Two runs do not show it."""
        default = self._runs.get(suite_runs.DEFAULT)
        if default is None or suite_runs.BARE not in self._runs or not self._program.chooses:
            return
        for number in range(_MORE_BARE_RUNS):
            if not suite_runs.chooses_otherwise(self._bare_runs(), default):
                break
            if not self._try(f"{_BARE_AGAIN} {number + 1}", calibrated):
                break
        self.row["bare_choices"] = [suite_runs.choices(run["stdout"]) for run in self._bare_runs()]

    def _snapshot(self, variant):
        name = f"{self._program.name}.{variant}".replace(" ", "_")
        return os.path.join(self._bench.scratch, f"{name}-%p.prof")

    def _run(self, variant, calibrated):
        command = suite.words(self._program, self._seed, calibrated)
        if variant in suite_runs.OPTIONS:
            command = suite_runs.under_prof(self._bench.prof, variant, self._snapshot(variant),
                                            command)
        found = suite_runs.run(command, min(_RUN_LIMIT_S, max(self._bench.left_s(), 1)),
                               _environment(self._bench))
        suite_runs.keep_output(self._bench.work, f"coverage.{self._program.name}.{variant}", found)
        found["command"] = machine.printable(command)
        self._keep(variant, found)

    def _keep(self, variant, found):
        self._runs[variant] = found
        if variant == _FIRST:
            self.row["parameters"] = found.get("parameters", {})
        else:
            self.row["runs"][variant] = suite_runs.for_result(found)

    def _read(self):
        """The reports of all variants at once: no program runs meanwhile."""
        variants = [variant for variant in suite_runs.OPTIONS if variant in self._runs]
        with futures.ThreadPoolExecutor() as pool:
            found = {variant: pool.submit(suite_runs.reports, self._bench.prof,
                                          self._snapshot(variant)) for variant in variants}
        for variant, future in found.items():
            try:
                self._reports[variant] = future.result()
            except (RuntimeError, OSError, KeyError) as error:
                self.row["errors"].append(f"{variant}: {error}")

    def _compare(self):
        row, reports = self.row, self._reports
        for variant, found in reports.items():
            row["share"][variant] = suite_verdicts.share_with_verdict(found)
            row["findings"][variant] = suite_verdicts.findings(found)
            row["idle"][variant] = suite_verdicts.idle_shares(found)
        default = reports.get(suite_runs.DEFAULT)
        if default:
            row["without_verdict"] = suite_verdicts.without_verdict(default)
            if self._program.has_phases:
                row["phases"] = suite_verdicts.of_phases(
                    default, self._runs[suite_runs.DEFAULT]["phases"])
            if suite_runs.FULL in reports:
                row["same"] = suite_verdicts.compare(default, reports[suite_runs.FULL])
            if suite_runs.FULL in reports and suite_runs.FULL_AGAIN in reports:
                row["same_again"] = suite_verdicts.compare(reports[suite_runs.FULL_AGAIN],
                                                           reports[suite_runs.FULL])
            if suite_runs.TIMELINE in reports:
                row["other_kernels"] = suite_verdicts.names_apart(
                    reports[suite_runs.TIMELINE], default)
        if suite_runs.BARE in self._runs and suite_runs.DEFAULT in self._runs:
            row["changed"] = suite_runs.changes(self._bare_runs(), self._runs[suite_runs.DEFAULT])
        elif any(error.startswith(suite_runs.DEFAULT) for error in row["errors"]):
            row["changed"] = [error for error in row["errors"]
                              if error.startswith(suite_runs.DEFAULT)]


def _seed():
    return settings.SEED if settings.SEED is not None else random.SystemRandom().randrange(1 << 31)


def _shown(row):
    share = row["share"].get(suite_runs.DEFAULT)
    walls = " ".join(f"{name} {run['wall_s']:.1f}" for name, run in row["runs"].items())
    return (f"{row['program']:16} "
            f"{'no verdicts' if share is None else f'{100 * share:.1f} % with a verdict'}; s: "
            f"{walls or 'none'}" + "".join(f"; {error}" for error in row["errors"]))


def run(bench):
    gpus = len(machine.gpus())
    rows, seed = [], _seed()
    programs = suite.chosen(suite.programs(bench), settings.WORKLOADS, gpus)
    for program in programs:
        if bench.left_s() < _LEAST_S:
            bench.fail(f"{program.name}: not run, no time left")
            continue
        measurement = _Measurement(bench, program, seed)
        with bench.failing(program.name):
            measurement.take()
        row = measurement.row
        rows.append(row)
        bench.show(f"{bench.name:12} {_shown(row)}")
        body = {"seed": seed, "goals": suite_goals.goals_of(rows), "programs": rows,
                "failures": bench.failures}
        table = suite_goals.markdown(bench.head, rows)
        bench.write("coverage", body, table)  # after each, because the time may end here
    if not rows:
        bench.fail(f"no program was run: {settings.WORKLOADS!r} on {gpus} GPUs")
        return
    bench.publish("coverage", body, table)
    for row in rows:
        for error in row["errors"]:
            bench.fail(f"{row['program']}, {error}")
