# SPDX-License-Identifier: Apache-2.0
"""This module has reasons why prof and Nsight Compute call a kernel by different names.

Each is a fact of the data: a value that differs, a threshold between two values, a name that one of
the tools does not have. Where none applies the disagreement stays open, for a person to explain.
"""

from lib import ncu_rules

OPEN = "to be explained"
APART = 10         # points: values that differ by more are not of the same behaviour
NEAR = 3           # points to a threshold
BUSY = 60          # %: of prof and of ncu
ISSUE_BUSY = 70    # %: of the issue slots, in prof; ncu has BUSY for them, too
BALANCE = 10       # points between compute and memory that ncu calls balanced
LONGER = 0.15      # of the time: a launch took another time
CAUSES = ("small-grid", "tail", "imbalance", "spills", "atomics", "uncoalesced",
          "shared-bank-conflicts", "divergence", "host-memory")
# What one unit serves passes through another one, which prof does not call the limit for that.
_THROUGH = {("dram", "L2"): "what DRAM serves passes through L2",
            ("dram", "L1"): "what DRAM serves passes through L1",
            ("l2", "L1"): "what L2 serves passes through L1",
            ("tensor", "L1"): "the tensor pipe reads through L1"}
NO_UNIT = (ncu_rules.LATENCY, ncu_rules.SMALL_GRID)  # ncu's classes that name no unit
_NOT_ARITHMETIC = ("lsu", "mio", "mem", "l1tex", "idc", "tex", "adu", "cbu", "uniform")


def _times(verdict, measured):
    ours, theirs = verdict["us"], measured["us"]
    if not ours or not theirs or abs(ours - theirs) <= LONGER * max(ours, theirs):
        return ""
    return f", {ours:.1f} vs {theirs:.1f} us"


def _launch_sized(verdict, _opinion, _differs, _values, _measured):
    if verdict["limiter"] == "launch-sized":
        return f"launch-sized: {verdict['us']:.1f} us; ncu has no such class"
    return None


def _values_differ(verdict, opinion, differs, values, measured):
    """The unit of prof's verdict, or any busy one where it names none."""
    if differs == "stall":
        return None
    named = [verdict["limiter"]] if verdict["limiter"] in values else list(values)
    if opinion["class"] == ncu_rules.MEMORY:
        named += [str(opinion["unit"]).lower()]
    far = [(unit, *values[unit]) for unit in dict.fromkeys(named) if unit in values
           and abs(values[unit][0] - values[unit][1]) > APART and max(values[unit]) >= BUSY - APART]
    if not far:
        return None
    unit, ours, theirs = max(far, key=lambda one: abs(one[1] - one[2]))
    return f"values differ: {unit} {ours:.0f} vs {theirs:.0f} %{_times(verdict, measured)}"


def _cause(verdict, opinion, _differs, _values, _measured):
    rule = verdict["rule"]
    if rule not in CAUSES:
        return None
    found = next((one for one in opinion["causes"] if one["cause"] == rule), None)
    if found is None:
        return f"prof names a cause, {rule}; no rule of ncu's does"
    speedup = "" if found["speedup"] is None else f", est. {found['speedup']:.0f} %"
    return f"prof names a cause, {rule}; ncu's {found['rule']} does, too, beside its first{speedup}"


def _through(verdict, opinion, differs, values, _measured):
    text = _THROUGH.get((verdict["limiter"], opinion["unit"]))
    if differs == "stall" or text is None:
        return None
    units = (verdict["limiter"], opinion["unit"].lower())
    shown = ", ".join(f"{unit} {values[unit][0]:.0f} vs {values[unit][1]:.0f} %"
                      for unit in units if unit in values)
    return f"{text}: {shown}" if shown else text


def _issue(verdict, opinion, differs, values, _measured):
    """ncu's rule compares pipes; issue slots are none."""
    if differs != "unit" or verdict["limiter"] != "issue":
        return None
    ours = values.get("issue")
    issue = f"issue slots {ours[0]:.0f} vs {ours[1]:.0f} %, " if ours else ""
    name, percent = opinion["pipe"]
    return f"ncu's rule compares pipes alone: {issue}{name} {percent:.0f} %"


