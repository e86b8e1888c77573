# SPDX-License-Identifier: Apache-2.0
import contextlib
import io
import os
import pathlib
import re
import subprocess
import sys
import tempfile
import unittest
from unittest import mock

from experiments import coverage
from experiments import coverage_hang
from experiments import coverage_ncu
from experiments import coverage_timelines
from experiments import profiler_hooks
from experiments import stream_hops
from lib import planted
from lib import prof_threads
from lib import results
from lib import runner
from lib import settings
from lib import suite
from lib import suite_goals
from lib import suite_runs
from lib import suite_verdicts
from lib import triage_values
from lib.bench import Bench

HEAD = {"hardware": "a GPU", "driver": "1", "commit": "0123456789ab", "command": "bench/run.py",
        "date": "2026-01-02"}
US = 1000
_ROOT = pathlib.Path(__file__).resolve().parents[2]


def kernel(name, limiter, total_ns=100 * US, median_ns=20 * US, confidence="high", **more):
    return {"name": name, "full_name": name, "range": "", "grid": [1, 1, 1], "block": [32, 1, 1],
            "total_ns": total_ns, "duration_ns": {"median": median_ns}, "metrics": {},
            "verdict": {"limiter": limiter, "confidence": confidence, "missing": ""}, **more}


def report(*kernels, findings=(), gaps=(), undisturbed_ns=1000):
    return {"kernels": list(kernels), "findings": list(findings), "gaps": list(gaps),
            "undisturbed_ns": undisturbed_ns}


class Verdicts(unittest.TestCase):
    def test_the_share_is_of_the_time_of_all_processes(self):
        reports = [report(kernel("a", "dram", 300), kernel("b", "not-measured", 100)),
                   report(kernel("a", "unknown", 100), kernel("g", "tensor", 500, in_graph=True))]
        self.assertEqual(suite_verdicts.share_with_verdict(reports), 0.8)
        self.assertIsNone(suite_verdicts.share_with_verdict([report()]))

    def test_the_longest_kernels_without_a_verdict_come_first(self):
        found = suite_verdicts.without_verdict([report(
            kernel("a", "dram", 500), kernel("b", "unknown", 100),
            kernel("c", "not-measured", 400))])
        self.assertEqual([row[:2] for row in found], [["c", 0.4], ["b", 0.1]])

    def compare(self, ours, theirs):
        return suite_verdicts.compare([report(*ours)], [report(*theirs)])

    def test_another_verdict_at_high_confidence_is_a_contradiction(self):
        found = self.compare([kernel("a", "dram"), kernel("b", "l2"),
                              kernel("c", "fma", confidence="medium")],
                             [kernel("a", "dram"), kernel("b", "tensor"), kernel("c", "alu")])
        self.assertEqual((found["compared"], found["same"]), (3, 1))
        self.assertEqual([(row["kernel"], row["contradiction"]) for row in found["different"]],
                         [("b", True), ("c", False)])

    def test_short_and_rare_and_undecided_kernels_are_not_compared(self):
        others = [kernel(name, "l2") for name in "abcde"]
        found = self.compare([kernel("a", "dram", median_ns=9_999), kernel("b", "dram", 10),
                              kernel("c", "unknown"), kernel("alone", "dram")],
                             [*others, kernel("f", "l2")])
        self.assertEqual(found, {"compared": 0, "same": 0, "sure": 0, "different": []})

    def test_verdicts_of_low_confidence_are_not_sure(self):
        low = {"confidence": "low"}
        found = self.compare([kernel("a", "dram", confidence="medium"), kernel("b", "l2", **low),
                              kernel("c", "l2"), kernel("d", "fma")],
                             [kernel("a", "dram"), kernel("b", "l2"), kernel("c", "l2", **low),
                              kernel("d", "alu", confidence="medium")])
        self.assertEqual((found["compared"], found["same"], found["sure"]), (4, 3, 1))

    def test_a_kernel_is_compared_under_its_own_range(self):
        theirs = [kernel("a", "dram", range="x"), kernel("a", "l2", range="y")]
        self.assertEqual(self.compare([kernel("a", "l2", range="y")], theirs)["same"], 1)
        self.assertEqual(self.compare([kernel("a", "l2", range="z")], theirs)["compared"], 0)
        self.assertEqual(self.compare([kernel("a", "dram", range="z")], theirs[:1])["same"], 1)

    def test_withheld_findings_are_none(self):
        self.assertEqual(suite_verdicts.findings([
            report(findings=[{"id": "b"}, {"id": "a", "withheld": True}]),
            report(findings=[{"id": "c", "withheld": False}, {"id": "b"}])]), ["b", "c"])

    def test_idle_time_is_a_share_of_the_undisturbed_time_of_all_processes(self):
        first = report(gaps=[{"cause": "launch", "total_ns": 100},
                             {"cause": "sync", "total_ns": 50}])
        second = report(gaps=[{"cause": "launch", "total_ns": 300}], undisturbed_ns=3000)
        self.assertEqual(suite_verdicts.idle_shares([first, second]),
                         {"launch": 0.1, "sync": 0.0125})

    def test_a_kernel_that_only_one_run_has_is_named(self):
        both = kernel("both", "l2", 1000)
        self.assertEqual(suite_verdicts.names_apart(
            [report(both, kernel("a", "l2", 500))],
            [report(both, kernel("rare", "l2", 5))]), ["a"])

    def test_a_phase_is_found_by_its_kernel_or_its_range(self):
        rows = suite_verdicts.of_phases(
            [report(kernel("fma_chains", "fma"),
                    kernel("nvjet", "tensor", 500, range="x/gemm"),
                    kernel("reduce", "dram", 10, range="x/gemm"))],
            [{"kernel": "gemm", "limiters": ["tensor", "fp64"]},
             {"kernel": "fma_chains", "limiters": ["alu"]},
             {"kernel": "lost", "limiters": ["l2"]}])
        self.assertEqual([(row["verdict"], row["right"]) for row in rows],
                         [("tensor", True), ("fma", False), ("not recorded", False)])


