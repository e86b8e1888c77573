# SPDX-License-Identifier: Apache-2.0
"""This module has the inputs of library_kernels.py: parts of a few large random tensors.

A case that made its own would launch kernels that are nobody's question, and a profiler would spend
its samples on them.
"""

import math

try:
    import torch
except ImportError:
    torch = None

_COUNT = 1 << 27  # of values of each type


class Inputs:
    def __init__(self, seed):
        torch.manual_seed(seed)
        self._pools, self._next = {}, {}

    def _pool(self, dtype):
        """Random values; they are made when a case asks for them first."""
        if dtype not in self._pools:
            if dtype == torch.int32:
                pool = torch.randint(1 << 30, (_COUNT,), device="cuda", dtype=dtype)
            elif dtype == torch.float32:
                pool = torch.randn(_COUNT, device="cuda")
            else:
                pool = self._pool(torch.float32).to(dtype)
            self._pools[dtype] = pool
        return self._pools[dtype]

    def _part(self, shape, dtype):
        count, pool = math.prod(shape), self._pool(dtype)
        start = self._next.get(dtype, 0)
        if start + count > _COUNT:  # then inputs share values
            start = 0
        if count > _COUNT:
            raise ValueError(f"{count} values are wanted, and there are {_COUNT}")
        self._next[dtype] = start + -(-count // 256) * 256  # parts begin where memory is aligned
        return pool[start:start + count].view(shape)

    def floats(self, *shape, dtype=None):
        return self._part(shape, dtype or torch.float32)

    def halves(self, *shape):
        return self.floats(*shape, dtype=torch.bfloat16)

    def integers(self, *shape, below=None):
        """`below`: indices of that many things, as 64-bit integers."""
        values = self._part(shape, torch.int32)
        return values if below is None else values.long() % below
