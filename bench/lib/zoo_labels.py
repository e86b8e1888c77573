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
# both. Atomics on global memory run in L2, those on shared memory beside it.
ALIKE = {"fma": ["issue"], "atomics": ["l2"], "shared-atomics": ["shared"]}
# Local memory is behind L1, L2 and DRAM: its dose is one of all three.
LOCAL = ["l1", "l2", "dram", "mixed"]
# What gives each of these elasticity without a throughput limit.
WAITS = {"chain", "barrier", "constant", "icache", "link", "atomics", "shared-atomics"}
# Advice that lowers the dose of the resource: it helps as much as the elasticity is high.
HELPFUL = {
    "dram": ["fewer-bytes", "dram-rate"], "l2": ["serve-from-l1"],
    "l1": ["fewer-l1-accesses", "fewer-texture-fetches"],
    "shared": ["fewer-shared-accesses"], "fma": ["fewer-fma", "fewer-half-fma"],
    "fp64": ["fp32-for-fp64"], "alu": ["fewer-integer"], "sfu": ["fewer-special-functions"],
    "tensor": ["feed-tensor", "less-tensor-work", "smaller-type"], "issue": ["fewer-instructions"]}

# Both put more warps on the SMs.
MORE_WARPS = ["more-blocks", "raise-occupancy"]
# The fixes of the zoo raise the occupancy by more blocks of the same size.
SAME_CHANGE = {"raise-occupancy": ["more-blocks"]}

LEADING = 0.5     # of the time follows the resource
AMONG = 0.3       # it is beside the leading one
CLOSE = 0.2       # elasticities that differ by less are both right
NO_EFFECT = 0.1   # a dose that does not matter
WAITING = 0.5     # 1 - elasticity of "parallel" from which on the kernel waits
# An elasticity of "parallel" of log2(2 * 60 %): twice the work takes 1 / 0.6 of the time of once at
# the peak. From there on ncu calls the resource that leads a limit, and the kernel waits as well.
BOTH = 0.26
FULL = 0.8        # low end of the elasticity of "parallel" from which on more warps gain nothing
BESIDE = 0.5      # of the leading elasticity: a resource with so much limits the kernel as well
SLOTS = 0.2       # of the time follows each of two pipes: what they share is the issue slots
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
        amounts, times = [one["amount"] for one in doses], [one["us"] for one in doses]
        if knob["natural"] not in amounts:
            amounts, times = [knob["natural"], *amounts], [base, *times]
        slopes = [slope(list(zip(amounts, round_us))) for round_us in zip(*times)]
        middle, low, high = median_interval(slopes)
        found.append({"resource": knob["resource"], "amounts": amounts,
                      "median_us": [statistics.median(one) for one in times],
                      "elasticity": middle, "low": low, "high": high})
    return found


def pairs(family):
    """[{kind, action, gain, low, high}], the gain as a part of the time before. With `same` where
    the source has other ids of the change."""
    base = family["configurations"][0]["us"]
    found = []
    for one in family["configurations"]:
        if one["what"] not in ("fix", "decoy"):
            continue
        gains = [1 - after / before for before, after in zip(base, one["us"])]
        middle, low, high = median_interval(gains)
        found.append({"kind": one["what"], "action": one["detail"], "gain": middle, "low": low,
                      "high": high, **({"same": one["same"]} if one.get("same") else {})})
    return found


def _throughputs(values):
    """Knobs of one resource count together: its work is their sum."""
    of_resource = {}
    for one in values:
        if one["resource"] in LIMITERS:
            of_resource[one["resource"]] = of_resource.get(one["resource"], 0) + one["elasticity"]
    ranked = sorted(((value, resource) for resource, value in of_resource.items()), reverse=True)
    return [(value, resource) for value, resource in ranked if value >= AMONG]


def _parallel(values):
    return next((one for one in values if one["resource"] == "parallel"), None)


def _of_fewer_warps(values):
    """The elasticity of the time to the warps of an SM: 1 where it is in inverse proportion, 0
    where there are enough. Of fewer warps, so it is no less than that of more of them."""
    return next((-one["elasticity"] for one in values if one["resource"] == "warps"), 0)


def _waits(values):
    parallel = _parallel(values)
    return parallel is not None and 1 - parallel["elasticity"] >= WAITING


def _is_full(values):
    """The same work beside it takes its own time: the SMs have nothing that warps could use."""
    parallel = _parallel(values)
    return parallel is not None and parallel["low"] >= FULL


def _same_changes(change, values):
    """Other ids of the change that was tried. Where more warps gain nothing both are useless."""
    derived = SAME_CHANGE.get(change["action"], []) if _waits(values) else []
    return list(dict.fromkeys([*change.get("same", []), *derived]))


def _alike(resources):
    return [limiter for resource in resources for limiter in ALIKE.get(resource, [])]


def _leading(ranked):
    """The limiters of the resources that most of the time follows; []: there is none."""
    if not ranked or ranked[0][0] < LEADING:
        return []
    near = [resource for value, resource in ranked if ranked[0][0] - value < CLOSE]
    names = [LIMITERS[resource] for resource in near]
    beside = [value for value, _ in ranked if value >= BESIDE * ranked[0][0]]
    return names + (["mixed"] if len(beside) > 1 else []) + _alike(near)


