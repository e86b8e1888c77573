# SPDX-License-Identifier: Apache-2.0
import contextlib
import io
import os
import pathlib
import sys
import tarfile
import tempfile
import time
import types
import unittest
from unittest import mock

import run as program
from lib import processes
from lib import runner


def experiment(run, files=(), limit_s=20):
    return types.SimpleNamespace(run=run, FILES=files, LIMIT_S=limit_s, RESULTS=(), QUESTION="?")


def python(code):
    return [sys.executable, "-c", code]


class Runner(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.addCleanup(os.chdir, os.getcwd())
        environment = dict(os.environ)
        self.addCleanup(lambda: (os.environ.clear(), os.environ.update(environment)))
        os.chdir(folder.name)
        pathlib.Path("device").mkdir()
        self.commit("0123456789ab")
        self.out = pathlib.Path("collected")

    @staticmethod
    def commit(text):
        pathlib.Path("device/commit").write_text(text, encoding="utf-8")

    def run_all(self, known, chosen=None, seconds=20):
        with contextlib.redirect_stdout(io.StringIO()):
            self.failed = runner.run(chosen or list(known), known, seconds, str(self.out))
        return (self.out / "summary.txt").read_text(encoding="utf-8")

    def packed(self):
        with tarfile.open(self.out / "results.tgz") as archive:
            return {pathlib.Path(name).name for name in archive.getnames()}

    def test_a_result_is_collected_and_its_table_is_in_the_summary(self):
        known = {"a": experiment(lambda bench: bench.publish("a", {"rows": [1]}, "| table |"),
                                 ("a.json",))}
        summary = self.run_all(known)
        self.assertIn("commit 0123456789ab", summary)
        self.assertIn("| table |", summary)
        self.assertTrue((self.out / "a.json").exists())
        self.assertLessEqual({"a.json", "a.md", "summary.txt"}, self.packed())
        self.assertEqual(self.failed, 0)
        self.assertEqual(os.listdir("out"), [])

    def test_a_tree_with_changes_gives_a_table_and_no_result(self):
        self.commit("0123456789ab-dirty")
        known = {"a": experiment(lambda bench: bench.publish("a", {"rows": [1]}, "| table |"),
                                 ("a.json",))}
        summary = self.run_all(known)
        self.assertIn("| table |", summary)
        self.assertIn("no a.json: the tree had changes", summary)
        self.assertFalse((self.out / "a.json").exists())
        self.assertNotIn("a.json", self.packed())

    def test_an_experiment_that_fails_does_not_stop_the_next_one(self):
        def fail(_):
            raise ValueError("broken")

        summary = self.run_all({"a": experiment(fail), "b": experiment(lambda _: os.abort()),
                                "c": experiment(lambda bench: bench.show("c was here"))})
        self.assertIn("ValueError: broken", summary)
        self.assertIn("b            FAILED: it ended with -6", summary)
        self.assertIn("c was here", summary)
        self.assertEqual(self.failed, 2)
        self.assertIn("errors.txt", self.packed())

    def test_an_experiment_that_hangs_is_stopped_with_its_programs(self):
        def hang(_):
            processes.timed(python("import os, pathlib, time; pathlib.Path('pid').write_text("
                                   "str(os.getpid())); time.sleep(60)"), 60)

        begun = time.monotonic()
        with mock.patch.object(runner, "_GRACE_S", 0):
            summary = self.run_all({"a": experiment(hang)}, seconds=2)
        self.assertLess(time.monotonic() - begun, 20)
        self.assertIn("stopped after", summary)
        pid = int(pathlib.Path("pid").read_text(encoding="utf-8"))
        with self.assertRaises(ProcessLookupError):
            os.kill(pid, 0)

    def test_steps_note_their_outcome_and_end_with_their_time(self):
        def steps(bench):
            bench.step(10, "good.txt", python("print('fine')"))
            bench.step(10, "bad.txt", python("import sys; sys.exit('no device')"))
            bench.step(10, "skip.txt", python("print('[skipped] no GPU')"))
            bench.step(0.5, "slow.txt", python("import time; time.sleep(30)"))
            bench.step(10, "none.txt", ["./no_such_program"])

        summary = self.run_all({"a": experiment(steps)})
        for log, outcome in (("good.txt", "ok"), ("bad.txt", "exit code 1: no device"),
                             ("skip.txt", "[skipped] no GPU"), ("slow.txt", "stopped after"),
                             ("none.txt", "no_such_program")):
            line = next(line for line in summary.splitlines() if log in line)
            self.assertIn(outcome, line)
        self.assertEqual(self.failed, 3)

    def test_a_step_that_reaches_the_end_of_the_experiment_leaves_its_log(self):
        def steps(bench):
            bench.step(60, "slow.txt", python("import time; print('begun', flush=True); "
                                              "time.sleep(30)"))
            bench.show(f"log: {bench.text('slow.txt').splitlines()[0]}")

        self.assertIn("log: begun", self.run_all({"a": experiment(steps)}, seconds=2))

    def test_a_programs_stdout_can_have_a_file_of_its_own(self):
        def split(bench):
            bench.step(10, "log.txt", python("import sys; print('a'); print('b', file=sys.stderr)"),
                       "stdout.txt")
            log, stdout = (bench.text(file).strip() for file in ("log.txt", "stdout.txt"))
            bench.show(f"log {log} out {stdout}")

        self.assertIn("log b out a", self.run_all({"a": experiment(split)}))

    def test_a_part_that_hangs_leaves_the_time_of_the_others(self):
        def run(bench):
            bench.part(0.5, "slow part", lambda: time.sleep(60))
            bench.show("after it")

        summary = self.run_all({"a": experiment(run)})
        self.assertIn("slow part: stopped", summary)
        self.assertIn("after it", summary)

    def test_nothing_begins_when_the_time_is_over(self):
        summary = self.run_all({"a": experiment(lambda bench: bench.show("a was here")),
                                "b": experiment(None)}, seconds=0)
        self.assertNotIn("a was here", summary)
        self.assertIn("a: FAILED: not begun, the time is over", summary)

    def test_an_unknown_name_is_a_failure_that_names_the_others(self):
        summary = self.run_all({"a": experiment(lambda bench: None)}, ["b", "a"])
        self.assertIn("b: FAILED: no such experiment; there are a", summary)
        self.assertIn("--- a ", summary)

    def test_at_most_eight_files_are_left_and_results_come_first(self):
        def leave(bench):
            for i in range(9):
                pathlib.Path(bench.path(f"{bench.name}{i}.txt")).write_text("x", encoding="utf-8")
            bench.publish(bench.name, {}, "")

        def files(name):
            return tuple(f"{name}{i}.txt" for i in range(9)) + (f"{name}.json",)

        self.run_all({name: experiment(leave, files(name)) for name in "ab"})
        left = set(os.listdir(self.out))
        self.assertEqual(len(left), 8)
        self.assertLessEqual({"summary.txt", "results.tgz", "a.json", "b.json"}, left)

    def test_one_experiment_alone_has_all_the_time(self):
        one = experiment(None, limit_s=5)
        self.assertEqual(runner.limit_of(one, True, 100, 160), 160)
        self.assertEqual(runner.limit_of(one, False, 100, 160), 105)
        self.assertEqual(runner.limit_of(one, False, 158, 160), 160)


class Experiments(unittest.TestCase):
    def test_each_has_a_question_a_limit_and_files(self):
        for name, module in program.experiments().items():
            with self.subTest(name):
                self.assertTrue(module.QUESTION.endswith("?"))
                self.assertGreater(module.LIMIT_S, 0)
                self.assertIsInstance(module.RESULTS, tuple)
                self.assertIsInstance(module.FILES, tuple)
                self.assertTrue(callable(module.run))

    def test_each_file_is_one(self):
        folder = pathlib.Path(program.__file__).with_name("experiments")
        self.assertEqual({path.stem for path in folder.glob("*.py")} - {"__init__"},
                         set(program.experiments()))

    def test_each_is_in_the_readme(self):
        readme = pathlib.Path(program.__file__).with_name("README.md").read_text(encoding="utf-8")
        for name in program.experiments():
            self.assertIn(f"| `{name}` |", readme)


if __name__ == "__main__":
    unittest.main()
