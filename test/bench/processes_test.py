# SPDX-License-Identifier: Apache-2.0
import os
import pathlib
import tempfile
import unittest

from experiments import cupti_versions
from experiments import endings
from experiments import many_processes


def report(kernels, losses=()):
    return {"totals": {"kernels": kernels}, "integrity": list(losses)}


class ManyProcesses(unittest.TestCase):
    def test_a_process_without_a_recording_is_named(self):
        self.assertEqual(many_processes.problems_of({7: 10, 8: 10}, {7: report(10)}),
                         ["pid 8: no recording"])

    def test_missing_kernels_and_losses_are_problems(self):
        found = many_processes.problems_of({7: 10}, {7: report(9, ["1 kernel was lost"])})
        self.assertEqual(found, ["pid 7: 9 of 10 kernels", "pid 7: 1 kernel was lost"])

    def test_more_kernels_than_the_program_counted_are_fine(self):
        self.assertEqual(many_processes.problems_of({7: 10}, {7: report(12)}), [])

    def test_the_table_has_each_problem_with_its_number(self):
        rows = [{"way": "fork", "runs": 3, "good": 1, "problems": [["pid N: no recording", 2]]},
                {"way": "spawn", "runs": 3, "good": 3, "problems": []}]
        table = many_processes.markdown("A GPU.", 2, rows)
        self.assertIn("A GPU. 2 GPUs.", table)
        self.assertIn("| fork | 3 | 1 | 2 x pid N: no recording |", table)
        self.assertIn("| spawn | 3 | 3 | none |", table)


class Endings(unittest.TestCase):
    ROW = {"exit_code": 0, "bare_exit_code": 0, "seconds": 2.0, "bare_s": 1.0, "launched": 10,
           "recorded": 10, "losses": []}

    def test_a_good_row_has_no_problem(self):
        self.assertEqual(endings.problems_of(self.ROW), [])

    def test_each_way_to_be_bad_is_named(self):
        for change, word in (({"exit_code": 1}, "exit code"), ({"seconds": 9.0}, "9.0 s"),
                             ({"recorded": None}, "no recording"), ({"recorded": 9}, "9 of 10"),
                             ({"same_answer": False}, "another answer")):
            with self.subTest(word=word):
                problems = endings.problems_of({**self.ROW, **change})
                self.assertEqual(len(problems), 1)
                self.assertIn(word, problems[0])

    def test_kernels_whose_loss_is_named_are_no_problem(self):
        row = {**self.ROW, "recorded": 9, "losses": ["1 kernel was lost"]}
        self.assertEqual(endings.problems_of(row), [])

    def test_the_table_has_losses_and_no_path_of_a_recording(self):
        row = {**self.ROW, "case": "at-once, default", "losses": ["1 kernel was lost"],
               "problems": [], "said": ["prof: the GPU did not finish",
                                        "prof: wrote /folder/ending.prof (1 kB)",
                                        "prof: read it with: prof report /folder/ending.prof"]}
        table = endings.markdown("A GPU.", [row])
        self.assertIn("| 1 kernel was lost | the GPU did not finish | none |", table)
        self.assertNotIn("/folder", table)


class CuptiVersions(unittest.TestCase):
    def test_copies_are_found_by_version_oldest_first(self):
        with tempfile.TemporaryDirectory() as folder:
            for version in ("cupti-12.10.1", "cupti-12.4.127", "empty"):
                pathlib.Path(folder, version).mkdir()
            for name in ("cupti-12.10.1", "cupti-12.4.127"):
                pathlib.Path(folder, name, "libcupti.so.12").touch()
            found = cupti_versions.copies(folder)
            self.assertEqual(list(found), ["12.4.127", "12.10.1"])
            self.assertEqual(os.path.basename(found["12.4.127"]), "libcupti.so.12")

    def test_a_version_must_record_as_many_kernels_as_the_toolkit(self):
        rows = [{"version": "toolkit", "case": "launches", "exit_code": 0, "kernels": 5},
                {"version": "12.4", "case": "launches", "exit_code": 0, "kernels": 4},
                {"version": "12.4", "case": "all counters", "exit_code": 0, "kernels": 4},
                {"version": "12.5", "case": "launches", "exit_code": 0}]
        self.assertEqual(cupti_versions.problems_of(rows),
                         ["12.4, launches: 4 kernels of 5", "12.5, launches: no recording"])

    def test_lost_records_and_missing_verdicts_have_a_reason(self):
        toolkit = {"version": "toolkit", "case": "launches", "exit_code": 0, "kernels": 5}
        small = {"version": "12.4", "case": "small buffers", "exit_code": 0, "kernels": 3}
        self.assertEqual(cupti_versions.problems_of([toolkit, {**small, "losses": ["2"]}]), [])
        self.assertEqual(cupti_versions.problems_of([toolkit, {**small, "losses": []}]),
                         ["12.4, small buffers: kernels are missing, and no loss was reported"])
        sampled = {"version": "12.8", "case": "default options", "exit_code": 0, "kernels": 4,
                   "pm_series": 1, "missing": "it is idle"}
        self.assertEqual(cupti_versions.problems_of([toolkit, {**sampled, "verdicts": 0}]),
                         ["12.8, default options: PM samples, and no verdict: it is idle"])
        self.assertEqual(cupti_versions.problems_of([toolkit, {**sampled, "verdicts": 1}]), [])


if __name__ == "__main__":
    unittest.main()
