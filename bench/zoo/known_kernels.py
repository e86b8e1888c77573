#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""This program writes the zoo's file of known kernels from accuracy_values.json.gz.

Each kernel has a label: what limits it by how it was written (bench/programs/*_kernels.cu and
python_kernels.py). The label names limiters, and for a planted waste the rule that must find it.
Grids and blocks are from the sources. Those of cuBLAS and PyTorch are not known, and left out.

    known_kernels.py [--values FILE] [--out FILE]
"""

import argparse
import gzip
import json
import pathlib

ROOT = pathlib.Path(__file__).resolve().parents[2]
VALUES = ROOT / "bench/results/accuracy_values.json.gz"
OUT = ROOT / "test/data/zoo/known_kernels.json"
DURATION = "duration of launches without counters"
DIGITS = 5

SMS = 132
ONE_WAVE, TWO_WAVES, THREADS = SMS * 8, SMS * 16, 256

# An H200, by its data sheet and cudaGetDeviceProperties.
DEVICE = {"chip": "GH100", "compute_major": 9, "sm_count": SMS, "warp_size": 32,
          "max_threads_per_sm": 2048, "l2_bytes": 60 << 20}

# Advice that does not help a kernel whose limit is elsewhere.
LATENCY_ADVICE = ["more-loads-in-flight", "raise-occupancy", "keep-data-closer",
                  "independent-loads"]
MEMORY_ADVICE = ["fewer-bytes", "coalesce", "dram-rate"]
SHAPE_ADVICE = ["more-blocks", "whole-waves", "even-out-blocks"]


def label(limiters, helpful, rules=(), harmful=(), saves=None, why=""):
    return {"limiters": list(limiters), "rules": list(rules), "helpful": list(helpful),
            "harmful": list(harmful), "saves": saves, "why": why}


def saves(action, part, source):
    """A change whose gain is known: the bound of `action` must not be below it."""
    return {"action": action, "part": part, "source": source}


def tensor(rules=(), helpful=("smaller-type", "feed-tensor"), **more):
    return label(["tensor"], helpful, rules, harmful=[*LATENCY_ADVICE, *MEMORY_ADVICE], **more)


LABELS = {
    "stream_copy": label(["dram"], ["fewer-bytes"], harmful=LATENCY_ADVICE),
    "l2_read": label(["l2"], ["serve-from-l1"], harmful=LATENCY_ADVICE),
    "shared_reads": label(
        ["shared"], ["fewer-shared-accesses"], harmful=LATENCY_ADVICE + ["remove-bank-conflicts"]),
    "shared_conflicts": label(
        ["shared"], ["remove-bank-conflicts"], ["shared-bank-conflicts"], harmful=LATENCY_ADVICE,
        saves=saves("remove-bank-conflicts", 0.838,
                    "measured: the same rounds at stride 1, 84.1 against 519.5 us")),
    "uncoalesced_reads": label(
        ["dram"], ["coalesce"], ["uncoalesced"], harmful=LATENCY_ADVICE,
        saves=saves("coalesce", 0.875, "arithmetic: 4 of 32 bytes of each sector are used")),
    "pointer_chase": label(["latency", "occupancy"], ["more-loads-in-flight"],
                           harmful=MEMORY_ADVICE + ["even-out-blocks"]),
    "contended_atomics": label(
        ["latency", "l2"], ["aggregate-atomics"], ["atomics"],
        harmful=LATENCY_ADVICE + SHAPE_ADVICE,
        saves=saves("aggregate-atomics", 0.999,
                    "measured: spread_atomics, 0.45 us a round against 476 us")),
    "spread_atomics": label(["l2", "latency"], ["aggregate-atomics"], ["atomics"],
                            harmful=LATENCY_ADVICE + SHAPE_ADVICE),
    "register_spills": label(
        ["l1", "l2", "dram", "mixed"], ["remove-spills"], ["spills"],
        harmful=LATENCY_ADVICE + ["even-out-blocks"],
        saves=saves("remove-spills", 0.986,
                    "arithmetic: the FMA pipe is active for 1.36 % of the time by ncu")),
    "fma_chains": label(["fma"], ["fewer-fma"], harmful=MEMORY_ADVICE + LATENCY_ADVICE),
    "double_fma_chains": label(["fp64"], ["fp32-for-fp64"], harmful=MEMORY_ADVICE + LATENCY_ADVICE),
    "half2_fma_chains": label(["fma"], ["fewer-half-fma", "fewer-fma"],
                              harmful=["smaller-type", "use-wgmma", "feed-tensor",
                                       *LATENCY_ADVICE]),
    "special_functions": label(["sfu"], ["fewer-special-functions"],
                               harmful=MEMORY_ADVICE + LATENCY_ADVICE),
    "integer_chains": label(["alu", "mixed"], ["fewer-integer"],
                            harmful=MEMORY_ADVICE + LATENCY_ADVICE),
    "mma_sync_chains": tensor(
        helpful=["use-wgmma"],
        saves=saves("use-wgmma", 0.34,
                    "measured: 576 TFLOP/s against gemm_half's 88 % of the dense peak by wgmma")),
    "gemm_half": tensor(), "gemm_bfloat": tensor(), "gemm_tf": tensor(),
    "gemm_int": tensor(helpful=["less-tensor-work", "feed-tensor"]),
    "gemm_float8": tensor(helpful=["less-tensor-work", "feed-tensor"]),
    "gemm_double": label(["tensor", "fp64"], ["less-tensor-work", "feed-tensor"],
                         harmful=[*LATENCY_ADVICE, "smaller-type", "use-wgmma"]),
    "gemm_one_column": label(["dram"], ["fewer-bytes"], harmful=LATENCY_ADVICE),
    "gemm_one_column (splitKreduce_kernel)": label(["launch-sized"], ["merge-launches"]),
    "softmax": label(
        ["dram"], ["fewer-bytes"], harmful=["remove-bank-conflicts"],
        why="the label is what its authors expect; its issue slots are at 73 %, DRAM at 51 %"),
    "layer_norm": label(["dram"], ["fewer-bytes"], harmful=["remove-bank-conflicts"]),
    "add_mul": label(["dram"], ["fewer-bytes"], harmful=LATENCY_ADVICE),
}

ELEMENTS = 8192 * 4096  # of python_kernels.py
LAUNCHES = {
    **{name: (ONE_WAVE, THREADS, 8) for name in (
        "l2_read", "shared_reads", "shared_conflicts", "contended_atomics", "spread_atomics",
        "register_spills", "fma_chains", "double_fma_chains", "half2_fma_chains",
        "special_functions", "integer_chains")},
    **{name: (TWO_WAVES, THREADS, 8) for name in ("stream_copy", "uncoalesced_reads")},
    "pointer_chase": (SMS, 128, 16),
    "add_mul": (ELEMENTS // 1024, 128, 0),
    "mma_sync_chains": (SMS * 4, THREADS, 0),
}


def number(value):
    return float(f"{value:.{DIGITS}g}")


def statistic(value):
    return [value["n"], *(number(value[key]) for key in ("median", "min", "max"))]


def kernel_of(name, rows):
    metrics = {row["metric"]: row for row in rows}
    duration = metrics.pop(DURATION)
    blocks, threads, per_sm = LAUNCHES.get(name, (0, 0, 0))
    return {
        "name": name, "label": LABELS[name],
        "blocks": blocks, "threads": threads, "blocks_per_sm": per_sm,
        "duration_ns": statistic(duration["prof"]),
        "metrics": {metric: statistic(row["prof"]) for metric, row in sorted(metrics.items())},
        "ncu": {metric: number(row["ncu"]["median"])
                for metric, row in sorted(metrics.items()) if row.get("ncu")},
    }


def write(values, out):
    rows = json.loads(gzip.decompress(values.read_bytes()))
    names = dict.fromkeys(row["kernel"] for row in rows)
    kernels = [kernel_of(name, [row for row in rows if row["kernel"] == name]) for name in names]
    lines = ",\n".join(json.dumps(kernel, separators=(",", ":")) for kernel in kernels)
    out.parent.mkdir(parents=True, exist_ok=True)
    out.write_text(f'{{"format": 1, "device": {json.dumps(DEVICE)}, "kernels": [\n{lines}\n]}}\n')
    print(f"wrote {len(kernels)} kernels to {out}")


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--values", type=pathlib.Path, default=VALUES)
    parser.add_argument("--out", type=pathlib.Path, default=OUT)
    arguments = parser.parse_args()
    write(arguments.values, arguments.out)


if __name__ == "__main__":
    main()
