# SPDX-License-Identifier: Apache-2.0
"""These are the Triton kernels that library_kernels.py runs."""

try:
    import triton
    import triton.language as tl
except ImportError:
    triton = None

if triton is not None:

    @triton.jit
    def softmax_rows(x_pointer, out_pointer, columns, BLOCK: tl.constexpr):
        row = tl.program_id(0)
        at = tl.arange(0, BLOCK)
        inside = at < columns
        values = tl.load(x_pointer + row * columns + at, mask=inside, other=-float("inf"))
        powers = tl.exp(values - tl.max(values, axis=0))
        tl.store(out_pointer + row * columns + at, powers / tl.sum(powers, axis=0), mask=inside)

    @triton.jit
    def normalize_rows(x_pointer, weight_pointer, out_pointer, columns, BLOCK: tl.constexpr):
        row = tl.program_id(0)
        at = tl.arange(0, BLOCK)
        inside = at < columns
        values = tl.load(x_pointer + row * columns + at, mask=inside, other=0.0).to(tl.float32)
        centred = tl.where(inside, values - tl.sum(values, axis=0) / columns, 0.0)
        scale = 1 / tl.sqrt(tl.sum(centred * centred, axis=0) / columns + 1e-5)
        weight = tl.load(weight_pointer + at, mask=inside, other=0.0)
        tl.store(out_pointer + row * columns + at, centred * scale * weight, mask=inside)

    @triton.jit
    def multiply(a_pointer, b_pointer, out_pointer, size, M: tl.constexpr, N: tl.constexpr,
                 K: tl.constexpr):
        rows = tl.program_id(0) * M + tl.arange(0, M)
        columns = tl.program_id(1) * N + tl.arange(0, N)
        depth = tl.arange(0, K)
        total = tl.zeros((M, N), dtype=tl.float32)
        for start in range(0, size, K):
            a = tl.load(a_pointer + rows[:, None] * size + (start + depth)[None, :])
            b = tl.load(b_pointer + (start + depth)[:, None] * size + columns[None, :])
            total += tl.dot(a, b)
        tl.store(out_pointer + rows[:, None] * size + columns[None, :], total)

    @triton.jit
    def copy_strided(x_pointer, out_pointer, count, stride, BLOCK: tl.constexpr):
        at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
        inside = at < count
        tl.store(out_pointer + at, tl.load(x_pointer + at * stride, mask=inside), mask=inside)

    @triton.jit
    def count_values(x_pointer, counts_pointer, count, BLOCK: tl.constexpr):
        at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
        inside = at < count
        tl.atomic_add(counts_pointer + tl.load(x_pointer + at, mask=inside, other=0), 1,
                      mask=inside)


def blocks(count, block):
    """The grid for `count` elements."""
    return (triton.cdiv(count, block),)


def block_of(columns):
    """The block that holds a row."""
    return triton.next_power_of_2(columns)
