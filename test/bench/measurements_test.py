# SPDX-License-Identifier: Apache-2.0
import pathlib
import sys
import time
import unittest

from experiments import answer
from experiments import cases
from experiments import ceilings
from experiments import default_cost
from experiments import duty
from experiments import leaving
from experiments import names
from experiments import names_cost
from experiments import peers
from experiments import step_parts
from lib import expected_counts
from lib import ncu
from lib import ncu_comparison
from lib import printed
from lib import results
from lib import turns

ROOT = pathlib.Path(__file__).parents[2]
LATER = float("inf")


class Peers(unittest.TestCase):
    FAST, SLOW = 30, 54  # microseconds of the fixed piece of host code

    def rows(self, runs):
        return {row["variant"]: row for row in peers.rows_of("w", runs, {"prof": 7})}

    def test_runs_are_compared_at_the_full_speed_of_the_host(self):
        bare = [[10, self.FAST]] * 6
        slowed = [[20, self.SLOW]] * 14 + [[11, self.FAST]] * 6
        rows = self.rows({"bare": [bare] * 3, "prof": [slowed] * 3, "nsys": []})
        self.assertEqual(set(rows), {"bare", "prof"})
        self.assertEqual(rows["prof"]["us_per_step"], 20)
        self.assertEqual(rows["prof"]["fast_us_per_step"], 11)
        self.assertAlmostEqual(rows["prof"]["fast_over_bare"][0], 1.1)
        self.assertEqual((rows["prof"]["n"], rows["prof"]["fast_n"]), (3, 3))
        self.assertEqual((rows["bare"]["bytes_per_kernel"], rows["prof"]["bytes_per_kernel"]),
                         (None, 7))

    def test_fewer_than_three_runs_have_no_interval(self):
        rows = self.rows({"bare": [[[10, self.FAST]] * 6] * 3,
                          "prof": [[[20, self.SLOW]] * 16 + [[11, self.FAST]] * 4] * 2})
        self.assertEqual(rows["prof"]["fast_n"], 0)  # hardly ever fast
        self.assertIsNone(rows["prof"]["fast_us_per_step"])
        self.assertIsNone(rows["prof"]["over_bare"])
        self.assertEqual(rows["bare"]["over_bare"], (1, 1, 1))

    @staticmethod
    def row(variant, us, fast_us=None, size=None, n=3):
        return {"workload": "PyTorch storm", "variant": variant, "us_per_step": us, "n": n,
                "fast_us_per_step": fast_us, "fast_n": n if fast_us else 1,
                "bytes_per_kernel": size}

    def test_goals_name_the_lowest_of_the_other_tools(self):
        time_goal, size_goal = peers.goals_of([
            self.row("bare", 4), self.row("CUPTI's floor", 5), self.row("prof", 6, None, 7),
            self.row("nsys", 6.5, None, 60), self.row("Proton", 9, None, 0.1)])
        self.assertEqual((time_goal["limit"], time_goal["met"]), (6.5, True))
        self.assertEqual((size_goal["limit"], size_goal["met"]), (60, True))

    def test_full_speed_decides_where_all_tools_had_it_three_times(self):
        rows = [self.row("bare", 4, 3), self.row("prof", 9, 6), self.row("Proton", 8, 7)]
        goal, = peers.goals_of(rows)
        self.assertEqual((goal["measured"], goal["limit"], goal["met"]), (6, 7, True))
        goal, = peers.goals_of([*rows, self.row("nsys", 8.5)])
        self.assertEqual((goal["measured"], goal["limit"], goal["met"]), (9, 8, False))

    def test_two_runs_decide_no_goal(self):
        rows = [self.row("bare", 4), self.row("prof", 6), self.row("nsys", 5, n=2)]
        self.assertEqual(peers.goals_of(rows), [])
        self.assertEqual(peers.goals_of([self.row("bare", 4), self.row("prof", 6, n=2),
                                         self.row("nsys", 5)]), [])

    def test_a_run_that_fails_is_named_and_the_others_go_on(self):
        failed = []
        program = "input(); print('[parts] {\"storm\": [[7.5, 30]]}')"
        runs, sizes = peers.measure(
            {"bare": ([sys.executable, "-c", program], None),
             "prof": ([sys.executable, "-c", "raise SystemExit(3)"], "/no/file")},
            LATER, failed.append)
        self.assertEqual(runs["bare"], [{"storm": [[7.5, 30]]}] * peers._REPEATS)
        self.assertEqual(runs["prof"], [])
        self.assertEqual(failed, ["prof: exit code 3: "] * peers._REPEATS)
        self.assertEqual(sizes, {"bare": None})

    def test_nothing_begins_after_the_deadline(self):
        program = [sys.executable, "-c", "print('[parts] {\"storm\": [[7.5, 30]]}')"]
        runs, _ = peers.measure({"bare": (program, None), "prof": (program, None)},
                                time.monotonic() - 1, self.fail)
        self.assertEqual((len(runs["bare"]), len(runs["prof"])), (1, 0))