def ran(stdout="", stderr=""):
    return {"stdout": stdout, "stderr": stderr}


class Changes(unittest.TestCase):
    def test_times_and_lines_of_prof_are_no_change(self):
        bare = ran("[checksum] 5\n[steps] {\"steps\": 3}\n", "warning: took 5 ms\n")
        ours = ran("[checksum] 5\n[steps] {\"steps\": 4}\n",
                   "prof: wrote x.prof\n      and more\nwarning: took 9 ms\n")
        self.assertEqual(suite_runs.changes([bare, bare], ours), [])

    def test_another_answer_is_a_change(self):
        found = suite_runs.changes([ran("[checksum] 5\n")], ran("[checksum] 6\n"))
        self.assertEqual(len(found), 1)
        self.assertIn("[checksum] 6", found[0])

    def test_a_new_warning_is_a_change_and_one_of_the_first_run_is_none(self):
        first, bare = ran(stderr="compiling\n"), ran()
        self.assertEqual(suite_runs.changes([first, bare], ran(stderr="compiling\n")), [])
        self.assertIn("timed out", suite_runs.changes([first, bare], ran(stderr="timed out\n"))[0])

    def test_a_choice_counts_where_it_is_the_same_without_prof(self):
        a, b = ran("[choice] a\n"), ran("[choice] b\n")
        self.assertEqual(len(suite_runs.changes([a, a], b)), 1)
        self.assertEqual(suite_runs.changes([b, a], b), [])
        self.assertEqual(suite_runs.changes([a, a], a), [])

    def test_of_choices_those_that_differ_are_named(self):
        same = "".join(f"[choice] {number}\n" for number in range(20))
        found = suite_runs.changes([ran(same + "[choice] a\n")] * 2, ran(same + "[choice] b\n"))
        self.assertEqual(found, ["choices: ['[choice] b'] instead of ['[choice] a']"])


class HostCode(unittest.TestCase):
    def test_the_ratio_is_of_the_medians_over_the_seconds(self):
        runs = {"timeline": {"host_us_of_seconds": [30, 31, 90]},
                "default": {"host_us_of_seconds": [62, 61, 62]}}
        self.assertEqual(suite_goals.host_ratio({"runs": runs}, "timeline"), 2)

    def test_a_run_without_it_has_none(self):
        runs = {"timeline": {"host_us_of_seconds": [30]}, "default": {}}
        self.assertIsNone(suite_goals.host_ratio({"runs": runs}, "timeline"))
        self.assertIsNone(suite_goals.host_ratio({"runs": {}}, "bare"))

    def test_findings_that_need_counters_are_not_compared(self):
        found = {"timeline": ["host-work"], "default": ["clock", "fuse-kernels", "host-work"]}
        self.assertTrue(suite_goals.has_same_findings({"findings": found}))
        found["default"].append("start")
        self.assertFalse(suite_goals.has_same_findings({"findings": found}))


def row(name, kind, share=None, **more):
    return {"program": name, "kind": kind, "parameters": {}, "share": {"default": share},
            "runs": {}, "errors": [], **more}


def timed(wall_s, us_of_seconds=(), loop_s=1):
    return {"wall_s": wall_s, "us_of_seconds": list(us_of_seconds), "loop_s": loop_s,
            "prof_cpu_s": 0}


