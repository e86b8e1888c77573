# SPDX-License-Identifier: Apache-2.0
import unittest

from experiments import gpu_state
from lib import turns

STATE = {"with_reasons": 30, "sm_clock_hz": {"median": 1.3e9}, "celsius": {"median": 40},
         "watts": {"median": 300}, "power_limit_w": 700,
         "holds": [{"kind": "power", "what": "the power limit", "readings": 3}]}
SMI = {"power_limit_w": 700.0, "max_sm_mhz": 1980.0}


def report(state, busy_s=2):
    return {"devices": [{"busy_ns": busy_s * 1e9, "state": state}]}


def row(variant, quantity, median):
    return {"workload": "w", "variant": variant, "quantity": quantity, "median": median, "n": 5,
            "over_bare": 1.0, "same_output": True}


ROWS = [row(variant, quantity, median) for quantity in ("us_per_step", turns.WALL)
        for variant, median in (("bare", 1.0), ("timeline", 2.0), ("gpu state", 2.03))]


class GpuState(unittest.TestCase):
    def goals(self, state, busy_s=2, theirs=SMI):
        readings = [gpu_state.readings_of("w", report(state, busy_s))]
        return {goal["goal"]: goal["met"]
                for goal in gpu_state.goals_of(ROWS, readings, theirs)}

    def test_readings_are_compared_with_the_timeline_and_not_with_the_bare_program(self):
        ratios = dict(((w, q), ratio) for w, q, ratio in gpu_state.over_timeline(ROWS))
        self.assertAlmostEqual(ratios["w", "us_per_step"], 1.015)
        self.assertTrue(self.goals(STATE)["w: us_per_step with readings over the timeline"])

    def test_the_start_of_the_program_is_no_goal(self):
        self.assertFalse([goal for goal in self.goals(STATE) if turns.WALL in goal])

    def test_few_readings_miss_the_goal(self):
        self.assertTrue(self.goals(STATE)["w: readings in a second of work"])
        self.assertFalse(self.goals(STATE, busy_s=10)["w: readings in a second of work"])

    def test_values_beyond_the_limits_of_nvidia_smi_miss_the_goal(self):
        name = ("w: the limit of power as nvidia-smi has it, clock and power within nvidia-smi's "
                "limits")
        self.assertTrue(self.goals(STATE)[name])
        self.assertFalse(self.goals({**STATE, "power_limit_w": 350})[name])
        self.assertFalse(self.goals({**STATE, "sm_clock_hz": {"median": 1.3e12}})[name])
        self.assertFalse(self.goals({**STATE, "watts": {"median": 300_000}})[name])
        self.assertNotIn(name, self.goals(STATE, theirs=None))

    def test_a_recording_without_readings_has_none(self):
        self.assertIsNone(gpu_state.readings_of("w", report(None)))


if __name__ == "__main__":
    unittest.main()
