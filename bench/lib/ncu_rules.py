# SPDX-License-Identifier: Apache-2.0
"""This module reads what the rules of Nsight Compute find in each launch, and what ncu means by it.

`ncu --csv --page details` has a row for each metric of a section, and one for each message of a
rule. ncu's opinion is the message of its rule SOLBottleneck; other rules name a pipe, a stall or a
cause. The messages are known by short phrases that ncu 2022.3 to 2025 have in common.
"""

import csv
import io
import re
import subprocess

from lib import machine
from lib import ncu
from lib import prof_report
from lib import processes

MEMORY, COMPUTE, BALANCED = "memory", "compute", "balanced"
LATENCY, SMALL_GRID = "latency", "small-grid"

# The rules of these sections are asked. SourceCounters is left out: it patches the code, and
# MemoryCacheAccessPattern finds uneven accesses as well.
SECTIONS = ("SpeedOfLight", "ComputeWorkloadAnalysis", "MemoryWorkloadAnalysis",
            "MemoryWorkloadAnalysis_Tables", "SchedulerStats", "WarpStateStats", "LaunchStats",
            "Occupancy", "WorkloadDistribution")
ASKED_FOR = "Command line profiler metrics"  # the section of --metrics
_SPEED = "GPU Speed Of Light Throughput"
_NVTX_COLUMN = "Push/Pop_Range"
_NVTX_RANGE = re.compile(r'<default domain>:([^:"]*)')  # PROCESS "DOMAIN:NAME:none:..." "..."
_MICROSECONDS = {"ns": 1e-3, "nsecond": 1e-3, "us": 1, "usecond": 1, "ms": 1e3, "msecond": 1e3,
                 "s": 1e6, "second": 1e6}
_READ_LIMIT_S = 60


def _size(text):
    found = [int(value) for value in re.findall(r"\d+", text or "")]
    return found if len(found) == 3 else None


def _range(row):
    """The innermost range of the default domain, or "". The column is there with `ncu --nvtx`."""
    cell = next((cell for column, cell in row.items() if column and _NVTX_COLUMN in column), None)
    found = _NVTX_RANGE.findall(cell or "")
    return found[-1] if found else ""


def _add(launch, row):
    if row.get("Rule Name"):
        launch["rules"].append({
            "rule": row["Rule Name"], "type": row.get("Rule Type") or "",
            "text": " ".join((row.get("Rule Description") or "").split()),
            "speedup": ncu.number(row.get("Estimated Speedup")),
            "speedup_type": row.get("Estimated Speedup Type") or ""})
    value = ncu.number(row.get("Metric Value"))
    if row.get("Metric Name") and value is not None:
        section = launch["values"].setdefault(row.get("Section Name") or "", {})
        section[row["Metric Name"]] = {"value": value, "unit": row.get("Metric Unit") or ""}


def launches_of(text):
    """[{"kernel", "grid", "block", "range", "rules", "values"}] of ncu's output.

    `values`: {section: {name: {"value", "unit"}}}. Rows of metrics end before the columns of rules.
    """
    start = re.search(r'^"ID",', text, re.MULTILINE)
    if start is None:
        raise ValueError(f"ncu printed no table: {text[-300:]}")
    found = {}
    for row in csv.DictReader(io.StringIO(text[start.start():], newline="")):
        if not (row["ID"] or "").isdigit():  # what ncu prints behind the table
            continue
        if row["ID"] not in found:
            found[row["ID"]] = {"kernel": prof_report.demangle(row["Kernel Name"]),
                                "grid": _size(row.get("Grid Size")),
                                "block": _size(row.get("Block Size")), "range": _range(row),
                                "rules": [], "values": {}}
        _add(found[row["ID"]], row)
    return list(found.values())


def read(report):
    """(launches, the table as ncu printed it) of a report file."""
    command = [ncu.executable(), "--import", report, "--csv", "--page", "details",
               "--print-units", "base", "--print-kernel-base", "mangled"]
    text = subprocess.run(command, capture_output=True, text=True, errors="replace",
                          timeout=_READ_LIMIT_S, check=False).stdout
    return launches_of(text), text


