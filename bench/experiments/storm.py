# SPDX-License-Identifier: Apache-2.0
"""This experiment measures what the timeline costs a launch.

It compares with the bare program and with CUPTI's floor: its activity tracing of kernels, with the
records thrown away (tracing_parts.cc). No tool on CUPTI can be below that. The kinds "parts" show
what each part of CUPTI's tracing adds, and what is left when it is off again.

The variants take turns. Processes differ by a quarter in what a bare launch costs, so each is
compared with its own runs before anything was on. The timeline is also compared with the floor in
its own process, in turns. "prof run" and nsys are on from the start, so they are compared with
another process.

prof cannot do without a callback and without some more kinds of records. What these cost by
themselves is measured in turns with the timeline, too: the rest is prof's own.
"""

import os
import re
import statistics

from lib import machine
from lib import processes
from lib import results
from lib import settings
from lib import turns

QUESTION = "What does the timeline cost a launch, beside CUPTI's floor?"
LIMIT_S = 300
RESULTS = ("tracing",)
FILES = ("tracing.json",)

_REPEATS = 10
_MARGIN_S = 40  # for what comes after the table
_STORM_LIMIT_S = 40
_TIMING = re.compile(r"^\[timing\] storm (\w+) .* us_per_kernel ([0-9.]+)", re.MULTILINE)
_COUNTS = re.compile(r"^\[counts\] made (\d+) recorded (\d+) .* complete (\d) snapshot_bytes (\d+)",
                     re.MULTILINE)
_KERNELS = {"plain": 50_000, "ranges": 50_000, "graph": 200_000}
_ROUNDS = 4
_CALLS = "runtime,driver"
_FLOOR = {"floor": "kernels", "floor, then off": "off"}  # {row: TRACING_PARTS}
_FLOOR_BESIDE = "floor, in turns with the timeline"
_ON_BESIDE = "what prof turns on, in turns with the timeline"
_BESIDE_ON = "timeline, in turns with what it turns on"
_OTHERS = "copies,peer-copies,memsets,overhead,memory,pools,streams"
_ON = f"kernels,{_OTHERS},callback,calls"
_PARTS = {
    "kernels": "kernels",
    "kernels + callback": "kernels,callback",
    "kernels + other kinds": f"kernels,{_OTHERS}",
    "kernels + other kinds + callback + calls": f"kernels,{_OTHERS},callback,calls",
    "what prof turns on": _ON,
    "kernels + API records": f"kernels,{_CALLS},selected",
    "kernels + synchronization": "kernels,synchronization",
}
_ALONE = (*_OTHERS.split(","), "callback", "callback,calls", "probe")
_ELIMINATED = ("callback,calls", *_OTHERS.split(","))
# {row: parts}: each part beside kernels alone, all that prof turns on without each of them, and with
# the probe, which it had.
_ELIMINATION = {
    "kernels": "kernels",
    **{f"kernels + {part}": f"kernels,{part}" for part in _ALONE},
    "what prof turns on": _ON,
    "what prof turns on + probe": f"{_ON},probe",
    **{f"what prof turns on, without {part}": _ON.replace(f",{part}", "") for part in _ELIMINATED},
}
_ELIMINATION_KERNELS = 20_000
_RUN_LIMIT_S = 60
_OVER_FLOOR, _OVER_ON, _OVER_BARE = 1.02, 1.02, 1.01
_BYTES_PER_LAUNCH = 12  # with a range each


def under_parts(bench, library, storm, sets):
    """The bare storm under sets of parts in turns, after runs without any."""
    return bench.injected(
        library, [bench.binary("storm_bare"), *storm, str(_ROUNDS), str(len(sets))],
        TRACING_PARTS=";" + ";".join(sets.values()))


def _parts_variants(bench, library, base):
    """Each in a process of its own, because each leaves something behind."""
    storm = [str(_KERNELS[base]), "1", base]
    return {name: (under_parts(bench, library, storm, {name: parts, f"{name}, off": "off"}),
                   names_of([name, f"{name}, off"])) for name, parts in _PARTS.items()}


def _elimination_variants(bench, library):
    """As _parts_variants, of shorter runs, so that there are many processes."""
    storm = [str(_ELIMINATION_KERNELS), "1", "plain"]
    return {name: (under_parts(bench, library, storm, {name: parts}), names_of([name]))
            for name, parts in _ELIMINATION.items()}


