# SPDX-License-Identifier: Apache-2.0
import contextlib
import io
import os
import pathlib
import sys
import tempfile
import time
import unittest

from experiments import tests
from lib import catch_report
from lib import results
from lib.bench import Bench, Summary

# As Catch2 2.13 prints it.
HEAD = """<?xml version="1.0" encoding="UTF-8"?>
<Catch name="t" filters="[gpu]">
  <Group name="t">
"""
PASSED = """    <TestCase name="passes &amp; prints" tags="[gpu]" filename="t.cc" line="6">
a < b && c
      <OverallResult success="true" durationInSeconds="0.5"/>
    </TestCase>
"""
FAILED = """    <TestCase name="fails" tags="[gpu]" filename="t.cc" line="7">
      <Section name="two" filename="t.cc" line="7">
        <Info>
          x &lt; y
        </Info>
        <Expression success="false" type="CHECK" filename="t.cc" line="8">
          <Original>
            n &lt; 3
          </Original>
          <Expanded>
            5 &lt; 3
          </Expanded>
        </Expression>
        <OverallResults successes="0" failures="1" expectedFailures="0" durationInSeconds="0.1"/>
      </Section>
      <OverallResult success="false" durationInSeconds="1.5"/>
    </TestCase>
"""
THROWN = """    <TestCase name="throws" tags="[gpu]" filename="t.cc" line="9">
      <Exception filename="t.cc" line="9">
        no | room
      </Exception>
      <OverallResult success="false" durationInSeconds="0.25"/>
    </TestCase>
"""
SKIPPED = """    <TestCase name="skips" tags="[gpu]" filename="t.cc" line="10">
[skipped] no CUDA device
      <OverallResult success="true" durationInSeconds="0"/>
    </TestCase>
"""
SKIPPED_BY_CATCH_3 = """    <TestCase name="skips too" tags="[gpu]" filename="t.cc" line="11">
      <Skip filename="t.cc" line="12">
        one GPU
      </Skip>
      <OverallResult success="true" skips="1" durationInSeconds="0"/>
    </TestCase>
"""
END = "  </Group>\n</Catch>\n"


def rows_of(*parts):
    return catch_report.rows_of("t", "".join((HEAD, *parts)))


class Reports(unittest.TestCase):
    def test_a_case_has_its_outcome_and_its_time(self):
        self.assertEqual(rows_of(PASSED, FAILED, SKIPPED, END), [
            {"program": "t", "case": "passes & prints", "outcome": "passed", "seconds": 0.5},
            {"program": "t", "case": "fails", "outcome": "failed", "seconds": 1.5,
             "why": "line 8: 5 < 3"},
            {"program": "t", "case": "skips", "outcome": "skipped", "seconds": 0.0,
             "why": "no CUDA device"}])

    def test_an_exception_is_a_failure(self):
        self.assertEqual(rows_of(THROWN, END)[0]["why"], "line 9: no | room")

    def test_a_skip_of_catch_3_is_one(self):
        row = rows_of(SKIPPED_BY_CATCH_3, END)[0]
        self.assertEqual((row["outcome"], row["why"]), ("skipped", "one GPU"))

    def test_a_program_that_was_killed_leaves_a_case_that_failed(self):
        for cut in (len(FAILED) // 2, len(FAILED) - 20):
            rows = rows_of(PASSED, FAILED[:cut])
            self.assertEqual([row["outcome"] for row in rows], ["passed", "failed"])
        self.assertEqual(rows_of(PASSED, FAILED[:40])[-1]["case"], "passes & prints")
        self.assertEqual(rows_of(FAILED[:200])[0],
                         {"program": "t", "case": "fails", "outcome": "failed", "seconds": None,
                          "why": "it did not end"})

    def test_what_is_no_report_is_an_error(self):
        with self.assertRaisesRegex(ValueError, "no report"):
            catch_report.rows_of("t", "the loader found no library\n")
        self.assertEqual(catch_report.rows_of("t", ""), [])

    def test_programs_are_counted(self):
        self.assertEqual(catch_report.counts_of(rows_of(PASSED, FAILED, THROWN, SKIPPED, END)), [
            {"program": "t", "passed": 1, "failed": 2, "skipped": 1, "seconds": 2.25}])


class Tables(unittest.TestCase):
    def test_what_did_not_pass_has_a_table(self):
        table = tests.markdown("where", rows_of(PASSED, THROWN, SKIPPED, END))
        self.assertIn("| `t` | 1 | 1 | 1 | 0.8 |", table)
        self.assertIn("| `t` | throws | failed | `` line 9: no \\| room `` |", table)
        self.assertNotIn("prints", table)

    def test_where_all_passed_there_is_one_table(self):
        self.assertNotIn("| case |", tests.markdown("where", rows_of(PASSED, END)))


class Runs(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.addCleanup(os.chdir, os.getcwd())
        os.chdir(folder.name)
        pathlib.Path("device/bin").mkdir(parents=True)
        pathlib.Path("work").mkdir()
        head = {"hardware": "a GPU", "driver": "1", "commit": "0123456789ab", "command": "c",
                "date": "2026-01-02"}
        self.bench = Bench("tests", head, Summary("work/summary.txt"), "work", "work",
                           time.monotonic() + 60)

    def program(self, name, report, code=0):
        path = pathlib.Path("device/bin", name)
        path.write_text(f"#!{sys.executable}\nimport sys\nsys.stdout.write({report!r})\n"
                        "print('a warning', file=sys.stderr)\n"
                        f"assert '--reporter' in sys.argv\nsys.exit({code})\n", encoding="utf-8")
        path.chmod(0o755)

    def run_tests(self):
        with contextlib.redirect_stdout(io.StringIO()):
            tests.run_tests(self.bench)
        return results.read("work/gpu_tests.json")

    def test_the_result_has_a_row_for_each_case_of_each_program(self):
        self.program("a_test", HEAD + PASSED + END)
        self.program("saxpy_test", HEAD + SKIPPED + END)
        found = self.run_tests()
        self.assertEqual([(row["program"], row["outcome"]) for row in found["rows"]],
                         [("a_test", "passed"), ("saxpy_test", "skipped")])
        self.assertEqual((found["hardware"], found["commit"]), ("a GPU", "0123456789ab"))
        self.assertEqual(self.bench.failures, [])

    def test_a_case_that_fails_fails_the_experiment(self):
        self.program("a_test", HEAD + PASSED + FAILED + END, code=1)
        self.assertEqual(len(self.run_tests()["rows"]), 2)
        self.assertEqual(self.bench.failures, ["a_test: fails: line 8: 5 < 3"])

    def test_a_program_that_leaves_no_report_is_a_row(self):
        self.program("a_test", "no library\n", code=127)
        self.assertEqual(self.run_tests()["rows"],
                         [{"program": "a_test", "case": "the program itself", "outcome": "failed",
                           "seconds": None, "why": "no test case"}])

    def test_a_program_that_fails_behind_its_cases_is_a_row(self):
        self.program("a_test", HEAD + PASSED + END, code=139)
        self.assertEqual([row["outcome"] for row in self.run_tests()["rows"]],
                         ["passed", "failed"])


if __name__ == "__main__":
    unittest.main()
