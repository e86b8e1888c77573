# SPDX-License-Identifier: Apache-2.0
"""This module has the goals of the coverage suite, and its tables."""

import statistics

from lib import results
from lib import suite
from lib import suite_runs
from lib import suite_verdicts

_SHARES = [  # (what, kind, least share of the kernel time)
    ("kernel time with a verdict, steady loops of 5 s: the lowest", suite.STEADY, 0.98),
    ("kernel time with a verdict, phases of 0.3 s", suite.PHASES, 0.95),
    ("kernel time with a verdict, graphs, overlap, DDP: the lowest", suite.GRAPHS, 0.95),
    ("kernel time with a verdict, 0.1 s in all", suite.SHORT, 0.85),
]
_LEAST_SAME = 0.97
_NEED_COUNTERS = {"clock", "fuse-kernels"}  # findings
_OVER_SHARE, _OVER_S = 0.02, 0.5  # of the timeline's run time
_DDP_MEDIAN, _DDP_WORST = 1.03, 1.2


def _goal(text, measured, wanted, met):
    return {"goal": text, "measured": measured, "wanted": wanted, "met": met}


def _open(text, wanted):
    return _goal(text, "not measured", wanted, None)


def _percent(share):
    return f"{100 * share:.1f} %"


def _share_goals(rows):
    for text, kind, least in _SHARES:
        found = {row["program"]: row["share"]["default"] for row in rows
                 if row["kind"] == kind and row["share"].get("default") is not None}
        if not found:
            yield _open(text, _percent(least))
            continue
        lowest = min(found, key=found.get)
        yield _goal(text, f"{_percent(found[lowest])} ({lowest})", _percent(least),
                    found[lowest] >= least)


def _label_goal(rows):
    text = "phases: kernels whose verdict is their label"
    phases = [phase for row in rows for phase in row.get("phases", [])]
    if not phases:
        return _open(text, "95 %")
    right = sum(phase["right"] for phase in phases)
    return _goal(text, f"{right} of {len(phases)}", "95 %", right >= 0.95 * len(phases))


def _same_goals(rows):
    found = [row["same"] for row in rows if row.get("same")]
    compared = sum(one["compared"] for one in found)
    texts = ("the same verdict as the full measurement", "contradictions at high confidence")
    if not compared:
        return [_open(texts[0], _percent(_LEAST_SAME)), _open(texts[1], "0")]
    same = sum(one["same"] for one in found)
    against = sum(other["contradiction"] for one in found for other in one["different"])
    return [_goal(texts[0], f"{_percent(same / compared)} ({same} of {compared})",
                  _percent(_LEAST_SAME), same >= _LEAST_SAME * compared),
            _goal(texts[1], str(against), "0", against == 0)]


def over_timeline(row, variant=suite_runs.DEFAULT):
    """(seconds that it took longer than the timeline, seconds allowed), or None."""
    walls = {name: run["wall_s"] for name, run in row["runs"].items()}
    if variant not in walls or suite_runs.TIMELINE not in walls:
        return None
    timeline = walls[suite_runs.TIMELINE]
    return walls[variant] - timeline, _OVER_SHARE * timeline + _OVER_S


def _time_goal(rows):
    text = "run time over the timeline's: the worst"
    wanted = "2 % + 0.5 s"
    found = {row["program"]: over_timeline(row) for row in rows if over_timeline(row)}
    if not found:
        return _open(text, wanted)
    worst = max(found, key=lambda name: found[name][0] - found[name][1])
    more, allowed = found[worst]
    return _goal(text, f"{more:+.2f} s, allowed {allowed:.2f} ({worst})", wanted, more <= allowed)