def variants(bench, library, kind):
    """{variant: (command, {name in its output: row})}. "base" is a run before anything is on."""
    if kind == "elimination":
        return _elimination_variants(bench, library)
    if kind.endswith("parts"):
        return _parts_variants(bench, library, "graph" if kind.startswith("graph") else "plain")
    storm = [str(_KERNELS[kind]), "1", kind]
    bare = [bench.binary("storm_bare"), *storm, str(_ROUNDS)]
    found = {
        "bare": (bare, {"bare": "base"}),
        "floor": (under_parts(bench, library, storm, _FLOOR), names_of(_FLOOR)),
        "timeline": (bench.injected(
            library, [bench.binary("launch_storm"), "timeline", *storm, str(_ROUNDS), "1"],
            TRACING_PARTS=f";{_FLOOR['floor']}"), {
                "before": "base", "set_1": _FLOOR_BESIDE,
                "timeline_first": "timeline, first launches", "timeline": "timeline",
                "after": "after Stop"}),
        "prof run": (bench.under_prof(f"{bench.scratch}/storm.prof", bare), {"bare": "prof run"}),
    }
    if kind != "graph":  # CUPTI has one subscriber: prof leaves it, which graphs forbid
        found[_BESIDE_ON] = (bench.injected(
            library, [bench.binary("launch_storm"), "leave", *storm, str(_ROUNDS), "1"],
            TRACING_PARTS=f"unsubscribed;{_ON}"), {
                "before": "base", "set_1": _ON_BESIDE, "timeline": _BESIDE_ON})
    nsys = machine.nsys()
    if nsys:
        found["nsys"] = ([nsys, "profile", "--trace=cuda,nvtx", "--sample=none",
                          "--cpuctxsw=none", "--cuda-graph-trace=node", "--force-overwrite=true",
                          f"--output={bench.scratch}/nsys", *bare], {"bare": "nsys"})
    return found


def chosen(commands):
    """Those that PROF_GPU_VARIANTS names: few of them get more processes in the same time."""
    return {name: command for name, command in commands.items()
            if re.search(settings.VARIANTS, name)}


def names_of(sets):
    """{name in the output of under_parts(): row}. The base runs under set 0, which is empty."""
    return {"bare": "base"} | {f"set_{i}": name for i, name in enumerate(sets, start=1)}


def measure(command_and_names):
    """({row: [us per kernel]}, counts or None) of one run."""
    command, names = command_and_names
    _, output = processes.checked(command, _RUN_LIMIT_S)
    values = {}
    for name, value in _TIMING.findall(output):
        if name in names:
            values.setdefault(names[name], []).append(float(value))
    if not values:
        raise RuntimeError(f"no [timing] line: {output[-300:]}")
    counts = [[int(value) for value in found] for found in _COUNTS.findall(output)]
    return values, counts[-1] if counts else None


class _Runs:
    """The measurements of one kind of storm: for each row a list with a value for each process."""

    def __init__(self):
        self.us, self.over_base, self.over_floor, self.over_on = {}, {}, {}, {}
        self.variant_of = {}  # row: variant
        self.counts = {}

    def add(self, variant, measured, counted):
        base = statistics.median(measured["base"]) if "base" in measured else None
        if variant == "bare":
            self.us.setdefault("bare", []).append(base)
            return
        for name, values in measured.items():
            if name == "base":
                continue
            us = statistics.median(values)
            self.us.setdefault(name, []).append(us)
            self.over_base.setdefault(name, []).append(us / base if base else None)
            for beside, over in ((_FLOOR_BESIDE, self.over_floor), (_ON_BESIDE, self.over_on)):
                if beside in measured:
                    over.setdefault(name, []).append(us / statistics.median(measured[beside]))
            self.variant_of[name] = variant
        if variant == "timeline":
            self.us.setdefault("linked, no session", []).append(base)
            self.counts["timeline"] = counted

    def row(self, kind, name, commands):
        measured = self.us[name]
        over = [ratio for ratio in self.over_base.get(name, []) if ratio is not None]
        command = commands[self.variant_of.get(name, "bare")][0]
        row = {"storm": kind, "variant": name, "us_per_kernel": statistics.median(measured),
               "min": min(measured), "max": max(measured), "n": len(measured),
               "command": machine.printable(command), "same_process": bool(over)}
        if over:  # each process against its own runs before anything was on
            row["over_bare"] = statistics.median(over)
        elif self.us.get("bare"):
            row["over_bare"] = row["us_per_kernel"] / statistics.median(self.us["bare"])
        if self.over_on.get(name):
            row["over_on"] = statistics.median(self.over_on[name])
        if self.counts.get(name):
            made, recorded, complete, size = self.counts[name]
            row.update(made=made, recorded=recorded, complete=bool(complete),
                       bytes_per_launch=size / made)
        return row

    def rows(self, kind, commands):
        rows = [self.row(kind, name, commands) for name in self.us]
        floor = next((row["over_bare"] for row in rows if row["variant"] in ("floor", "kernels")
                      and "over_bare" in row), None)
        for row in rows:
            over = self.over_floor.get(row["variant"])
            row["over_floor"] = (statistics.median(over) if over else
                                 row["over_bare"] / floor if floor and "over_bare" in row else None)
        return rows


