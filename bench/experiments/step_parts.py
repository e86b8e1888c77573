# SPDX-License-Identifier: Apache-2.0
"""This experiment finds by elimination what a timeline costs a step of PyTorch.

Parts of CUPTI's tracing without any code of prof (tracing_parts.cc), prof's timeline, and nothing
at all take turns in one process, some steps each, in an order that is drawn. Behind each turn CUPTI
is left, so that a bare turn is one.
"""

import json
import re
import statistics

from lib import results
from lib import settings
from lib import turns

QUESTION = "Which parts of tracing make up what a timeline costs a step of PyTorch?"
LIMIT_S = 300
RESULTS = ("step_parts",)

_PROGRAM = "bench/programs/session_turns.py"
_SETS = {
    "callback": "callback,calls",
    "kernels": "kernels",
    "kernels + callback": "kernels,callback",
    "what prof turns on": "kernels,copies,peer-copies,memsets,overhead,memory,pools,streams,callback,calls",
}
_BARE, _AGAIN, _FLOOR, _ON = "bare", "bare again", "kernels", "what prof turns on"
_TIMELINE = "prof's timeline"
_NEEDED = (_BARE, _AGAIN, _FLOOR, _ON, _TIMELINE)
_WITHOUT = {"prof's timeline, without the state of the GPU": {"gpu_state": False},
            "prof's timeline, without code": {"code": False},
            "prof's timeline, without ranges": {"ranges": False}}
_WORKLOADS = {"decode": 16, "train": 3}  # steps in a part of a turn
_ROUNDS, _PARTS = 9, 9
_MOST, _MOST_OF_OURS = 1.10, 1.02
_BASES = (("over_bare", _BARE), ("over_floor", _FLOOR), ("over_on", _ON))
_LEAST_PARTS = 9  # of each variant at the full speed of the host


def variants():
    """{name: a variant of session_turns.py}. Set 0 is on at the start, the last leaves CUPTI."""
    numbered = {name: [number, len(_SETS) + 1] for number, name in enumerate(_SETS, start=1)}
    sessions = {name: {"leave": True, **options}
                for name, options in {_TIMELINE: {}, **_WITHOUT}.items()}
    found = {_BARE: None, _AGAIN: None, **numbered, **sessions}
    return {name: variant for name, variant in found.items()
            if name in _NEEDED or re.search(settings.VARIANTS, name)}


def name_of(found):
    """The name of the result. With further variants it is a part: what prof costs, and what the
    parts of tracing cost, do not replace each other.
    """
    return "step_parts" if set(found) == set(_NEEDED) else "step_parts.step_variants"


_NAME = name_of(variants())
FILES = (f"{_NAME}.json",)


def rows_of(workload, times, parts=None):
    """`times`: {variant: [us a step, a round]}. Ratios are of two turns of a round; at the full
    speed of the host, of the medians of all `parts` that had it.
    """
    rows = []
    fast = turns.at_full_speed(parts or {})
    for variant, values in times.items():
        row = {"workload": workload, "variant": variant, "n": len(values),
               "us_per_step": statistics.median(values)}
        for name, base in _BASES:
            ratios = [value / reference for value, reference in zip(values, times[base])]
            quarters = statistics.quantiles(ratios, n=4)
            row[name] = statistics.median(ratios)
            row[f"{name}_quarters"] = [quarters[0], quarters[-1]]
        if fast:
            row["fast_parts"] = len(fast[variant])
        for name, base in _BASES:
            if fast and min(len(fast[variant]), len(fast[base])) >= _LEAST_PARTS:
                row[f"fast_{name}"] = turns.ratio_of_medians(fast[variant], fast[base])
        rows.append(row)
    return rows


def _best(name, *rows):
    """The ratios of `rows` at the full speed of the host, where all of them have one."""
    fast = f"fast_{name}"
    return [row[fast][0] if all(fast in one for one in rows) else row[name] for row in rows]


def goals_of(rows):
    """A timeline may cost 1.10 of bare where CUPTI's own part leaves that much."""
    goals = []
    for workload in _WORKLOADS:
        of = {row["variant"]: row for row in rows if row["workload"] == workload}
        if _TIMELINE not in of:
            continue
        ours, floor = _best("over_bare", of[_TIMELINE], of[_FLOOR])
        for goal, measured, limit in (
                ("time of a step over bare, or CUPTI's floor where that is more",
                 ours, max(_MOST, floor)),
                ("time of a step over what prof turns on", _best("over_on", of[_TIMELINE])[0],
                 _MOST_OF_OURS)):
            goals.append({"goal": f"{workload}, {_TIMELINE}: {goal}", "measured": measured,
                          "limit": limit, "met": measured <= limit})
    return goals


def _with_quarters(row, name):
    least, most = row[f"{name}_quarters"]
    return f"{row[name]:.3f} ({least:.3f} to {most:.3f})"


def _fast_table(rows):
    """What was measured at the full speed of the host; nothing where no part has its speed."""
    if not any(f"fast_{_BASES[0][0]}" in row for row in rows):
        return []
    return ["At the full speed of the host: of the medians of all parts that had it, with the "
            "interval of 95 %.", "",
            results.table(["workload", "variant", "parts", "over bare", "over the floor",
                           "over what prof turns on"],
                          [[row["workload"], row["variant"], row.get("fast_parts"),
                            *("{:.3f} ({:.3f} to {:.3f})".format(*row[f"fast_{name}"])
                              if f"fast_{name}" in row else None for name, _ in _BASES)]
                           for row in rows])]


def markdown(where, rows, goals):
    return "\n".join([
        where + f" Medians of n rounds in one process, of {_PARTS} parts each; ratios are of two "
        "turns of a round, with their quartiles.", "",
        results.table(["workload", "variant", "n", "us per step", "over bare", "over the floor",
                       "over what prof turns on"],
                      [[row["workload"], row["variant"], row["n"], row["us_per_step"],
                        *(_with_quarters(row, name)
                          for name, _ in _BASES)] for row in rows]),
        *_fast_table(rows), results.goal_table(goals)])


def short(where, rows):
    """The table of a part: what each variant cost, beside the distance of two bare turns."""
    return "\n".join([
        where + " Medians of n rounds in one process; ratios are of two turns of a round, with "
        "their quartiles.", "",
        results.table(["workload", "variant", "n", "over bare", "over the floor"],
                      [[row["workload"], row["variant"], row["n"],
                        *(_with_quarters(row, name) for name, _ in _BASES[:2])]
                       for row in rows if row["variant"] != _BARE])])


def run(bench):
    library = bench.build_injection("tracing_parts")
    rows = []
    for workload, steps in _WORKLOADS.items():
        if library is None or not re.search(settings.WORKLOADS, workload):
            continue
        log = f"step_parts_{workload}.txt"
        with bench.failing(workload):
            bench.step(LIMIT_S / len(_WORKLOADS), log, bench.injected(
                library, [bench.python, _PROGRAM, workload, json.dumps(variants()), "--rounds",
                          str(_ROUNDS), "--steps", str(steps), "--parts", str(_PARTS)],
                TRACING_PARTS=";".join(["", *_SETS.values(), "finalized"])))
            output = bench.text(log)
            rows += rows_of(workload, turns.rounds_in(output), turns.parts_in(output))
    if not rows:
        bench.fail("nothing was measured")
        return
    goals = goals_of(rows)
    table = markdown(bench.where(), rows, goals)
    bench.publish(_NAME, {"rows": rows, "sets": _SETS, "goals": goals, "failures": bench.failures},
                  table if _NAME == "step_parts" else short(bench.where(), rows), table)