class Goals(unittest.TestCase):
    def met(self, *rows):
        return {goal["goal"]: goal["met"] for goal in suite_goals.goals_of(rows)}

    def test_what_was_not_measured_is_neither_met_nor_missed(self):
        self.assertEqual(set(self.met().values()), {None})

    def test_the_lowest_program_of_a_kind_decides(self):
        goals = suite_goals.goals_of([row("a", suite.STEADY, 0.99), row("b", suite.STEADY, 0.9),
                                      row("c", suite.SHORT, 0.9)])
        self.assertEqual((goals[0]["measured"], goals[0]["met"]), ("90.0 % (b)", False))
        self.assertEqual((goals[3]["measured"], goals[3]["met"]), ("90.0 % (c)", True))

    def test_a_run_may_take_two_percent_and_half_a_second_more(self):
        text = "run time over the timeline's: the worst"
        for wall_s, met in ((10.69, True), (10.71, False)):
            runs = {"timeline": timed(10), "default": timed(wall_s)}
            self.assertIs(self.met(row("a", suite.OTHER, runs=runs))[text], met)

    def test_steps_of_ddp_have_a_limit_in_the_last_and_in_the_worst_second(self):
        runs = {"bare": timed(1, [10, 10, 10]), "default": timed(1, [11.9, 11, 10.2])}
        met = self.met(row("ddp a", suite.GRAPHS, runs=runs))
        self.assertTrue(met["DDP: steps of the last second over bare: the worst"])
        self.assertTrue(met["DDP: steps of the worst second over bare"])
        runs["default"]["us_of_seconds"] = [12.1, 10, 10.4]
        met = self.met(row("ddp a", suite.GRAPHS, runs=runs))
        self.assertFalse(met["DDP: steps of the last second over bare: the worst"])
        self.assertFalse(met["DDP: steps of the worst second over bare"])

    def test_equal_runs_are_a_comparison_and_no_goal(self):
        runs = {"timeline": timed(10), "timeline again": timed(9)}
        found = {"timeline": ["gaps"], "timeline again": []}
        again = {"compared": 4, "same": 3, "different": []}
        goals = suite_goals.goals_of([row("a", suite.OTHER, runs=runs, findings=found,
                                          same_again=again)])
        shown = {goal["goal"]: goal["measured"] for goal in goals
                 if goal["goal"].startswith("for comparison")}
        self.assertEqual(list(shown.values()), ["75.0 % (3 of 4)", "1.00 s (a)", "0 of 1 programs"])
        self.assertEqual({goal["met"] for goal in goals if goal["goal"] in shown}, {None})

    def test_verdicts_that_are_sure_of_themselves_are_counted_apart(self):
        other = {"confidence": "medium", "full_confidence": "high", "contradiction": False}
        doubtful = {"confidence": "low", "full_confidence": "high", "contradiction": False}
        rows = [row("a", suite.OTHER, same={"compared": 5, "same": 3, "sure": 2,
                                            "different": [other, doubtful]}),
                row("of an older result", suite.OTHER,
                    same={"compared": 9, "same": 8, "different": [other]})]
        shown = {goal["goal"]: goal["measured"] for goal in suite_goals.goals_of(rows)}
        self.assertEqual(shown["for comparison, the same verdict, where neither of the two has low "
                               "confidence"], "2 of 3")

    def test_idle_time_by_cause_is_compared_with_the_timelines(self):
        rows = [row("a", suite.OTHER, idle={"timeline": {"launch": 0.1, "sync": 0.02},
                                            "default": {"launch": 0.11}}),
                row("b", suite.OTHER, idle={"timeline": {"host-work": 0.3},
                                            "default": {"host-work": 0.26}})]
        shown = [goal for goal in suite_goals.goals_of(rows) if "idle time by cause" in goal["goal"]]
        self.assertEqual([(goal["measured"], goal["met"]) for goal in shown],
                         [("median 3.0, most 4.0 points (b: host-work)", None)])

    def test_equal_runs_are_made_where_they_are_asked_for(self):
        self.assertTrue(suite_runs.is_wanted("full", ""))
        self.assertFalse(suite_runs.is_wanted("full again", ""))
        self.assertFalse(suite_runs.is_wanted("full again", "full"))
        self.assertTrue(suite_runs.is_wanted("full again", ".|again"))
        self.assertTrue(suite_runs.is_wanted("bare", ".|again"))

    def test_findings_must_be_those_of_the_timeline(self):
        text = "findings with default options = findings with `--counters none`"
        found = {"timeline": ["gaps"], "default": ["gaps"]}
        self.assertTrue(self.met(row("a", suite.OTHER, findings=found))[text])
        found["default"] = []
        self.assertFalse(self.met(row("a", suite.OTHER, findings=found))[text])


