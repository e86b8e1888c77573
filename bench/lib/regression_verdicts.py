# SPDX-License-Identifier: Apache-2.0
"""This module judges what prof compare prints of a regression, or of a pair that is equal."""

import math
import re
import statistics

from lib import regression_cases

_SLOWER, _FASTER = "slower", "faster"
_ALONE = ("new", "gone")
_LEAST = 1.025  # measured: half of prof's threshold of 5 %, where it draws its line
# The program's own ratio may lie this far outside of prof's interval: its events include the gap
# before a kernel, and its runs are other processes.
_OFF = 0.02
_REAL = 0.5  # of the logarithm of prof's ratio
_LEAST_SHARE = 0.005  # of the time of all kernels: prof tests no smaller one
_SENTENCES = 6
# What prof sums up over the kernels of a range, and its words for it.
_SUMMED = {"lts__t_sectors.sum": "L2 sectors", "smsp__inst_executed.sum": "instructions",
           "dram__bytes_read.sum": "bytes read from DRAM",
           "dram__bytes_write.sum": "bytes written to DRAM"}


def measured_of(before, after):
    """After over before, from the medians of runs without prof, and the quotients of two runs."""
    quotients = [y / x for x in before for y in after]
    return {"us_before": statistics.median(before), "us_after": statistics.median(after),
            "measured": statistics.median(after) / statistics.median(before),
            "measured_low": min(quotients), "measured_high": max(quotients)}


def _total(kernel):
    """A side that lacks the kernel has null."""
    return max(kernel["total_before_ns"] or 0, kernel["total_after_ns"] or 0)


def _is_of_case(case, kernel):
    if case.kernel:
        return re.search(case.kernel, kernel["name"]) is not None
    return bool(case.in_range) and kernel["range"] == case.in_range


def _quantity(case, comparison, kernels):
    """The time that the regression must show in, or None."""
    if case.in_range:
        return next((one for one in comparison["run"] if one["name"] == case.in_range), None)
    return next((kernel["time"] for kernel in kernels if kernel["matched"] not in _ALONE), None)


def _off_by(quantity, measured):
    """How far `measured` lies outside of the interval, as a fraction; None without an interval."""
    if quantity is None or quantity["low"] is None:
        return None
    return max(quantity["low"] / measured - 1, measured / quantity["high"] - 1, 0)


def _moved(kernels, metric, direction):
    """[before, after] of the first kernel whose counter moved in this direction, or None."""
    for kernel in kernels:
        for counter in kernel["counters"]:
            rises = counter["after"] > counter["before"]
            if counter["metric"] == metric and counter["moved"] and \
                    rises == (direction == regression_cases.MORE):
                return [counter["before"], counter["after"]]
    return None


def _moved_together(sentences, metric, direction):
    """The same of a sum over the kernels of a range, which stands in a sentence."""
    words = re.escape(_SUMMED.get(metric, metric))
    for sentence in sentences:
        found = re.search(rf"together: {words}: (\S+) .*-> (\S+) .*\(([0-9.]+) times\)", sentence)
        if found and (float(found[3]) > 1) == (direction == regression_cases.MORE):
            return [found[1], found[2]]
    return None


def _explanation(case, comparison, kernels, quantity):
    """What was expected beforehand, and what prof has of it."""
    paired = [kernel for kernel in kernels if kernel["matched"] not in _ALONE]
    of_range = quantity.get("explanation", []) if case.in_range and quantity else []
    moved = {metric: _moved(paired, metric, direction) or
             _moved_together(of_range, metric, direction)
             for metric, direction in case.moved.items()}
    sentences = of_range + [sentence for kernel in paired for sentence in kernel["explanation"]]
    named = next((text for text in sentences if re.search(case.named, text)), None)
    new = [kernel["name"] for kernel in comparison["kernels"] if kernel["matched"] == "new"]
    listed = [name for name in new if re.search(case.listed, name)] if case.listed else []
    missing = [metric for metric, values in moved.items() if values is None]
    if case.named and named is None:
        missing.append(f"a sentence: {case.named}")
    if case.listed and not listed:
        missing.append(f"a new kernel: {case.listed}")
    return {"moved": {metric: values for metric, values in moved.items() if values},
            "missing": missing, "explained": not missing,
            "named": named if case.named else None, "listed": listed,
            "sentences": sentences[:_SENTENCES]}


