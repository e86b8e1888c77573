#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""This program has about 0.1 s of work for the GPU in all, in kernels of CuPy.

    cupy_short.py --seed N [--steps N | --seconds S]      S: 0.1 in the suite
"""

import random

import cupy
import numpy
import step_clock

ROTATE = cupy.RawKernel(r"""
extern "C" __global__ void rotate_tile(const float* in, float* out, int rounds) {
  __shared__ float tile[1024];
  const int at = blockIdx.x * 256 + threadIdx.x;
  float sum = in[at];
  for (int i = 0; i < 1024; i += 256) tile[i + threadIdx.x] = sum + i;
  __syncthreads();
  for (int i = 0; i < rounds; ++i) sum += tile[(threadIdx.x * 8 + i * 32) & 1023];
  out[at] = sum;
}
""", "rotate_tile")


def main():
    arguments = step_clock.parse(__doc__)
    draw = random.Random(arguments.seed)
    blocks, rounds, size = draw.randint(512, 2048), draw.randint(200, 600), draw.randint(4, 12)
    values = numpy.random.default_rng(arguments.seed)
    x = cupy.asarray(values.random(blocks * 256, dtype=numpy.float32))
    y = cupy.empty_like(x)
    a = cupy.asarray(values.random((128 * size, 128 * size), dtype=numpy.float32))
    total = None

    def step():
        nonlocal total
        ROTATE((blocks,), (256,), (x, y, rounds))
        z = cupy.sqrt(y) + cupy.sin(x)
        total = z.max() + (a @ a)[0, 0]

    step()  # compiles
    cupy.cuda.Device().synchronize()
    clock = step_clock.StepClock(arguments)
    clock.run(step, 20, lambda: cupy.cuda.Device().synchronize())
    print(f"[checksum] {float(total):.6e}")
    clock.print(blocks=blocks, rounds=rounds, matrix=128 * size)


if __name__ == "__main__":
    main()
