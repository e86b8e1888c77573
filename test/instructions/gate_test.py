# SPDX-License-Identifier: Apache-2.0
"""The gate takes what is within the bound, and nothing else."""

import json
import unittest

import gate


class Gate(unittest.TestCase):
    def test_within_the_bound_a_count_passes(self):
        self.assertTrue(gate.judge("launch", 101.9, 100, 2)[1])
        self.assertTrue(gate.judge("launch", 98.1, 100, 2)[1])

    def test_a_dearer_path_fails_and_the_line_has_by_how_much(self):
        line, within = gate.judge("launch", 103, 100, 2)
        self.assertFalse(within)
        self.assertIn("+3.0 %", line)

    def test_a_cheaper_path_fails_so_that_the_gain_is_kept(self):
        self.assertFalse(gate.judge("launch", 90, 100, 2)[1])

    def test_the_committed_counts_name_their_build_and_all_paths(self):
        expected = json.loads(gate.EXPECTED.read_text(encoding="utf-8"))
        self.assertRegex(expected["build"], r"^GNU [0-9.]+, x86_64, Release, glibc [0-9.]+$")
        self.assertEqual(set(expected["instructions"]),
                         {"range", "op", "tensor", "launch", "counters", "record", "read"})
        self.assertLessEqual(expected["bound_percent"], 2)


if __name__ == "__main__":
    unittest.main()
