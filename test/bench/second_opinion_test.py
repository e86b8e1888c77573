# SPDX-License-Identifier: Apache-2.0
"""Pairs of prof's verdicts and ncu's opinions, with invented kernels."""

import contextlib
import io
import pathlib
import sys
import tempfile
import time
import unittest
from unittest import mock

from experiments import second_opinion as experiment
from lib import ncu_rules
from lib import opinion_reasons
from lib import opinion_table
from lib import results
from lib import runner
from lib import second_opinion
from lib.bench import Bench

PROGRAMS = pathlib.Path(__file__).parents[2] / "bench" / "programs"
DRAM = "gpu__dram_throughput.avg.pct_of_peak_sustained_elapsed"
HEAD = {"hardware": "a GPU", "driver": "1", "commit": "0123456789ab", "command": "bench/run.py",
        "date": "2026-01-02"}


def unit(name, of_peak, metric="", source="pm-samples"):
    return {"unit": name, "of_peak": of_peak, "metric": metric, "source": source,
            "error": 0.01 if source == "pm-samples" else None}


def kernel(limiter, label="k01 a", name="work", units=(), rule="", us=20.0, total_us=2000,
           waves=4.0, stall="", part="", grid=(9, 32, 1), confidence="high"):
    return {"name": name, "full_name": name, "range": label, "grid": list(grid),
            "block": [128, 1, 1], "total_ns": total_us * 1000,
            "duration_ns": {"median": us * 1000}, "units": list(units), "metrics": {},
            "occupancy": {"waves": waves},
            "speed_of_light": {"throughputs": [
                {"metric": "sm__throughput.avg.pct_of_peak_sustained_elapsed", "largest": part}]},
            "verdict": {"limiter": limiter, "rule": rule or f"{limiter}-throughput",
                        "confidence": confidence, "source": "both", "stall": stall,
                        "missing": "no sample" if limiter == "not-measured" else "",
                        "actions": [{"id": "fewer-bytes", "gain_at_most": 0.25}]}}


def opinion(found, found_unit=None, pipe=None, stall=None, causes=()):
    return {"class": found, "unit": found_unit, "rule": found and "SOLBottleneck", "words": "",
            "pipe": pipe, "stall": stall, "speedups": {},
            "causes": [{"cause": cause, "rule": rule, "speedup": speedup,
                        "speedup_type": "global"} for cause, rule, speedup in causes]}


MEMORY_RULE = {"rule": "SOLBottleneck", "type": "OPT", "speedup": None, "speedup_type": "",
               "text": "Memory is more heavily utilized than Compute: to identify the DRAM "
                       "bottleneck."}


def launch(label="k01 a", name="work", us=20.0, grid=(9, 32, 1), rules=(MEMORY_RULE,), asked=None,
           compute=20.0, memory=80.0, dram=80.0):
    speed = {"Duration": us * 1000, "Compute (SM) Throughput": compute,
             "Memory Throughput": memory, "DRAM Throughput": dram}
    return {"kernel": name, "grid": list(grid), "block": [128, 1, 1], "range": label,
            "rules": list(rules), "values": {
                "GPU Speed Of Light Throughput": {
                    key: {"value": value, "unit": "ns" if key == "Duration" else "%"}
                    for key, value in speed.items()},
                ncu_rules.ASKED_FOR: {key: {"value": value, "unit": "%"}
                                      for key, value in (asked or {}).items()}}}


def case(label="k01 a", library="cuBLAS"):
    return {"label": label, "library": library, "sizes": {"n": 128}}


