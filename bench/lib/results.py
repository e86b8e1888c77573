# SPDX-License-Identifier: Apache-2.0
"""This module reads and writes results: JSON with its origin, and tables for people."""

import gzip
import json
import statistics


def read(path):
    """`path` may end with .gz."""
    is_packed = str(path).endswith(".gz")
    with (gzip.open if is_packed else open)(path, "rt", encoding="utf-8") as file:
        return json.load(file)


def problem_of(commit):
    """Why nobody can repeat what was measured at `commit`, or None."""
    if commit.endswith("-dirty"):
        return f"the tree had changes that no commit holds ({commit})"
    if commit == "unknown":
        return "the commit is not known"
    return None


def _is_nested(value):
    return isinstance(value, dict) and any(isinstance(item, (dict, list)) and item
                                           for item in value.values())


def _text(value, indent=""):
    """JSON with a line for each element of a list. So a diff shows what changed."""
    inner = indent + " "
    if isinstance(value, list) and value:
        return "[\n" + ",\n".join(f"{inner}{json.dumps(item)}" for item in value) + f"\n{indent}]"
    if _is_nested(value):
        return "{\n" + ",\n".join(f"{inner}{json.dumps(name)}: {_text(item, inner)}"
                                  for name, item in value.items()) + f"\n{indent}}}"
    return json.dumps(value)


def dump(path, fields):
    write_text(path, _text(fields) + "\n")


def write(path, head, body):
    """Writes `head` (machine.describe()) and `body`. Returns why it wrote nothing, or None."""
    problem = problem_of(head["commit"])
    if problem is None:
        dump(path, {**head, **body})
    return problem


def write_packed(path, value):
    """gzip without a time and a name: the same value makes the same bytes."""
    text = json.dumps(value, separators=(",", ":"))
    with open(path, "wb") as file:
        file.write(gzip.compress(text.encode(), mtime=0))


def write_text(path, text):
    with open(path, "w", encoding="utf-8") as file:
        file.write(text)


def where(head):
    """One sentence for the head of a table."""
    return f"{head['hardware']}, driver {head['driver']}, commit {head['commit']}, {head['date']}."


def table(headers, rows):
    """A markdown table. None is an empty cell, a float gets five digits."""
    def cell(value):
        if value is None:
            return ""
        if isinstance(value, bool):
            return "yes" if value else "NO"
        return f"{value:.5g}" if isinstance(value, float) else str(value)

    lines = [headers, ["---"] * len(headers), *rows]
    return "".join("| " + " | ".join(cell(value) for value in line) + " |\n" for line in lines)


def goal_table(goals, columns=("measured", "limit", "met")):
    return table(["goal", *(column.replace("_", " ") for column in columns)],
                 [[goal["goal"], *(goal[column] for column in columns)] for goal in goals])


def summary(values):
    return {"n": len(values), "median": statistics.median(values), "min": min(values),
            "max": max(values)}


def spread(value):
    """A summary() in words."""
    if value is None:
        return "not measured"
    return f"{value['median']:.5g} (n {value['n']}, {value['min']:.4g} to {value['max']:.4g})"
