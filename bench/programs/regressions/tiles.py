#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""This program multiplies matrices with a kernel of Triton, whose tile is large or small.

A second kernel, which does not depend on the tile, runs beside it.

    tiles.py large|small --seed N [--steps N | --seconds S] [--wait]
"""

import random

import timed_parts
import torch
import triton
import triton.language as tl

# Rows, columns and depth of a tile; warps and stages.
_KINDS = {"large": (128, 128, 64, 8, 3), "small": (64, 64, 32, 4, 2)}
_COUNT, _BLOCK = 1 << 25, 1024  # more than L2 holds


@triton.jit
def multiply(a_pointer, b_pointer, c_pointer, size, M: tl.constexpr, N: tl.constexpr,
             K: tl.constexpr):
    rows = tl.program_id(0) * M + tl.arange(0, M)
    columns = tl.program_id(1) * N + tl.arange(0, N)
    depth = tl.arange(0, K)
    total = tl.zeros((M, N), dtype=tl.float32)
    for start in range(0, size, K):
        a = tl.load(a_pointer + rows[:, None] * size + (start + depth)[None, :])
        b = tl.load(b_pointer + (start + depth)[:, None] * size + columns[None, :])
        total = tl.dot(a, b, total)
    tl.store(c_pointer + rows[:, None] * size + columns[None, :], total.to(tl.float16))


@triton.jit
def scaled_sum(x_pointer, y_pointer, out_pointer, BLOCK: tl.constexpr):
    at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.store(out_pointer + at, tl.load(x_pointer + at) * 0.5 + tl.load(y_pointer + at))


def main():
    arguments = timed_parts.parse(__doc__, _KINDS)
    rows, columns, depth, warps, stages = _KINDS[arguments.kind]
    draw = random.Random(arguments.seed)
    size = 256 * draw.randint(12, 18)
    torch.manual_seed(arguments.seed)
    a, b = (torch.randn(size, size, device="cuda", dtype=torch.float16) for _ in range(2))
    product = torch.empty_like(a)
    x, y = (torch.randn(_COUNT, device="cuda") for _ in range(2))
    out = torch.empty_like(x)
    timed = timed_parts.TimedParts()

    def step():
        with timed.part("multiply"):
            multiply[(size // rows, size // columns)](
                a, b, product, size, rows, columns, depth, num_warps=warps, num_stages=stages)
        with timed.part("scaled_sum"):
            scaled_sum[(_COUNT // _BLOCK,)](x, y, out, _BLOCK)

    timed.run(arguments, step, lambda: product.double().abs().sum().item(), size=size)


if __name__ == "__main__":
    main()
