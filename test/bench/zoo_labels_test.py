# SPDX-License-Identifier: Apache-2.0
"""Labels by intervention, from invented times, and those of the zoo that was measured; the names in
its sources."""

import collections
import pathlib
import re
import unittest

from lib import results
from lib import zoo_labels

_DATA = pathlib.Path(__file__).parents[1] / "data"
_DRAWS = ("zoo_h200", "zoo_h200_calibration")
_SOURCES = pathlib.Path(__file__).parents[2] / "bench" / "zoo"

_RULES = pathlib.Path(__file__).parents[2] / "docs" / "guide" / "rules.md"
# Of changes that no rule of prof names.
_OWN_ACTIONS = {"fewer-grid-waits", "shorter-sleep", "barriers-of-blocks"}

_ROUNDS = 25


def _recorded(draw):
    return results.read(_DATA / draw / "zoo.json")["kernels"]


def _family(time, knobs, variants=(), cause=""):
    """`time(amounts)` in us, with a little noise that is the same for all of a round."""
    natural = {resource: amount for resource, amount, _ in knobs}

    def times(us):
        return [us * (1 + 0.002 * ((7 * i) % 5)) for i in range(_ROUNDS)]

    configurations = [{"what": "base", "detail": "", "amount": 0, "us": times(time(natural))}]
    for resource, amount, step in knobs:
        for dose in (amount - step, amount + step):
            configurations.append({"what": "knob", "detail": resource, "amount": dose,
                                   "us": times(time({**natural, resource: dose}))})
    for kind, action, us in variants:
        configurations.append({"what": kind, "detail": action, "amount": 0, "us": times(us)})
    return {"name": "one", "kernel": "k001", "cause": cause, "launches": 3,
            "knobs": [{"resource": resource, "natural": amount, "step": step, "one_sided": False}
                      for resource, amount, step in knobs], "configurations": configurations}