class Turns(unittest.TestCase):
    def setUp(self):
        self.failed = []

    def take(self, variants, measure, deadline=LATER):
        return list(turns.take("w", variants, 2, deadline, measure, self.failed.append))

    def test_variants_take_turns(self):
        self.assertEqual(self.take({"a": 1, "b": 2}, lambda value: value * 10),
                         [("a", 10), ("b", 20), ("a", 10), ("b", 20)])

    def test_a_variant_that_failed_is_not_tried_again(self):
        def measure(value):
            if value == 1:
                raise RuntimeError("no GPU")
            return value

        self.assertEqual(self.take({"a": 1, "b": 2}, measure), [("b", 2), ("b", 2)])
        self.assertEqual(self.failed, ["w, a: no GPU"])

    def test_a_run_that_was_stopped_has_the_rounds_before(self):
        output = '[turns] {"a": [1]}\n[turns] {"a": [1, 2]}\nKeyboardInterrupt'
        self.assertEqual(turns.rounds_in(output), {"a": [1, 2]})

    def test_parts_are_those_of_the_program_also_of_a_run_that_was_stopped(self):
        output = '[parts] {"a": [[1, 2]]}\n[parts] set 5 bytes 0 calls 0\nKeyboardInterrupt'
        self.assertEqual(turns.parts_in(output), {"a": [[1, 2]]})
        self.assertEqual(turns.parts_in("[parts] set 5 bytes 0 calls 0"), {})

    def test_one_round_and_a_recording_that_is_not_whole_are_errors(self):
        for output in ("", '[turns] {"a": [1]}', '[incomplete] a\n[turns] {"a": [1]}\n' * 2):
            self.assertRaises(RuntimeError, turns.rounds_in, output)

    def test_nothing_begins_after_the_deadline(self):
        self.assertEqual(self.take({"a": 1}, lambda value: value, time.monotonic() - 1), [])

    def test_rows_have_medians_and_the_ratio_to_the_first_variant(self):
        rows = turns.rows_of("w", {"bare": ["x"], "prof": ["env", "A=1", "y"]},
                             {"bare": {"us": [1, 2, 3]}, "prof": {"us": [6, 4, 5]}},
                             {"bare": ["sum 1"], "prof": ["sum 1"]})
        self.assertEqual(rows[1], {
            "workload": "w", "variant": "prof", "quantity": "us", "median": 5, "min": 4, "max": 6,
            "n": 3, "over_bare": 2.5, "same_output": True, "command": "y"})

    def test_another_output_is_seen(self):
        rows = turns.rows_of("w", {"bare": ["x"], "prof": ["y"]},
                             {"bare": {"us": [1]}, "prof": {"us": [1]}},
                             {"bare": ["sum 1"], "prof": ["sum 2"]})
        self.assertEqual([row["same_output"] for row in rows], [True, False])

    def test_quantities_have_the_name_of_their_phase(self):
        self.assertEqual(
            turns.quantities_in("[timing] decode steps 5 us_per_step 1.5\nother us_per_step 2\n"
                                "[timing] steps 5 us_per_step 2.5 steady_us_per_step 2.25\n"),
            {"decode us_per_step": 1.5, "us_per_step": 2.5, "steady_us_per_step": 2.25})