def run_kind(bench, library, kind, deadline):
    """Rows of one kind of storm."""
    commands, runs = chosen(variants(bench, library, kind)), _Runs()
    for variant, (measured, counted) in turns.take(kind, commands, _REPEATS, deadline, measure,
                                                   bench.fail):
        runs.add(variant, measured, counted)
    return runs.rows(kind, commands)


def goals_of(rows):
    goals = []
    for row in rows:
        name = f"{row['storm']}, {row['variant']}"
        if row["variant"] == "timeline" and row["over_floor"]:
            goals.append({"goal": f"{name}: over CUPTI's floor", "measured": row["over_floor"],
                          "limit": _OVER_FLOOR})
        if row["variant"] == _BESIDE_ON:
            goals.append({"goal": f"{name}: over it", "measured": row["over_on"],
                          "limit": _OVER_ON})
        if row["variant"] in ("after Stop", "linked, no session") and row.get("over_bare"):
            goals.append({"goal": f"{name}: over bare", "measured": row["over_bare"],
                          "limit": _OVER_BARE})
        if row["storm"] == "ranges" and "bytes_per_launch" in row:
            goals.append({"goal": f"{name}: bytes per launch", "measured": row["bytes_per_launch"],
                          "limit": _BYTES_PER_LAUNCH})
    for goal in goals:
        goal["met"] = goal["measured"] <= goal["limit"]
    return goals


def markdown(where, rows, goals):
    return "\n".join([
        where + " In turns; medians, us per kernel.", "",
        results.table(
            ["storm", "variant", "us", "n", "over bare", "over floor", "over what prof turns on",
             "recorded", "made", "bytes per launch"],
            [[row["storm"], row["variant"], row["us_per_kernel"], row["n"], row.get("over_bare"),
              row["over_floor"], row.get("over_on"), row.get("recorded"), row.get("made"),
              row.get("bytes_per_launch")] for row in rows]),
        results.goal_table(goals)])


def run_kinds(bench, library):
    rows, begun_s = [], bench.left_s()
    for done, kind in enumerate(settings.KINDS, start=1):
        share = (begun_s - _MARGIN_S) * done / len(settings.KINDS)
        rows += run_kind(bench, library, kind, bench.deadline(begun_s - share))
    goals = goals_of(rows)
    bench.publish("tracing", {"rows": rows, "goals": goals, "failures": bench.failures},
                  markdown(bench.where(), rows, goals))
    if not rows:
        bench.fail("nothing was measured")


def save_buffers(bench, library):
    """Activity buffers of the decoder layer, as CUPTI fills them: data for tests of the decoder."""
    os.makedirs(bench.path("buffers"), exist_ok=True)
    layer = bench.program("transformer_bare", "--tokens", "1", "--steps", "300", "--steady", "1")
    bench.step(_STORM_LIMIT_S, "buffers.txt", bench.injected(
        library, layer, TRACING_PARTS="kernels,copies,memsets,overhead,callback",
        TRACING_SAVE=bench.path("buffers")))


def run(bench):
    library = bench.build_injection("tracing_parts")
    if library:
        with bench.failing("the table"):
            run_kinds(bench, library)
        save_buffers(bench, library)
    bench.step(_STORM_LIMIT_S, "storm_4_threads.txt",
               bench.program("launch_storm", "counters", "50000", "4"))
    bench.show_lines_of("storm_4_threads.txt")