class Pairing(unittest.TestCase):
    def test_the_longest_kernel_of_a_range_is_the_one_to_look_at(self):
        report = {"kernels": [kernel("dram", name="short", total_us=10),
                              kernel("dram", "k01 a/cub::Sort", "long", total_us=90),
                              kernel("dram", "k02 b", "other"), kernel("dram", "", "outside")]}
        found = second_opinion.kernels_by_label(report, {"k01 a", "k02 b"})
        self.assertEqual({label: one["name"] for label, one in found.items()},
                         {"k01 a": "long", "k02 b": "other"})

    def find(self, launches, key=("work", (9, 32, 1), (128, 1, 1))):
        found, how = second_opinion.launch_of(launches, "k01 a", key)
        return found and ncu_rules.measured(found)["us"], how

    def test_a_launch_is_found_by_its_name_and_sizes_the_longest_one(self):
        self.assertEqual(self.find([launch(us=5), launch(us=7), launch(us=50, grid=(1, 1, 1)),
                                    launch("k02 b", us=90)]), (7, "name, grid, block"))

    def test_a_launch_with_another_grid_is_found_by_its_name(self):
        self.assertEqual(self.find([launch(us=5, grid=(1, 1, 1))]), (5, "name"))

    def test_without_a_launch_there_is_a_reason(self):
        self.assertEqual(self.find([launch("k02 b")]),
                         (None, "ncu profiled nothing in this range"))
        self.assertEqual(self.find([launch(name="fill")]),
                         (None, "ncu profiled other kernels: fill"))

    def test_forms_have_the_kernel_that_the_first_one_chose(self):
        forms = {"default": [{"kernels": [kernel("dram", name="x", total_us=9)]},
                             {"kernels": [kernel("dram", "k02 b", "y")]}],
                 "all": [{"kernels": [kernel("l2", name="z", total_us=99),
                                      kernel("tensor", name="x", total_us=3)]}]}
        rows, without = second_opinion.compare(
            [case(), case("k02 b"), case("k03 c")], forms,
            [launch(name="x"), launch("k02 b", "y")])
        self.assertEqual([(row["label"], row["kernel"]) for row in rows],
                         [("k01 a", "x"), ("k02 b", "y")])
        self.assertEqual(rows[0]["forms"]["all"]["verdict"]["limiter"], "tensor")
        self.assertIsNone(rows[1]["forms"]["all"]["verdict"])
        self.assertEqual(rows[1]["forms"]["all"]["agree"], "not comparable")
        self.assertEqual(without, [["k03 c", "prof (default) has no kernel in this range"]])


class Values(unittest.TestCase):
    def test_a_unit_is_compared_by_the_metric_that_prof_read(self):
        verdict = second_opinion.verdict_of(kernel("l2", units=[
            unit("l2", 0.8, "lts__t_sectors.avg.pct_of_peak_sustained_elapsed", "counters"),
            unit("dram", 0.5, "FBSP.TriageCompute.dramc__throughput"), unit("lsu", 0.3)]))
        asked = {"lts__t_sectors.avg.pct_of_peak_sustained_elapsed": 79.0,
                 "lts__throughput.avg.pct_of_peak_sustained_elapsed": 90.0, DRAM: 48.0}
        self.assertEqual(second_opinion.unit_values(verdict, launch(asked=asked)),
                         {"l2": [80, 79], "dram": [50, 48]})

    def test_dram_has_the_value_of_the_section_where_no_metric_was_asked_for(self):
        verdict = second_opinion.verdict_of(kernel("dram", units=[unit("dram", 0.5)]))
        self.assertEqual(second_opinion.unit_values(verdict, launch(dram=47)), {"dram": [50, 47]})

    def test_ncu_measures_what_prof_counted(self):
        report = {"kernels": [kernel("dram", units=[unit("l2", 0.5, "a", "counters"),
                                                    unit("dram", 0.5, "b")])]}
        found = second_opinion.metrics_for_ncu([report])
        self.assertIn("a", found)
        self.assertIn(DRAM, found)
        self.assertNotIn("b", found)