class Printed(unittest.TestCase):
    def test_numbers_are_found_by_name(self):
        self.assertEqual(printed.numbers("counts", "x\n[counts] made 5 recorded 4.5\n"),
                         {"made": 5, "recorded": 4.5})

    def test_a_missing_line_is_an_error(self):
        with self.assertRaisesRegex(RuntimeError, "counts"):
            printed.numbers("counts", "Segmentation fault")
        with self.assertRaises(RuntimeError):
            printed.rounds("")

    def test_memory_may_grow_by_a_twentieth_after_the_second_tenth(self):
        self.assertTrue(printed.growth_goal([1, 100, 100, 105])["met"])
        self.assertFalse(printed.growth_goal([1, 100, 100, 106])["met"])


def kernel(metrics, **more):
    return {"name": "k", "full_name": "k", "range": "", "grid": [2, 1, 1], "block": [40, 1, 1],
            "metrics": metrics, "duration_ns": {"n": 1, "median": None}, **more}


def statistic(value):
    return {"n": 3, "median": value, "min": value, "max": value}


class Leaving(unittest.TestCase):
    OUTPUT = """[timing] storm before plain threads 1 kernels 9 us_per_kernel 2.0
[timing] storm before plain threads 1 kernels 9 us_per_kernel 4.0
[timing] storm timeline plain threads 1 kernels 9 us_per_kernel 9.0
[timing] storm after_leaving plain threads 1 kernels 9 us_per_kernel 3.3
"""
    KNOWS = {"rounds": 30, "right": True, "failed": [], "samples": 3,
             "us_per_launch": {"before": 2, "after leaving": 2, "after Stop": 3}}

    def test_a_storm_after_is_compared_with_those_before(self):
        row, = leaving.storm_rows("plain", "leave", self.OUTPUT)
        self.assertAlmostEqual(row["over_before"], 1.1)
        self.assertFalse(leaving.goals_of([row], None)[0]["met"])

    def test_a_recording_that_is_not_whole_misses_the_goal(self):
        rows = leaving.python_rows(self.KNOWS, {"us_per_launch": {"before": 9, "after": 2}})
        self.assertTrue(all(goal["met"] for goal in leaving.goals_of(rows, self.KNOWS)))
        for change in ({"right": False}, {"failed": ["recording 3"]}, {"rounds": 29},
                       {"samples": 0}):
            goals = leaving.goals_of(rows, {**self.KNOWS, **change})
            self.assertFalse(all(goal["met"] for goal in goals), change)


class Duty(unittest.TestCase):
    @staticmethod
    def turns(launches=70, ns=100.0, error_ns=1.0):
        kernel = {"launches": 70, "ns": 100.0}
        estimate = {"launches": launches, "ns": ns, "error_ns": error_ns}
        return [{"round": 0, "variant": "bare", "us_per_step": 10.0},
                {"round": 0, "variant": "timeline", "us_per_step": 12.0, "ns": 100.0,
                 "kernels": {"a": kernel}},
                {"round": 0, "variant": "2 %", "us_per_step": 10.5, "ns": ns, "error_ns": error_ns,
                 "windows": 6, "traced": 0.02, "kernels": {"a": estimate}}]

    def test_estimates_are_held_against_the_timeline_of_the_round(self):
        rows = duty.rows_of("decode", self.turns())
        self.assertEqual([row["variant"] for row in rows], ["bare", "timeline", "2 %"])
        self.assertAlmostEqual(rows[2]["over_bare"], 1.05)
        self.assertEqual((rows[2]["exact"], rows[2]["bounded"], rows[2]["held"]), (1, 1, 1))
        self.assertTrue(all(goal["met"] for goal in duty.goals_of(rows)))

    def test_a_wrong_count_or_a_bound_that_does_not_hold_misses_the_goal(self):
        for change in ({"launches": 69}, {"ns": 110.0}, {"error_ns": None}):
            goals = duty.goals_of(duty.rows_of("decode", self.turns(**change)))
            self.assertFalse(all(goal["met"] for goal in goals), change)


