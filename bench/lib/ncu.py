# SPDX-License-Identifier: Apache-2.0
"""This module runs a program under Nsight Compute and reads what ncu measured for each launch.

The launches have a key that prof's kernels also have. The program marks what ncu profiles with
cudaProfilerStart and cudaProfilerStop.
"""

import csv
import glob
import importlib
import math
import os
import re
import shutil
import subprocess
import sys
import tempfile

from lib import machine
from lib import processes
from lib import prof_report

SPEEDS_OF_LIGHT = ["sm__throughput.avg.pct_of_peak_sustained_elapsed",
                   "gpu__compute_memory_throughput.avg.pct_of_peak_sustained_elapsed"]
DURATION = "gpu__time_duration.sum"
BETWEEN_PROFILER_CALLS = ("--profile-from-start", "off")
_SIZES = [f"launch__{what}_dim_{axis}" for what in ("grid", "block") for axis in "xyz"]
_UNKNOWN_METRIC = re.compile(r"[Ff]ailed to find metric[s:]*\s+(?:regex:)?\^?([\w.]+)")
_ATTEMPTS = 4
_QUERY_LIMIT_S = 40
_LEAST_LISTED = 500  # a list with fewer names is not a GPU's


def executable():
    installed = sorted(glob.glob("/opt/nvidia/nsight-compute/*/ncu"))
    found = shutil.which("ncu") or (installed[-1] if installed else None)
    if found is None:
        raise RuntimeError("ncu is not installed")
    return found


def number(text):
    try:
        value = float(str(text).replace(",", ""))
    except ValueError:
        return None
    return value if math.isfinite(value) else None


def _launch(name, grid, block, values):
    known = {metric: value for metric, value in values.items() if value is not None}
    return {"kernel": prof_report.demangle(name), "grid": grid, "block": block, "values": known}


def _python_interface():
    folders = [os.path.join(os.path.dirname(os.path.realpath(executable())), "extras/python"),
               *sorted(glob.glob("/opt/nvidia/nsight-compute/*/extras/python"), reverse=True),
               *sorted(glob.glob("/usr/local/cuda*/nsight-compute-*/extras/python"), reverse=True)]
    for folder in folders:
        if os.path.exists(os.path.join(folder, "ncu_report.py")):
            sys.path.insert(0, folder)
            return importlib.import_module("ncu_report")
    raise ImportError("ncu_report.py was not found")


def _read_exactly(path, metrics):
    """Reads all digits, with ncu's own Python interface."""
    interface = _python_interface()
    mangled = interface.IAction.NameBase_MANGLED
    launches = []
    report = interface.load_report(path)
    for i in range(report.num_ranges()):
        profiled = report.range_by_idx(i)
        for j in range(profiled.num_actions()):
            action = profiled.action_by_idx(j)

            def value(metric, action=action):
                found = action.metric_by_name(metric)
                return None if found is None else number(found.as_double())

            sizes = [value(size) for size in _SIZES]
            grid, block = sizes[:3], sizes[3:]
            launches.append(_launch(
                action.name(mangled),
                None if None in grid else [int(size) for size in grid],
                None if None in block else [int(size) for size in block],
                {metric: value(metric) for metric in metrics}))
    return launches


def _read_printed(path, metrics):
    """Reads what ncu prints, which has two decimals."""
    command = [executable(), "--import", path, "--csv", "--page", "raw", "--print-units", "base",
               "--print-kernel-base", "mangled"]
    done = subprocess.run(command, capture_output=True, text=True, timeout=60, check=False)
    lines = done.stdout.splitlines()
    start = next((i for i, line in enumerate(lines) if '"Kernel Name"' in line), None)
    if start is None:
        raise ValueError(f"ncu --import printed no table: {(done.stdout + done.stderr)[-300:]}")

    def size(text):
        values = re.findall(r"\d+", text or "")
        return [int(value) for value in values] if len(values) == 3 else None

    launches = []
    for row in csv.DictReader(lines[start:]):
        if not row.get("ID"):  # the row of units
            continue
        launches.append(_launch(row["Kernel Name"], size(row.get("Grid Size")),
                                size(row.get("Block Size")),
                                {metric: number(row.get(metric)) for metric in metrics}))
    return launches


