#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""This program lets Triton choose among configurations of two kernels, and then runs them.

It prints what was chosen, as [choice].

    triton_autotuned.py --seed N [--steps N | --seconds S]
"""

import random

import step_clock
import torch
import triton
import triton.language as tl


@triton.autotune(configs=[triton.Config({"BLOCK": block}, num_warps=warps)
                          for block, warps in ((256, 2), (1024, 4), (4096, 8), (16384, 16))],
                 key=["count"])
@triton.jit
def scaled_sum(x_pointer, y_pointer, out_pointer, count, BLOCK: tl.constexpr):
    at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    inside = at < count
    x = tl.load(x_pointer + at, mask=inside)
    y = tl.load(y_pointer + at, mask=inside)
    tl.store(out_pointer + at, x * 0.5 + y, mask=inside)


@triton.autotune(configs=[triton.Config({"M": m, "N": n, "K": 32}, num_warps=warps, num_stages=3)
                          for m, n, warps in ((32, 32, 2), (64, 64, 4), (128, 128, 8))],
                 key=["size"])
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
        total += tl.dot(a, b)
    tl.store(c_pointer + rows[:, None] * size + columns[None, :], total)


def main():
    arguments = step_clock.parse(__doc__)
    draw = random.Random(arguments.seed)
    count, size = 1 << draw.randint(22, 25), 256 * draw.randint(4, 10)
    torch.manual_seed(arguments.seed)
    x, y = (torch.randn(count, device="cuda") for _ in range(2))
    a, b = (torch.randn(size, size, device="cuda", dtype=torch.float16) for _ in range(2))
    out = torch.empty_like(x)
    product = torch.empty(size, size, device="cuda")

    def step():
        scaled_sum[lambda meta: (triton.cdiv(count, meta["BLOCK"]),)](x, y, out, count)
        multiply[lambda meta: (size // meta["M"], size // meta["N"])](a, b, product, size)

    step()  # compiles and chooses
    torch.cuda.synchronize()
    print(f"[choice] scaled_sum: {scaled_sum.best_config}")
    print(f"[choice] multiply: {multiply.best_config}")
    clock = step_clock.StepClock(arguments)
    clock.run(step, 20, torch.cuda.synchronize)
    # Three digits: the order of the sums is that of the choice.
    print(f"[checksum] {out.double().sum().item():.6e} {product.double().norm().item():.2e}")
    clock.print(count=count, size=size)


if __name__ == "__main__":
    main()