class Merging(unittest.TestCase):
    def merge(self, known, **head):
        result = {**HEAD, **head, "goals": [], "programs": [row("b", suite.STEADY, 0.99)]}
        return suite_goals.merge(known, result)

    def test_parts_of_one_commit_become_one_result(self):
        known = {**HEAD, "programs": [row("a", suite.STEADY, 0.9), row("b", suite.STEADY, 0.5)]}
        merged, table = self.merge(known)
        self.assertEqual([(one["program"], one["share"]["default"]) for one in merged["programs"]],
                         [("a", 0.9), ("b", 0.99)])
        self.assertEqual(merged["goals"][0]["measured"], "90.0 % (a)")
        self.assertIn("| a | steady |", table)

    def test_another_commit_begins_again(self):
        known = {**HEAD, "programs": [row("a", suite.STEADY, 0.9)]}
        merged, _ = self.merge(known, commit="ba9876543210")
        self.assertEqual([one["program"] for one in merged["programs"]], ["b"])
        self.assertEqual(len(self.merge({})[0]["programs"]), 1)


# It has no GPU: it runs the program, and leaves its own arguments as the snapshot.
_PROF = """\
#!{python}
import json, os, sys
words = sys.argv[1:]
if words[0] == "run":
    at = words.index("--")
    path = words[words.index("--output") + 1].replace("%p", str(os.getpid()))
    with open(path, "w") as file:
        file.write(" ".join(words[:at]))
    print("prof: wrote", path, file=sys.stderr)
    os.execvp(words[at + 1], words[at + 1:])
options = open(words[2]).read()
kernels = [{{"name": name, "full_name": name, "range": "", "grid": None, "block": None,
            "total_ns": 100, "duration_ns": {{"median": 20000}}, "metrics": {{}},
            "verdict": {{"limiter": "not-measured" if "none" in options else "dram",
                        "confidence": "high", "missing": ""}}}} for name in "ab"]
json.dump({{"kernels": kernels, "findings": [{{"id": "gaps"}}], "gaps": [], "undisturbed_ns": 1}},
          sys.stdout)
"""
_PROGRAM = """\
import sys
steps = sys.argv[sys.argv.index("--steps") + 1] if "--steps" in sys.argv else 7
print("[checksum]", {answer})
print('[steps] {{"steps": %s, "loop_s": 0.1, "us_of_seconds": [5.0], "parameters": {{"n": 1}}}}'
      % steps)
"""


_PLANTED = """\
import sys
kind, kinds = sys.argv[1], {kinds}
steps = sys.argv[sys.argv.index("--steps") + 1] if "--steps" in sys.argv else 7
for name in kinds if kind == "--all" else [kind]:
    print('[steps] {{"steps": %s, "loop_s": 0.1, "us_of_seconds": [5.0], "parameters": '
          '{{"kind": "%s"}}}}' % (steps, name))
sys.exit(1 if kind == "--all" and len(kinds) == 1 else 0)
"""
_HOPS = """
print('[pm_state] none reached')
print('[steps] {"steps": 8, "loop_s": 3, "us_of_seconds": [5.0, 5.0, 5.0], "parameters": {}}')
"""


class InFolder(unittest.TestCase):
    """In a folder with a prof of its own, and a seed."""

    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.addCleanup(os.chdir, os.getcwd())
        os.chdir(folder.name)
        pathlib.Path("device").mkdir()
        pathlib.Path("device/commit").write_text("0123456789ab", encoding="utf-8")
        self.prof = pathlib.Path("fake_prof").absolute()
        self.prof.write_text(_PROF.format(python=sys.executable), encoding="utf-8")
        self.prof.chmod(0o755)
        for owner, name in ((Bench, "prof"), (Bench, "program"), (settings, "SEED"),
                            (suite, "programs"), (coverage_ncu.ncu, "profile"),
                            (coverage_hang, "_PROCESSES")):
            self.addCleanup(setattr, owner, name, getattr(owner, name))
        Bench.prof, settings.SEED = str(self.prof), 5

    def run_experiment(self, name, module):
        with contextlib.redirect_stdout(io.StringIO()), \
                mock.patch.object(coverage.machine, "gpus", return_value=["a GPU, 1"]):
            self.failed = runner.run([name], {name: module}, 100, "collected")