class Ceilings(unittest.TestCase):
    OUTPUT = ("device,sm_count,kind,per_s,n,min,max,sm_clock_hz\n"
              "NVIDIA H200,132,dram-read,4.3e+12,11,4.2e+12,4.4e+12,0\n"
              "NVIDIA H200,132,flops fp16 tensor,8e+14,11,7e+14,9e+14,1.6e+09\n")

    def test_rates_are_read_and_two_runs_compared(self):
        rows = ceilings.rows_of(self.OUTPUT)
        self.assertEqual([row["kind"] for row in rows], ["dram-read", "flops fp16 tensor"])
        self.assertTrue(all(goal["met"] for goal in ceilings.goals_of(rows, rows, 4)))
        again = [rows[0], {**rows[1], "per_s": 7e14}]
        time, apart = ceilings.goals_of(rows, again, 6)
        self.assertFalse(time["met"] or apart["met"])
        self.assertIn("flops fp16 tensor", apart["goal"])

    def test_what_is_left_out_is_no_rate_and_no_agreement(self):
        rows = ceilings.rows_of("ceilings: no pinned memory: not measured\n" + self.OUTPUT)
        self.assertEqual(len(rows), 2)
        apart = ceilings.goals_of(rows, rows[:1], 4)[1]
        self.assertEqual(apart["measured"], 1)

    def test_no_rates_are_an_error(self):
        with self.assertRaises(RuntimeError):
            ceilings.rows_of("[skipped] no CUDA device\n")


class DefaultCost(unittest.TestCase):
    TURNS = [{"round": i, "variant": variant, "us_per_step": us * (i + 1)}
             for i in range(3)
             for variant, us in (("bare", 8.0), ("timeline", 10.0), ("timeline again", 10.1),
                                 ("default", 11.0))]

    def test_a_ratio_is_to_the_timeline_of_the_round(self):
        rows = {row["variant"]: row for row in default_cost.rows_of("train", self.TURNS)}
        self.assertNotIn("ratio", rows["timeline"])
        self.assertAlmostEqual(rows["bare"]["ratio"], 0.8)
        self.assertAlmostEqual(rows["default"]["ratio"], 1.1)
        self.assertAlmostEqual(rows["default"]["most"], 1.1)

    def test_the_goal_is_a_share_and_half_a_second(self):
        rows = default_cost.rows_of("train", self.TURNS)
        self.assertTrue(default_cost.goals_of(rows, 4)[0]["met"])  # 1.02 + 0.5 / 4
        self.assertFalse(default_cost.goals_of(rows, 8)[0]["met"])