class ZooLabels(unittest.TestCase):
    """What the times of changed kernels say."""

    def test_time_that_follows_one_resource_is_limited_by_it(self):
        label = zoo_labels.label(_family(
            lambda a: a["parallel"] * max(10 * a["dram"], 2 * a["fma"]),
            [("dram", 16, 4), ("fma", 16, 4), ("parallel", 4, 1)]))
        self.assertEqual(label["limiters"], ["dram"])
        dram, fma, _ = label["elasticities"]
        self.assertAlmostEqual(dram["elasticity"], 1, places=6)
        self.assertAlmostEqual(fma["elasticity"], 0, places=6)
        self.assertIn("fewer-bytes", label["helpful"])
        self.assertIn("fewer-fma", label["harmful"])

    def test_two_resources_that_count_alike_are_mixed(self):
        label = zoo_labels.label(_family(
            lambda a: a["parallel"] * (10 * a["l2"] + 9 * a["fma"]),
            [("l2", 16, 4), ("fma", 16, 4), ("parallel", 4, 1)]))
        self.assertEqual(label["limiters"], ["l2", "fma", "mixed", "issue"])

    def test_two_knobs_of_one_resource_have_their_own_doses_and_count_together(self):
        reads, writes = 24, 8
        family = _family(lambda a: 5 * (reads + writes) * a["parallel"], [("parallel", 4, 1)])
        for natural, amount, us in ((reads, 20, 28), (reads, 28, 36), (writes, 4, 28),
                                    (writes, 12, 36)):
            if {"resource": "dram", "natural": natural} not in family["knobs"]:
                family["knobs"].append({"resource": "dram", "natural": natural})
            family["configurations"].append({"what": "knob", "detail": "dram", "amount": amount,
                                             "us": [20 * us] * _ROUNDS})
        label = zoo_labels.label(family)
        self.assertEqual(label["limiters"], ["dram"])
        _, of_reads, of_writes = label["elasticities"]
        self.assertAlmostEqual(of_reads["elasticity"], 0.75, places=2)
        self.assertAlmostEqual(of_writes["elasticity"], 0.24, places=1)

    def test_more_work_beside_it_for_nothing_shows_that_the_kernel_waits(self):
        label = zoo_labels.label(_family(lambda a: 100 + a["chain"],
                                         [("chain", 400, 100), ("parallel", 1, 0.5)]))
        self.assertEqual(label["limiters"][0], "latency")

    def test_where_more_warps_help_and_a_resource_leads_both_are_right(self):
        def label(elasticity):
            return zoo_labels.label(_family(
                lambda a: a["dram"] ** 0.8 * a["parallel"] ** elasticity,
                [("dram", 16, 4), ("parallel", 4, 1)]))
        waits = ["latency", "occupancy", "small-grid"]
        self.assertEqual(label(0.2)["limiters"], waits)
        self.assertEqual(label(0.4)["limiters"], [*waits, "dram"])
        self.assertIn("more warps would help", label(0.4)["why"])
        self.assertEqual(label(0.6)["limiters"], ["dram"])

    def test_a_resource_with_half_of_the_leading_effect_limits_the_kernel_as_well(self):
        def limiters(elasticity):
            return zoo_labels.label(_family(
                lambda a: a["fma"] ** 0.6 * a["dram"] ** elasticity * a["parallel"],
                [("fma", 16, 4), ("dram", 16, 4), ("parallel", 4, 1)]))["limiters"]
        self.assertEqual(limiters(0.35), ["fma", "mixed", "issue"])
        self.assertEqual(limiters(0.25), ["fma", "issue"])

    def test_where_an_instruction_of_each_pipe_costs_time_the_issue_slots_may_be_the_limit(self):
        def limiters(fma):
            return zoo_labels.label(_family(
                lambda a: a["alu"] ** 0.4 * a["shared"] ** 0.4 * a["fma"] ** fma,
                [("alu", 16, 4), ("shared", 16, 4), ("fma", 16, 4)]))["limiters"]
        self.assertEqual(set(limiters(0.25)), {"mixed", "alu", "shared", "issue"})
        self.assertEqual(set(limiters(0.15)), {"mixed", "alu", "shared"})

    def test_a_kernel_that_takes_longer_with_fewer_warps_waits(self):
        def label(dram, warps):
            return zoo_labels.label(_family(
                lambda a: 1000 * a["dram"] ** dram * a["warps"] ** -warps,
                [("dram", 16, 4), ("warps", 48, 8)]))
        self.assertEqual(label(0.2, 0.9)["limiters"], ["latency", "occupancy"])
        self.assertEqual(label(0.6, 0.6)["limiters"], ["dram", "latency", "occupancy"])
        self.assertIn("fewer warps", label(0.6, 0.6)["why"])
        self.assertEqual(label(0.6, 0.2)["limiters"], ["dram"])

    def test_where_fewer_warps_take_as_long_more_of_them_are_useless(self):
        def harmful(warps):
            return zoo_labels.label(_family(lambda a: 100 * a["dram"] * a["warps"] ** -warps,
                                            [("dram", 16, 4), ("warps", 48, 8)]))["harmful"]
        self.assertIn("raise-occupancy", harmful(0.05))
        self.assertNotIn("raise-occupancy", harmful(0.2))

    def test_a_tail_whose_fix_gains_little_does_not_hide_the_resource_that_leads(self):
        label = zoo_labels.label(_family(
            lambda a: 10 * a["fma"], [("fma", 16, 4), ("parallel", 4, 1)],
            [("fix", "whole-waves", 147)], "tail"))
        self.assertEqual(label["limiters"],
                         ["latency", "occupancy", "small-grid", "tail", "fma", "issue"])
        self.assertIn("gains little", label["why"])

    def test_a_planted_cause_counts_only_where_its_fix_gains(self):
        knobs = [("shared", 64, 16), ("parallel", 4, 1)]
        follow = lambda a: a["shared"] * a["parallel"]
        good = zoo_labels.label(_family(follow, knobs, [("fix", "remove-bank-conflicts", 64)],
                                        "shared-bank-conflicts"))
        self.assertEqual(good["rules"], ["shared-bank-conflicts"])
        self.assertEqual(good["saves"]["action"], "remove-bank-conflicts")
        self.assertAlmostEqual(good["saves"]["part"], 0.75, places=6)
        vain = zoo_labels.label(_family(follow, knobs, [("fix", "remove-bank-conflicts", 255)],
                                        "shared-bank-conflicts"))
        self.assertEqual(vain["rules"], [])
        self.assertIsNone(vain["saves"])
        self.assertIn("gains nothing", vain["why"])

    def test_a_decoy_that_gains_nothing_is_no_help(self):
        label = zoo_labels.label(_family(lambda a: a["fma"] * a["parallel"],
                                         [("fma", 64, 16), ("parallel", 4, 1)],
                                         [("decoy", "raise-occupancy", 256)]))
        self.assertEqual(label["harmful"], ["raise-occupancy", "more-blocks"])

    def test_where_more_blocks_take_their_own_time_more_warps_are_useless(self):
        full = zoo_labels.label(_family(lambda a: a["dram"] * a["parallel"],
                                        [("dram", 64, 16), ("parallel", 4, 1)]))
        self.assertTrue(set(zoo_labels.MORE_WARPS) <= set(full["harmful"]))
        waits = zoo_labels.label(_family(lambda a: a["chain"],
                                         [("chain", 64, 16), ("parallel", 4, 1)]))
        self.assertFalse(set(zoo_labels.MORE_WARPS) & set(waits["harmful"]))

    def test_a_change_that_gained_helps_under_each_of_its_ids(self):
        label = zoo_labels.label(_family(lambda a: a["chain"],
                                         [("chain", 64, 16), ("parallel", 4, 1)],
                                         [("fix", "raise-occupancy", 16)]))
        self.assertIn("more-blocks", label["helpful"])
        self.assertEqual(label["saves"]["same"], ["more-blocks"])
        self.assertEqual(label["pairs"][0]["same"], ["more-blocks"])

    def test_the_source_may_have_other_ids_of_a_change(self):
        family = _family(lambda a: a["fma"] * a["parallel"], [("fma", 64, 16), ("parallel", 4, 1)],
                         [("fix", "fewer-fma", 128)])
        family["configurations"][-1]["same"] = ["relieve-both"]
        label = zoo_labels.label(family)
        self.assertIn("relieve-both", label["helpful"])
        self.assertEqual(label["saves"]["same"], ["relieve-both"])
        kernel = {"label": label, "cause": "", "base_us": 256, "kernel_us": None, "launches": 3}
        self.assertEqual(zoo_labels.relabelled(kernel), label)

    def test_where_the_issue_slots_are_accepted_fewer_instructions_help(self):
        label = zoo_labels.label(_family(lambda a: a["fma"] * a["parallel"],
                                         [("fma", 64, 16), ("parallel", 4, 1)]))
        self.assertEqual(label["limiters"], ["fma", "issue"])
        self.assertIn("fewer-instructions", label["helpful"])

    def test_atomics_on_shared_memory_do_not_run_in_l2(self):
        label = zoo_labels.label(_family(lambda a: a["shared-atomics"] * a["parallel"],
                                         [("shared-atomics", 64, 16), ("parallel", 4, 1)]))
        self.assertEqual(label["limiters"], ["latency", "shared"])

    def test_a_short_kernel_is_one_by_its_own_time_not_by_the_distance_between_launches(self):
        family = _family(lambda a: 6 * a["parallel"] / 4, [("parallel", 4, 1)])
        self.assertEqual(zoo_labels.label(family)["limiters"], [])
        self.assertEqual(zoo_labels.label(family, 3.2)["limiters"], ["launch-sized"])

    def test_a_kernel_without_any_effect_has_no_limiter(self):
        label = zoo_labels.label(_family(lambda a: 100 * a["parallel"],
                                         [("fma", 64, 16), ("parallel", 4, 1)]))
        self.assertEqual(label["limiters"], [])
        self.assertNotEqual(label["why"], "")

    def test_the_interval_of_a_median_holds_it_and_narrows(self):
        few = zoo_labels.median_interval([1, 2, 3, 4, 5])
        many = zoo_labels.median_interval(list(range(100)))
        self.assertEqual(few[0], 3)
        self.assertLessEqual(few[1], 3)
        self.assertEqual(many, (49.5, 40, 60))

    def test_the_labels_of_the_measured_zoo_follow_from_its_times(self):
        for draw in _DRAWS:
            kernels = _recorded(draw)
            self.assertEqual(len(kernels), 117)
            for kernel in kernels:
                with self.subTest(kernel["family"], draw=draw):
                    self.assertEqual(zoo_labels.relabelled(kernel), kernel["label"])

    def test_no_change_that_gained_when_it_was_tried_is_called_useless(self):
        for kernel in (one for draw in _DRAWS for one in _recorded(draw)):
            label = kernel["label"]
            for pair in label["pairs"]:
                with self.subTest(kernel["family"], action=pair["action"]):
                    self.assertFalse(pair["low"] >= zoo_labels.USELESS and
                                     pair["action"] in label["harmful"])


