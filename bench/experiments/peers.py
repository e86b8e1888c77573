# SPDX-License-Identifier: Apache-2.0
"""This experiment compares prof's timeline with other tools that keep one.

PyTorch programs run under each tool in turns. It measures the time of a step, at the full speed of
the host where that has several, and the bytes that each tool writes for a kernel.
"""

import collections
import contextlib
import pathlib
import re
import statistics
import time

from lib import in_turn
from lib import machine
from lib import prof_report
from lib import results
from lib import settings
from lib import turns

QUESTION = "What does the timeline cost beside torch.profiler, Proton and nsys?"
LIMIT_S = 280
RESULTS = ("peers",)


def _name():
    """The name of the result. Some of the workloads or variants are a part of it."""
    words = re.findall(r"\w+", f"{settings.WORKLOADS} {settings.VARIANTS}")
    return ".".join(filter(None, ["peers", "_".join(words)]))


_NAME = _name()
FILES = (f"{_NAME}.json",)

_REPEATS = 5
_RUN_LIMIT_S = 60
_MARGIN_S = _RUN_LIMIT_S + 20  # of the last run, which may be stopped
_LEAST_PARTS = 5  # of a run at the full speed of the host
_LEAST_RUNS = 3  # fewer give no interval, and decide no goal
_AHEAD = 2  # programs that load PyTorch while another one runs
_BARE, _FLOOR, _PROF, _PROTON = "bare", "CUPTI's floor", "prof", "Proton"
_PROGRAM = "bench/programs/peer_steps.py"
_WORKLOADS = {"PyTorch storm": "storm", "llama_like, decode": "decode",
              "llama_like, train": "train"}


def variants(bench, parts, program):
    """{variant: (command, what it writes or None)}. The first is the base.

    `parts`: tracing_parts.cc as a library, or None.
    """
    python, scratch = bench.python, bench.scratch
    bare = [python, *program]

    def under(tool, output):
        return [python, "bench/programs/with_tool.py", tool, output, "--", *program], output

    snapshot = f"{scratch}/prof.prof"
    found = {_BARE: (bare, None)}
    if parts:
        found[_FLOOR] = (bench.injected(parts, bare), None)
    found |= {
        _PROF: (bench.under_prof(snapshot, bare), snapshot),
        "torch.profiler, CUDA": under("torch", f"{scratch}/torch.json"),
        "torch.profiler, CPU and CUDA": under("torch-cpu", f"{scratch}/torch_cpu.json"),
        # It sums up by scope and keeps no timeline, so its file does not grow with the launches.
        _PROTON: under("proton", f"{scratch}/proton.hatchet"),
    }
    nsys = machine.nsys()
    if nsys:
        found["nsys"] = ([nsys, "profile", "--trace=cuda,nvtx", "--sample=none",
                          "--cpuctxsw=none", "--force-overwrite=true", f"--output={scratch}/nsys",
                          *bare], f"{scratch}/nsys.nsys-rep")
    return found


def size_of(path):
    """nsys leaves a .qdstrm where it cannot make a report."""
    for candidate in (pathlib.Path(path), pathlib.Path(path).with_suffix(".qdstrm")):
        if candidate.exists():
            return candidate.stat().st_size
    return None


def measure(commands, deadline, fail):
    """({variant: [{workload: parts}, a run]}, {variant: bytes that it wrote}).

    `commands`: {variant: (command, what it writes)}. A variant that fails is missing in that round.
    """
    runs, sizes = {variant: [] for variant in commands}, {}
    order = [variant for _ in range(_REPEATS) for variant in commands]
    programs = in_turn.run([commands[variant][0] for variant in order], _RUN_LIMIT_S, _AHEAD)
    with contextlib.closing(programs) as outcomes:
        for variant, (_, code, output) in zip(order, outcomes):
            parts = turns.parts_in(output)
            if code != 0 or not parts:
                fail(f"{variant}: exit code {code}: {output.strip()[-200:]}")
            else:
                runs[variant].append(parts)
                sizes[variant] = commands[variant][1] and size_of(commands[variant][1])
            if time.monotonic() > deadline:
                break
    return runs, sizes