class StepParts(unittest.TestCase):
    def rows(self, timeline_us, floor_us=105):
        us = {name: 108 for name in step_parts.variants()}
        us.update({"bare": 100, "kernels": floor_us, "prof's timeline": timeline_us})
        return step_parts.rows_of("decode", {name: [value, 2 * value, value]
                                             for name, value in us.items()})

    def test_ratios_are_of_the_two_turns_of_a_round(self):
        row = next(row for row in self.rows(121) if row["variant"] == "prof's timeline")
        self.assertAlmostEqual(row["over_bare"], 1.21)
        self.assertAlmostEqual(row["over_floor"], 121 / 105)
        self.assertAlmostEqual(row["over_on"], 121 / 108)

    def test_the_limit_is_a_tenth_or_the_floor(self):
        self.assertTrue(step_parts.goals_of(self.rows(109))[0]["met"])
        self.assertFalse(step_parts.goals_of(self.rows(121))[0]["met"])
        self.assertTrue(step_parts.goals_of(self.rows(121, floor_us=122))[0]["met"])

    def test_at_the_full_speed_of_the_host_parts_of_all_rounds_are_compared(self):
        us = {name: 108 for name in step_parts.variants()}
        us.update({"bare": 100, "kernels": 105, "prof's timeline": 109})
        slow = {"bare": 170, "prof's timeline": 260}
        parts = {name: [[value, 26], [slow.get(name, 190), 48]] * 10
                 for name, value in us.items()}
        times = {name: [slow.get(name, 190), value] for name, value in us.items()}
        rows = step_parts.rows_of("decode", times, parts)
        row = next(row for row in rows if row["variant"] == "prof's timeline")
        self.assertEqual(row["fast_parts"], 10)
        self.assertEqual(row["fast_over_bare"], (1.09, 1.09, 1.09))
        self.assertGreater(row["over_bare"], 1.2)  # one of the two rounds was slow
        self.assertTrue(step_parts.goals_of(rows)[0]["met"])
        self.assertIn("1.090 (1.090 to 1.090)", step_parts.markdown("", rows, []))

    def test_too_few_parts_at_the_full_speed_decide_nothing(self):
        names = step_parts.variants()
        rows = step_parts.rows_of("decode", {name: [100, 100] for name in names},
                                  {name: [[100, 26]] * 8 + [[100, 50]] * 20 for name in names})
        self.assertEqual({row["fast_parts"] for row in rows}, {8})
        self.assertNotIn("fast_over_bare", rows[0])
        self.assertNotIn("full speed", step_parts.markdown("", rows, []))

    def test_a_result_with_further_variants_is_a_part(self):
        needed = ("bare", "bare again", "kernels", "what prof turns on", "prof's timeline")
        self.assertEqual(step_parts.name_of(needed), "step_parts")
        self.assertEqual(step_parts.name_of((*needed, "callback")), "step_parts.step_variants")

    def test_the_page_has_the_tables_of_the_result_and_of_its_parts(self):
        page = (ROOT / "docs/measurements/launches.md").read_text(encoding="utf-8")
        known = results.read(ROOT / "bench/results/step_parts.json")
        self.assertIn(step_parts.markdown(results.where(known), known["rows"], known["goals"]),
                      page)
        self.assertEqual(set(known["parts"]), {"step_kinds", "step_variants", "fastest_core"})
        core = known["parts"].pop("fastest_core")
        self.assertIn(step_parts.markdown(results.where(core), core["rows"], core["goals"]), page)
        for name, part in known["parts"].items():
            table = step_parts.short(results.where(part), part["rows"])
            self.assertIn(f"<!-- begin {name} -->\n{table}<!-- end {name} -->", page)
            self.assertNotIn("| decode | bare |", table)

    def test_each_set_of_parts_ends_with_the_last_one(self):
        parts = [value for value in step_parts.variants().values() if isinstance(value, list)]
        self.assertEqual([number for number, _ in parts], list(range(1, len(parts) + 1)))
        self.assertEqual({end for _, end in parts}, {len(parts) + 1})


class NamesWithoutEnd(unittest.TestCase):
    def test_the_page_says_the_medians_of_the_result(self):
        page = (ROOT / "docs/internals/nvtx.md").read_text(encoding="utf-8")
        rows = {row["name"].split("/")[1]: row for row in
                results.read(ROOT / "bench/results/nvtx_names.json")["rows"]
                if row["name"].endswith("_median")}
        self.assertEqual(list(rows), ["equal", "numbered", "emit_nvtx", "hexadecimal"])
        for row in rows.values():
            self.assertIn(f" | {row['file']:.1f} | {row['peak'] / 2 ** 20:.1f} | "
                          f"{row['paths']:.0f} | {row['cpu_ns']:.0f} |\n", page)


class NamesCost(unittest.TestCase):
    def test_a_ratio_is_of_the_two_times_of_a_round(self):
        times = {"timeline": list(range(100, 160)),
                 "ops": [1.1 * value for value in range(100, 159)] + [900]}
        row = names_cost.rows_of("train", times)[1]
        self.assertAlmostEqual(row["over_timeline"], 1.1)
        self.assertAlmostEqual(row["at_most"], 1.1)  # the outer ones are left out
        self.assertFalse(names_cost.goals_of([row])[0]["met"])

    def test_each_goal_is_of_a_variant(self):
        rows = [{"workload": "train", "variant": name, "over_timeline": 1}
                for name in names_cost.VARIANTS]
        self.assertEqual(len(names_cost.goals_of(rows)), 2)