class Experiment(InFolder):
    def run_suite(self, **answers):
        def programs(_):
            found = {}
            for name, answer in answers.items():
                script = pathlib.Path(f"{name}.py").absolute()
                script.write_text(_PROGRAM.format(answer=answer), encoding="utf-8")
                found[name] = suite.Program(name, (sys.executable, str(script)), suite.STEADY, 2)
            return found

        suite.programs = programs
        self.run_experiment("coverage", coverage)
        return results.read("collected/coverage.json")

    def test_each_variant_runs_with_the_steps_of_the_first(self):
        found = self.run_suite(good="sys.argv[2]")
        program = found["programs"][0]
        self.assertEqual(program["errors"], [])
        self.assertEqual({name: run["steps"] for name, run in program["runs"].items()},
                         {name: 7 for name in ("bare", "timeline", "default", "full")})
        self.assertEqual(program["share"], {"timeline": 0, "default": 1, "full": 1})
        self.assertEqual((program["same"]["compared"], program["same"]["same"]), (2, 2))
        self.assertEqual(program["changed"], [])
        self.assertEqual(program["seed"], 5)
        self.assertEqual(self.failed, 0)

    def test_a_program_that_fails_is_in_the_result_and_stops_no_other(self):
        found = self.run_suite(bad="sys.exit('no such library')", good="1")
        self.assertIn("no such library", found["programs"][0]["errors"][0])
        self.assertEqual(found["programs"][1]["errors"], [])
        self.assertEqual(self.failed, 1)

    def test_another_answer_under_prof_is_seen(self):
        answer = "'gone' if any('prof' in word for word in __import__('os').environ) else 1"

        def under_prof(prof, _, snapshot, command):
            return [prof, "run", "--output", snapshot, "--", "env", "prof_is_here=1", *command]

        with mock.patch.object(suite_runs, "under_prof", under_prof):
            found = self.run_suite(shy=answer)
        self.assertIn("output", found["programs"][0]["changed"][0])

    def test_the_programs_of_the_suite_can_be_chosen(self):
        known = {name: suite.Program(name, (), suite.STEADY, gpus=gpus)
                 for name, gpus in (("llama train", 1), ("llama decode", 1), ("ddp", 2))}
        self.assertEqual([one.name for one in suite.chosen(known, "llama", 1)],
                         ["llama train", "llama decode"])
        self.assertEqual([one.name for one in suite.chosen(known, "train|ddp", 1)], ["llama train"])
        self.assertEqual(len(suite.chosen(known, "", 2)), 3)

    def test_a_first_run_that_compiles_only_finds_the_number_of_steps(self):
        program = suite.Program("a", ("x",), suite.STEADY, 5, chooses=True)
        self.assertEqual(suite.words(program, 3), ["x", "--seed", "3", "--seconds", "1"])
        steps = suite.calibrate(program, {"steps": 40, "loop_s": 1.0})
        self.assertEqual(suite.words(program, 3, steps), ["x", "--seed", "3", "--steps", "200"])

    def test_phases_repeat_the_launches_of_the_first_run(self):
        program = suite.Program("p", ("x",), suite.PHASES)
        self.assertEqual(suite.words(program, 3), ["x", "--seed", "3"])
        plan = suite.calibrate(program, {"plan": "3x4"})
        self.assertEqual(suite.words(program, 3, plan), ["x", "--seed", "3", "--plan", "3x4"])


class Hangs(InFolder):
    def test_bare_and_default_runs_have_the_same_seeds(self):
        code = ("import sys; print('[checksum]', sys.argv[2]); print('[delays] given_up 0')")
        Bench.program = lambda _, name, *words: [sys.executable, "-c", code, *words]
        coverage_hang._PROCESSES = 2
        self.run_experiment("hang", coverage_hang)
        rows = results.read("collected/coverage.coverage_hang.json")["rows"]
        self.assertEqual([(row["seed"], row["same_output"], row["given_up"], row["hung"])
                          for row in rows], [(5, True, 0, False), (6, True, 0, False)])
        self.assertEqual(self.failed, 0)

    @staticmethod
    def row(**ours):
        bare = {"seconds": 1, "exit_code": 0, "hung": False, "given_up": 0, "answer": ["a"]}
        return coverage_hang.row_of(1, bare, {**bare, **ours})

    def test_a_wait_that_was_held_up_is_a_miss(self):
        def met(**ours):
            return [goal["met"] for goal in coverage_hang.goals_of([self.row(**ours)])]

        self.assertEqual(met(), [True, True])
        self.assertEqual(met(given_up=1), [False, True])
        self.assertEqual(met(given_up=None, hung=True, exit_code=3), [False, False])
        self.assertEqual(met(answer=["b"]), [True, False])
        self.assertEqual([goal["met"] for goal in coverage_hang.goals_of([])], [False, False])


class Hops(InFolder):
    def test_a_state_is_compared_with_the_second_before_it(self):
        row = stream_hops.state_row("stopped", "all", [4, 30, 5, 7])
        self.assertEqual((row["us_before"], row["us"], row["over_before"]), (4, 6, 1.5))

    def test_prof_is_compared_with_the_bare_program_by_second(self):
        Bench.program = lambda _, name, *words: [sys.executable, "-c", _HOPS, *words]
        with mock.patch.object(Bench, "build_injection", return_value="libpm_states.so"):
            self.run_experiment("hops", stream_hops)
        found = results.read("collected/stream_hops.json")
        self.assertEqual([row["variant"] for row in found["prof"]],
                         ["bare", "timeline", "default"])
        self.assertEqual(found["goals"][0]["measured"], 1)
        self.assertEqual([row["state"] for row in found["states"]][:2], ["none", "host"])
        self.assertEqual(self.failed, 0)

    def test_a_state_that_is_not_reached_is_a_failure(self):
        code = "print('[pm_state] enabled failed')"
        with self.assertRaises(RuntimeError):
            stream_hops.seconds_of([sys.executable, "-c", code])

    def test_hops_that_stay_slow_are_a_miss(self):
        def met(last):
            row = stream_hops.prof_row("default", [9, last], 4)
            return stream_hops.goals_of([row])[0]["met"]

        self.assertTrue(met(4.05))
        self.assertFalse(met(5))


