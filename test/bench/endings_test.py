# SPDX-License-Identifier: Apache-2.0
import unittest

from experiments import endings
from lib import risky_ends

LOST = ("1 time another profiler in the process ended CUPTI (torch.profiler can do that): launches "
        "are missing until prof had it again: times are of what was recorded.")
NOT_KEPT = "12,345 older events were dropped on purpose: the recording keeps its last seconds only."


def kernel(phase, launches, name="counted", samples=0):
    return {"name": name, "range": phase, "launches": launches, "samples_used": samples}


def report(*kernels, losses=()):
    return {"kernels": list(kernels), "integrity": list(losses)}


class Finalized(unittest.TestCase):
    LAUNCHED = {"before": 10, "unseen": 30, "after": 20}

    def wrong(self, *kernels, losses=(LOST,), doubtful=()):
        return risky_ends.wrong_of_finalized(self.LAUNCHED, report(*kernels, losses=losses),
                                             doubtful)

    def test_launches_without_a_subscription_may_be_missing(self):
        self.assertEqual(self.wrong(kernel("before", 10), kernel("after", 20)), [])
        self.assertEqual(self.wrong(kernel("before", 10), kernel("unseen", 7),
                                    kernel("after", 20)), [])

    def test_all_others_are_recorded(self):
        self.assertEqual(self.wrong(kernel("before", 10)), ["after: 0 of 20 kernels"])
        self.assertEqual(self.wrong(kernel("before", 9), kernel("after", 21)),
                         ["before: 9 of 10 kernels", "after: 21 of 20 kernels"])

    def test_kernels_of_one_phase_are_summed_up_and_others_left_out(self):
        self.assertEqual(self.wrong(kernel("before", 4), kernel("before", 6), kernel("after", 20),
                                    kernel("after", 5, name="other")), [])

    def test_a_phase_that_may_lack_nodes_is_not_held(self):
        self.assertEqual(self.wrong(kernel("before", 3), kernel("after", 20),
                                    doubtful=("before",)), [])

    def test_the_loss_is_counted_once(self):
        whole = (kernel("before", 10), kernel("after", 20))
        self.assertEqual(self.wrong(*whole, losses=()), ["0 subscriptions lost, not 1"])
        twice = LOST.replace("1 time ", "2 times ")
        self.assertEqual(self.wrong(*whole, losses=("another loss", twice)),
                         ["2 subscriptions lost, not 1"])

    def test_the_phases_have_a_table_of_their_own(self):
        row = {"case": "finalize", "phases": {"before": [10, 10], "after": [0, 20]},
               "subscriptions_lost": 1, "samples": 0}
        control = {"case": "alone", "phases": {"before": [10, 10], "new graph": [5, 5]},
                   "samples": None}
        table = risky_ends.phases_table([{"case": "other"}, row, control])
        self.assertIn("| finalize | 1 | 0 | 10 of 10 | 0 of 20 |  |", table)
        self.assertIn("| alone |  |  | 10 of 10 |  | 5 of 5 |", table)
        self.assertEqual(risky_ends.phases_table([{"case": "other"}]), "")


class Rings(unittest.TestCase):
    def test_counters_stay_and_older_events_go_where_they_must(self):
        counted = kernel("", 5, samples=3)
        cut, whole = report(counted, losses=[NOT_KEPT]), report(counted)
        self.assertEqual(risky_ends.wrong_of_ring(cut, True), [])
        self.assertEqual(risky_ends.wrong_of_ring(whole, False), [])
        self.assertEqual(risky_ends.wrong_of_ring(whole, True), ["no older event was dropped"])
        self.assertEqual(risky_ends.wrong_of_ring(cut, False), ["older events were dropped"])
        self.assertEqual(risky_ends.wrong_of_ring(report(kernel("", 5)), False),
                         ["no kernel has counters"])


class Dumps(unittest.TestCase):
    def test_a_dump_has_all_that_ended(self):
        self.assertEqual(risky_ends.wrong_of_dump(5, report(kernel("", 5))), [])
        self.assertEqual(risky_ends.wrong_of_dump(5, report(kernel("", 4))),
                         ["the dump has 4 of 5 kernels"])
        self.assertEqual(risky_ends.wrong_of_dump(5, None), ["no dump"])


class Rows(unittest.TestCase):
    ROW = {"exit_code": 0, "bare_exit_code": 0, "seconds": 30.0, "bare_s": None, "limit_s": 40,
           "launched": 10, "recorded": 10, "losses": []}

    def test_a_program_without_a_bare_run_has_a_limit(self):
        self.assertEqual(endings.problems_of(self.ROW), [])
        self.assertEqual(endings.problems_of({**self.ROW, "seconds": 41.0}), ["41.0 s"])

    def test_what_is_wrong_in_its_kind_is_a_problem_of_the_row(self):
        self.assertEqual(endings.problems_of({**self.ROW, "wrong": ["no dump"]}), ["no dump"])


if __name__ == "__main__":
    unittest.main()
