# SPDX-License-Identifier: Apache-2.0
"""This module turns the times of the program `zoo` into labels.

A label comes from interventions alone: how the time follows the dose of one resource, and what a
change of the kernel gained. No counter and no rule of prof is in it.

The elasticity of a resource is the slope of log(time) over log(amount). Its interval is that of the
median of the slopes of single rounds, because the configurations of a round run next to each other.
"""

import math
import statistics

# The limiter of prof that a resource stands for. "link" has none of its own.
LIMITERS = {"dram": "dram", "l2": "l2", "l1": "l1", "shared": "shared", "fma": "fma",
            "fp64": "fp64", "alu": "alu", "sfu": "sfu", "tensor": "tensor", "issue": "issue"}
# Limiters that no dose can tell from that of a resource. An FMA in each issue slot is the peak of
# both. Atomics run in L2.
ALIKE = {"fma": ["issue"], "atomics": ["l2"]}
# Local memory is behind L1, L2 and DRAM: its dose is one of all three.
LOCAL = ["l1", "l2", "dram", "mixed"]
# What gives each of these elasticity without a throughput limit.
WAITS = {"chain", "barrier", "constant", "icache", "link", "atomics"}
# Advice that lowers the dose of the resource: it helps as much as the elasticity is high.
HELPFUL = {
    "dram": ["fewer-bytes", "dram-rate"], "l2": ["serve-from-l1"], "l1": ["fewer-l1-accesses"],
    "shared": ["fewer-shared-accesses"], "fma": ["fewer-fma", "fewer-half-fma"],
    "fp64": ["fp32-for-fp64"], "alu": ["fewer-integer"], "sfu": ["fewer-special-functions"],
    "tensor": ["feed-tensor", "less-tensor-work", "smaller-type"], "issue": ["fewer-instructions"]}

LEADING = 0.5     # of the time follows the resource
AMONG = 0.3       # it is beside the leading one
CLOSE = 0.2       # elasticities that differ by less are both right
NO_EFFECT = 0.1   # a dose that does not matter
WAITING = 0.5     # 1 - elasticity of "parallel" from which on the kernel waits
SHORT_US = 5.0    # such kernels are launch-sized for prof (lib/format/depth.h: kLaunchSizedNs)
GAINS = 0.05      # of the time: a change that helps
USELESS = 0.02    # a change that gains less helps nobody
CONFIRMS = 0.1    # the gain from which on the planted cause is the cause

_NORMAL_95 = 1.96


def median_interval(values):
    """(median, low, high) with 95 %, by order statistics (binomial, normal approximation)."""
    ordered = sorted(values)
    count = len(ordered)
    half = _NORMAL_95 * math.sqrt(count) / 2
    low = max(0, math.floor(count / 2 - half))
    high = min(count - 1, math.ceil(count / 2 + half))
    return statistics.median(ordered), ordered[low], ordered[high]


def slope(points):
    """The least-squares slope of log(time) over log(amount)."""
    logs = [(math.log(amount), math.log(time)) for amount, time in points]
    mean_x = statistics.fmean(x for x, _ in logs)
    mean_y = statistics.fmean(y for _, y in logs)
    spread = sum((x - mean_x) ** 2 for x, _ in logs)
    return sum((x - mean_x) * (y - mean_y) for x, y in logs) / spread


def _doses(family, number):
    """The configurations of a knob. Two knobs of one resource, such as reads and writes, have their
    doses one after the other."""
    resource = family["knobs"][number]["resource"]
    doses = [one for one in family["configurations"]
             if one["what"] == "knob" and one["detail"] == resource]
    alike = [i for i, knob in enumerate(family["knobs"]) if knob["resource"] == resource]
    each = len(doses) // len(alike)
    first = each * alike.index(number)
    return doses[first:first + each]


def elasticities(family):
    """[{resource, amounts, median_us, elasticity, low, high}]"""
    base = family["configurations"][0]["us"]
    found = []
    for number, knob in enumerate(family["knobs"]):
        doses = _doses(family, number)
        amounts = [knob["natural"], *(one["amount"] for one in doses)]
        times = [base, *(one["us"] for one in doses)]
        slopes = [slope(list(zip(amounts, round_us))) for round_us in zip(*times)]
        middle, low, high = median_interval(slopes)
        found.append({"resource": knob["resource"], "amounts": amounts,
                      "median_us": [statistics.median(one) for one in times],
                      "elasticity": middle, "low": low, "high": high})
    return found