class Agreement(unittest.TestCase):
    def expect(self, ours, theirs, agree, differs="", by=None):
        found = second_opinion.agreement(second_opinion.verdict_of(ours), theirs)
        self.assertEqual((found["agree"], found["differs_in"]), (agree, differs))
        if by:
            self.assertEqual(found["by"], by)

    def test_a_limiter_agrees_with_its_class(self):
        for limiter, found in (("dram", "memory"), ("l1", "memory"), ("tensor", "compute"),
                               ("issue", "compute"), ("latency", "latency"),
                               ("occupancy", "latency"), ("mixed", "balanced"),
                               ("small-grid", "small-grid"), ("launch-sized", "latency"),
                               ("launch-sized", "small-grid")):
            with self.subTest(limiter):
                self.expect(kernel(limiter), opinion(found), "yes")

    def test_another_class_is_a_disagreement(self):
        self.expect(kernel("dram"), opinion("latency"), "no", "class")
        self.expect(kernel("latency"), opinion("memory"), "no", "class")
        self.expect(kernel("latency"), opinion("small-grid"), "no", "class")
        self.expect(kernel("fma"), opinion("balanced"), "no", "class")

    def test_less_than_a_wave_that_waits_is_a_small_grid_for_ncu(self):
        self.expect(kernel("latency", waves=0.5), opinion("small-grid"), "yes")

    def test_another_unit_is_a_disagreement(self):
        self.expect(kernel("dram"), opinion("memory", "DRAM"), "yes")
        self.expect(kernel("dram"), opinion("memory", "L2"), "no", "unit")
        self.expect(kernel("shared"), opinion("memory", "L1"), "yes")
        self.expect(kernel("issue"), opinion("compute", "FMA", ("FMA", 70)), "no", "unit")
        self.expect(kernel("fp64"), opinion("compute", "Tensor (DP)", ("Tensor (DP)", 70)), "yes")
        self.expect(kernel("fma"), opinion("compute", "FMA (FP16)", ("FMA (FP16)", 70)), "yes")
        self.expect(kernel("tensor"), opinion("compute", "New", ("New", 70)), "yes")

    def test_another_stall_is_a_disagreement_where_both_have_one(self):
        waits = kernel("latency", stall="long_scoreboard")
        self.expect(waits, opinion("latency", stall="barrier"), "no", "stall")
        self.expect(waits, opinion("latency", stall="long_scoreboard"), "yes")
        self.expect(waits, opinion("latency"), "yes")

    def test_two_units_of_one_class_are_mixed_and_that_class(self):
        both = kernel("mixed", units=[unit("fma", 0.7), unit("alu", 0.68)])
        self.expect(both, opinion("compute"), "yes")
        apart = kernel("mixed", units=[unit("fma", 0.7), unit("dram", 0.68)])
        self.expect(apart, opinion("compute"), "no", "class")
        self.expect(apart, opinion("balanced"), "yes")

    def test_a_cause_agrees_with_the_rule_that_advises_it_where_no_unit_is_busy(self):
        tail = kernel("tail", rule="tail")
        named = [("tail", "LaunchConfiguration", 33.0)]
        self.expect(tail, opinion("latency", causes=named), "yes", by="LaunchConfiguration")
        self.expect(tail, opinion("latency"), "no", "class")
        self.expect(tail, opinion("memory", causes=named), "no", "class")

    def test_without_a_verdict_or_an_opinion_nothing_is_compared(self):
        self.expect(kernel("not-measured"), opinion("memory"), "not comparable")
        self.expect(kernel("dram"), opinion(None), "not comparable")
        self.assertEqual(second_opinion.agreement(None, opinion("memory"))["why"],
                         "prof has no verdict: prof did not see the kernel")