class Recordings(InFolder):
    def read(self, keep):
        for name in ("a-1.prof", "a-2.prof"):
            pathlib.Path(name).write_text(name, encoding="utf-8")

        def load(_, path, __):
            if "2" in path:
                raise RuntimeError("damaged")
            return {"kernels": [1], "pid": 1}

        with mock.patch.object(suite_runs.prof_report, "load", load), \
                mock.patch.object(suite_runs.settings, "KEEP", keep):
            return suite_runs.reports("prof", "a-%p.prof")

    def test_a_recording_is_read_once(self):
        self.assertEqual(len(self.read("")), 1)
        self.assertEqual(list(pathlib.Path().glob("a-*")), [])

    def test_recordings_that_are_kept_are_all_kept(self):
        self.read("kept")
        self.read("kept")
        self.assertEqual(sorted(path.name for path in pathlib.Path("kept").iterdir()),
                         ["a-1.prof", "a-1.prof.again", "a-2.prof", "a-2.prof.again"])
        self.assertEqual(list(pathlib.Path().glob("a-*")), [])


class Hooks(InFolder):
    def test_each_state_and_each_end_is_in_the_result(self):
        code = _HOPS + "print('[pm_state] in turns reached')"
        Bench.program = lambda _, name, *words: [sys.executable, "-c", code, *words]
        with mock.patch.object(Bench, "build_injection", return_value="libpm_states.so"), \
                mock.patch.object(profiler_hooks, "_RUNS", 2):
            self.run_experiment("hooks", profiler_hooks)
        found = results.read("collected/profiler_hooks.json")
        self.assertEqual([(row["state"], row["hooks"]) for row in found["states"]][:3],
                         [("none", "left"), ("hooks", "left"), ("unhooked", "left")])
        self.assertEqual([(row["program"], row["ends"]) for row in found["in_turns"]],
                         [("pipeline", {"good": 2}), ("storm_bare", {"good": 2})])
        self.assertEqual(self.failed, 0)

    def test_an_end_is_good_where_the_answer_is_the_same(self):
        self.assertEqual(profiler_hooks.end_of(0, True), "good")
        self.assertEqual(profiler_hooks.end_of(0, False), "another answer")
        self.assertEqual(profiler_hooks.end_of(-11, True), "signal SIGSEGV")
        self.assertEqual(profiler_hooks.end_of(3, True), "exit code 3")
        self.assertEqual(profiler_hooks.end_of(0, True, turned=False), "no turn")
        self.assertEqual(profiler_hooks.end_of(-11, True, turned=False), "signal SIGSEGV")
        self.assertEqual(profiler_hooks.answer_of("[steps] 3\n[checksum] 7\n"), ["[checksum] 7"])

    def test_one_crash_is_a_miss_and_so_is_a_state_that_costs(self):
        def goals(over, ends):
            states = [{"state": "started", "hooks": "removed", "over_before": over},
                      {"state": "hooks", "hooks": "left", "over_before": 1.2}]
            turns = [{"program": "pipeline", "runs": 30, "ends": ends}]
            return [goal["met"] for goal in profiler_hooks.goals_of(states, turns)]

        self.assertEqual(goals(1.01, {"good": 30}), [True, True])
        self.assertEqual(goals(1.1, {"good": 29, "signal SIGSEGV": 1}), [False, False])
        self.assertEqual(goals(1, {"good": 10, "no turn": 20}), [True, True])
        self.assertEqual(goals(1, {"no turn": 30}), [True, False])  # nothing was shown


