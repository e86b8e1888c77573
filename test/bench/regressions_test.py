# SPDX-License-Identifier: Apache-2.0
import contextlib
import io
import os
import pathlib
import re
import sys
import tempfile
import time
import unittest
from unittest import mock

from experiments import regressions
from lib import in_turn
from lib import processes
from lib import prof_compare
from lib import regression_cases
from lib import regression_verdicts
from lib import results
from lib import settings
from lib.bench import Bench, Summary

ROOT = pathlib.Path(__file__).parents[2]
PROGRAMS = ROOT / "bench/programs/regressions"
HEAD = {"hardware": "a GPU", "driver": "1", "commit": "0123456789ab", "command": "bench/run.py",
        "date": "2026-01-02"}
SPILLS = regression_cases.CASES["spills"]
LAYOUT = regression_cases.CASES["layout"]
SAME = regression_cases.CASES["same"]
MEASURED = regression_verdicts.measured_of([100, 102], [200, 204])


# A comparison as `prof compare --json` prints it.

def statistic(value):
    known = value is not None
    return {"n": 6 if known else 0, "median": value, "min": value, "max": value,
            "sum": 6 * value if known else None}


def compared(name, before, after, change="same", tested=True):
    ratio = after / before if before and after else None
    return {"name": name, "before": statistic(before), "after": statistic(after),
            "modes_before": None, "modes_after": None, "ratio": ratio,
            "low": ratio and ratio * 0.99, "high": ratio and ratio * 1.01, "level": 0.002,
            "corrected": 0.01, "noise": 0.003, "noise_from": "the runs of this comparison",
            "threshold": 0.05, "tested": tested, "change": change, "why": "A sentence.",
            "runs_needed": 0}


def kernel(name, before, after, change="same", in_range="", counters=(), explanation=(), **more):
    alone = before is None or after is None
    return {"name": name, "range": in_range, "device": 0, "matched": "same", "confidence": "high",
            "match_why": "", "cycles": None,
            "time": compared("time of a launch", before, after, change, not alone),
            "total_before_ns": before and before * 100, "total_after_ns": after and after * 100,
            "launches_before": before and 100, "launches_after": after and 100,
            "counters": list(counters), "explanation": list(explanation), **more}


def counter(metric, before, after, moved=True):
    return {"metric": metric, "words": metric, "before": before, "after": after, "moved": moved,
            "exact": True}


def comparison(*kernels, run=()):
    return {"schema": 1, "error": "", "before": "6 runs", "after": "6 runs", "runs_before": 6,
            "runs_after": 6, "overall": "slower", "runs_needed": 0, "notes": [],
            "kernels": list(kernels), "run": list(run)}


def moved_as_expected(case):
    return [counter(metric, *((1, 2) if direction == regression_cases.MORE else (2, 1)))
            for metric, direction in case.moved.items()]


def spilled(change="slower", after=200, **more):
    return kernel("multiply", 100, after, change, **{
        "counters": moved_as_expected(SPILLS),
        "explanation": ["it has 440 bytes of local memory for each thread, before 0: registers "
                        "are spilled"], **more})


def row_of(case, *kernels, run=(), measured=MEASURED, parts=None):
    return regression_verdicts.row_of(case, comparison(*kernels, run=run), measured, parts or {})


def unmet(*rows):
    return [goal["goal"] for goal in regression_verdicts.goals_of(rows) if not goal["met"]]