def _is_real(time, ratio):
    """Without prof the part changed, too: the same way, by at least half as much."""
    if ratio is None or time["ratio"] in (None, 1):
        return False
    return math.log(ratio) / math.log(time["ratio"]) >= _REAL


def _alarms(case, comparison, parts):
    """Verdicts about what did not change. In a regression the times of the run change with it.

    A kernel whose source is the same can take another time: other flags, or another kernel before
    it, which leaves other data in the caches. Where the program's own times show that, it is no
    alarm but an effect on it.
    """
    others = [kernel for kernel in comparison["kernels"] if not _is_of_case(case, kernel)]
    found = [(kernel["name"], kernel["time"]) for kernel in others]
    if case.is_decoy:
        found += [(one["name"], one) for one in comparison["run"]]
    verdicts = [{"name": name, "change": time["change"], "ratio": time["ratio"],
                 "low": time["low"], "high": time["high"], "without_prof": parts.get(name),
                 "is_real": _is_real(time, parts.get(name))} for name, time in found
                if time["tested"] and time["change"] in (_SLOWER, _FASTER)]
    all_ns = sum(map(_total, comparison["kernels"]))
    alone = [f"{kernel['matched']}: {kernel['name']}" for kernel in others
             if kernel["matched"] in _ALONE and _total(kernel) >= _LEAST_SHARE * all_ns]
    return {"alarms": [one for one in verdicts if not one["is_real"]],
            "effects": [one for one in verdicts if one["is_real"]], "alone": alone,
            "tested": sum(time["tested"] for _, time in found)}


def row_of(case, comparison, measured, parts):
    """`measured`: of measured_of(). `parts`: {part: its ratio without prof}"""
    row = {"case": case.name, "change": case.change, "is_decoy": case.is_decoy, **measured,
           "runs": [comparison["runs_before"], comparison["runs_after"]],
           "overall": comparison["overall"], "notes": comparison["notes"],
           **_alarms(case, comparison, parts)}
    if case.is_decoy:
        return row
    kernels = sorted((kernel for kernel in comparison["kernels"] if _is_of_case(case, kernel)),
                     key=_total, reverse=True)
    quantity = _quantity(case, comparison, kernels)
    for field in ("ratio", "low", "high", "change", "why"):
        name = "verdict" if field == "change" else field
        row[name] = quantity[field] if quantity else None
    off = _off_by(quantity, measured["measured"])
    row.update(is_slower=measured["measured"] >= _LEAST, found=row["verdict"] == _SLOWER,
               inside=off == 0, off=off,
               matched=sorted({kernel["matched"] for kernel in kernels}),
               **_explanation(case, comparison, kernels, quantity))
    return row


def _goal(goal, measured, limit):
    return {"goal": goal, "measured": measured, "limit": limit, "met": measured == limit}


def goals_of(rows):
    """What made nothing slower on this GPU is no regression: it has no goal but that of alarms."""
    real = [row for row in rows if not row["is_decoy"] and row["is_slower"]]
    decoys = [row for row in rows if row["is_decoy"]]
    goals = []
    if real:
        held = sum(row["off"] is not None and row["off"] <= _OFF for row in real)
        goals += [
            _goal("regressions that are found", sum(row["found"] for row in real), len(real)),
            _goal(f"measured ratios within the interval, {_OFF:.0%} aside", held, len(real)),
            _goal("regressions whose expected counters are named",
                  sum(row["explained"] for row in real), len(real))]
    goals.append(_goal("alarms about kernels that did not change",
                       sum(len(row["alarms"]) for row in rows if not row["is_decoy"]), 0))
    if decoys:
        goals += [
            _goal("alarms where nothing changed", sum(len(row["alarms"]) for row in decoys), 0),
            _goal("kernels without a partner where nothing changed",
                  sum(len(row["alone"]) for row in decoys), 0)]
    return goals