class Timelines(InFolder):
    def run_planted(self, kinds):
        """The experiment, with a program that knows these kinds when it runs all of them."""
        script = pathlib.Path("planted.py").absolute()
        script.write_text(_PLANTED.format(kinds=list(kinds)), encoding="utf-8")
        Bench.program = lambda _, name, *words: [sys.executable, str(script), *words]
        self.run_experiment("coverage_timelines", coverage_timelines)
        subprocess.run(["tar", "-xzf", "collected/results.tgz"], check=True)
        return (results.read("collected/coverage.coverage_timelines.json"),
                results.read("timelines/timelines.json"))

    def test_every_timeline_is_compared_and_its_recordings_are_kept(self):
        found, listed = self.run_planted(planted.TIMELINES)
        self.assertEqual([row["timeline_of"] for row in found["rows"]], list(planted.TIMELINES))
        self.assertEqual([goal["met"] for goal in found["goals"]], [True, False, True])
        self.assertEqual((listed["format"], listed["seed"], listed["commit"]),
                         (1, 5, HEAD["commit"]))
        for row in listed["rows"]:
            self.assertEqual((row["steps"], row["bare_s"]), (7, 0.1))
            self.assertEqual(sorted(row["recordings"]), ["default", "timeline"])
            for file in row["recordings"].values():
                self.assertTrue((pathlib.Path("timelines") / file).exists())
        self.assertEqual(self.failed, 0)

    def test_a_timeline_that_ends_the_process_of_all_of_them_is_run_alone(self):
        with mock.patch.object(settings, "WORKLOADS", "^launches$|^graph"):
            found, _ = self.run_planted(["launches"])
        self.assertEqual([row["timeline_of"] for row in found["rows"]],
                         ["launches", "graph", "graph-large"])
        self.assertEqual(self.failed, 1)

    def test_a_finding_where_nothing_was_planted_is_wrong(self):
        def is_right(kind, *ids):
            return planted.TIMELINES[kind].is_right(ids)

        self.assertTrue(is_right("clean", "clock"))
        self.assertFalse(is_right("clean", "sync-bound"))
        self.assertTrue(is_right("waits", "sync-bound", "clock"))
        self.assertFalse(is_right("waits", "host-work"))
        self.assertFalse(is_right("waits", "sync-bound", "host-work"))

    def test_what_is_true_beside_the_planted_cause_does_no_harm_and_is_not_enough(self):
        copies = planted.TIMELINES["small-copies"]
        self.assertTrue(copies.is_right(["transfer-bound", "small-copies"]))
        self.assertFalse(copies.is_right(["transfer-bound"]))
        self.assertEqual(copies.named(["transfer-bound", "sync-bound"]), ["sync-bound"])

    def test_gaps_between_tiny_nodes_are_right_for_a_graph(self):
        self.assertTrue(planted.TIMELINES["graph"].is_right(["dependency-idle"]))
        self.assertFalse(planted.TIMELINES["graph"].is_right(["sync-bound"]))
        self.assertFalse(planted.TIMELINES["clean"].is_right(["dependency-idle"]))

    def test_every_planted_finding_is_one_of_prof_that_names_a_cause(self):
        text = (_ROOT / "docs/guide/rules.md").read_text(encoding="utf-8")
        for cause in planted.CAUSES:
            self.assertIn(f"| `{cause}` |", text)
        for known in planted.TIMELINES.values():
            self.assertLessEqual({*known.expected, *known.also}, set(planted.CAUSES))

    def test_the_program_has_the_timelines_of_the_table(self):
        folder = _ROOT / "bench/programs"
        text = "".join(path.read_text(encoding="utf-8") for path in folder.glob("planted_*.cu"))
        lists = re.findall(r"^Timelines \w+\(\) \{(.*?)^\}|^Timelines \w+\(\) (\{.*\})$", text,
                           re.MULTILINE | re.DOTALL)
        names = [name for found in lists
                 for name in re.findall(r'\{"([a-z-]+)", ', "".join(found))]
        self.assertEqual(sorted(names), sorted(planted.TIMELINES))