class Verdicts(unittest.TestCase):
    def test_a_regression_is_found_with_its_ratio_and_its_counters(self):
        row = row_of(SPILLS, spilled(), kernel("unpack", 50, 50))
        self.assertTrue(row["found"] and row["inside"] and row["explained"] and row["is_slower"])
        self.assertEqual((row["verdict"], row["ratio"], row["measured"]), ("slower", 2, 2))
        self.assertEqual(set(row["moved"]), set(SPILLS.moved))
        self.assertIn("registers are spilled", row["named"])
        self.assertEqual((row["alarms"], row["alone"], row["tested"]), ([], [], 1))
        self.assertEqual(unmet(row), [])

    def test_another_verdict_misses_it(self):
        for change in ("same", "inconclusive", "faster"):
            row = row_of(SPILLS, spilled(change))
            self.assertEqual(unmet(row), ["regressions that are found"], change)

    def test_a_counter_that_did_not_move_or_moved_the_other_way_explains_nothing(self):
        for change in ({"moved": False}, {"after": 0}):
            counters = moved_as_expected(SPILLS)
            counters[0].update(change)
            row = row_of(SPILLS, spilled(counters=counters))
            self.assertEqual(row["missing"], [counters[0]["metric"]])
            self.assertEqual(unmet(row), ["regressions whose expected counters are named"])

    def test_a_cause_has_to_be_in_a_sentence(self):
        row = row_of(SPILLS, spilled(explanation=["it executes 1.5 times the instructions"]))
        self.assertFalse(row["explained"])
        self.assertEqual(row["missing"], ["a sentence: registers are spilled"])

    def test_the_sums_of_a_range_explain_it_where_its_kernels_have_no_partner(self):
        case = regression_cases.CASES["float32"]
        kernels = [kernel("half", 100, None, matched="gone", range="stage"),
                   kernel("float", None, 200, matched="new", range="stage")]
        stage = compared("stage", 100, 200, "slower")
        stage["explanation"] = ["all its kernels together: L2 sectors: 1,000 -> 1,900 (1.90 times)",
                                "gone: half (100 % of the time)"]
        row = row_of(case, *kernels, run=[stage])
        self.assertTrue(row["explained"])
        self.assertEqual(row["moved"], {"lts__t_sectors.sum": ["1,000", "1,900"]})
        self.assertIn("L2 sectors", row["named"])
        stage["explanation"][0] = "all its kernels together: L2 sectors: 1,000 -> 500 (0.50 times)"
        row = row_of(case, *kernels, run=[stage])
        self.assertEqual(row["missing"], ["lts__t_sectors.sum"])

    def test_a_measured_ratio_outside_of_the_interval_is_off(self):
        for factor, off, met in ((1.009, 0, True), (1.02, 0.0099, True), (0.95, 0.042, False)):
            measured = {**MEASURED, "measured": 2 * factor}
            row = row_of(SPILLS, spilled(), measured=measured)
            self.assertAlmostEqual(row["off"], off, places=3)
            self.assertEqual(row["inside"], off == 0)
            self.assertEqual(unmet(row) == [], met)
        none = spilled()
        none["time"].update(low=None, high=None)
        self.assertIsNone(row_of(SPILLS, none)["off"])

    def test_a_kernel_that_lost_its_partner_is_not_found(self):
        row = row_of(SPILLS, kernel("multiply", 100, None, matched="gone"),
                     kernel("multiply", None, 200, matched="new"))
        self.assertEqual((row["found"], row["verdict"], row["off"]), (False, None, None))
        self.assertEqual(row["matched"], ["gone", "new"])
        self.assertEqual((row["alarms"], row["alone"]), ([], []))
        self.assertEqual(set(row["missing"]) - {"a sentence: registers are spilled"},
                         set(SPILLS.moved))

    def test_a_kernel_beside_that_changed_is_an_alarm(self):
        row = row_of(SPILLS, spilled(), kernel("unpack", 50, 40, "faster"),
                     run=[compared("span", 150, 250, "slower")])
        self.assertEqual([alarm["name"] for alarm in row["alarms"]], ["unpack"])
        self.assertEqual(unmet(row), ["alarms about kernels that did not change"])

    def test_a_kernel_that_changed_without_prof_too_is_no_alarm(self):
        for ratio, is_real in ((0.81, True), (0.95, False), (1.2, False), (None, False)):
            row = row_of(SPILLS, spilled(), kernel("unpack", 50, 40, "faster"),
                         parts={"unpack": ratio})
            self.assertEqual([one["name"] for one in row["effects" if is_real else "alarms"]],
                             ["unpack"])
            self.assertEqual(len(row["effects"]) + len(row["alarms"]), 1)

    def test_what_makes_nothing_slower_is_no_regression(self):
        measured = regression_verdicts.measured_of([100], [101])
        row = row_of(SPILLS, spilled("same", 101), measured=measured)
        self.assertFalse(row["is_slower"])
        self.assertEqual(unmet(row), [])

    def test_a_range_is_found_by_its_time_and_explained_by_kernels_that_are_new(self):
        kernels = [kernel("conv", 100, 100, in_range="stage"),
                   kernel("nchwToNhwcKernel", None, 100, in_range="stage", matched="new")]
        row = row_of(LAYOUT, *kernels, run=[compared("stage", 100, 200, "slower")])
        self.assertTrue(row["found"] and row["explained"])
        self.assertEqual(row["listed"], ["nchwToNhwcKernel"])
        self.assertEqual((row["alarms"], row["alone"]), ([], []))
        row = row_of(LAYOUT, kernels[0], run=[compared("stage", 100, 200, "slower")])
        self.assertTrue(row["found"])
        self.assertFalse(row["explained"])
        self.assertIsNone(row_of(LAYOUT, *kernels)["verdict"])

    def test_a_counter_of_any_kernel_of_the_range_explains_it(self):
        case = regression_cases.CASES["float32"]
        kernels = [kernel("conv", 100, 200, "slower", in_range="stage"),
                   kernel("relu", 10, 20, "slower", in_range="stage",
                          counters=moved_as_expected(case),
                          explanation=["L2 sectors: 100 -> 200 (2.00 times)"]),
                   kernel("other", 10, 20, counters=moved_as_expected(case))]
        run = [compared("stage", 110, 220, "slower")]
        self.assertTrue(row_of(case, *kernels, run=run)["explained"])
        self.assertFalse(row_of(case, kernels[0], kernels[2], run=run)["explained"])

    def test_in_a_decoy_each_verdict_is_an_alarm(self):
        quiet = row_of(SAME, kernel("conv", 100, 101),
                       run=[compared("span", 100, 200, "inconclusive")])
        self.assertEqual((quiet["alarms"], quiet["tested"]), ([], 2))
        self.assertEqual(unmet(quiet), [])
        loud = row_of(SAME, kernel("conv", 100, 101, "slower"),
                      kernel("tiny", 100, 300, "slower", time=compared(
                          "time of a launch", 100, 300, "slower", tested=False)),
                      run=[compared("idle: launch", 10, 5, "faster")])
        self.assertEqual([alarm["name"] for alarm in loud["alarms"]], ["conv", "idle: launch"])
        self.assertEqual(unmet(loud), ["alarms where nothing changed"])

    def test_in_a_decoy_each_kernel_has_a_partner(self):
        row = row_of(SAME, kernel("conv", 100, None, matched="gone"),
                     kernel("conv_v2", None, 100, matched="new"),
                     kernel("tiny", None, 0.1, matched="new"))
        self.assertEqual(row["alone"], ["gone: conv", "new: conv_v2"])
        self.assertEqual(unmet(row), ["kernels without a partner where nothing changed"])

    def test_the_measured_ratio_has_the_quotients_of_two_runs(self):
        self.assertEqual(MEASURED, {"us_before": 101, "us_after": 202, "measured": 2,
                                    "measured_low": 200 / 102, "measured_high": 2.04})