def _shared_slots(values):
    """An instruction of either pipe costs time, so the kernel has no issue slots left over."""
    pipes = [one for one in values if one["resource"] in ("fma", "alu")]
    return ["issue"] if len(pipes) == 2 and all(one["low"] >= SLOTS for one in pipes) else []


def _limiters(median_us, values):
    """(limiters, why the label is doubtful)"""
    if median_us < SHORT_US:
        return ["launch-sized"], ""
    ranked = _throughputs(values)
    leading = _leading(ranked)
    if _waits(values):
        both = leading if _parallel(values)["elasticity"] >= BOTH else []
        return ["latency", "occupancy", "small-grid", *both], \
            "a resource leads, and more warps would help" if both else ""
    waiting = ["latency", "occupancy"] if _of_fewer_warps(values) >= LEADING else []
    if leading:
        return [*leading, *waiting], \
            "a resource leads, and with fewer warps it takes longer" if waiting else ""
    if len(ranked) > 1:
        resources = [resource for _, resource in ranked]
        return ["mixed", *(LIMITERS[resource] for resource in resources), *_alike(resources),
                *_shared_slots(values), *waiting], "no resource leads"
    if waiting:
        return waiting, ""
    waits = [one["resource"] for one in values
             if one["resource"] in WAITS and one["elasticity"] >= LEADING]
    if waits:
        return ["latency", *_alike(waits)], ""
    return [], "no dose that was tried has an effect"


_SHAPES = {"small-grid": ["small-grid", "latency"], "tail": ["tail"], "imbalance": ["tail"],
           "occupancy-limited": ["occupancy", "latency"]}
# Planted wastes have rules of their own; a shape is a limiter.
_WASTES = {"shared-bank-conflicts", "uncoalesced", "spills", "atomics", "divergence", "host-memory"}


def label(family, kernel_us=None):
    """The label as lib/eval reads it, for a line of `zoo --measure` without an error. `kernel_us`:
    what the kernel takes by itself, where it is known; the program measures from launch to
    launch."""
    base_us = statistics.median(family["configurations"][0]["us"])
    return label_of(elasticities(family), pairs(family), family["cause"],
                    min(base_us, kernel_us or base_us), family["launches"])


def label_of(values, changes, cause, median_us, launches):
    """`values`: elasticities(); `changes`: pairs(); `launches` in a group that was timed."""
    limiters, why = _limiters(median_us, values)
    fixes = [one for one in changes if one["kind"] == "fix"]
    best = max(fixes, key=lambda one: one["gain"], default=None)
    confirmed = best is not None and best["low"] >= CONFIRMS
    if cause == "spills" and set(limiters) & set(LOCAL):
        limiters = [*limiters, *LOCAL]
    if cause in _SHAPES and confirmed:
        limiters, why = [*_SHAPES[cause], *limiters], ""
    elif cause == "tail":
        # Work that is added runs in the slots that it leaves empty, so it does not show what leads.
        limiters += [*_SHAPES[cause], *_leading(_throughputs(values))]
        why = f"{cause} was planted, and its fix gains little"
    elif cause and not confirmed and cause in _WASTES:
        why = f"{cause} was planted, and its fix gains nothing"
    changes = [{**one, "same": _same_changes(one, values)} for one in changes]
    helpful = _helpful(values, changes, limiters)
    return {
        "limiters": list(dict.fromkeys(limiters)),
        "rules": [cause] if cause in _WASTES and confirmed else [],
        "helpful": helpful,
        "harmful": [action for action in _useless(values, changes) if action not in helpful],
        "saves": {"action": best["action"], "same": _same_changes(best, values),
                  "part": best["low"],
                  "source": f"measured: a pair, low end of 95 %, {launches} launches a group"}
        if confirmed else None,
        "why": why, "elasticities": values, "pairs": changes}


def _helpful(values, changes, limiters):
    found = []
    for one in changes:
        if one["low"] >= GAINS:
            found += [one["action"], *one["same"]]
    for one in values:
        if one["elasticity"] >= AMONG:
            found += HELPFUL.get(one["resource"], [])
    if "issue" in limiters:
        found += HELPFUL["issue"]
    return list(dict.fromkeys(found))


def _useless(values, changes):
    found = [one["action"] for one in changes if one["high"] < USELESS]
    for one in values:
        if one["high"] < NO_EFFECT:
            found += HELPFUL.get(one["resource"], [])
    if _is_full(values):
        found += MORE_WARPS
    if any(one["resource"] == "warps" and one["low"] > -NO_EFFECT for one in values):
        found.append("raise-occupancy")  # fewer of them take hardly longer
    gained = [one["action"] for one in changes if one["low"] >= USELESS]
    return [action for action in dict.fromkeys(found) if action not in gained]


def relabelled(kernel):
    """The label of a kernel of a file of labels, by today's rules from its measurements."""
    label = kernel["label"]
    changes = [{**one, "same": [action for action in one["same"]
                                if action not in SAME_CHANGE.get(one["action"], [])]}
               for one in label["pairs"]]
    return label_of(label["elasticities"], changes, kernel["cause"],
                    min(kernel["base_us"], kernel["kernel_us"] or kernel["base_us"]),
                    kernel["launches"])