class ProfThreads(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.root = pathlib.Path(folder.name)

    def leave(self, process, parent, session, threads):
        def stat(name, user):
            return f"1 ({name}) S {parent} 1 {session} 0 0 0 0 0 0 0 {user} 50 0 0"

        folder = self.root / str(process)
        for i, (name, user) in enumerate(threads):
            task = folder / "task" / str(process + i)
            task.mkdir(parents=True)
            (task / "comm").write_text(name + "\n", encoding="utf-8")
            (task / "stat").write_text(stat(name, user), encoding="utf-8")
        (folder / "stat").write_text(stat("a (b) c", 0), encoding="utf-8")

    def test_threads_of_prof_count_in_the_sessions_that_we_started(self):
        threads = [("python3", 900), ("prof-pm", 150), ("prof-collector", 50)]
        self.leave(100, parent=7, session=100, threads=threads)
        self.leave(200, parent=100, session=100, threads=threads)
        self.leave(300, parent=8, session=300, threads=threads)
        with mock.patch.object(os, "sysconf", return_value=100):
            found = prof_threads.look(7, self.root)
        self.assertEqual(sum(found.values()), 6.0)
        self.assertEqual({process for process, _ in found}, {100, 200})


class TriageExperiment(InFolder):
    def test_without_values_it_fails_and_names_the_kernels(self):
        Bench.program = lambda _, name, *words: [sys.executable, "-c", ""]
        coverage_ncu.ncu.profile = lambda *_, **__: {"launches": [], "dropped": ["x"]}
        self.run_experiment("coverage_ncu", coverage_ncu)
        found = results.read("collected/coverage.coverage_ncu.json")
        self.assertEqual((found["without_values"], found["values"]), (["a", "b"], []))
        self.assertEqual(self.failed, 1)


class TriageValues(unittest.TestCase):
    def test_every_name_of_prof_is_one_that_prof_reads(self):
        root = pathlib.Path(__file__).resolve().parents[2]
        table = (root / "lib/format/triage_metrics.h").read_text(encoding="utf-8")
        names = [name for unit in triage_values.UNITS for name in unit.ours]
        self.assertEqual([name for name in names if f'"{name}"' not in table], [])
        self.assertIn(f'"{triage_values.SUFFIX}"', table)

    def compare(self, value, error, expected, ncu_ns=20 * US, median_ns=20 * US):
        name = "TPC.TriageCompute.sm__inst_executed_pipe_alu_realtime" + triage_values.SUFFIX
        ours = report(kernel("k", "alu", median_ns=median_ns,
                             continuous={name: {"value": value, "error": error}}))
        launches = [{"kernel": "k", "grid": [1, 1, 1], "block": [32, 1, 1], "values": {
            "gpu__time_duration.sum": ncu_ns,
            "sm__inst_executed_pipe_alu" + triage_values.SUFFIX: expected}}]
        return triage_values.compare(ours, launches)

    def test_a_value_is_compared_with_ncus_name_for_it(self):
        rows, without = self.compare(51, 2, 50)
        self.assertEqual([(row["unit"], row["difference"], row["within_bound"], row["explained"])
                          for row in rows], [("ALU", 1, True, True)])
        self.assertEqual(without, [])
        self.assertEqual([goal["met"] for goal in triage_values.goals_of(rows)],
                         [False, True, False, True, True, True])

    def test_the_busiest_of_ncus_parts_counts(self):
        ours = report(kernel("k", "l2", median_ns=20 * US, continuous={
            "LTS.TriageCompute.lts__throughput" + triage_values.SUFFIX: {"value": 60, "error": 1}}))
        launches = [{"kernel": "k", "grid": [1, 1, 1], "block": [32, 1, 1], "values": {
            "gpu__time_duration.sum": 20 * US, "lts__t_sectors" + triage_values.SUFFIX: 40,
            "lts__xbar2lts_cycles_active" + triage_values.SUFFIX: value}} for value in (59, 62)]
        rows, _ = triage_values.compare(ours, launches)
        self.assertEqual([(row["unit"], row["ncu"], row["ncu_n"]) for row in rows], [("L2", 60.5, 2)])

    def test_a_bound_holds_beside_any_launch_of_ncu(self):
        name = "LTS.TriageCompute.lts__throughput" + triage_values.SUFFIX
        launches = [{"kernel": "k", "grid": [1, 1, 1], "block": [32, 1, 1], "values": {
            "gpu__time_duration.sum": 20 * US, "lts__t_sectors" + triage_values.SUFFIX: value}}
            for value in (40, 50, 51)]

        def within(value):
            ours = report(kernel("k", "l2", median_ns=20 * US,
                                 continuous={name: {"value": value, "error": 1}}))
            return triage_values.compare(ours, launches)[0][0]["within_bound"]

        self.assertEqual([within(value) for value in (38.5, 39, 45, 52, 52.5)],
                         [False, True, True, True, False])

    def test_another_clock_changes_cycles_and_not_their_share(self):
        name = "LTS.TriageCompute.lts__throughput" + triage_values.SUFFIX
        ours = report(kernel("k", "l2", median_ns=20 * US,
                             continuous={name: {"value": 50, "error": 1}},
                             clock={"run_hz": {"median": 1.5e9}}))
        launches = [{"kernel": "k", "grid": [1, 1, 1], "block": [32, 1, 1], "values": {
            "gpu__time_duration.sum": 25 * US, triage_values.CYCLES: 30_000,
            "lts__t_sectors" + triage_values.SUFFIX: 50}}]
        rows, _ = triage_values.compare(ours, launches)
        self.assertAlmostEqual(rows[0]["difference_over_ncus_length"], 0)

    def test_another_time_explains_another_value(self):
        rows, _ = self.compare(40, 2, 50, ncu_ns=20 * US, median_ns=25 * US)
        self.assertEqual((rows[0]["explained"], rows[0]["within_bound"]), (True, True))
        self.assertFalse(self.compare(40, 2, 50)[0][0]["explained"])

    def test_idle_units_and_short_kernels_are_not_compared(self):
        self.assertEqual(self.compare(0.5, 1, 0.2), ([], ["k"]))
        self.assertEqual(self.compare(50, 1, 50, median_ns=9_000), ([], []))


if __name__ == "__main__":
    unittest.main()