def rows_of(workload, runs, bytes_per_kernel):
    """`runs`: {variant: [parts, a run]}. The time of a run is the median of its parts; a row has the
    medians of its runs.
    """
    fast = turns.at_full_speed({(variant, i): parts for variant, found in runs.items()
                                for i, parts in enumerate(found)})
    all_us, fast_us = (collections.defaultdict(list) for _ in range(2))
    for variant, found in runs.items():
        for i, parts in enumerate(found):
            all_us[variant].append(statistics.median(us for us, _ in parts))
            if len(fast[variant, i]) >= _LEAST_PARTS:
                fast_us[variant].append(statistics.median(fast[variant, i]))
    rows = []
    for variant in filter(runs.get, runs):
        ratio = all_us[variant], all_us[_BARE]
        fast_ratio = fast_us[variant], fast_us[_BARE]
        rows.append({
            "workload": workload, "variant": variant, "n": len(all_us[variant]),
            "us_per_step": statistics.median(all_us[variant]),
            "over_bare": _ratio(*ratio),
            "fast_n": len(fast_us[variant]),
            "fast_us_per_step": statistics.median(fast_ratio[0]) if fast_ratio[0] else None,
            "fast_over_bare": _ratio(*fast_ratio),
            "bytes_per_kernel": bytes_per_kernel.get(variant), "runs": runs[variant]})
    return rows


def _ratio(values, base):
    if min(len(values), len(base)) < _LEAST_RUNS:
        return None
    return turns.ratio_of_medians(values, base)


def goals_of(rows):
    """prof is the cheapest in time and in bytes, among those that keep a timeline."""
    goals = []
    for workload in _WORKLOADS:
        of = {row["variant"]: row for row in rows if row["workload"] == workload}
        if _PROF not in of:
            continue
        is_fast = all(row["fast_n"] >= _LEAST_RUNS for row in of.values())
        goals.append(_goal(f"{workload}: us per step, the lowest of all tools",
                           {variant: row for variant, row in of.items()
                            if row["n"] >= _LEAST_RUNS},
                           "fast_us_per_step" if is_fast else "us_per_step"))
    of = {row["variant"]: row for row in rows if row["variant"] != _PROTON}
    goals.append(_goal("bytes per kernel, the lowest that keep a timeline", of,
                       "bytes_per_kernel"))
    return [goal for goal in goals if goal]


def _goal(text, row_of, quantity):
    """Of prof's row and of other tools. None where one of them has no such quantity."""
    ours = row_of[_PROF][quantity] if _PROF in row_of else None
    values = [row[quantity] for variant, row in row_of.items()
              if variant not in (_PROF, _BARE, _FLOOR) and row[quantity]]
    if not ours or not values:
        return None
    return {"goal": text, "measured": ours, "limit": min(values), "met": ours <= min(values)}


def _with_interval(ratio):
    return "{:.3f} ({:.3f} to {:.3f})".format(*ratio) if ratio else None


def markdown(where, rows, goals):
    return "\n".join([
        where + " In turns; medians of n runs, with the interval of 95 % of their ratio.", "",
        results.table(
            ["workload", "variant", "us per step", "over bare", "n", "at full speed: us per step",
             "over bare", "n", "bytes per kernel"],
            [[row["workload"], row["variant"], row["us_per_step"],
              _with_interval(row["over_bare"]), row["n"], row["fast_us_per_step"],
              _with_interval(row["fast_over_bare"]), row["fast_n"], row["bytes_per_kernel"]]
             for row in rows]),
        results.goal_table(goals)])


def run(bench):
    parts = bench.build_injection("tracing_parts")
    chosen = [name for name in _WORKLOADS if re.search(settings.WORKLOADS, name)]
    program = [_PROGRAM, *(_WORKLOADS[name] for name in chosen)]
    commands = {variant: found for variant, found in variants(bench, parts, program).items()
                if variant in (_BARE, _PROF) or re.search(settings.VARIANTS, variant)}
    runs, sizes = measure(commands, bench.deadline(_MARGIN_S), bench.fail)
    if not runs[_BARE] or not runs[_PROF]:
        bench.fail("nothing was measured")
        return
    bytes_per_kernel = {}
    with bench.failing("kernels of prof's snapshot"):
        kernels = prof_report.load(bench.prof, commands[_PROF][1])["totals"]["kernels"]
        bytes_per_kernel = {variant: size / kernels for variant, size in sizes.items() if size}
    rows = []
    for name in chosen:
        rows += rows_of(name, {variant: [run_[_WORKLOADS[name]] for run_ in found]
                               for variant, found in runs.items()}, bytes_per_kernel)
    goals = goals_of(rows)
    bench.publish(_NAME, {"rows": rows, "goals": goals, "failures": bench.failures,
                          "commands": {variant: machine.printable(command)
                                       for variant, (command, _) in commands.items()}},
                  markdown(bench.where(), rows, goals))