class Names(unittest.TestCase):
    LINES = [{"time_ns": 60, "backward_ns": 0}, {"time_ns": 5, "backward_ns": 10}]
    REPORT = {"lines": {"own": LINES, "without_stack_ns": 25},
              "torch": {"gpu_ns": 100, "gpu_in_ops_ns": 99, "gpu_in_modules_ns": 50,
                        "backward_ns": 40, "forward_known_ns": 30}}

    def test_shares_are_of_the_gpu_time(self):
        self.assertEqual(names.shares(self.REPORT), {
            "with_line": 0.75, "with_op": 0.99, "with_module": 0.5, "backward": 0.4,
            "backward_with_forward": 0.75})

    def test_what_a_recording_does_not_have_has_no_share(self):
        lines = {"own": [], "without_stack_ns": 0}
        self.assertEqual(names.shares({"lines": lines, "torch": None}), {"with_line": None})

    def test_a_step_is_compared_with_that_under_the_timeline(self):
        row = {"workload": "train", "variant": "ops",
               "quantity": "train quick_us_per_step"}
        for ratio, met in ((1.03, True), (1.04, False)):
            self.assertEqual([goal["met"] for goal in names.goals_of(
                [{**row, "over_timeline": ratio}])], [met])

    def test_lines_have_goals_for_what_they_name(self):
        row = {"workload": "train", "variant": "ops, stacks", "quantity": "quick_us_per_step",
               "over_timeline": 1, "with_op": 0.98, "backward_with_forward": 0.96}
        self.assertEqual([goal["met"] for goal in names.goals_of([row])], [True, False, True])


class Cases(unittest.TestCase):
    RUNS = {"before": [90, 110], "after": [20]}

    def row(self, saves_at_most_ns):
        wait = {"id": "wait", "saves_at_most_ns": saves_at_most_ns}
        reports = {"before": {"actions": [{"id": "other"}, wait]}, "after": {"actions": []}}
        return cases.row_of("one", "wait", 1000, self.RUNS, reports)

    def test_what_all_steps_save_is_compared_with_at_most(self):
        row = self.row(0.09e9)
        self.assertEqual((row["gain"], row["saved_s"], row["at_most_s"], row["place"]),
                         (0.8, 0.08, 0.09, 2))
        self.assertEqual([goal["met"] for goal in cases.goals_of([row])], [False, True])
        self.assertFalse(cases.goals_of([{**row, "place": None}])[0]["met"])
        self.assertFalse(cases.goals_of([self.row(0.07e9)])[1]["met"])

    def test_an_action_without_a_bound_is_not_compared(self):
        self.assertEqual(len(cases.goals_of([self.row(None)])), 1)


class Answer(unittest.TestCase):
    @staticmethod
    def kernel(name, total_ns, launches=300, metrics=()):
        return {"name": name, "total_ns": total_ns, "launches": launches, "share": 0.05,
                "metrics": dict.fromkeys(metrics), "verdict": {"decided": bool(metrics)}}

    def test_the_ten_kernels_with_most_time_are_asked_for(self):
        report = {"kernels": [self.kernel(str(i), i) for i in range(12)]}
        self.assertEqual({kernel["name"] for kernel in answer.longest(report)},
                         {str(i) for i in range(2, 12)})

    def test_a_kernel_is_answered_with_its_limiter_its_stalls_and_its_hit_rates(self):
        report = {"kernels": [
            self.kernel("a", 2, metrics=("smsp__average_warps_issue_stalled_x", "lts__hit_rate")),
            self.kernel("b", 1)]}
        found = answer.answers_of(report)
        self.assertEqual([found[name] for name in ("kernels", "limiters", "stalls", "hit_rates")],
                         [2, 1, 1, 1])

    def test_ncu_gets_the_launches_of_one_step(self):
        report = {"kernels": [self.kernel("a", 2), self.kernel("b<1>", 1), self.kernel("c", 0)]}
        self.assertEqual(answer.of_one_step(report, ["a", "b<1>"]), ("regex:^(a|b<1>)$", 4))

    def test_the_programs_own_time_is_no_cost_of_a_tool(self):
        rows = [{"tool": "prof, everything", "seconds": 12}, {"tool": "nsys", "seconds": 14},
                {"tool": "ncu", "seconds": 46}]
        self.assertEqual([goal["measured"] for goal in answer.goals_of(rows, 10)], [5, 20])
        self.assertEqual(answer.goals_of(rows[:2], 10), [])


