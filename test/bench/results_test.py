# SPDX-License-Identifier: Apache-2.0
import json
import os
import pathlib
import shutil
import subprocess
import tempfile
import unittest

from lib import machine
from lib import results

HEAD = {"hardware": "a GPU", "driver": "1", "commit": "0123456789ab", "command": "bench/run.py",
        "date": "2026-01-02"}


_ROOT = pathlib.Path(__file__).resolve().parents[2]

# Results whose commit no history has, so that nobody can build what was measured. A new measurement
# takes its line away.
_STRANGERS = {
    "html.json": "not measured again since the history has other commits",
    "read.json": "the same",
    "report.json": "the same",
    "torch_ops.json": "the same",
}


def _parts():
    """Each result of the tree with its name, and each part of it."""
    for path in sorted((_ROOT / "bench/results").glob("*.json")):
        result = json.loads(path.read_text(encoding="utf-8"))
        yield path.name, result
        for name, part in result.get("parts", {}).items():
            yield f"{path.name}, {name}", part


def _history(test):
    """All commits that HEAD has. Skips where they are not all at hand."""
    def git(*words):
        done = subprocess.run(["git", "-C", str(_ROOT), *words], capture_output=True, text=True,
                              check=False)
        return done.stdout.strip() if done.returncode == 0 else None

    if shutil.which("git") is None:
        test.skipTest("no git: the commits of results are not looked up")
    top = git("rev-parse", "--show-toplevel")
    if top is None or pathlib.Path(top).resolve() != _ROOT:
        test.skipTest("no git repository: the commits of results are not looked up")
    if git("rev-parse", "--is-shallow-repository") != "false":
        test.skipTest("a shallow clone: the commits of results are not looked up")
    return git("rev-list", "HEAD").split()


class Results(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.path = pathlib.Path(folder.name) / "cost.json"

    def test_a_result_has_its_origin_and_is_read_as_it_was_written(self):
        body = {"rows": [{"median": 1.5}], "goals": [], "long": {"sides": [{"s": 1}], "n": 2}}
        self.assertIsNone(results.write(self.path, HEAD, body))
        self.assertEqual(results.read(self.path), {**HEAD, **body})

    def test_a_result_of_a_tree_with_changes_is_not_written(self):
        problem = results.write(self.path, {**HEAD, "commit": "0123456789ab-dirty"}, {"rows": []})
        self.assertIn("0123456789ab-dirty", problem)
        self.assertFalse(self.path.exists())

    def test_a_result_of_an_unknown_commit_is_not_written(self):
        self.assertIsNotNone(results.write(self.path, {**HEAD, "commit": "unknown"}, {}))
        self.assertFalse(self.path.exists())

    def test_each_row_has_a_line_so_that_a_diff_shows_what_changed(self):
        results.dump(self.path, {"rows": [{"n": 1, "of": [2]}, {"n": 3}]})
        self.assertIn('{"n": 1, "of": [2]},\n', self.path.read_text(encoding="utf-8"))

    def test_packed_values_have_the_same_bytes_each_time(self):
        packed = self.path.with_suffix(".json.gz")
        results.write_packed(packed, [{"n": 1}])
        first = packed.read_bytes()
        results.write_packed(packed, [{"n": 1}])
        self.assertEqual(packed.read_bytes(), first)
        self.assertEqual(results.read(packed), [{"n": 1}])

    def test_every_result_in_the_tree_can_be_repeated(self):
        for name, part in _parts():
            with self.subTest(name, date=part["date"]):
                self.assertIsNone(results.problem_of(part["commit"]))
                self.assertTrue(part["hardware"] and part["driver"] and part["command"])

    def test_the_commit_of_every_result_is_in_the_history(self):
        commits = _history(self)
        strangers = {name for name, part in _parts()
                     if not any(commit.startswith(part["commit"]) for commit in commits)}
        self.assertEqual(strangers, set(_STRANGERS))


class Tables(unittest.TestCase):
    def test_a_table_leaves_the_unknown_empty_and_shows_a_missed_goal(self):
        self.assertEqual(results.table(["a", "b", "c"], [[None, False, 1.234567]]),
                         "| a | b | c |\n| --- | --- | --- |\n|  | NO | 1.2346 |\n")

    def test_goals_have_the_columns_that_they_are_asked_for(self):
        goals = [{"goal": "fast", "measured": 1, "limit": 2, "met": True}]
        self.assertIn("| fast | 1 | 2 | yes |", results.goal_table(goals))
        self.assertIn("| fast | 1 | yes |", results.goal_table(goals, ("measured", "met")))

    def test_a_summary_has_median_and_range(self):
        self.assertEqual(results.summary([3, 1, 2]), {"n": 3, "median": 2, "min": 1, "max": 3})
        self.assertEqual(results.spread(results.summary([3, 1, 2])), "2 (n 3, 1 to 3)")
        self.assertEqual(results.spread(None), "not measured")


class Commit(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.addCleanup(os.chdir, os.getcwd())
        os.chdir(folder.name)
        for name in ("bench/results", "docs", "lib"):
            pathlib.Path(name).mkdir(parents=True)
            pathlib.Path(name, "file").write_text("1", encoding="utf-8")

    @staticmethod
    def git(*words):
        subprocess.run(["git", "-c", "user.name=a", "-c", "user.email=a@b", *words], check=True,
                       capture_output=True)

    def test_changes_of_the_code_make_a_tree_dirty_and_those_of_results_and_docs_do_not(self):
        if shutil.which("git") is None:
            self.skipTest("no git")
        self.assertEqual(machine.checked_out(), "unknown")
        self.git("init")
        self.git("add", ".")
        self.git("commit", "--message=all")
        self.assertRegex(machine.checked_out(), "^[0-9a-f]{12}$")
        pathlib.Path("bench/results/file").write_text("2", encoding="utf-8")
        pathlib.Path("docs/file").write_text("2", encoding="utf-8")
        self.assertNotIn("dirty", machine.checked_out())
        pathlib.Path("lib/file").write_text("2", encoding="utf-8")
        os.chdir("bench")
        self.assertTrue(machine.checked_out().endswith("-dirty"))


class Commands(unittest.TestCase):
    def test_a_command_is_printed_as_another_user_would_type_it(self):
        command = ["env", "LD_LIBRARY_PATH=/x", "device/bin/prof", "--output=/tmp/abc/a.prof",
                   "out/gpu.12/b.prof", "/usr/bin/python3", str(pathlib.Path.cwd() / "c.py")]
        self.assertEqual(machine.printable(command),
                         "device/bin/prof --output=a.prof b.prof python3 c.py")


if __name__ == "__main__":
    unittest.main()
