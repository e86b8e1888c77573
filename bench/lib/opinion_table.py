# SPDX-License-Identifier: Apache-2.0
"""This module writes the rows of second_opinion.compare() as tables for people."""

from lib import opinion_reasons
from lib import results
from lib import second_opinion


def _percent(value):
    return "-" if value is None else f"{value:.0f}"


def _verdict(form):
    verdict = form["verdict"]
    if verdict is None:
        return "not seen"
    rule = verdict["rule"] if verdict["rule"] in opinion_reasons.CAUSES else ""
    return " ".join(filter(None, [verdict["limiter"], rule and f"({rule})",
                                  verdict["confidence"]]))


def _opinion(found):
    return " ".join(filter(None, [found["class"] or "none", found["unit"],
                                  found["stall"] if found["class"] == "latency" else None]))


def _action(form):
    verdict = form["verdict"] or {}
    at_most = verdict.get("at_most")
    return " ".join(filter(None, [verdict.get("action"),
                                  None if at_most is None else f"{100 * at_most:.0f} %"]))


def _values(form):
    return ", ".join(f"{unit} {ours:.0f} / {theirs:.0f}"
                     for unit, (ours, theirs) in list(form["values"].items())[:3])


def _speedups(found):
    return ", ".join(f"{rule} {percent:.0f} %" for rule, percent in
                     list(found["speedups"].items())[:2])


def _best(row):
    """The form that has most values: all counters, where prof saw the kernel."""
    return row["forms"]["all"] if row["forms"]["all"]["verdict"] else row["forms"]["default"]


def _row(row):
    found, forms = row["ncu"], row["forms"]
    ours = (_best(row)["verdict"] or {}).get("us")
    return [row["label"], row["library"],
            f"{'-' if ours is None else f'{ours:.1f}'} / {_time(found)}",
            _verdict(forms["default"]), _verdict(forms["all"]), _opinion(found),
            f"{_percent(found['compute'])} / {_percent(found['memory'])}", _values(_best(row)),
            _action(_best(row)), _speedups(found), forms["default"]["agree"],
            forms["all"]["agree"]]


def _time(found):
    return "-" if found["us"] is None else f"{found['us']:.1f}"


def _disagreements(rows):
    """A line for each disagreement; one for both forms where they have the same."""
    lines = []
    for row in rows:
        by_text = {}
        for form, one in row["forms"].items():
            if one["agree"] == second_opinion.NO:
                text = (_verdict(one), one["differs_in"], _values(one), one["reason"])
                by_text.setdefault(text, []).append(form)
        lines += [[row["label"], row["kernel"][:40], " and ".join(forms), verdict,
                   _opinion(row["ncu"]), differs, values, reason]
                  for (verdict, differs, values, reason), forms in by_text.items()]
    return lines


def _counted(rows):
    forms = list(rows[0]["forms"]) if rows else []
    return results.table(
        ["prof", "agrees", "disagrees", "not comparable", "not explained"],
        [[form, *(second_opinion.counts(rows, form)[name]
                  for name in (second_opinion.YES, second_opinion.NO,
                               second_opinion.NOT_COMPARABLE, "open"))] for form in forms])


def _disagreement_table(rows):
    return results.table(["range", "kernel", "prof with", "prof", "ncu", "they differ in",
                          "units, %", "reason"], _disagreements(rows))


def summary(rows, without, goals):
    """What a person reads first."""
    return "\n".join([results.goal_table(goals), _counted(rows), _disagreement_table(rows),
                      "".join(f"No row: {label}: {why}\n" for label, why in without)])


def markdown(where, seed, rows, without, goals):
    return "\n".join([
        where + f" Seed {seed}. Values are prof's / ncu's.", "", results.goal_table(goals),
        _counted(rows),
        results.table(["range", "library", "us", "prof, default", "prof, all counters", "ncu",
                       "ncu: compute / memory, %", "units, %", "first action, at most",
                       "ncu: est. speed-up", "default agrees", "all agrees"], map(_row, rows)),
        "Every disagreement:", "", _disagreement_table(rows),
        "".join(f"No row: {label}: {why}\n" for label, why in without)])
