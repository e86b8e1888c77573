# SPDX-License-Identifier: Apache-2.0
"""This experiment records programs before and after a real regression, and asks prof compare.

The variants of a program take turns, each run in a process of its own: without prof, with default
options, and once with all counters, as docs/guide/compare.md recommends. What must be found is in
lib/regression_cases.py.
"""

import contextlib
import dataclasses
import json
import os
import random
import re
import statistics
import time
from concurrent import futures

from lib import in_turn
from lib import prof_compare
from lib import regression_cases
from lib import regression_verdicts
from lib import results
from lib import settings
from lib import suite_runs

QUESTION = "Does prof compare find real regressions, name their counters, and nothing else?"
LIMIT_S = 400
RESULTS = ("regressions",)
FILES = ("regressions.json",)

_RUNS, _BARE_RUNS = 5, 2  # of each variant
_SECONDS = 0.4  # of the first run of a program; the others do as many steps
_PROGRAMS_S = 340  # no program begins after them
_COMPARE_S = 40  # for the comparisons, at the end
_RUN_LIMIT_S = 30
_AHEAD = 2  # programs of PyTorch that load while another one runs
_SAME = 0.01  # what the results of two variants may differ by

_BARE, _DEFAULT, _COUNTED = "bare", "default", "counted"
_OPTIONS = {_DEFAULT: (),
            _COUNTED: ("--counters", "all", "--budget", "50", "--budget-seconds", "60")}
_PARTS = re.compile(r"^\[parts\] (.*)$", re.MULTILINE)
_SUM = re.compile(r"^\[sum\] (\S+)$", re.MULTILINE)


@dataclasses.dataclass(frozen=True)
class Job:
    """One run of a variant."""
    variant: str
    form: str
    number: int

    def file(self, ending):
        return f"{self.variant}/{self.form}_{self.number}.{ending}".replace(" ", "_")


def jobs_of(variants):
    """In turns: A B A B ..., and a bare run at either end."""
    rounds = [(_BARE, 0), *((_DEFAULT, i) for i in range(_RUNS)), (_COUNTED, 0),
              *((_BARE, i) for i in range(1, _BARE_RUNS))]
    return [Job(variant, form, number) for form, number in rounds for variant in variants]


def chosen_variants(program, cases):
    """Those that the cases need, the first one before the others."""
    wanted = {case.after for case in cases if case.program == program.name}
    return [variant for variant in program.variants
            if wanted and (variant in wanted or variant == regression_cases.BEFORE)]


def parts_of(output):
    """{part: us by CUDA events} of a run; their sum has no name."""
    found = _PARTS.search(output)
    if not found:
        raise RuntimeError(f"no [parts] line: {output[-300:]!r}")
    parts = {name: part["us"] for name, part in json.loads(found[1]).items()}
    return {**parts, "": sum(parts.values())}


def _check(run, code, output):
    if code != 0 or "[skipped]" in output:
        raise RuntimeError(f"{run}: exit code {code}: {output.strip()[-300:]!r}")


def _sum_of(output):
    return float(_SUM.search(output)[1])


class _Recorded:
    """The runs of one program. Recordings and outputs lie in a folder of its own."""

    def __init__(self, bench, program, cases, seed, end):
        self._bench, self._program, self._seed, self._end = bench, program, seed, end
        self._variants = chosen_variants(program, cases)
        self._outputs = {variant: [] for variant in self._variants}  # of bare runs
        self.parameters = {}

    def _path(self, file):
        return self._bench.path(os.path.join("regressions", self._program.name, file))

    def folder(self, variant):
        return self._path(variant.replace(" ", "_"))

    def _words(self, variant, *limit):
        name, *arguments = self._program.variants[variant]
        words = [*arguments, "--seed", str(self._seed), *limit]
        if not self._program.is_python:
            return [self._bench.binary(name), *words]
        return [self._bench.python, f"bench/programs/regressions/{name}", *words, "--wait"]

    def _command(self, job, steps):
        limit = ("--steps", str(steps)) if job.form != _COUNTED else \
            ("--seconds", str(self._program.counted_s))
        words = self._words(job.variant, *limit)
        if job.form == _BARE:
            return self._in_environment(words)
        return self._in_environment([self._bench.prof, "run", *_OPTIONS[job.form], "--output",
                                     self._path(job.file("prof")), "--", *words])

    def _in_environment(self, words):
        cache = os.path.abspath(os.path.join(self._bench.scratch, "triton"))
        return ["env", f"TRITON_CACHE_DIR={cache}", *words] if self._program.is_python else words

    def _turns(self, jobs, steps):
        """Yields (job, its output). It raises RuntimeError where a run fails."""
        ahead = _AHEAD if self._program.is_python else 0
        commands = (self._command(job, steps) for job in jobs)
        with contextlib.closing(in_turn.run(commands, _RUN_LIMIT_S, ahead)) as outcomes:
            for job, (_, code, output) in zip(jobs, outcomes):
                results.write_text(self._path(job.file("txt")), output)
                _check(f"{job.variant}, {job.form}", code, output)
                if time.monotonic() > self._end:
                    raise RuntimeError("stopped: the time of the programs is over")
                yield job, output

    def take(self):
        for variant in self._variants:
            os.makedirs(self.folder(variant))
        first = self._in_environment(
            self._words(regression_cases.BEFORE, "--seconds", str(_SECONDS)))
        _, code, output = next(in_turn.run([first], _RUN_LIMIT_S))
        _check("the first run", code, output)
        printed = suite_runs.printed(output)
        self.parameters = printed["parameters"]
        for job, text in self._turns(jobs_of(self._variants), printed["steps"]):
            if job.form == _BARE:
                self._outputs[job.variant].append(text)
        self._check_sums()

    def _check_sums(self):
        """All variants compute the same: otherwise one is no version of the other."""
        sums = {variant: _sum_of(texts[0]) for variant, texts in self._outputs.items()}
        before = sums[regression_cases.BEFORE]
        for variant, value in sums.items():
            if abs(value - before) > _SAME * abs(before):
                raise RuntimeError(f"{variant} computes {value}, not {before}")

    def times_of(self, variant, part):
        """us of the part in each run without prof."""
        return [parts_of(text)[part] for text in self._outputs[variant]]

    def ratios(self, variant):
        """{part: after over before} without prof"""
        def median(of, part):
            return statistics.median(self.times_of(of, part))
        return {part: median(variant, part) / median(regression_cases.BEFORE, part)
                for part in parts_of(self._outputs[variant][0])}