class ZooSources(unittest.TestCase):
    """What the compiler does not check."""

    def _numbers(self):
        """[(name, kernel)]"""
        text = (_SOURCES / "names.h").read_text(encoding="utf-8")
        return re.findall(r"^#define ZOO_(\w+) (k\d{3})$", text, re.M)

    def test_no_two_kernels_have_one_number(self):
        counts = collections.Counter(kernel for _, kernel in self._numbers())
        self.assertEqual([kernel for kernel, count in counts.items() if count > 1], [])

    def test_each_number_is_used_by_one_file(self):
        texts = [path.read_text(encoding="utf-8") for path in _SOURCES.glob("*.cu")]
        for name, _ in self._numbers():
            with self.subTest(name):
                uses = [bool(re.search(rf"KERNEL\({name}\b", text)) for text in texts]
                self.assertEqual(sum(uses), 1)

    def test_each_change_has_an_id_of_an_action(self):
        text = _RULES.read_text(encoding="utf-8")
        actions = set(re.findall(r"^\| `([\w-]+)` \| [\w-]+ \| .* \|", text, re.M))
        self.assertGreater(len(actions), 40)
        for path in _SOURCES.glob("*.cu*"):
            source = path.read_text(encoding="utf-8")
            for action in re.findall(r'"(?:fix|decoy)",\s*"([\w-]+)"', source):
                with self.subTest(path.name, action=action):
                    self.assertIn(action, actions | _OWN_ACTIONS)

    def test_each_file_of_families_is_built_and_explained(self):
        for where in ("CMakeLists.txt", "README.md"):
            text = (_SOURCES / where).read_text(encoding="utf-8")
            for path in _SOURCES.glob("*_families.cu"):
                with self.subTest(path.name, where=where):
                    self.assertIn(path.name, text)


if __name__ == "__main__":
    unittest.main()
