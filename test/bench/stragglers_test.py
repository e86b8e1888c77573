# SPDX-License-Identifier: Apache-2.0
import unittest

from experiments import stragglers


def job(finding, *late):
    """`late`: (GPU, cause). That on GPU 7 is never late."""
    ranks = [{"device": device, "straggles": True, "cause": cause} for device, cause in late]
    return {"finding": finding, "ranks": [*ranks, {"device": 7, "straggles": False}]}


class JudgeTest(unittest.TestCase):

    def test_the_planted_rank_and_cause_are_no_problem(self):
        self.assertEqual([], stragglers.judge("host", 1, job("straggler", (1, "host"))))
        self.assertEqual([], stragglers.judge("inputs", 1, job("straggler", (1, "more-work"))))
        self.assertEqual([], stragglers.judge("nobody", None, job("together")))
        self.assertEqual([], stragglers.judge("nobody", None, job("in-turn")))
        self.assertEqual([], stragglers.judge("in-turn", None, job("in-turn")))

    def test_another_rank_is_a_problem(self):
        self.assertEqual(["late by prof: [2]"],
                         stragglers.judge("host", 1, job("straggler", (2, "host"))))
        self.assertEqual(["late by prof: [1, 2]"], stragglers.judge(
            "host", 1, job("straggler", (1, "host"), (2, "host"))))

    def test_another_cause_is_a_problem(self):
        self.assertEqual(["cause host for more-work"],
                         stragglers.judge("work", 1, job("straggler", (1, "host"))))

    def test_a_rank_that_is_named_where_nobody_is_late_is_a_problem(self):
        self.assertEqual(["straggler for together or in-turn", "late by prof: [0]"],
                         stragglers.judge("nobody", None, job("straggler", (0, "host"))))

    def test_a_gpu_with_a_lower_clock_is_late_by_itself(self):
        found = job("straggler", (1, "slower-kernels"))
        found["ranks"][0].update(sm_clock_hz=1.8e9, others_sm_clock_hz=1.9e9)
        self.assertEqual([], stragglers.judge("nobody", None, found))
        found["ranks"][0]["sm_clock_hz"] = 1.88e9
        self.assertEqual(2, len(stragglers.judge("nobody", None, found)))
        self.assertEqual([], stragglers.judge("neighbour", 1, found))

    def test_a_late_rank_that_is_not_found_is_a_problem(self):
        self.assertEqual(["together for straggler", "late by prof: none"],
                         stragglers.judge("work", 0, job("together")))


if __name__ == "__main__":
    unittest.main()
