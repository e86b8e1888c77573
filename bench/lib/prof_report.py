# SPDX-License-Identifier: Apache-2.0
"""This module reads prof's JSON report by kernel.

A kernel has a label, which is its name in tables, and a key, which finds it in the output of
another tool.
"""

import ctypes
import dataclasses
import functools
import json
import math
import subprocess

WARP = 32


def load(prof, snapshot, limit_s=60):
    """The report of a snapshot. Raises RuntimeError when there is none."""
    try:
        done = subprocess.run([prof, "report", "--json", snapshot], capture_output=True, text=True,
                              timeout=limit_s, check=True)
        return json.loads(done.stdout)
    except subprocess.CalledProcessError as error:
        raise RuntimeError(f"prof report: exit code {error.returncode}: "
                           f"{(error.stderr or '')[-300:]}") from error
    except (OSError, ValueError, subprocess.TimeoutExpired) as error:
        raise RuntimeError(f"prof report: {error}") from error


@functools.lru_cache(maxsize=None)
def demangle(name):
    """The name as prof writes it. Other tools write it in other ways."""
    if not name.startswith("_Z"):
        return name
    try:
        library = ctypes.CDLL("libstdc++.so.6")
    except OSError:
        return name
    function = getattr(library, "__cxa_demangle")
    function.restype = ctypes.c_void_p
    status = ctypes.c_int()
    text = function(name.encode(), None, None, ctypes.byref(status))
    if not text:
        return name
    result = ctypes.string_at(text).decode(errors="replace")
    free = ctypes.CDLL(None).free
    free.argtypes = [ctypes.c_void_p]
    free(text)
    return result


def key_of(name, grid, block):
    """`grid` and `block` are three numbers each, or None where they are not known."""
    return (demangle(name), tuple(grid) if grid else None, tuple(block) if block else None)


@dataclasses.dataclass
class Kernel:
    label: str
    key: tuple
    data: dict  # as in the report

    @property
    def metrics(self):
        return self.data["metrics"]

    @property
    def warps(self):
        threads = math.prod(self.data["block"])
        return math.prod(self.data["grid"]) * math.ceil(threads / WARP)


def kernels_of(report):
    """By total time, descending. The label of a kernel is its NVTX range, or its name."""
    found, labels = [], set()
    for data in report["kernels"]:
        label = data["range"].rsplit("/", 1)[-1] or data["name"]
        if label in labels:  # a range's second kernel: a reduction beside a matrix product
            label = f"{label} ({data['name']})"
        labels.add(label)
        found.append(Kernel(label, key_of(data["full_name"], data["grid"], data["block"]), data))
    return found


def metrics_of(reports):
    """Every metric that a kernel of the reports has, read or derived, sorted."""
    return sorted({metric for report in reports for kernel in report["kernels"]
                   for metric in (*kernel["metrics"], *throughputs(kernel))})


def throughputs(data):
    """{metric: its entry}: what prof derived for a kernel from parts of one pass each."""
    found = (data.get("speed_of_light") or {}).get("throughputs") or []
    return {entry["metric"]: entry for entry in found if entry["of_peak"] is not None}


def continuous_dram(kernel):
    """(percent of DRAM peak, half width) from PM sampling, or None."""
    values = {name: value for name, value in (kernel.data.get("continuous") or {}).items()
              if "dram" in name and "pct" in name and value.get("value") is not None}
    both = [value for name, value in values.items() if "read" not in name and "write" not in name]
    parts = both[:1] or list(values.values())
    if not both and len(parts) != 2:
        return None
    return sum(part["value"] for part in parts), sum(part.get("error") or 0 for part in parts)