def profile(program, report, metrics, kernels, limit_s):
    """Runs ncu on what the program marks. `kernels`: base names, none of them: all kernels.

    Metrics beside the sections are left out where ncu takes none of them.
    """
    names = "|".join(re.escape(name) for name in sorted(set(kernels)))
    sections = [word for section in SECTIONS for word in ("--section", section)]
    seconds = 0
    for asked in (["--metrics", ",".join(metrics)], []):
        command = [ncu.executable(), "--clock-control", "none", "--cache-control", "none",
                   *ncu.BETWEEN_PROFILER_CALLS, "--nvtx",
                   *(["--kernel-name", f"regex:^({names})$"] if names else []), *sections,
                   *asked, "--force-overwrite", "--export", report, *program]
        took, code, output = processes.timed(command, max(limit_s - seconds, 1))
        seconds += took
        try:
            launches, text = read(report)
        except ValueError:
            if asked and seconds < limit_s:
                continue
            raise RuntimeError(f"ncu left no report, exit code {code}: {output[-600:]}") from None
        return {"command": machine.printable(command), "ncu_s": seconds, "exit_code": code,
                "metrics": bool(asked), "launches": launches, "output": output, "table": text}
    raise AssertionError("the loop returns or raises")


def value(launch, section, name):
    found = launch["values"].get(section, {}).get(name)
    return None if found is None else found["value"]


def measured(launch):
    """What ncu's sections have: the time in us, the rest in % or as a count. None: not there."""
    duration = launch["values"].get(_SPEED, {}).get("Duration")
    scale = _MICROSECONDS.get(duration["unit"]) if duration else None
    return {"us": duration["value"] * scale if scale else None,
            "compute": value(launch, _SPEED, "Compute (SM) Throughput"),
            "memory": value(launch, _SPEED, "Memory Throughput"),
            "dram": value(launch, _SPEED, "DRAM Throughput"),
            "l2": value(launch, _SPEED, "L2 Cache Throughput"),
            "l1": value(launch, _SPEED, "L1/TEX Cache Throughput"),
            "theoretical": value(launch, "Occupancy", "Theoretical Occupancy"),
            "achieved": value(launch, "Occupancy", "Achieved Occupancy"),
            "waves": value(launch, "Launch Statistics", "Waves Per SM")}


# Opinions

# A phrase of SOLBottleneck's message, and its class. The last one names a section for its class.
_HEADLINES = (("too small to fill", SMALL_GRID),
              ("low compute throughput and memory bandwidth", LATENCY),
              ("Compute is more heavily utilized", COMPUTE),
              ("Memory is more heavily utilized", MEMORY),
              ("well-balanced", BALANCED),
              ("utilizing greater than", None))
_MEMORY_UNIT = re.compile(r"to identify the (DRAM|L2|L1) |analyzing (DRAM|L2|L1) in ")
_PIPE = re.compile(r"^(.+?) is the highest-utilized pipeline \(([\d.]+)%\)")
_SUB_PIPE = re.compile(r"dominated by its (.+?) sub-pipeline")
_BUSY_PIPE = 60  # from here on ncu's rule offers to change it
_STALLED = re.compile(r"being stalled (.+?)(?:\. |$)")
# In the first sentence of CPIStall's message; prof's and CUPTI's names of the reasons.
_STALLS = (("dependency on a L1TEX", "long_scoreboard"),
           ("dependency on a MIO", "short_scoreboard"),
           ("dependency on an MIO", "short_scoreboard"), ("sibling warps", "barrier"),
           ("branch target", "branch_resolving"), ("dispatch stall", "dispatch_stall"),
           ("EXIT", "drain"), ("immediate constant cache", "imc_miss"),
           ("local and global", "lg_throttle"), ("local/global", "lg_throttle"),
           ("execution pipe", "math_pipe_throttle"), ("memory barrier", "membar"),
           ("MIO", "mio_throttle"), ("fetch", "no_instruction"), ("sleep", "sleeping"),
           ("texture operations", "tex_throttle"), ("L1TEX instruction queue", "tex_throttle"),
           ("fixed latency", "wait"), ("miscellaneous", "misc"))
