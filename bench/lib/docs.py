# SPDX-License-Identifier: Apache-2.0
"""This module takes the results of a run into the tree.

JSON goes to bench/results/. A table goes into each page of docs/ that has a place for it: what lies
between `<!-- begin NAME -->` and `<!-- end NAME -->` becomes NAME.md.

A result NAME.PART is one part of NAME, measured by itself. It goes into "parts" of NAME.json, with
its own hardware, commit and date. Its place in a page is called PART.
"""

import pathlib
import re
import shutil

from lib import results


def fill(text, place, content):
    pattern = re.compile(f"(<!-- begin {place} -->\n).*?(<!-- end {place} -->)", re.DOTALL)
    return pattern.sub(lambda found: f"{found[1]}{content.strip()}\n{found[2]}", text)


def with_part(known, part, result):
    """The result `known` with `result` as its part of that name."""
    return {**known, "parts": {**known.get("parts", {}), part: result}}


def with_result(known, result):
    """`result` in place of `known`, with the parts that `known` has."""
    return {**result, **({"parts": known["parts"]} if "parts" in known else {})}


def _take_json(path, folder, merge):
    """Returns the table of the result where `merge` made another one, or None."""
    name, _, part = path.stem.partition(".")
    target, table = folder / f"{name}.json", None
    result = results.read(path)
    if results.problem_of(result["commit"]):
        raise ValueError(f"{path.name}: {results.problem_of(result['commit'])}")
    known = results.read(target) if target.exists() else {}
    if merge:
        result, table = merge(known.get("parts", {}).get(part, {}) if part else known, result)
    results.dump(target, with_part(known, part, result) if part else with_result(known, result))
    return table


def _place(stem):
    return stem.partition(".")[2] or stem


def _places(folder, names):
    """{place: its table}"""
    return {_place(name): (folder / f"{name}.md").read_text(encoding="utf-8")
            for name in names if (folder / f"{name}.md").exists()}


def take(folder, root, names, merges=None):
    """Takes the results `names` of `folder` into the tree at `root`. Returns what it did.

    `merges`: {name: function}. The function gets the result of the tree, or {}, and the one that
    was taken, and returns (the result of both, its table).
    """
    folder, root = pathlib.Path(folder), pathlib.Path(root)
    found = sorted(path for path in folder.glob("*.json")
                   if path.stem.partition(".")[0] in names)
    done, tables = [], {}
    for path in found:
        tables[path.stem] = _take_json(path, root / "bench/results",
                                       (merges or {}).get(path.stem.partition(".")[0]))
        done.append(f"took {path.name}")
    for path in sorted(folder.glob("*_values.json.gz")):
        shutil.copy(path, root / "bench/results")
        done.append(f"took {path.name}")
    places = _places(folder, [path.stem for path in found])
    places.update({_place(name): table for name, table in tables.items() if table is not None})
    for page in sorted((root / "docs").rglob("*.md")):
        before = text = page.read_text(encoding="utf-8")
        for place, table in places.items():
            text = fill(text, place, table)
        if text != before:
            page.write_text(text, encoding="utf-8")
            done.append(f"filled {page.relative_to(root)}")
    return done
