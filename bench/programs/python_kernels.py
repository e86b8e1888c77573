#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""This program runs kernels of PyTorch and Triton in rounds: softmax, layer norm, a fused kernel.

Each has an NVTX range of its own. The program does not know prof: it runs under `prof run` or ncu.

    python_kernels.py [--rounds N] [--seconds S]
    python_kernels.py --expected FILE    what one launch must count; needs neither PyTorch nor GPU
"""

import argparse
import json
import time

try:
    import torch
except ImportError:
    torch = None
try:
    import triton
    import triton.language as tl
except ImportError:
    triton = None

ROWS, COLUMNS = 8192, 4096
COUNT = ROWS * COLUMNS
BLOCK = 1024
WARM_UP_ROUNDS = 3
FLOAT_BYTES, SECTOR_BYTES = 4, 32

EXPECTED = {
    "softmax": {"bottleneck": "DRAM: one pass over each row", "expected": {}},
    "layer_norm": {"bottleneck": "DRAM: one pass over each row", "expected": {}},
    "add_mul": {
        "bottleneck": "DRAM: two arrays in, one out (Triton)",
        "expected": {
            "l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum":
                2 * COUNT * FLOAT_BYTES / SECTOR_BYTES,
            "l1tex__t_sectors_pipe_lsu_mem_global_op_st.sum": COUNT * FLOAT_BYTES / SECTOR_BYTES,
            "smsp__sass_thread_inst_executed_op_fadd_pred_on.sum": COUNT,
            "smsp__sass_thread_inst_executed_op_fmul_pred_on.sum": COUNT,
        },
    },
}


if triton is not None:

    @triton.jit
    def add_mul(x_pointer, y_pointer, out_pointer, block: tl.constexpr):
        at = tl.program_id(0) * block + tl.arange(0, block)
        left = tl.load(x_pointer + at)
        right = tl.load(y_pointer + at)
        tl.store(out_pointer + at, (left + right) * left)


def make_kernels():
    torch.manual_seed(1)
    x = torch.randn(ROWS, COLUMNS, device="cuda")
    y = torch.randn(ROWS, COLUMNS, device="cuda")
    weight, bias = torch.ones(COLUMNS, device="cuda"), torch.zeros(COLUMNS, device="cuda")
    kernels = {
        "softmax": lambda: torch.softmax(x, -1),
        "layer_norm": lambda: torch.nn.functional.layer_norm(x, (COLUMNS,), weight, bias),
    }
    if triton is None:
        print("Triton is not installed: add_mul is left out")
    else:
        out = torch.empty_like(x)
        kernels["add_mul"] = lambda: add_mul[(COUNT // BLOCK,)](x, y, out, block=BLOCK)
    return kernels


def run_round(kernels):
    for name, launch in kernels.items():
        with torch.cuda.nvtx.range(name):
            launch()
    torch.cuda.synchronize()


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rounds", type=int, default=3, help="at least this many")
    parser.add_argument("--seconds", type=float, default=0, help="and for this long")
    parser.add_argument("--expected", metavar="FILE")
    arguments = parser.parse_args()
    if arguments.expected:
        with open(arguments.expected, "w", encoding="utf-8") as file:
            json.dump({"kernels": EXPECTED}, file, indent=1)
        return

    if torch is None or not torch.cuda.is_available():
        print("[skipped] no PyTorch, or no CUDA device")
        return
    kernels = make_kernels()
    for _ in range(WARM_UP_ROUNDS):
        run_round(kernels)
    torch.cuda.profiler.start()  # ncu profiles from here
    start, rounds = time.monotonic(), 0
    while rounds < arguments.rounds or time.monotonic() - start < arguments.seconds:
        run_round(kernels)
        rounds += 1
    print(f"[timing] rounds {rounds} seconds {time.monotonic() - start:.4f}")
    torch.cuda.profiler.stop()


if __name__ == "__main__":
    main()