class Cases(unittest.TestCase):
    def test_each_case_has_its_program_and_its_expectation(self):
        for case in regression_cases.CASES.values():
            with self.subTest(case.name):
                variants = regression_cases.PROGRAMS[case.program].variants
                self.assertEqual(next(iter(variants)), regression_cases.BEFORE)
                self.assertIn(case.after, variants)
                self.assertNotEqual(case.after, regression_cases.BEFORE)
                self.assertNotEqual(case.is_decoy, bool(case.moved or case.listed))
        real = [case for case in regression_cases.CASES.values() if not case.is_decoy]
        self.assertGreaterEqual(len(real), 5)

    def test_expected_counters_are_those_that_prof_compares(self):
        source = (ROOT / "lib/compare/counters.cc").read_text(encoding="utf-8")
        for case in regression_cases.CASES.values():
            for metric in case.moved:
                self.assertIn(f'"{metric}"', source)

    def test_programs_are_built_and_carried(self):
        cmake = (PROGRAMS / "CMakeLists.txt").read_text(encoding="utf-8")
        pack = (ROOT / "bench/gpu/pack.sh").read_text(encoding="utf-8")
        for program in regression_cases.PROGRAMS.values():
            for name, *arguments in program.variants.values():
                with self.subTest(name):
                    if program.is_python:
                        source = (PROGRAMS / name).read_text(encoding="utf-8")
                        self.assertTrue(all(f'"{word}"' in source for word in arguments))
                        continue
                    self.assertIn(f"prof_regression_program({name} ", cmake)
                    self.assertRegex(pack, rf"[ (]{name}[ )\n]")

    def test_the_parts_that_cases_ask_for_are_timed(self):
        for case in regression_cases.CASES.values():
            sources = "".join(path.read_text(encoding="utf-8") for path in PROGRAMS.iterdir()
                              if path.suffix in (".cu", ".py"))
            if case.part:
                self.assertRegex(sources, rf'(Time|part)\("{case.part}"')
            if case.in_range:
                self.assertIn(f'nvtx.range("{case.in_range}")', sources)

    def test_sides_take_turns(self):
        jobs = regressions.jobs_of(["a", "b"])
        self.assertEqual([job.variant for job in jobs], ["a", "b"] * (len(jobs) // 2))
        self.assertEqual([job.form for job in jobs[::2]],
                         ["bare", *["default"] * 5, "counted", "bare"])
        self.assertEqual(len({job.file("prof") for job in jobs}), len(jobs))

    def test_only_variants_of_wanted_cases_are_recorded(self):
        images = regression_cases.PROGRAMS["images"]
        self.assertEqual(regressions.chosen_variants(images, [LAYOUT, SPILLS]),
                         [regression_cases.BEFORE, "channels first"])
        self.assertEqual(regressions.chosen_variants(images, [SPILLS]), [])

    def test_parts_have_a_sum(self):
        output = '[sum] 1\n[parts] {"a": {"us": 2.5, "n": 9}, "b": {"us": 4, "n": 9}}\n'
        self.assertEqual(regressions.parts_of(output), {"a": 2.5, "b": 4, "": 6.5})
        with self.assertRaisesRegex(RuntimeError, "parts"):
            regressions.parts_of("Segmentation fault")


def python(code):
    return [sys.executable, "-c", code]


class InTurn(unittest.TestCase):
    # It waits for its line as a program of PyTorch does, and prints when it got it.
    WAIT = "import sys, time; print('loaded', time.time()); sys.stdin.readline(); " \
           "print('went', time.time()); time.sleep(0.2)"

    def times(self, output):
        return {name: float(at) for name, at in map(str.split, output.splitlines())}

    def test_programs_load_ahead_and_go_one_after_another(self):
        runs = list(in_turn.run([python(self.WAIT)] * 4, 20, ahead=2))
        self.assertEqual([code for _, code, _ in runs], [0] * 4)
        times = [self.times(output) for _, _, output in runs]
        for one, other in zip(times, times[1:]):
            self.assertGreaterEqual(other["went"], one["went"] + 0.2)
        self.assertLess(times[1]["loaded"], times[0]["went"] + 0.2)

    def test_a_program_that_does_not_read_its_line_runs_all_the_same(self):
        runs = list(in_turn.run([python("print(1)"), python("raise SystemExit(3)")], 20))
        self.assertEqual([(code, output) for _, code, output in runs], [(0, "1\n"), (3, "")])

    def test_a_program_that_hangs_is_stopped(self):
        (_, code, output), = in_turn.run(
            [python("import time; print('begun', flush=True); time.sleep(60)")], 1)
        self.assertEqual(code, processes.STOPPED)
        self.assertTrue(output.startswith("begun"))

    def test_no_program_outlives_the_iteration(self):
        with tempfile.TemporaryDirectory() as folder:
            mark = os.path.join(folder, "mark")
            wait = "import sys, pathlib; sys.stdin.readline(); "
            runs = in_turn.run([python(wait), python(f"{wait} pathlib.Path({mark!r}).touch()")],
                               20, ahead=1)
            next(runs)
            runs.close()
            time.sleep(0.3)
            self.assertFalse(os.path.exists(mark))


# It prints what a program prints: twice the time where it is the one that was made slower.
PROGRAM = """#!/bin/sh
case $0 in *few*) us=200;; *) us=100;; esac
echo '[sum] 5.0'
echo '[parts] {"multiply": {"us": '$us', "n": 9}, "unpack": {"us": 9, "n": 9}}'
echo '[steps] {"steps": 7, "parameters": {"words": "'$*'"}}'
"""
PROF = """#!/bin/sh
if [ "$1" = compare ]; then
  if [ "$2" = --json ]; then cat comparison.json; else echo 'words for people'; fi
  exit
fi
while [ "$1" != -- ]; do
  if [ "$1" = --output ]; then recording=$2; fi
  shift
done
shift
"$@" && echo 'a recording' >"$recording"
"""


class Experiment(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.addCleanup(os.chdir, os.getcwd())
        os.chdir(folder.name)
        os.makedirs("device/bin")
        os.makedirs("work")
        results.dump("comparison.json", comparison(spilled(), kernel("unpack", 9, 9)))
        for name in ("matrix", "matrix_few_registers"):
            self.write(name, PROGRAM)
        self.write("prof", PROF)
        self.bench = Bench("regressions", HEAD, Summary("work/summary.txt"), "work", folder.name,
                           time.monotonic() + 300)

    @staticmethod
    def write(name, text):
        path = pathlib.Path("device/bin") / name
        path.write_text(text, encoding="utf-8")
        path.chmod(0o755)

    def run_case(self, name):
        with mock.patch.object(settings, "WORKLOADS", f"^{name}$"), \
                contextlib.redirect_stdout(io.StringIO()):
            regressions.run(self.bench)

    def test_a_case_is_recorded_compared_and_judged(self):
        self.run_case("spills")
        self.assertEqual(self.bench.failures, [])
        found = results.read("work/regressions.json")
        row, = found["rows"]
        self.assertEqual((row["case"], row["measured"], row["found"], row["explained"]),
                         ("spills", 2, True, True))
        self.assertTrue(row["parameters"]["words"].endswith("--seconds 0.4"))
        self.assertTrue(all(goal["met"] for goal in found["goals"]))
        table = pathlib.Path("work/regressions.md").read_text(encoding="utf-8")
        self.assertIn("registers are spilled", table)
        for variant in ("before", "few_registers"):
            self.assertEqual(len(list(pathlib.Path("work/regressions/matrix", variant).glob(
                "*.prof"))), 6)

    def test_variants_that_compute_something_else_are_no_versions_of_one(self):
        self.write("matrix_few_registers", PROGRAM.replace("5.0", "5.2"))
        self.run_case("spills")
        self.assertRegex(self.bench.failures[0], "few registers computes 5.2, not 5.0")
        self.assertFalse(os.path.exists("work/regressions.json"))

    def test_a_program_that_fails_is_a_failure(self):
        self.write("matrix_few_registers", "#!/bin/sh\nexit 4\n")
        self.run_case("spills")
        self.assertRegex(self.bench.failures[0], "few registers, bare: exit code 4")

    def test_the_table_has_real_cases_and_decoys(self):
        rows = [row_of(SPILLS, spilled()), row_of(SAME, kernel("conv", 100, 101, "slower"))]
        table = regressions.markdown("A GPU.", rows, regression_verdicts.goals_of(rows))
        self.assertIn("| `-maxrregcount=64` | 2.000 | 2.000 | 1.980 to 2.020 | slower |", table)
        self.assertRegex(table, re.escape(SAME.change) + r" \| 2\.000 \| 1 \| conv \| 0 \|")
        alone = row_of(SPILLS, kernel("multiply", None, 200, matched="new"))
        self.assertIn("| 2.000 |  | none | no partner | nothing |",
                      regressions.markdown("A GPU.", [alone], []))


class ProfCompare(unittest.TestCase):
    def test_an_error_has_what_prof_printed(self):
        with tempfile.TemporaryDirectory() as folder:
            path = pathlib.Path(folder) / "prof"
            path.write_text("#!/bin/sh\necho 'no recording' >&2\nexit 2\n", encoding="utf-8")
            path.chmod(0o755)
            with self.assertRaisesRegex(RuntimeError, "exit code 2: no recording"):
                prof_compare.load(str(path), "a", "b")
        with self.assertRaisesRegex(RuntimeError, "prof compare"):
            prof_compare.load("/nowhere/prof", "a", "b")
        with self.assertRaisesRegex(RuntimeError, "prof compare"):
            prof_compare.load("/bin/echo", "a", "b")


if __name__ == "__main__":
    unittest.main()
