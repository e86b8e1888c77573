# SPDX-License-Identifier: Apache-2.0
import pathlib
import tempfile
import unittest

from lib import docs
from lib import results

HEAD = {"commit": "0123456789ab", "date": "2026-01-02"}


class Docs(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.root = pathlib.Path(folder.name) / "tree"
        self.run = pathlib.Path(folder.name) / "run"
        for path in (self.root / "docs", self.root / "bench/results", self.run):
            path.mkdir(parents=True)
        self.page = self.root / "docs" / "cost.md"
        self.page.write_text("before\n<!-- begin cost -->\nold\n<!-- end cost -->\nbetween\n"
                             "<!-- begin counters -->\nold\n<!-- end counters -->\nafter\n",
                             encoding="utf-8")

    def leave(self, name, result, table="| new |"):
        results.dump(self.run / f"{name}.json", {**HEAD, **result})
        results.write_text(self.run / f"{name}.md", table)

    def take(self):
        return docs.take(self.run, self.root, {"cost"})

    def known(self):
        return results.read(self.root / "bench/results/cost.json")

    def test_a_table_fills_its_place_and_nothing_else(self):
        self.leave("cost", {"rows": [1]})
        self.assertEqual(self.take(), ["took cost.json", f"filled docs/{self.page.name}"])
        text = self.page.read_text(encoding="utf-8")
        self.assertIn("before\n<!-- begin cost -->\n| new |\n<!-- end cost -->\nbetween", text)
        self.assertIn("<!-- begin counters -->\nold\n", text)

    def test_backslashes_of_a_table_stay(self):
        self.assertEqual(docs.fill("<!-- begin a -->\n<!-- end a -->", "a", r"\1 \n"),
                         "<!-- begin a -->\n" + r"\1 \n" + "\n<!-- end a -->")

    def test_a_part_is_merged_into_its_result_with_its_own_origin(self):
        self.leave("cost", {"rows": [1]})
        self.take()
        (self.run / "cost.json").unlink()
        self.leave("cost.counters", {"rows": [2], "commit": "ba9876543210"})
        self.take()
        known = self.known()
        self.assertEqual((known["rows"], known["commit"]), ([1], HEAD["commit"]))
        self.assertEqual(known["parts"]["counters"],
                         {**HEAD, "rows": [2], "commit": "ba9876543210"})
        self.assertIn("<!-- begin counters -->\n| new |", self.page.read_text(encoding="utf-8"))

    def test_a_result_that_is_merged_fills_its_place_with_the_table_of_both(self):
        def merge(known, result):
            rows = known.get("rows", []) + result["rows"]
            return {**result, "rows": rows}, f"| {len(rows)} rows |"

        for rows in ([1], [2, 3]):
            self.leave("cost", {"rows": rows})
            docs.take(self.run, self.root, {"cost"}, {"cost": merge})
        self.assertEqual(self.known()["rows"], [1, 2, 3])
        self.assertIn("| 3 rows |", self.page.read_text(encoding="utf-8"))

    def test_a_part_is_merged_with_the_same_part(self):
        def merge(known, result):
            rows = known.get("rows", []) + result["rows"]
            return {**result, "rows": rows}, f"| {len(rows)} rows |"

        for name, rows in (("cost", [1]), ("cost.counters", [2]), ("cost.counters", [3, 4])):
            self.leave(name, {"rows": rows})
            docs.take(self.run, self.root, {"cost"}, {"cost": merge})
            (self.run / f"{name}.json").unlink()
        self.assertEqual(self.known()["rows"], [1])
        self.assertEqual(self.known()["parts"]["counters"]["rows"], [2, 3, 4])
        self.assertIn("<!-- begin counters -->\n| 3 rows |", self.page.read_text(encoding="utf-8"))

    def test_a_new_result_keeps_the_parts_of_the_one_before(self):
        self.leave("cost", {"rows": [1]})
        self.leave("cost.counters", {"rows": [2]})
        self.take()
        (self.run / "cost.counters.json").unlink()
        self.leave("cost", {"rows": [3]})
        self.take()
        self.assertEqual(self.known()["rows"], [3])
        self.assertEqual(self.known()["parts"]["counters"]["rows"], [2])

    def test_a_result_of_a_tree_with_changes_is_refused(self):
        self.leave("cost", {"commit": "0123456789ab-dirty"})
        with self.assertRaisesRegex(ValueError, "cost.json"):
            self.take()
        self.assertFalse((self.root / "bench/results/cost.json").exists())

    def test_other_files_of_a_run_stay_out_of_the_tree(self):
        self.leave("known", {"rows": []})
        self.assertEqual(self.take(), [])


if __name__ == "__main__":
    unittest.main()
