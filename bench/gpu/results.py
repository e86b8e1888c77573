# SPDX-License-Identifier: Apache-2.0
#
# How benchmark scripts leave their results: JSON with where it comes from, tables for people.
"""read(), write(), markdown tables and the words for a spread."""

import json

import machine


def read(path):
    with open(path, encoding="utf-8") as file:
        return json.load(file)


def _lines(value):
    """JSON with a line for each element of a list: diffs show what changed, files stay small."""
    if isinstance(value, list) and value:
        return "[\n  " + ",\n  ".join(json.dumps(item) for item in value) + "\n ]"
    return json.dumps(value)


def write(path, body):
    """`body` and what machine.describe() says of this run."""
    fields = {**machine.describe(), **body}.items()
    write_text(path, "{\n " + ",\n ".join(f"{json.dumps(name)}: {_lines(value)}"
                                         for name, value in fields) + "\n}\n")


def write_text(path, text):
    with open(path, "w", encoding="utf-8") as file:
        file.write(text)


def where():
    """One sentence for the head of a table."""
    here = machine.describe()
    return (f"{here['hardware']}, driver {here['driver']}, commit {here['commit']}, "
            f"{here['date']}.")


def table(headers, rows):
    """A markdown table; None is an empty cell, a float gets five digits."""
    def cell(value):
        if value is None:
            return ""
        if isinstance(value, bool):
            return "yes" if value else "NO"
        return f"{value:.5g}" if isinstance(value, float) else str(value)

    lines = [headers, ["---"] * len(headers), *rows]
    return "".join("| " + " | ".join(cell(value) for value in line) + " |\n" for line in lines)


def spread(value):
    """`value`: {median, n, min, max}."""
    if value is None:
        return "not measured"
    return f"{value['median']:.5g} (n {value['n']}, {value['min']:.4g} to {value['max']:.4g})"
