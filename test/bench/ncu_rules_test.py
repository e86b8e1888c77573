# SPDX-License-Identifier: Apache-2.0
"""What ncu prints for its rules, in its format with invented kernels and numbers."""

import unittest
from unittest import mock

from lib import ncu_rules

RANGES = "thread Domain:Push/Pop_Range:PL_Type:PL_Value:CLR_Type:Color:Msg_Type:Msg"
BEFORE = ["ID", "Process ID", "Process Name", "Host Name"]
AFTER = ["Kernel Name", "Context", "Stream", "Block Size", "Grid Size", "Device", "CC",
         "Section Name", "Metric Name", "Metric Unit", "Metric Value", "Rule Name", "Rule Type",
         "Rule Description", "Estimated Speedup Type", "Estimated Speedup"]

LOW = ("This workload exhibits low compute throughput and memory bandwidth utilization relative to "
       "the peak. Look at the statistics of warps.")
MEMORY = ("Memory is more heavily utilized than Compute: Look at the Memory Workload Analysis "
          "section to identify the L2 bottleneck. And so on.")
COMPUTE = "Compute is more heavily utilized than Memory: Look at the section."
SMALL = "This kernel grid is too small to fill the available resources, only 0.12 full waves."
BALANCED = "Compute and Memory are well-balanced: reduce both."
HIGH = ("This workload is utilizing greater than 80.0% of the performance of this device. Start by "
        "analyzing {} in the {} Workload Analysis section.")


def line(*cells):
    return ",".join('"' + cell.replace('"', '""') + '"' for cell in cells)


class Table:
    """The table of `ncu --csv --page details`, row by row."""

    def __init__(self, ranges=True):
        self.ranges = ranges
        self.lines = ["==PROF== Connected to process 7", "text of the program",
                      line(*BEFORE, *([RANGES] if ranges else []), *AFTER)]

    def _front(self, launch, label, name):
        cell = [f'7  "<default domain>:{label}:none:none:none:none:none:none"'
                if label else ""] if self.ranges else []
        return [str(launch), "7", "python3", "127.0.0.1", *cell, name, "1", "7", "(128, 1, 1)",
                "(9, 32, 1)", "0", "9.0"]

    def metric(self, name, value, unit="%", launch=0, label="k01 a", kernel="work",
               section="GPU Speed Of Light Throughput"):
        front = self._front(launch, label, kernel)
        self.lines.append(line(*front, section, name, unit, value) + ",")  # as ncu ends such a row
        return self

    def rule(self, name, text, kind="OPT", speedup=("", ""), launch=0, label="k01 a",
             kernel="work", section="SpeedOfLight"):
        front = self._front(launch, label, kernel)
        self.lines.append(line(*front, section, "", "", "", name, kind, text, *speedup))
        return self

    def text(self):
        return "\n".join([*self.lines, "==PROF== Disconnected from process 7", ""])

    def launches(self):
        return ncu_rules.launches_of(self.text())

    def opinion(self):
        return ncu_rules.opinion(self.launches()[0])


