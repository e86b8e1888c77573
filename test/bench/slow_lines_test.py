# SPDX-License-Identifier: Apache-2.0
import pathlib
import unittest

from experiments import slow_lines

_PROGRAM = pathlib.Path(slow_lines.__file__).parents[1] / "programs" / "slow_lines.py"


def line(number, steps_ns):
    return {"file": "/app/x.py", "line": number, "steps_ns": steps_ns}


def report(*lines):
    return {"lines": {"own": list(lines)}, "actions": [{"id": "host-work"}]}


class SlowLines(unittest.TestCase):
    def test_each_case_of_the_program_has_a_planted_line(self):
        source = _PROGRAM.read_text(encoding="utf-8")
        for case in slow_lines.CASES:
            with self.subTest(case):
                self.assertIn(f"\ndef {case}(", source)
                self.assertTrue(slow_lines.planted_lines(source, case))

    def test_a_planted_line_is_one_whose_comment_names_the_case(self):
        source = "a()\nb()  # planted: lock\nc()  # planted: lock_free\n"
        self.assertEqual(slow_lines.planted_lines(source, "lock"), [2])

    def test_the_place_of_the_planted_line_counts_from_one(self):
        row = slow_lines.row_of("lock", report(line(4, 60), line(7, 40)), [7], "x.py")
        self.assertEqual(row["place"], 2)
        self.assertAlmostEqual(row["share"], 0.4)
        self.assertEqual(row["first"], ["x.py:4", "x.py:7"])

    def test_a_planted_line_that_is_not_named_has_no_place(self):
        row = slow_lines.row_of("lock", report(line(4, 60)), [7], "x.py")
        self.assertIsNone(row["place"])
        self.assertFalse(slow_lines.goals_of([row])[0]["met"])
        self.assertIsNone(slow_lines.row_of("lock", {"actions": []}, [7], "x.py")["place"])

    def test_the_goal_is_met_where_all_cases_are_named_first(self):
        rows = [{"place": 1} for _ in slow_lines.CASES]
        self.assertTrue(slow_lines.goals_of(rows)[0]["met"])
        self.assertFalse(slow_lines.goals_of(rows[1:])[0]["met"])


if __name__ == "__main__":
    unittest.main()