class Accuracy(unittest.TestCase):
    def compare(self, metric, theirs, ours):
        found = ncu_comparison.prof_report.kernels_of({"kernels": [kernel(
            {metric: statistic(ours)}, duration_ns=statistic(1))]})[0]
        rows = ncu_comparison.compare(found, {metric: [theirs]})
        return next(row for row in rows if row["metric"] == metric)

    def test_a_count_may_differ_by_a_thousandth_or_64(self):
        metric = "l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum"
        self.assertEqual(self.compare(metric, 100, 164)["verdict"], "within")
        self.assertEqual(self.compare(metric, 100, 165)["verdict"], "missed")
        self.assertEqual(self.compare(metric, 1e6, 1e6 + 1000)["verdict"], "within")

    def test_the_instructions_of_kernel_records_are_explained(self):
        added = 8 * 4  # two blocks of 40 threads are four warps
        row = self.compare("smsp__inst_executed.sum", 1000, 1000 + added + 64)
        self.assertEqual(row["verdict"], "explained")

    def test_a_percentage_may_differ_by_three_points(self):
        metric = "dram__throughput.avg.pct_of_peak_sustained_elapsed"
        self.assertEqual(self.compare(metric, 50, 53)["verdict"], "within")
        self.assertEqual(self.compare(metric, 50, 53.5)["verdict"], "missed")

    def test_a_metric_that_ncu_lacks_stands_alone(self):
        found = ncu_comparison.prof_report.kernels_of({"kernels": [kernel(
            {"a.sum": statistic(1)}, duration_ns=statistic(1))]})[0]
        self.assertEqual({row["verdict"] for row in ncu_comparison.compare(found, {})}, {"alone"})

    def test_two_zeros_are_no_agreement(self):
        rows = [self.compare("a.sum", *pair) for pair in ((0, 0), (0, 1), (1, 0), (2, 2))]
        alone = {**rows[0], "ncu": None}
        self.assertEqual(ncu_comparison.without_zeros([*rows, alone]), rows[1:])

    def test_the_pages_say_the_shares_of_the_values_without_zeros(self):
        rows = results.read(ROOT / "bench/results" / ncu_comparison.VALUES)
        found = {one["class"]: one for one in ncu_comparison.class_summaries(
            ncu_comparison.without_zeros(rows))}
        percent, counts = (found[goal.name] for goal in
                           (ncu_comparison.PERCENT, ncu_comparison.COUNT))
        # Rounded down: a page is no kinder than its source.
        share = {one["class"]: 100 * one["within"] // one["values"] for one in (percent, counts)}
        of_percent, of_counts = share[percent["class"]], share[counts["class"]]
        readme, page = ((ROOT / path).read_text(encoding="utf-8")
                        for path in ("README.md", "docs/guide/accuracy.md"))
        self.assertIn(f"{of_percent} % of {percent['values']} percentages of peak are within 3 "
                      f"points, and {of_counts} % of {counts['values']} counts", readme)
        self.assertIn(f"| percent of peak | {percent['values']} | {of_percent} % within 3 points; "
                      f"median {percent['median']:.2f} points; "
                      f"worst {percent['worst']:.1f} points |", page)
        self.assertIn(f"| {counts['values']} | {of_counts} % within 0.1 % or 64 events; worst "
                      f"{counts['worst']:.1f} % |", page)

    def test_kernels_are_found_by_name_and_size_or_by_name_alone(self):
        launches = [{"kernel": "k", "grid": None, "block": None, "values": {"a": 1}},
                    {"kernel": "k", "grid": None, "block": None, "values": {"a": 2}}]
        by_key = ncu.values_by_key(launches)
        self.assertEqual(ncu.lookup(by_key, ("k", (2, 1, 1), (40, 1, 1))), {"a": [1, 2]})
        self.assertIsNone(ncu.lookup(by_key, ("other", (2, 1, 1), (40, 1, 1))))

    def test_a_count_from_arithmetic_is_compared_by_kernel(self):
        expected = {"kernels": {"k": {"bottleneck": "b", "expected": {"a": 1e6, "c": 1}}}}
        rows = expected_counts.compare(expected, {"kernels": [kernel({"a": statistic(1e6 + 1)})]})
        self.assertEqual([row["within"] for row in rows], [True, None])


if __name__ == "__main__":
    unittest.main()