class Reading(unittest.TestCase):
    def test_a_launch_has_its_range_its_sizes_its_values_and_its_rules(self):
        launches = (Table().metric("DRAM Throughput", "71.50").metric("Duration", "2,840", "ns")
                    .rule("SOLBottleneck", MEMORY)
                    .rule("LaunchConfiguration", "A partial wave of 4 blocks.", "OPT",
                          ("global", "33.3"))
                    .metric("Duration", "5", "us", launch=1, label="", kernel="other").launches())
        first, other = launches
        self.assertEqual((first["kernel"], first["range"]), ("work", "k01 a"))
        self.assertEqual((first["grid"], first["block"]), ([9, 32, 1], [128, 1, 1]))
        self.assertEqual(ncu_rules.measured(first)["dram"], 71.5)
        self.assertAlmostEqual(ncu_rules.measured(first)["us"], 2.84)
        self.assertEqual([(rule["rule"], rule["type"], rule["speedup"], rule["speedup_type"])
                          for rule in first["rules"]],
                         [("SOLBottleneck", "OPT", None, ""),
                          ("LaunchConfiguration", "OPT", 33.3, "global")])
        self.assertEqual((other["kernel"], other["range"], other["rules"]), ("other", "", []))
        self.assertEqual(ncu_rules.measured(other)["us"], 5)

    def test_one_name_in_two_sections_has_two_values(self):
        launch = (Table().metric("Memory Throughput", "40.00")
                  .metric("Memory Throughput", "3,000,000", "byte/s",
                          section="Memory Workload Analysis").launches()[0])
        self.assertEqual(ncu_rules.measured(launch)["memory"], 40)

    def test_what_is_no_number_is_no_value(self):
        launch = Table().metric("DRAM Throughput", "n/a").metric("Cluster", "Spread").launches()[0]
        self.assertIsNone(ncu_rules.measured(launch)["dram"])
        self.assertIsNone(ncu_rules.measured(launch)["us"])

    def test_a_mangled_name_is_read_as_prof_writes_it(self):
        launch = Table().metric("Duration", "1", "ns", kernel="_Z4workPfi").launches()[0]
        self.assertEqual(launch["kernel"], "work(float*, int)")

    def test_the_innermost_range_of_the_program_counts(self):
        table = Table().metric("Duration", "1", "ns")
        text = table.text().replace(
            'none"""', 'none""  ""<default domain>:inner:none:none""  ""CCCL:cub::Sort:none"""')
        self.assertEqual(ncu_rules.launches_of(text)[0]["range"], "inner")

    def test_a_report_without_a_table_is_an_error(self):
        with self.assertRaisesRegex(ValueError, "No kernels"):
            ncu_rules.launches_of("==WARNING== No kernels were profiled.\n")

    def test_without_the_column_of_ranges_a_launch_is_in_none(self):
        launch = Table(ranges=False).metric("Duration", "1", "ns").launches()[0]
        self.assertEqual((launch["range"], ncu_rules.measured(launch)["us"]), ("", 0.001))


class Profiling(unittest.TestCase):
    def profile(self, reads, metrics=("a", "b"), kernels=("work", "x<y>")):
        with mock.patch.object(ncu_rules.ncu, "executable", return_value="ncu"), \
                mock.patch.object(ncu_rules.processes, "timed",
                                  return_value=(1.0, 0, "==ERROR== b")) as timed, \
                mock.patch.object(ncu_rules, "read", side_effect=reads):
            try:
                found = ncu_rules.profile(["./p", "--once"], "r", metrics, kernels, 100)
            except RuntimeError as error:
                found = error
        return found, [call.args[0] for call in timed.call_args_list]

    def test_ncu_gets_the_kernels_the_sections_and_the_metrics(self):
        found, commands = self.profile([([], "table")])
        self.assertEqual(len(commands), 1)
        self.assertIn("regex:^(work|x<y>)$", commands[0])
        self.assertEqual(commands[0].count("--section"), len(ncu_rules.SECTIONS))
        self.assertIn("a,b", commands[0])
        self.assertTrue(found["metrics"])
        self.assertEqual(commands[0][-2:], ["./p", "--once"])

    def test_without_names_all_kernels_are_profiled(self):
        _, commands = self.profile([([], "table")], kernels=())
        self.assertNotIn("--kernel-name", commands[0])

    def test_metrics_that_ncu_does_not_take_are_left_out(self):
        found, commands = self.profile([ValueError("no table"), ([], "table")])
        self.assertEqual(["a,b" in command for command in commands], [True, False])
        self.assertFalse(found["metrics"])

    def test_a_run_without_a_report_is_an_error(self):
        found, _ = self.profile([ValueError("no table")] * 2)
        self.assertRegex(str(found), "ncu left no report.*ERROR")