def ratios(row, variant=suite_runs.DEFAULT):
    """Steps of a variant over those of bare: (all, first second, last second, worst second)."""
    base, other = (row["runs"].get(name, {}).get("us_of_seconds")
                   for name in (suite_runs.BARE, variant))
    if not base or not other:
        return None
    whole = sorted(base)[len(base) // 2]
    return (row["runs"][variant]["loop_s"] / row["runs"][suite_runs.BARE]["loop_s"],
            other[0] / base[0], other[-1] / base[-1], max(other) / whole)


def host_ratio(row, base, variant=suite_runs.DEFAULT):
    """How much longer a fixed piece of host code took in the run of a variant, or None."""
    found = [row["runs"].get(name, {}).get("host_us_of_seconds") for name in (variant, base)]
    if not all(found):
        return None
    return statistics.median(found[0]) / statistics.median(found[1])


def _ddp_goals(rows):
    texts = ("DDP: steps of the last second over bare: the worst",
             "DDP: steps of the worst second over bare")
    found = [ratios(row) for row in rows if row["program"].startswith("ddp") and ratios(row)]
    if not found:
        return [_open(texts[0], f"{_DDP_MEDIAN} x"), _open(texts[1], f"{_DDP_WORST} x")]
    last, worst = max(one[2] for one in found), max(one[3] for one in found)
    return [_goal(texts[0], f"{last:.3f} x", f"{_DDP_MEDIAN} x", last <= _DDP_MEDIAN),
            _goal(texts[1], f"{worst:.3f} x", f"{_DDP_WORST} x", worst <= _DDP_WORST)]


def has_same_findings(row, variant=suite_runs.DEFAULT):
    """Whether the timeline and the variant advise the same, or None where one was not measured.

    Without counters a report knows neither the clock nor which kernels DRAM limits.
    """
    found = row.get("findings") or {}
    if suite_runs.TIMELINE not in found or variant not in found:
        return None
    timeline, other = (set(found[name]) - _NEED_COUNTERS
                       for name in (suite_runs.TIMELINE, variant))
    return timeline == other


def _findings_goal(rows):
    text = "findings with default options = findings with `--counters none`"
    found = [has_same_findings(row) for row in rows if has_same_findings(row) is not None]
    if not found:
        return _open(text, "all programs")
    return _goal(text, f"{sum(found)} of {len(found)} programs", "all programs", all(found))


def idle_apart(row, variant=suite_runs.DEFAULT):
    """(points of the span, cause): where the idle time of the timeline and the variant differs most,
    or None. A finding comes and goes with it, from 5 % of the span on.
    """
    found = row.get("idle") or {}
    if suite_runs.TIMELINE not in found or variant not in found:
        return None
    base, other = found[suite_runs.TIMELINE], found[variant]
    return max(((100 * abs(base.get(cause, 0) - other.get(cause, 0)), cause)
                for cause in {*base, *other}), default=(0.0, "none"))


def _changed_goal(rows):
    text = "programs changed: output, warnings, choices, exit"
    found = [row for row in rows if row.get("changed") is not None]
    if not found:
        return _open(text, "0")
    changed = [row["program"] for row in found if row["changed"]]
    measured = f"{len(changed)} of {len(found)}" + (f" ({', '.join(changed)})" if changed else "")
    return _goal(text, measured, "0", not changed)


def _sure(rows):
    """(same, compared): of the verdicts that are not of low confidence in either measurement."""
    found = [row["same"] for row in rows if "sure" in (row.get("same") or {})]
    same = sum(one["sure"] for one in found)
    apart = sum(suite_verdicts.is_sure(other["confidence"], other["full_confidence"])
                for one in found for other in one["different"])
    return same, same + apart


def _references(rows):
    """How far two equal runs of these programs are apart, where they ran again."""
    def reference(text, measured):
        return _goal(f"for comparison, {text}", measured, "", None)

    verdicts = [row["same_again"] for row in rows if row.get("same_again")]
    if compared := sum(one["compared"] for one in verdicts):
        same = sum(one["same"] for one in verdicts)
        yield reference("two full measurements: the same verdict",
                        f"{_percent(same / compared)} ({same} of {compared})")
    same, compared = _sure(rows)
    if compared:
        yield reference("the same verdict, where neither of the two has low confidence",
                        f"{same} of {compared}")
    again = suite_runs.TIMELINE_AGAIN
    apart = {row["program"]: abs(over_timeline(row, again)[0]) for row in rows
             if over_timeline(row, again)}
    if apart:
        worst = max(apart, key=apart.get)
        yield reference("run times of two timelines apart: the worst",
                        f"{apart[worst]:.2f} s ({worst})")
    steps = [[row["runs"][name]["loop_s"] for name in (suite_runs.DEFAULT, suite_runs.TIMELINE,
                                                       suite_runs.BARE)]
             for row in rows if row["program"].startswith("ddp") and ratios(row)
             and suite_runs.TIMELINE in row["runs"]]
    if steps:
        yield reference("DDP: all steps, the worst: default options over the timeline's; and the "
                        "timeline's over bare",
                        f"{max(default / timeline for default, timeline, _ in steps):.3f} x; "
                        f"{max(timeline / bare for _, timeline, bare in steps):.3f} x")
    hosts = {row["program"]: ratio for row in rows
             if (ratio := host_ratio(row, suite_runs.TIMELINE))}
    if hosts:
        worst = max(hosts, key=hosts.get)
        yield reference("a fixed piece of host code with default options over the timeline's",
                        f"median {statistics.median(hosts.values()):.2f}, most "
                        f"{hosts[worst]:.2f} x ({worst})")
    found = [has_same_findings(row, again) for row in rows
             if has_same_findings(row, again) is not None]
    if found:
        yield reference("two timelines: the same findings",
                        f"{sum(found)} of {len(found)} programs")
    for text, variant in (("default options and the timeline", suite_runs.DEFAULT),
                          ("two timelines", again)):
        idle = {row["program"]: apart for row in rows if (apart := idle_apart(row, variant))}
        if idle:
            worst = max(idle, key=idle.get)
            median = statistics.median(points for points, _ in idle.values())
            yield reference(f"the idle time by cause with {text} apart, of the span",
                            f"median {median:.1f}, most {idle[worst][0]:.1f} points "
                            f"({worst}: {idle[worst][1]})")


def goals_of(rows):
    return [*_share_goals(rows), _label_goal(rows), *_same_goals(rows), _time_goal(rows),
            *_ddp_goals(rows), _findings_goal(rows), _changed_goal(rows), *_references(rows)]


def _shown_share(row, variant):
    share = row["share"].get(variant)
    return None if share is None else _percent(share)


def _coverage_table(rows):
    lines = []
    for row in rows:
        same = row.get("same")
        lines.append([
            row["program"], row["kind"],
            " ".join(f"{name} {value}" for name, value in row["parameters"].items()),
            *(_shown_share(row, variant) for variant in ("timeline", "default", "full")),
            f"{same['same']} of {same['compared']}" if same else None,
            has_same_findings(row),
            None if row.get("changed") is None else "; ".join(row["changed"])[:160] or "no"])
    return results.table(["program", "kind", "drawn", "with a verdict: timeline", "default",
                          "full", "same as full", "same findings", "changed"], lines)


def _time_table(rows):
    lines = []
    variants = [name for name in suite_runs.VARIANTS
                if suite_runs.AGAIN not in name or any(name in row["runs"] for row in rows)]
    for row in rows:
        runs, found = row["runs"], ratios(row)
        lines.append([
            row["program"], *(runs.get(name, {}).get("wall_s") for name in variants),
            *((f"{value:.3f}" for value in found[:3]) if found else (None,) * 3),
            f"{host:.2f}" if (host := host_ratio(row, suite_runs.BARE)) else None,
            runs.get(suite_runs.DEFAULT, {}).get("prof_cpu_s")])
    return results.table(
        ["program", f"{variants[0]}, s", *variants[1:], "steps over bare: all", "first second",
         "last second", "host code", "CPU s of prof's threads"], lines)


def _difference_table(rows):
    lines = [[row["program"], other["kernel"][:60], other["us"], other["default"],
              other["confidence"], other["full"], other["full_confidence"]]
             for row in rows for other in (row.get("same") or {}).get("different", [])]
    lines += [[row["program"], phase["kernel"], None, phase["verdict"], phase["confidence"],
               f"label: {phase['label']}", None]
              for row in rows for phase in row.get("phases", []) if not phase["right"]]
    return results.table(["program", "kernel", "us", "default", "confidence", "expected",
                          "its confidence"], lines) if lines else "No verdict differs.\n"


def _missing_table(rows):
    lines = [[row["program"], name, _percent(share), missing]
             for row in rows for name, share, missing in row.get("without_verdict", [])
             if share >= 0.01]
    return results.table(["program", "kernel without a verdict", "share", "missing"],
                         lines) if lines else "No kernel of 1 % or more is without a verdict.\n"


def _error_lines(rows):
    return "".join(f"- {row['program']}: {error}\n" for row in rows for error in row["errors"])


def markdown(head, rows):
    return "\n".join([
        results.where(head) + " One run of each variant.", "",
        results.goal_table(goals_of(rows), ("measured", "wanted", "met")),
        _coverage_table(rows), _time_table(rows), _difference_table(rows), _missing_table(rows),
        _error_lines(rows)])


def merge(known, result):
    """(the result, its table): the programs of `known` that `result` lacks stay.

    They do where commit and hardware are the same; a result belongs to one commit. Other experiments
    have parts of the same file, and no programs.
    """
    if "programs" not in result:
        return result, None
    same = all(known.get(name) == result[name] for name in ("commit", "hardware", "driver"))
    rows = {row["program"]: row for row in known.get("programs", [])} if same else {}
    rows.update({row["program"]: row for row in result["programs"]})
    found = list(rows.values())
    return {**result, "goals": goals_of(found), "programs": found}, markdown(result, found)
