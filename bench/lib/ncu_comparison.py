# SPDX-License-Identifier: Apache-2.0
"""This module compares prof's counters with Nsight Compute's for the same kernels.

Each class of metrics has a goal.
"""

import dataclasses
import re
import statistics

from lib import ncu
from lib import prof_report
from lib import results

VALUES = "accuracy_values.json.gz"  # every compared value
_PRINTED = 12  # misses
_COUNTED = re.compile(
    r"smsp__inst_executed|smsp__sass_|l1tex__t_(requests|sectors)_|lts__t_sectors_op_(atom|red)|"
    r"l1tex__data_pipe_lsu_wavefronts_mem_shared_op|sm__ops_path_")
_INSTRUCTIONS = "smsp__inst_executed.sum"
_ADDED_PER_WARP = 8  # by CUPTI's kernel records (docs/internals/counters.md)
_UNSAMPLED = "duration of launches without counters"


@dataclasses.dataclass(frozen=True)
class Goal:
    """A score() above 1 is a miss."""
    name: str
    text: str
    unit: str
    relative: float = 0  # of ncu's value
    absolute: float = 0  # whichever allows more
    median: float = 0    # of the class; 0: no such goal

    def difference(self, theirs, ours):
        if self.unit != "%":
            return ours - theirs
        return 100 * (ours - theirs) / theirs if theirs else None

    def score(self, theirs, ours):
        allowed = max(self.relative * abs(theirs), self.absolute)
        return abs(ours - theirs) / allowed if allowed else None


COUNT = Goal("counts", "0.1 %, or 64 events", "%", relative=0.001, absolute=64)
PERCENT = Goal("percent of peak", "1 point in the median, 3 at worst", "points", absolute=3,
               median=1)
SPEED = Goal("speed of light", PERCENT.text, "points", absolute=3, median=1)
STALL = Goal("stall ratios above 0.1", "5 %", "%", relative=0.05)
SMALL_STALL = Goal("stall ratios up to 0.1", "0.02", "warps", absolute=0.02)
OTHER = Goal("others", "none", "%")
GOALS = [COUNT, PERCENT, SPEED, STALL, SMALL_STALL, OTHER]


def goal_of(metric, theirs):
    if metric in ncu.SPEEDS_OF_LIGHT:
        return SPEED
    if ".avg.pct_of_peak_sustained" in metric:
        return PERCENT
    if "issue_stalled" in metric:
        return STALL if theirs > 0.1 else SMALL_STALL
    if _COUNTED.match(metric) and metric.endswith(".sum"):
        return COUNT
    return OTHER


def measured_by_prof(kernel):
    """{metric: statistic}, and the throughputs that prof derives."""
    found = {metric: value for metric, value in kernel.metrics.items()
             if value["median"] is not None}
    found[_UNSAMPLED] = kernel.data["duration_ns"]
    for metric, entry in prof_report.throughputs(kernel.data).items():
        percent = 100 * entry["of_peak"]
        found[metric] = {"n": 1, "median": percent, "min": percent, "max": percent,
                         "largest": entry["largest"], "missing": entry["missing"]}
    return found


def is_explained(metric, kernel, theirs, ours):
    """Whether these are the instructions that CUPTI's kernel records add to every warp."""
    return (metric == _INSTRUCTIONS and
            COUNT.score(theirs, ours - _ADDED_PER_WARP * kernel.warps) <= 1)


def compare(kernel, theirs_by_metric):
    rows = []
    for metric, ours in sorted(measured_by_prof(kernel).items()):
        values = theirs_by_metric.get(ncu.DURATION if metric == _UNSAMPLED else metric)
        row = {"kernel": kernel.label, "metric": metric,
               "prof": {name: value for name, value in ours.items() if name != "sum"}}
        if not values:
            rows.append({**row, "class": None, "ncu": None, "difference": None, "verdict": "alone"})
            continue
        theirs = results.summary(values)
        pair = theirs["median"], ours["median"]
        goal = goal_of(metric, pair[0])
        score = goal.score(*pair)
        verdict = ("reported" if score is None else "within" if score <= 1 else
                   "explained" if is_explained(metric, kernel, *pair) else "missed")
        rows.append({**row, "class": goal.name, "ncu": theirs, "unit": goal.unit,
                     "difference": goal.difference(*pair), "score": score, "verdict": verdict})
    return rows


def join(pairs):
    """(rows, kernels of prof that ncu does not have, how ncu's values were read)"""
    rows, alone, sources = [], [], set()
    for prof_path, ncu_path in pairs:
        profiled = results.read(ncu_path)
        sources.add(profiled["source"])
        by_key = ncu.values_by_key(profiled["launches"])
        for kernel in prof_report.kernels_of(results.read(prof_path)):
            theirs = ncu.lookup(by_key, kernel.key)
            if theirs:
                rows += compare(kernel, theirs)
            elif kernel.metrics:
                alone.append(kernel.label)
    return rows, alone, sorted(sources)