def read(path, metrics):
    """(launches, how they were read)"""
    try:
        return _read_exactly(path, metrics), "ncu_report"
    except Exception as error:  # pylint: disable=broad-except  # whatever the vendor's module does
        print(f"ncu_report does not work here ({error!r}): values have two decimals",
              file=sys.stderr)
        return _read_printed(path, metrics), "csv"


def _not_listed(metrics):
    """The metrics that ncu does not list. What it counts in patched code it never lists."""
    _, _, output = processes.timed([executable(), "--query-metrics"], _QUERY_LIMIT_S)
    listed = {line.split()[0] for line in output.splitlines() if "__" in line}
    if len(listed) < _LEAST_LISTED:
        return set()
    return {metric for metric in metrics if metric.split(".")[0] not in listed
            and not metric.startswith(("launch__", "smsp__sass_"))}


def profile(program, metrics, options=BETWEEN_PROFILER_CALLS, limit_s=200):
    """What ncu measured. It names the metrics that this ncu does not know, and drops them."""
    wanted, dropped = [*metrics, *_SIZES], []
    with tempfile.TemporaryDirectory() as folder:
        report = os.path.join(folder, "profile.ncu-rep")
        for _ in range(_ATTEMPTS):
            command = [executable(), "--clock-control", "none", "--cache-control", "none",
                       *options, "--metrics", ",".join(wanted), "--force-overwrite", "--export",
                       report, *program]
            seconds, code, output = processes.timed(command, limit_s)
            unknown = {name for name in _UNKNOWN_METRIC.findall(output) if name in wanted}
            if os.path.exists(report) or not unknown:
                break
            if not dropped:
                unknown |= _not_listed(wanted)
            dropped += sorted(unknown)
            wanted = [name for name in wanted if name not in unknown]
        if not os.path.exists(report):
            raise RuntimeError(f"ncu left no report, exit code {code}: {output[-600:]}")
        launches, source = read(report, metrics)
    return {"program": machine.printable(program), "options": list(options), "source": source,
            "metrics": [name for name in wanted if name not in _SIZES], "dropped": dropped,
            "ncu_s": seconds, "exit_code": code, "launches": launches}


def values_by_key(launches):
    """{(name, grid, block): {metric: [value of each launch]}}"""
    found = {}
    for launch in launches:
        key = prof_report.key_of(launch["kernel"], launch["grid"], launch["block"])
        metrics = found.setdefault(key, {})
        for metric, value in launch["values"].items():
            metrics.setdefault(metric, []).append(value)
    return found


def lookup(by_key, key):
    """By name, grid and block. By name alone where ncu gave no sizes."""
    name, _, block = key
    return by_key.get(key) or by_key.get((name, None, block)) or by_key.get((name, None, None))


def profile_beside(program, report, limit_s):
    """profile() with the metrics of a report of prof and the speeds of light, and the bare time."""
    measured = prof_report.metrics_of([report])
    metrics = list(dict.fromkeys([DURATION, *SPEEDS_OF_LIGHT, *measured]))
    bare_s, _ = processes.checked(program, limit_s)
    return {**profile(program, metrics, limit_s=limit_s), "bare_s": bare_s}


def in_words(profiled):
    return (f"{len(profiled['launches'])} launches, {len(profiled['metrics'])} metrics "
            f"({profiled['source']}), {profiled['ncu_s']:.1f} s under ncu, "
            f"{profiled['bare_s']:.1f} s bare; "
            f"not known to ncu: {', '.join(profiled['dropped']) or 'none'}")
