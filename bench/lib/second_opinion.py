# SPDX-License-Identifier: Apache-2.0
"""This module pairs kernels of prof with launches of Nsight Compute, and compares what limits them.

prof's limiter has a class of ncu's, such as memory for dram. Both agree where the classes are the
same, and where ncu names a unit or a stall, where that is the same, too.
"""

from lib import ncu_rules
from lib import opinion_reasons
from lib import prof_report
from lib import triage_values

UNDECIDED = ("not-measured", "unknown")
YES, NO, NOT_COMPARABLE = "yes", "no", "not comparable"
CLASS_OF = {**dict.fromkeys(("dram", "l2", "l1", "shared"), ncu_rules.MEMORY),
            **dict.fromkeys(("tensor", "fma", "alu", "fp64", "sfu", "lsu", "issue"),
                            ncu_rules.COMPUTE)}
_MEMORY_UNITS = {"DRAM": ("dram",), "L2": ("l2",), "L1": ("l1", "shared")}
# A part of the name of ncu's pipe, and the limiters that it stands for. Matrix products of doubles
# run on the FP64 pipe's tensor part.
_PIPES = (("Tensor (DP)", ("tensor", "fp64")), ("DMMA", ("tensor", "fp64")),
          ("Tensor", ("tensor",)), ("FP64", ("fp64",)), ("FMA", ("fma",)), ("FP16", ("fma",)),
          ("ALU", ("alu",)), ("XU", ("sfu",)), ("LSU", ("l1", "shared")))
_UNIT_NAMES = {"dram": "DRAM", "l2": "L2", "l1": "L1 wavefronts", "shared": "shared",
               "issue": "issue", "tensor": "tensor", "fma": "FMA", "alu": "ALU", "fp64": "FP64",
               "sfu": "XU"}  # of triage_values.UNITS
_SHOWN_UNITS = 3


# Which kernels


def kernels_by_label(report, labels):
    """{label: its longest kernel, as in the report}. CUB opens ranges of its own within a label."""
    found = {}
    for kernel in report["kernels"]:
        for label in set(kernel["range"].split("/")) & labels:
            known = found.get(label)
            if known is None or (kernel["total_ns"] or 0) > (known["total_ns"] or 0):
                found[label] = kernel
    return found


def key_of(kernel):
    return prof_report.key_of(kernel["full_name"], kernel["grid"], kernel["block"])


def same_kernel(report, label, key):
    """The kernel of another report that is `key` in that range, or None."""
    mine = [kernel for kernel in report["kernels"]
            if label in kernel["range"].split("/") and key_of(kernel) == key]
    return max(mine, key=lambda kernel: kernel["total_ns"] or 0, default=None)


def launch_of(launches, label, key):
    """(the launch of ncu, how it was found) or (None, why there is none).

    A kernel may be launched several times in a range: the longest launch counts.
    """
    mine = [launch for launch in launches if launch["range"] == label]
    if not mine:
        return None, "ncu profiled nothing in this range"

    def key_in(launch):
        return prof_report.key_of(launch["kernel"], launch["grid"], launch["block"])

    for how, matches in (("name, grid, block", lambda launch: key_in(launch) == key),
                         ("name", lambda launch: launch["kernel"] == key[0])):
        found = [launch for launch in mine if matches(launch)]
        if found:
            return max(found, key=lambda launch: ncu_rules.measured(launch)["us"] or 0), how
    return None, f"ncu profiled other kernels: {mine[0]['kernel'][:60]}"


# What each tool has


def verdict_of(kernel):
    """prof's verdict on a kernel of a report, in short."""
    verdict, actions = kernel["verdict"], kernel["verdict"]["actions"]
    occupancy, speed = kernel.get("occupancy") or {}, kernel.get("speed_of_light") or {}
    median_ns = kernel["duration_ns"]["median"]
    return {"limiter": verdict["limiter"], "rule": verdict["rule"],
            "confidence": verdict["confidence"], "source": verdict["source"],
            "stall": verdict["stall"], "missing": verdict["missing"],
            "us": None if median_ns is None else median_ns * 1e-3,
            "waves": occupancy.get("waves"),
            "units": [{"unit": unit["unit"], "percent": 100 * unit["of_peak"],
                       "error": None if unit["error"] is None else 100 * unit["error"],
                       "metric": unit["metric"]} for unit in kernel["units"]],
            "compute_part": next((one["largest"] for one in speed.get("throughputs") or []
                                  if one["metric"].startswith("sm__throughput")), ""),
            "action": actions[0]["id"] if actions else None,
            "at_most": actions[0]["gain_at_most"] if actions else None}


def metrics_for_ncu(reports):
    """What ncu has to measure beside its sections: the units that prof's verdicts compare."""
    read = {unit["metric"] for report in reports for kernel in report["kernels"]
            for unit in kernel["units"] if unit["source"] == "counters"}
    return list(dict.fromkeys([*triage_values.ncu_metrics(), *sorted(read)]))


def _theirs(launch, unit):
    """ncu's value of the metric that prof read, or of those that stand for the unit. In %."""
    asked = launch["values"].get(ncu_rules.ASKED_FOR, {})
    names = next((one.theirs for one in triage_values.UNITS
                  if one.name == _UNIT_NAMES.get(unit["unit"])), ())
    same = asked.get(unit["metric"])
    values = [same] if same else [asked[name + triage_values.SUFFIX] for name in names
                                  if name + triage_values.SUFFIX in asked]
    if values:
        return max(value["value"] for value in values)
    return ncu_rules.measured(launch)["dram"] if unit["unit"] == "dram" else None