class Opinions(unittest.TestCase):
    def expect(self, text, expected, unit=None):
        found = Table().rule("SOLBottleneck", text).opinion()
        self.assertEqual((found["class"], found["unit"], found["rule"]),
                         (expected, unit, "SOLBottleneck"))

    def test_each_message_of_the_bottleneck_rule_has_a_class(self):
        self.expect(SMALL, "small-grid")
        self.expect(LOW, "latency")
        self.expect(COMPUTE, "compute")
        self.expect(MEMORY, "memory", "L2")
        self.expect(BALANCED, "balanced")
        self.expect(HIGH.format("DRAM", "Memory"), "memory", "DRAM")
        self.expect(HIGH.format("workloads", "Compute"), "compute")
        self.expect(HIGH.format("workloads", "Memory"), "memory")

    def test_a_second_message_of_the_rule_is_no_opinion(self):
        found = (Table().rule("SOLBottleneck", "This workload uses another scheduling.", "WRN")
                 .rule("SOLBottleneck", LOW).opinion())
        self.assertEqual(found["class"], "latency")

    def test_without_the_rule_there_is_no_opinion(self):
        found = Table().rule("ThreadDivergence", MEMORY).opinion()
        self.assertEqual((found["class"], found["words"]), (None, None))

    def pipe(self, text, headline=COMPUTE):
        return (Table().rule("SOLBottleneck", headline)
                .rule("HighPipeUtilization", text, section="ComputeWorkloadAnalysis").opinion())

    def test_compute_has_the_pipe_that_ncu_calls_busy(self):
        found = self.pipe("FMA is the highest-utilized pipeline (75.9%) based on active cycles.")
        self.assertEqual((found["unit"], found["pipe"]), ("FMA", ("FMA", 75.9)))

    def test_a_composite_pipe_is_the_part_that_dominates_it(self):
        found = self.pipe("Tensor is the highest-utilized pipeline (81.7%) based on elapsed cycles."
                          " It's dominated by its Tensor (FP) sub-pipeline. More.")
        self.assertEqual(found["unit"], "Tensor (FP)")

    def test_a_pipe_that_is_not_busy_is_no_unit(self):
        text = "ALU is the highest-utilized pipeline (41.1%) based on active cycles."
        self.assertIsNone(self.pipe(text)["unit"])
        self.assertEqual(self.pipe(text)["pipe"], ("ALU", 41.1))
        busy = "ALU is the highest-utilized pipeline (71.1%) based on active cycles."
        self.assertEqual(self.pipe(busy, MEMORY)["unit"], "L2")

    def stall(self, *texts):
        table = Table().rule("SOLBottleneck", LOW)
        for text in texts:
            table.rule("CPIStall", "On average, each warp of this workload spends 9.0 cycles being "
                       "stalled " + text, section="WarpStateStats")
        return table.opinion()["stall"]

    def test_the_first_stall_is_found_in_the_first_sentence(self):
        self.assertEqual(self.stall("waiting for a scoreboard dependency on a L1TEX (local) "
                                    "operation. See EXIT, MIO."), "long_scoreboard")
        self.assertEqual(self.stall("waiting for a scoreboard dependency on a MIO (memory "
                                    "input/output) operation (not to L1TEX). Barriers."),
                         "short_scoreboard")
        self.assertEqual(self.stall("waiting for the MIO (memory input/output) instruction queue "
                                    "to be not full. Scoreboard."), "mio_throttle")
        self.assertEqual(self.stall("waiting for sibling warps at a CTA barrier. Memory barrier.",
                                    "waiting on a fixed latency execution dependency."), "barrier")
        self.assertIsNone(self.stall("for a reason that nobody knows."))
        self.assertIsNone(self.stall())

    def test_causes_are_those_of_rules_that_advise(self):
        found = (Table().rule("SOLBottleneck", LOW)
                 .rule("LaunchConfiguration", "1 full wave and a partial wave of 4 thread blocks.",
                       "OPT", ("global", "50"))
                 .rule("LaunchConfiguration", "it is recommended to have two blocks.", "OPT")
                 .rule("MemoryCacheAccessPattern", "The memory access pattern for global loads.",
                       "OPT", ("global", "12.5"))
                 .rule("TheoreticalOccupancy", "Limited by registers.", "INF")
                 .rule("AchievedOccupancy", "The difference.", "OPT", ("local", "70")).opinion())
        self.assertEqual([(one["cause"], one["rule"], one["speedup"]) for one in found["causes"]],
                         [("tail", "LaunchConfiguration", 50),
                          ("uncoalesced", "MemoryCacheAccessPattern", 12.5),
                          ("imbalance", "AchievedOccupancy", 70)])

    def test_speedups_are_of_the_whole_launch_the_largest_first(self):
        table = Table()
        for rule, kind, percent in (("A", "global", "5"), ("B", "local", "90"),
                                    ("A", "global", "7"), ("C", "global", "50")):
            table.rule(rule, "x", speedup=(kind, percent))
        found = table.opinion()
        self.assertEqual(list(found["speedups"].items()), [("C", 50), ("A", 7)])


if __name__ == "__main__":
    unittest.main()