class Reasons(unittest.TestCase):
    def reason(self, ours, theirs, values=None, **measured):
        verdict = second_opinion.verdict_of(ours)
        found = second_opinion.agreement(verdict, theirs)
        self.assertEqual(found["agree"], "no")
        return opinion_reasons.reason(
            verdict, theirs, found["differs_in"], values or {},
            {"us": 20.0, "compute": 20.0, "memory": 30.0, **measured})

    def test_a_short_kernel_is_launch_sized_for_prof_alone(self):
        self.assertEqual(self.reason(kernel("launch-sized", us=3.2), opinion("memory")),
                         "launch-sized: 3.2 us; ncu has no such class")

    def test_a_value_that_differs_is_named_with_the_times(self):
        self.assertEqual(self.reason(kernel("dram", us=33), opinion("latency"),
                                     {"dram": [71, 48]}, us=41),
                         "values differ: dram 71 vs 48 %, 33.0 vs 41.0 us")
        self.assertEqual(self.reason(kernel("latency"), opinion("memory", "L2"),
                                     {"dram": [40, 45], "l2": [50, 75]}),
                         "values differ: l2 50 vs 75 %")

    def test_small_values_that_differ_explain_nothing(self):
        self.assertEqual(self.reason(kernel("latency"), opinion("memory", "L2"),
                                     {"l2": [10, 35]}), opinion_reasons.OPEN)

    def test_a_cause_is_named_with_the_rule_of_ncu_that_has_it(self):
        tail = kernel("tail", rule="tail")
        self.assertEqual(self.reason(tail, opinion("memory")),
                         "prof names a cause, tail; no rule of ncu's does")
        self.assertEqual(
            self.reason(tail, opinion("memory", causes=[("tail", "LaunchConfiguration", 33.3)])),
            "prof names a cause, tail; ncu's LaunchConfiguration does, too, beside its first, "
            "est. 33 %")

    def test_a_unit_on_the_way_is_named_with_both_values(self):
        self.assertEqual(self.reason(kernel("dram"), opinion("memory", "L2"),
                                     {"dram": [80, 79], "l2": [82, 83]}),
                         "what DRAM serves passes through L2: dram 80 vs 79 %, l2 82 vs 83 %")

    def test_issue_slots_are_no_pipe(self):
        self.assertEqual(self.reason(kernel("issue"), opinion("compute", "FMA", ("FMA", 66.4)),
                                     {"issue": [83, 82]}),
                         "ncu's rule compares pipes alone: issue slots 83 vs 82 %, FMA 66 %")

    def test_the_load_store_path_is_compute_for_ncu(self):
        ours = kernel("shared", part="sm__mio_pq_read_cycles_active.avg.pct_of_peak_sustained")
        self.assertIn("the largest part of ncu's compute is sm__mio_pq_read_cycles_active: "
                      "compute 85 %", self.reason(ours, opinion("compute"), compute=85, memory=70))
        ours = kernel("shared", part="sm__pipe_fma_cycles_active.avg.pct_of_peak_sustained")
        self.assertEqual(self.reason(ours, opinion("compute"), compute=85, memory=70),
                         opinion_reasons.OPEN)

    def test_balanced_has_both_numbers(self):
        self.assertEqual(self.reason(kernel("dram"), opinion("balanced"), {"dram": [71, 71]},
                                     compute=66, memory=71),
                         "ncu calls it balanced: compute 66 %, memory 71 %, less than 10 points "
                         "apart")
        self.assertIn("are both high", self.reason(kernel("dram"), opinion("compute"),
                                                   {"dram": [84, 84]}, compute=86, memory=84))

    def test_a_unit_of_the_sms_counts_while_they_are_active(self):
        self.assertIn("while the SMs were active", self.reason(
            kernel("fma"), opinion("latency"), {"fma": [50, 49]}, compute=49))
        self.assertEqual(self.reason(kernel("dram"), opinion("latency"), {"dram": [50, 49]},
                                     memory=49), opinion_reasons.OPEN)

    def test_a_use_at_the_threshold_may_be_on_either_side(self):
        self.assertEqual(self.reason(kernel("dram"), opinion("latency"), {"dram": [61, 58.5]},
                                     memory=58.5),
                         "at the threshold of 60 %: dram 58.5 %, 61.0 % in prof")
        self.assertEqual(self.reason(kernel("latency"), opinion("memory"), memory=61.2),
                         "at the threshold of 60 %: ncu's memory 61.2 %")

    def test_issue_slots_are_busy_from_another_use_on(self):
        def reason(issue, compute):
            return self.reason(kernel("latency"), opinion("compute"), {"issue": issue},
                               compute=compute)
        self.assertEqual(reason([69.9, 66.1], 66.1),
                         "ncu's compute is the issue slots, which prof calls busy from 70 % on: "
                         "69.9 vs 66.1 %")
        self.assertEqual(reason([69.9, 66.1], 68), "to be explained")  # another part of compute
        self.assertEqual(reason([71, 66.1], 66.1), "to be explained")  # busy for prof

    def test_what_nothing_explains_is_left_to_a_person(self):
        self.assertEqual(self.reason(kernel("dram"), opinion("compute")), "to be explained")


class Tables(unittest.TestCase):
    def setUp(self):
        forms = {"default": [{"kernels": [kernel("dram", units=[unit("dram", 0.8)]),
                                          kernel("latency", "k02 b", confidence="low")]}],
                 "all": [{"kernels": [kernel("dram", units=[unit("dram", 0.81)]),
                                      kernel("latency", "k02 b", confidence="low")]}]}
        self.rows, self.without = second_opinion.compare(
            [case(), case("k02 b", "CUB"), case("k03 c")], forms,
            [launch(), launch("k02 b")])

    def test_answers_are_counted_by_form(self):
        self.assertEqual(second_opinion.counts(self.rows, "all"),
                         {"yes": 1, "no": 1, "not comparable": 0, "open": 1})

    def test_both_opinions_and_every_disagreement_are_in_the_table(self):
        goals = experiment.goals_of(self.rows)
        text = opinion_table.markdown("A GPU.", 5, self.rows, self.without, goals)
        self.assertIn("A GPU. Seed 5.", text)
        self.assertIn("| k01 a | cuBLAS | 20.0 / 20.0 | dram high | dram high | memory DRAM | "
                      "20 / 80 | dram 81 / 80 | fewer-bytes 25 % |  | yes | yes |", text)
        self.assertIn("| k02 b | work | default and all | latency low | memory DRAM | class |  | "
                      "to be explained |", text)
        self.assertIn("No row: k03 c: prof (default) has no kernel in this range", text)
        self.assertEqual([(goal["measured"], goal["met"]) for goal in goals],
                         [(2, False), (1, False), (1, False)])

    def test_no_row_makes_a_table_and_a_missed_goal(self):
        goals = experiment.goals_of([])
        self.assertIn("Every disagreement", opinion_table.markdown("", 1, [], [], goals))
        self.assertFalse(goals[0]["met"])


