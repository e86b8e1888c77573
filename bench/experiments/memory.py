# SPDX-License-Identifier: Apache-2.0
"""This experiment compares the ledger of tensors with what programs know of their own memory.

The programs draw their sizes. They know what their tensors are used as, what they leak, and what
PyTorch and the driver say.
"""

import json
import pathlib
import random
import re

from lib import prof_report
from lib import results
from lib import settings

QUESTION = "Does the ledger of PyTorch's tensors hold what programs know of their memory?"
LIMIT_S = 180
RESULTS = ("memory",)
FILES = ("memory.json",)

CASES = ("train", "decode", "buckets", "leak", "full")
_PROGRAM = "bench/programs/tensor_memory.py"
_OPTIONS = ("--torch", "modules", "--torch-memory", "--python-stacks")
_RUN_LIMIT_S = 60
_WITHIN = 0.01
# What the driver gives beside allocations (code, libraries, CUPTI's buffers) has one size in all
# programs: 0.1 GB. So it is a share worth a goal in large programs only.
_LARGE = 4 << 30


def planted_line(source, what):
    """The number of the line with this mark, from 1."""
    found = [number for number, line in enumerate(source.splitlines(), start=1)
             if line.endswith(f"# planted {what}")]
    return found[0] if len(found) == 1 else None


def _is_planted(place, source, what):
    return bool(place) and place["line"] == planted_line(source, what) and \
        place["file"].endswith(pathlib.PurePath(_PROGRAM).name)


def _ratio(reported, known):
    if known:
        return reported / known
    return 1 if reported == 0 else None


def rows_of(case, report, knows, source):
    """[{case, quantity, reported, known, ratio}]. `source`: of the program."""
    memory = report["memory"]
    tensors = memory["tensors"][0]
    device = memory["devices"][0]
    quantities = [("tensors at the peak", tensors["peak_bytes"], knows["peak"]),
                  ("tensors at the end", tensors["bytes_at_end"], knows["live"])]
    if knows["driver"] >= _LARGE:
        quantities.append(("all owners at the end, beside the driver", device["bytes_at_end"],
                           knows["driver"]))
    if device["parts"]:
        quantities.append(("sum of the parts of the device's peak",
                           sum(part["bytes"] for part in device["parts"]), device["peak_bytes"]))
    roles = {role["role"]: role["bytes"] for role in tensors["roles"]}
    for role, known in knows.get("roles", {}).items():
        quantities.append((f"{role} at the peak", roles.get(role, 0), known))
    if "leak" in knows:
        growth = [one for one in memory["growth"] if one["memory"] == "tensors"]
        named = bool(growth) and growth[0]["grows"] and bool(growth[0]["lines"]) and \
            _is_planted(growth[0]["lines"][0]["place"], source, "leak")
        quantities += [("growth of tensors a step", growth[0]["bytes_per_step"] if growth else 0,
                        knows["leak"]),
                       ("the line of the growth", int(named), 1)]
    if "wanted" in knows:
        failures = [one for one in memory["tensor_failures"]
                    if _is_planted(one["place"], source, "refusal")]
        segments = failures[0]["segments"] if failures else {}
        fits = segments.get("largest_gap", 0) < knows["wanted"] <= segments.get("unused_bytes", 0)
        quantities += [("the size that was refused, at its line",
                        failures[0]["bytes"] if failures else 0, knows["wanted"]),
                       ("unused by PyTorch when it was refused", segments.get("unused_bytes", 0),
                        knows["unused"]),
                       ("the gaps would hold it together, and none alone", int(fits), 1)]
    return [{"case": case, "quantity": quantity, "reported": reported, "known": known,
             "ratio": _ratio(reported, known)} for quantity, reported, known in quantities]


def goals_of(rows):
    goals = []
    for row in rows:
        off = abs(row["ratio"] - 1) if row["ratio"] is not None else None
        goals.append({"goal": f"{row['case']}: {row['quantity']}, off by", "measured": off,
                      "limit": _WITHIN, "met": off is not None and off <= _WITHIN})
    return goals


def markdown(where, rows, rest, goals):
    return "\n".join([
        where + " Bytes, but for yes (1) and no (0).", "",
        results.table(["program", "quantity", "prof", "the program", "ratio"],
                      [[row["case"], row["quantity"], row["reported"], row["known"], row["ratio"]]
                       for row in rows]),
        "", "What the driver gives beside PyTorch's segments, which no record has: code, libraries, "
        "and with prof CUPTI's buffers.", "",
        results.table(["program", "bare", "with prof"],
                      [[row["case"], row["bare"], row["with_prof"]] for row in rest]),
        results.goal_table([goal for goal in goals if not goal["met"]] or [
            {"goal": "quantities within 1 %", "measured": len(goals), "limit": len(goals),
             "met": True}])])


def _known(bench, log):
    line = re.search(r"^\[knows\] (.*)$", bench.text(log), re.MULTILINE)
    if not line:
        raise RuntimeError(f"{log}: the program has not said what it knows")
    return json.loads(line[1])


def _beside_pytorch(knows):
    """What the driver has given, and PyTorch's allocator has not."""
    return knows["driver"] - knows["reserved"]


def _measure(bench, case, seed):
    snapshot = bench.path(f"memory_{case}.prof")
    program = [bench.python, _PROGRAM, case, "--seed", str(seed)]
    bench.step(_RUN_LIMIT_S, f"memory_{case}_bare.txt", program)
    bench.step(_RUN_LIMIT_S, f"memory_{case}.txt",
               [bench.prof, "run", *_OPTIONS, "--counters", "none", "--output", snapshot, "--",
                *program])
    knows = _known(bench, f"memory_{case}.txt")
    source = pathlib.Path(_PROGRAM).read_text(encoding="utf-8")
    rows = rows_of(case, prof_report.load(bench.prof, snapshot), knows, source)
    return rows, {"case": case, "bare": _beside_pytorch(_known(bench, f"memory_{case}_bare.txt")),
                  "with_prof": _beside_pytorch(knows)}


def run(bench):
    seed = settings.SEED if settings.SEED is not None else \
        random.SystemRandom().randrange(1 << 31)
    rows, rest = [], []
    for case in filter(lambda name: re.search(settings.WORKLOADS, name), CASES):
        with bench.failing(case):
            measured, beside = _measure(bench, case, seed)
            rows += measured
            rest.append(beside)
    if not rows:
        bench.fail("no case was measured")
        return
    goals = goals_of(rows)
    bench.publish("memory", {"seed": seed, "rows": rows, "beside_pytorch": rest, "goals": goals,
                             "failures": bench.failures},
                  markdown(bench.where(), rows, rest, goals))