# (rule, a phrase of its message, the cause by prof's name)
_CAUSES = (("LaunchConfiguration", "less than the GPU's", "small-grid"),
           ("LaunchConfiguration", "fewer blocks than the GPU's", "small-grid"),
           ("LaunchConfiguration", "partial wave", "tail"),
           ("WorkloadImbalance", "SMs have", "imbalance"),
           ("AchievedOccupancy", "", "imbalance"),
           ("TheoreticalOccupancy", "", "occupancy-limited"),
           ("MemoryCacheAccessPattern", "pattern for local", "spills"),
           ("MemoryCacheAccessPattern", "pattern for global", "uncoalesced"),
           ("UncoalescedGlobalAccess", "", "uncoalesced"),
           ("SharedMemoryConflicts", "", "shared-bank-conflicts"),
           ("UncoalescedSharedAccess", "", "shared-bank-conflicts"),
           ("ThreadDivergence", "", "divergence"),
           ("MemoryApertureUsage", "", "host-memory"))
_ADVISES = ("OPT", "WRN")


def _headline(rules):
    """(class, unit or None, phrase) of SOLBottleneck. It may have a second message."""
    for rule in rules:
        text = rule["text"]
        phrase, found = next(((phrase, found) for phrase, found in _HEADLINES if phrase in text),
                             (None, None))
        if rule["rule"] != "SOLBottleneck" or phrase is None:
            continue
        if found is None:
            found = MEMORY if "Memory Workload Analysis" in text else COMPUTE
        unit = _MEMORY_UNIT.search(text) if found == MEMORY else None
        return found, unit and (unit[1] or unit[2]), phrase
    return None


def pipe(rules):
    """(name, %) of the pipe that HighPipeUtilization calls the busiest, or None."""
    for rule in rules:
        found = _PIPE.search(rule["text"]) if rule["rule"] == "HighPipeUtilization" else None
        if found:
            part = _SUB_PIPE.search(rule["text"])
            return part[1] if part else found[1], float(found[2])
    return None


def stall(rules):
    """The first reason of CPIStall, by CUPTI's name, or None. ncu sorts them by their cycles."""
    for rule in rules:
        found = _STALLED.search(rule["text"]) if rule["rule"] == "CPIStall" else None
        if found:
            return next((name for phrase, name in _STALLS if phrase in found[1]), None)
    return None


def causes(rules):
    """[{"cause", "rule", "speedup", "speedup_type"}] of the rules that advise something."""
    found = []
    for rule in rules:
        cause = next((cause for name, phrase, cause in _CAUSES
                      if name == rule["rule"] and phrase in rule["text"]), None)
        if cause and rule["type"] in _ADVISES:
            found.append({"cause": cause, "rule": rule["rule"], "speedup": rule["speedup"],
                          "speedup_type": rule["speedup_type"]})
    return found


def speedups(rules):
    """{rule: its largest estimate in % of the launch}, largest first. Local ones are of a part."""
    found = {}
    for rule in rules:
        if rule["speedup"] is not None and rule["speedup_type"] == "global":
            found[rule["rule"]] = max(rule["speedup"], found.get(rule["rule"], 0))
    return dict(sorted(found.items(), key=lambda item: -item[1]))


def opinion(launch):
    """{"class", "unit", "rule", "words", "pipe", "stall", "causes", "speedups"}.

    `class` None: ncu has no opinion. `unit`: of memory DRAM, L2 or L1; of compute a pipe that is
    busy for ncu.
    """
    rules = launch["rules"]
    found, unit, words = _headline(rules) or (None, None, None)
    busiest = pipe(rules)
    if found == COMPUTE and busiest and busiest[1] >= _BUSY_PIPE:
        unit = busiest[0]
    return {"class": found, "unit": unit, "rule": "SOLBottleneck" if found else None,
            "words": words, "pipe": busiest, "stall": stall(rules), "causes": causes(rules),
            "speedups": speedups(rules)}