def unit_values(verdict, launch):
    """{unit: [prof's %, ncu's %]} of the units that both have, prof's busiest first."""
    pairs = [(unit["unit"], [unit["percent"], _theirs(launch, unit)]) for unit in verdict["units"]]
    return {name: pair for name, pair in pairs if pair[1] is not None}


# Whether they agree


def accepted(verdict):
    """ncu's classes that are the same as the verdict."""
    limiter, waves = verdict["limiter"], verdict["waves"]
    if limiter in CLASS_OF:
        return (CLASS_OF[limiter],)
    if limiter == "mixed":
        first = {CLASS_OF.get(unit["unit"]) for unit in verdict["units"][:2]}
        return (ncu_rules.BALANCED, *(first if len(first) == 1 else ()))
    if limiter in ("latency", "occupancy"):
        less = waves is not None and waves < 1
        return opinion_reasons.NO_UNIT if less else (ncu_rules.LATENCY,)
    if limiter == "launch-sized":
        return opinion_reasons.NO_UNIT
    return (ncu_rules.SMALL_GRID,) if limiter == "small-grid" else ()


def _names_cause(verdict, opinion):
    """The rule of ncu that advises what prof's cause is, or None."""
    return next((one["rule"] for one in opinion["causes"] if one["cause"] == verdict["rule"]), None)


def _same_unit(limiter, opinion):
    """None where ncu names no unit, or where the limiter is none."""
    if opinion["unit"] is None or limiter not in CLASS_OF:
        return None
    if opinion["class"] == ncu_rules.MEMORY:
        return limiter in _MEMORY_UNITS[opinion["unit"]]
    units = next((units for part, units in _PIPES if part in opinion["unit"]), None)
    return None if units is None else limiter in units


def agreement(verdict, opinion):
    """{"agree": YES, NO or NOT_COMPARABLE, "differs_in": "class", "unit", "stall" or "",
    "by": the rule of ncu that agrees, "why": why they are not comparable}."""
    found = {"agree": NOT_COMPARABLE, "differs_in": "", "by": None, "why": ""}
    if verdict is None or verdict["limiter"] in UNDECIDED:
        missing = verdict["missing"] if verdict else "prof did not see the kernel"
        return {**found, "why": f"prof has no verdict: {missing}".rstrip(": ")}
    if opinion["class"] is None:
        return {**found, "why": "ncu's rule SOLBottleneck has no message"}
    if opinion["class"] not in accepted(verdict):
        rule = _names_cause(verdict, opinion)
        if rule and opinion["class"] in opinion_reasons.NO_UNIT:
            return {**found, "agree": YES, "by": rule}
        return {**found, "agree": NO, "differs_in": "class"}
    if _same_unit(verdict["limiter"], opinion) is False:
        return {**found, "agree": NO, "differs_in": "unit"}
    stalls = verdict["stall"], opinion["stall"]
    if opinion["class"] == ncu_rules.LATENCY and all(stalls) and stalls[0] != stalls[1]:
        return {**found, "agree": NO, "differs_in": "stall"}
    return {**found, "agree": YES, "by": opinion["rule"]}


def _form(kernel, launch, opinion):
    """A form of recording, beside ncu."""
    verdict = verdict_of(kernel) if kernel else None
    found = agreement(verdict, opinion)
    if verdict is None:
        return {"verdict": None, **found, "values": {}, "reason": ""}
    values = unit_values(verdict, launch)
    if found["agree"] == NO:
        found["reason"] = opinion_reasons.reason(verdict, opinion, found["differs_in"], values,
                                                 ncu_rules.measured(launch))
    shown = {**verdict, "units": verdict["units"][:_SHOWN_UNITS]}
    return {"verdict": shown, **found, "values": values, "reason": found.get("reason", "")}


def compare(cases, forms, launches):
    """(rows, [[label, why there is no row]]).

    `cases`: [{"label", "library", "sizes"}]; `forms`: {name: [reports]}, the first one chooses the
    kernel of a range; `launches` of ncu.
    """
    labels = {case["label"] for case in cases}
    first = next(iter(forms))
    chosen = {}
    for report in forms[first]:
        chosen.update(kernels_by_label(report, labels))
    rows, without = [], []
    for case in cases:
        label = case["label"]
        if label not in chosen:
            without.append([label, f"prof ({first}) has no kernel in this range"])
            continue
        key = key_of(chosen[label])
        launch, how = launch_of(launches, label, key)
        if launch is None:
            without.append([label, how])
            continue
        opinion = ncu_rules.opinion(launch)
        kernels = {name: next(filter(None, (same_kernel(report, label, key)
                                            for report in reports)), None)
                   for name, reports in forms.items()}
        rows.append({**case, "kernel": chosen[label]["name"], "full_name": key[0][:300],
                     "grid": chosen[label]["grid"], "block": chosen[label]["block"],
                     "paired_by": how, "ncu": {**opinion, **ncu_rules.measured(launch)},
                     "forms": {name: _form(kernel, launch, opinion)
                               for name, kernel in kernels.items()}})
    return rows, without


def counts(rows, form):
    """{"yes", "no", "not comparable", "open": disagreements that nothing explains}"""
    mine = [row["forms"][form] for row in rows]
    found = {answer: sum(one["agree"] == answer for one in mine)
             for answer in (YES, NO, NOT_COMPARABLE)}
    return {**found, "open": sum(one["reason"] == opinion_reasons.OPEN for one in mine)}