class Experiment(unittest.TestCase):
    """The steps of the experiment, without a GPU and without tools."""

    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        summary = runner.Summary(str(pathlib.Path(folder.name) / "summary.txt"))
        self.bench = Bench("second_opinion", HEAD, summary, folder.name, folder.name,
                           time.monotonic() + 100)
        self.bench.python = sys.executable

    def test_it_leaves_a_result_with_both_opinions(self):
        label, error = "k01 gemm fp32", "k05 gemm fp8: RuntimeError: not here"

        def step(_limit_s, log, command, *_):
            results.write_text(self.bench.path(log), error)
            pathlib.Path(command[command.index("--output") + 1]).touch()
            return True

        report = {"kernels": [{**kernel("dram", label, units=[unit("dram", 0.8)]),
                               "name": "work<tile>"}]}
        profiled = {"command": "ncu", "ncu_s": 1.0, "exit_code": 0, "metrics": True,
                    "launches": [launch(label)], "output": "", "table": "table"}
        with mock.patch.object(self.bench, "step", side_effect=step), \
                mock.patch.object(experiment.prof_report, "load", return_value=report), \
                mock.patch.object(experiment.ncu_rules, "profile",
                                  return_value=profiled) as profile, \
                mock.patch.object(experiment, "_version", return_value="2025.3"), \
                mock.patch.object(experiment, "_PROGRAM", str(PROGRAMS / "library_kernels.py")), \
                contextlib.redirect_stdout(io.StringIO()):
            experiment.run(self.bench)
        self.assertEqual(self.bench.failures, [])
        found = results.read(self.bench.path("second_opinion.json"))
        self.assertEqual([row["label"] for row in found["rows"]], [label])
        self.assertEqual(found["rows"][0]["forms"]["default"]["agree"], "yes")
        self.assertEqual(found["ncu"]["version"], "2025.3")
        self.assertIn(["k05 gemm fp8", "RuntimeError: not here"], found["without_row"])
        self.assertEqual(profile.call_args.args[3], {"work"})
        self.assertIn("--once", profile.call_args.args[0])
        self.assertNotIn("launches", found["ncu"])


class Cases(unittest.TestCase):
    """The list of the program's cases, which needs no PyTorch."""

    def setUp(self):
        sys.path.insert(0, str(PROGRAMS))
        self.addCleanup(sys.path.remove, str(PROGRAMS))
        import library_cases  # pylint: disable=import-outside-toplevel,import-error
        self.cases = library_cases.CASES

    def test_there_are_enough_of_each_library(self):
        self.assertGreaterEqual(len(self.cases), 34)
        self.assertLessEqual({"cuBLAS", "CUB", "ATen", "cuDNN", "Triton"},
                             {case.library for case in self.cases})

    def test_a_label_is_one_name_of_a_range_for_each_tool(self):
        labels = [case.label for case in self.cases]
        self.assertEqual(len(labels), len(set(labels)))
        for label in labels:
            self.assertNotRegex(label, '[/:",{}]')

    def test_sizes_are_those_of_the_seed_and_in_their_ranges(self):
        for case in self.cases:
            self.assertEqual(case.sizes(7), case.sizes(7))
            for seed in range(20):
                for name, size in case.sizes(seed).items():
                    least, most, step = case.ranges[name]
                    self.assertTrue(least <= size <= most and (size - least) % step == 0)
        self.assertNotEqual([case.sizes(7) for case in self.cases],
                            [case.sizes(8) for case in self.cases])


if __name__ == "__main__":
    unittest.main()