def without_zeros(rows):
    """The compared values that are not 0 under both tools. Two zeros agree whatever is wrong."""
    return [row for row in rows if row["ncu"] and (row["ncu"]["median"] or row["prof"]["median"])]


def class_summaries(rows):
    found = []
    for goal in GOALS:
        mine = [row for row in rows if row["class"] == goal.name]
        sizes = sorted(abs(row["difference"]) for row in mine if row["difference"] is not None)
        verdicts = [row["verdict"] for row in mine]
        middle = statistics.median(sizes) if sizes else None
        missed = verdicts.count("missed")
        found.append({
            "class": goal.name, "goal": goal.text, "unit": goal.unit, "values": len(mine),
            "median": middle, "worst": sizes[-1] if sizes else None,
            "within": verdicts.count("within"), "explained": verdicts.count("explained"),
            "missed": missed,
            "met": None if goal is OTHER or not mine else
                   missed == 0 and (not goal.median or middle <= goal.median)})
    return found


def class_table(summaries):
    return results.table(
        ["class", "goal", "values", "median difference", "worst", "unit", "within", "explained",
         "missed", "goal met"],
        [[s["class"], s["goal"], s["values"], s["median"], s["worst"], s["unit"], s["within"],
          s["explained"], s["missed"], s["met"]] for s in summaries])


def change(row):
    if row["difference"] is None:
        return "from 0"
    return f"{row['difference']:+.3g} {row['unit']}"


def missed_of(rows):
    """The worst first."""
    return sorted((row for row in rows if row["verdict"] == "missed"),
                  key=lambda row: -row["score"])


def missed_table(missed):
    return results.table(
        ["kernel", "metric", "ncu", "prof", "difference", "times the goal"],
        [[row["kernel"], row["metric"], results.spread(row["ncu"]), results.spread(row["prof"]),
          change(row), f"{row['score']:.1f}"] for row in missed])


def speed_table(rows):
    return results.table(
        ["kernel", "throughput", "ncu %", "prof %", "points", "the part that it is",
         "parts without a value"],
        [[row["kernel"], row["metric"].split(".")[0], row["ncu"]["median"], row["prof"]["median"],
          f"{row['difference']:+.2f}", row["prof"].get("largest", "").split(".")[0],
          len(row["prof"].get("missing", []))] for row in rows if row["class"] == SPEED.name])


def other_table(rows):
    """One line for each metric without a goal: its median and its worst difference."""
    by_metric = {}
    for row in rows:
        if row["class"] == OTHER.name and row["difference"] is not None:
            by_metric.setdefault(row["metric"], []).append(row)
    lines = []
    for metric, mine in sorted(by_metric.items()):
        worst = max(mine, key=lambda row: abs(row["difference"]))
        lines.append([metric, len(mine), statistics.median(abs(row["difference"]) for row in mine),
                      worst["kernel"], results.spread(worst["ncu"]), results.spread(worst["prof"]),
                      change(worst)])
    return results.table(["metric", "kernels", "median, %", "worst kernel", "ncu", "prof",
                          "difference"], lines)


def markdown(where, rows, summaries):
    return "\n".join([
        where + " Medians; ncu with --clock-control none --cache-control none.",
        "", class_table(summaries),
        "### Without values that are 0 under both tools", "",
        class_table(class_summaries(without_zeros(rows))),
        "### Every miss, worst first", "", missed_table(missed_of(rows)),
        "### Speed of light", "", speed_table(rows),
        "### Metrics without a goal", "", other_table(rows)])


def _in_words(rows, alone, summaries):
    lines = [f"{len({row['kernel'] for row in rows})} kernels; not seen by ncu: "
             f"{', '.join(alone) or 'none'}; {sum(row['verdict'] == 'alone' for row in rows)} "
             "values of prof without one of ncu", class_table(summaries).strip()]
    lines += [f"missed: {change(row):>14} {row['kernel']:20} {row['metric']}: "
              f"ncu {row['ncu']['median']:.5g}, prof {row['prof']['median']:.5g}"
              for row in missed_of(rows)[:_PRINTED]]
    return "\n".join(lines)


def publish(bench, pairs):
    """`pairs`: [(a report of prof, what ncu.py measured for the same program)]."""
    rows, alone, sources = join(pairs)
    summaries = class_summaries(rows)
    body = {"classes": summaries,
            "classes_without_zeros": class_summaries(without_zeros(rows)), "kernels_not_in_ncu": alone, "ncu_values_from": sources,
            "values": VALUES, "missed": missed_of(rows)}
    if bench.publish("accuracy", body, markdown(bench.where(), rows, summaries),
                     _in_words(rows, alone, summaries)):
        results.write_packed(bench.path(VALUES), rows)
    if not any(row["ncu"] for row in rows):
        bench.fail("no metric was compared")