def _load_store(verdict, opinion, differs, _values, measured):
    """sm__throughput contains the load/store path, so ncu may call that compute."""
    part = verdict["compute_part"]
    if (differs != "class" or verdict["limiter"] not in ("l1", "shared", "l2", "dram")
            or opinion["class"] not in (ncu_rules.COMPUTE, ncu_rules.BALANCED)
            or None in (measured["compute"], measured["memory"])
            or not any(word in part for word in _NOT_ARITHMETIC)):
        return None
    return (f"the largest part of ncu's compute is {part.split('.')[0]}: compute "
            f"{measured['compute']:.0f} %, memory {measured['memory']:.0f} %")


def _balanced(_verdict, opinion, differs, _values, measured):
    compute, memory = measured["compute"], measured["memory"]
    if differs != "class" or compute is None or memory is None:
        return None
    if opinion["class"] == ncu_rules.BALANCED:
        return (f"ncu calls it balanced: compute {compute:.0f} %, memory {memory:.0f} %, less than "
                f"{BALANCE} points apart")
    if min(compute, memory) >= BUSY and abs(compute - memory) < BALANCE:
        return (f"compute {compute:.0f} % and memory {memory:.0f} % are both high in ncu: it names "
                "the higher one")
    return None


def _while_active(verdict, opinion, differs, values, _measured):
    """prof names a unit of the SMs by its use while they were active, ncu by that of all time."""
    limiter = verdict["limiter"]
    pair = None if limiter in ("dram", "l2") else values.get(limiter)
    if differs != "class" or not pair or opinion["class"] not in NO_UNIT:
        return None
    if max(pair) < BUSY:
        return (f"over the whole launch {limiter} is below {BUSY} % for both, {pair[0]:.0f} vs "
                f"{pair[1]:.0f} %: prof counts while the SMs were active")
    return None


def _threshold(verdict, opinion, differs, values, measured):
    """One of the two names a unit, the other one none, and the use is where that changes."""
    pair = values.get(verdict["limiter"])
    if differs != "class" or (pair is None) == (opinion["class"] in NO_UNIT):
        return None
    named = [(verdict["limiter"], pair[1])] if pair else []
    named += [("ncu's compute", measured["compute"]), ("ncu's memory", measured["memory"])]
    for name, percent in named:
        if percent is not None and abs(percent - BUSY) <= NEAR:
            ours = f", {pair[0]:.1f} % in prof" if pair else ""
            return f"at the threshold of {BUSY} %: {name} {percent:.1f} %{ours}"
    return None


def _issue_threshold(verdict, opinion, differs, values, measured):
    """ncu's compute is the issue slots, which prof does not call busy yet."""
    ours, theirs = values.get("issue", (None, None))
    if (differs != "class" or verdict["limiter"] in values or ours is None
            or opinion["class"] != ncu_rules.COMPUTE or measured["compute"] is None):
        return None
    if abs(measured["compute"] - theirs) >= 1 or max(ours, theirs) >= ISSUE_BUSY:
        return None
    return (f"ncu's compute is the issue slots, which prof calls busy from {ISSUE_BUSY} % on: "
            f"{ours:.1f} vs {theirs:.1f} %")


def _write_back(verdict, _opinion, _differs, _values, _measured):
    if verdict["rule"] == "write-back":
        return "prof counts the bytes that L2 writes to DRAM after the launch: write-back"
    return None


# The most specific first: a value that differs explains more than a name.
_REASONS = (_launch_sized, _values_differ, _write_back, _cause, _through, _issue, _load_store,
            _balanced, _while_active, _threshold, _issue_threshold)


def reason(verdict, opinion, differs, values, measured):
    """Why they differ in `differs`, or OPEN. `values`: {unit: [prof's %, ncu's %]}."""
    for find in _REASONS:
        found = find(verdict, opinion, differs, values, measured)
        if found:
            return found
    return OPEN
