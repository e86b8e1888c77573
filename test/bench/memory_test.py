# SPDX-License-Identifier: Apache-2.0
import copy
import pathlib
import unittest

from experiments import memory

SOURCE = "a\nb  # planted leak\nc\nd  # planted refusal\n"
PLACE = {"file": "/x/tensor_memory.py", "function": "leak", "module": "", "line": 2}
REPORT = {"memory": {
    "devices": [{"bytes_at_end": 5 << 30, "peak_bytes": 2000,
                 "parts": [{"part": "weights", "bytes": 1500}, {"part": "x", "bytes": 500}]}],
    "tensors": [{"peak_bytes": 900, "bytes_at_end": 800,
                 "roles": [{"role": "weights", "bytes": 300}]}],
    "growth": [{"memory": "device", "grows": True, "bytes_per_step": 9, "lines": []},
               {"memory": "tensors", "grows": True, "bytes_per_step": 64,
                "lines": [{"place": PLACE}]}],
    "tensor_failures": [{"place": {**PLACE, "line": 4}, "bytes": 70,
                         "segments": {"largest_gap": 69, "unused_bytes": 200}}]}}
KNOWS = {"peak": 900, "live": 800, "driver": 5 << 30}


def ratios(report, **knows):
    rows = memory.rows_of("case", report, {**KNOWS, **knows}, SOURCE)
    return {row["quantity"]: row["ratio"] for row in rows}


class Memory(unittest.TestCase):
    def test_the_program_has_each_case_and_its_planted_lines(self):
        path = pathlib.Path(memory.__file__).parents[1] / "programs" / "tensor_memory.py"
        source = path.read_text(encoding="utf-8")
        for case in memory.CASES:
            self.assertIn(f"\ndef {case}(", source)
        for what in ("leak", "refusal"):
            self.assertIsNotNone(memory.planted_line(source, what))

    def test_what_the_program_and_prof_agree_on_is_one(self):
        self.assertEqual(set(ratios(REPORT, roles={"weights": 300}, leak=64, wanted=70,
                                    unused=200).values()), {1})

    def test_a_role_that_prof_does_not_have_is_nothing(self):
        self.assertEqual(ratios(REPORT, roles={"gradients": 5})["gradients at the peak"], 0)

    def test_a_leak_of_another_line_or_without_growth_is_not_named(self):
        other = copy.deepcopy(REPORT)
        other["memory"]["growth"][1]["lines"][0]["place"]["line"] = 3
        self.assertEqual(ratios(other, leak=64)["the line of the growth"], 0)
        del other["memory"]["growth"][1]
        self.assertEqual(ratios(other, leak=64)["growth of tensors a step"], 0)

    def test_a_refusal_that_would_have_fitted_is_not_explained(self):
        other = copy.deepcopy(REPORT)
        other["memory"]["tensor_failures"][0]["segments"]["largest_gap"] = 70
        found = ratios(other, wanted=70, unused=200)
        self.assertEqual(found["the gaps would hold it together, and none alone"], 0)

    def test_goals_are_met_within_a_percent(self):
        rows = [{"case": "c", "quantity": "q", "ratio": ratio} for ratio in (1.009, 0.98, None)]
        self.assertEqual([goal["met"] for goal in memory.goals_of(rows)], [True, False, False])


if __name__ == "__main__":
    unittest.main()