def pairs(family):
    """[{kind, action, gain, low, high}], the gain as a part of the time before."""
    base = family["configurations"][0]["us"]
    found = []
    for one in family["configurations"]:
        if one["what"] not in ("fix", "decoy"):
            continue
        gains = [1 - after / before for before, after in zip(base, one["us"])]
        middle, low, high = median_interval(gains)
        found.append({"kind": one["what"], "action": one["detail"], "gain": middle, "low": low,
                      "high": high})
    return found


def _throughputs(values):
    """Knobs of one resource count together: its work is their sum."""
    of_resource = {}
    for one in values:
        if one["resource"] in LIMITERS:
            of_resource[one["resource"]] = of_resource.get(one["resource"], 0) + one["elasticity"]
    ranked = sorted(((value, resource) for resource, value in of_resource.items()), reverse=True)
    return [(value, resource) for value, resource in ranked if value >= AMONG]


def _waits(values):
    parallel = next((one["elasticity"] for one in values if one["resource"] == "parallel"), None)
    return parallel is not None and 1 - parallel >= WAITING


def _alike(resources):
    return [limiter for resource in resources for limiter in ALIKE.get(resource, [])]


def _limiters(median_us, values):
    """(limiters, why the label is doubtful)"""
    if median_us < SHORT_US:
        return ["launch-sized"], ""
    if _waits(values):
        return ["latency", "occupancy", "small-grid"], ""
    ranked = _throughputs(values)
    if ranked and ranked[0][0] >= LEADING:
        best = ranked[0][0]
        near = [resource for value, resource in ranked if best - value < CLOSE]
        names = [LIMITERS[resource] for resource in near]
        return names + (["mixed"] if len(names) > 1 else []) + _alike(near), ""
    if len(ranked) > 1:
        resources = [resource for _, resource in ranked]
        return ["mixed", *(LIMITERS[resource] for resource in resources),
                *_alike(resources)], "no resource leads"
    waits = [one["resource"] for one in values
             if one["resource"] in WAITS and one["elasticity"] >= LEADING]
    if waits:
        return ["latency", *_alike(waits)], ""
    return [], "no dose that was tried has an effect"


_SHAPES = {"small-grid": ["small-grid", "latency"], "tail": ["tail"], "imbalance": ["tail"],
           "occupancy-limited": ["occupancy", "latency"]}
# Planted wastes have rules of their own; a shape is a limiter.
_WASTES = {"shared-bank-conflicts", "uncoalesced", "spills", "atomics", "divergence", "host-memory"}


def label(family):
    """The label as lib/eval reads it, for a line of `zoo --measure` without an error."""
    values, changes = elasticities(family), pairs(family)
    median_us = statistics.median(family["configurations"][0]["us"])
    limiters, why = _limiters(median_us, values)
    fixes = [one for one in changes if one["kind"] == "fix"]
    best = max(fixes, key=lambda one: one["gain"], default=None)
    confirmed = best is not None and best["low"] >= CONFIRMS
    cause = family["cause"]
    if cause == "spills" and set(limiters) & set(LOCAL):
        limiters = [*limiters, *LOCAL]
    if cause in _SHAPES and confirmed:
        limiters, why = [*_SHAPES[cause], *limiters], ""
    elif cause and not confirmed and cause in _WASTES:
        why = f"{cause} was planted, and its fix gains nothing"
    resources = [one["resource"] for one in values if one["elasticity"] >= AMONG]
    helpful = [one["action"] for one in changes if one["low"] >= GAINS]
    helpful += [action for resource in resources for action in HELPFUL.get(resource, [])]
    useless = [one["action"] for one in changes if one["high"] < USELESS]
    useless += [action for one in values if one["high"] < NO_EFFECT
                for action in HELPFUL.get(one["resource"], [])]
    return {
        "limiters": list(dict.fromkeys(limiters)),
        "rules": [cause] if cause in _WASTES and confirmed else [],
        "helpful": list(dict.fromkeys(helpful)),
        "harmful": [action for action in dict.fromkeys(useless) if action not in helpful],
        "saves": {"action": best["action"], "part": best["low"],
                  "source": f"measured: a pair, low end of 95 %, {family['launches']} launches a "
                            f"group"} if confirmed else None,
        "why": why, "elasticities": values, "pairs": changes}