def _compare(bench, case, recorded):
    """The row of a case. Its files are for people who ask why."""
    folders = [recorded.folder(variant) for variant in (regression_cases.BEFORE, case.after)]
    comparison = prof_compare.load(bench.prof, *folders)
    results.dump(bench.path(f"regressions/{case.name}.json"), comparison)
    results.write_text(bench.path(f"regressions/{case.name}.txt"),
                       prof_compare.for_people(bench.prof, *folders))
    measured = regression_verdicts.measured_of(
        *(recorded.times_of(variant, case.part)
          for variant in (regression_cases.BEFORE, case.after)))
    return {**regression_verdicts.row_of(case, comparison, measured, recorded.ratios(case.after)),
            "program": case.program, "parameters": recorded.parameters}


def _names(verdicts):
    return ", ".join(one["name"] for one in verdicts) or 0


def _interval(low, high):
    return "none" if low is None else f"{low:.3f} to {high:.3f}"


def _named(row):
    """What prof prints about the cause, as far as it was expected."""
    text = row["named"] or "; ".join(f"new: {name}" for name in row["listed"][:2])
    return text or "; ".join(row["sentences"][:1]) or "nothing"


def markdown(where, rows, goals):
    real = [row for row in rows if not row["is_decoy"]]
    decoys = [row for row in rows if row["is_decoy"]]
    return "\n".join([
        where + f" {_RUNS} runs of each side with default options and one with "
        "`--counters all --budget 50 --budget-seconds 60`, "
        "in turns. Ratios are after over before; without prof they are of CUDA events.", "",
        results.table(["what changed", "ratio without prof", "by prof", "its interval", "verdict",
                       "what prof names", "expected and not there"],
                      [[row["change"], f"{row['measured']:.3f}",
                        None if row["ratio"] is None else f"{row['ratio']:.3f}",
                        _interval(row["low"], row["high"]), row["verdict"] or "no partner",
                        _named(row), ", ".join(row["missing"])] for row in real]),
        results.table(["what changed, and costs nothing", "ratio without prof",
                       "tested kernels and times", "alarms", "changed without prof, too",
                       "kernels without a partner"],
                      [[row["change"], f"{row['measured']:.3f}", row["tested"],
                        _names(row["alarms"]), _names(row["effects"]),
                        ", ".join(row["alone"]) or 0] for row in decoys]),
        results.goal_table(goals)])


def _record(bench, cases, seed):
    """{program: its runs}"""
    end = min(time.monotonic() + _PROGRAMS_S, bench.deadline(_COMPARE_S))
    found = {}
    for program in regression_cases.PROGRAMS.values():
        if not chosen_variants(program, cases):
            continue
        if time.monotonic() > end:
            bench.fail(f"{program.name}: not begun, the time of the programs is over")
            continue
        start = time.monotonic()
        with bench.failing(program.name):
            recorded = _Recorded(bench, program, cases, seed, end)
            recorded.take()
            found[program.name] = recorded
        bench.show(f"{bench.name:12} {program.name:12} {time.monotonic() - start:4.0f} s")
    return found


def run(bench):
    seed = settings.SEED if settings.SEED is not None else \
        random.SystemRandom().randrange(1 << 31)
    cases = [case for name, case in regression_cases.CASES.items()
             if re.search(settings.WORKLOADS, name)]
    recorded = _record(bench, cases, seed)
    with futures.ThreadPoolExecutor() as pool:  # at the end: no program runs meanwhile
        rows = {case.name: pool.submit(_compare, bench, case, recorded[case.program])
                for case in cases if case.program in recorded}
    found = []
    for name, row in rows.items():
        with bench.failing(name):
            found.append(row.result())
    if not found:
        bench.fail("no case was measured")
        return
    goals = regression_verdicts.goals_of(found)
    bench.publish("regressions", {"seed": seed, "rows": found, "goals": goals,
                                  "failures": bench.failures},
                  markdown(bench.where(), found, goals))
    for row in found:
        if not row["is_decoy"] and not row["is_slower"]:
            bench.show(f"{bench.name:12} {row['case']}: not slower here: {row['measured']:.3f}")
