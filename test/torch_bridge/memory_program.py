# SPDX-License-Identifier: Apache-2.0
"""A program whose tensors have the memory of an allocator that stands in for PyTorch's, for
memory_test.py. Sizes are drawn. It prints what it knows itself, as JSON: bytes by role at its peak.

memory_program.py SEED STEPS
"""
import collections
import ctypes
import json
import os
import random
import sys
import time

library = ctypes.CDLL(os.environ["CUDA_INJECTION64_PATH"])
library.InitializeInjection()
library.FakeLaunchNow(b"kernel")

import torch  # noqa: E402
from torch import nn  # noqa: E402
from torch.optim.optimizer import Optimizer  # noqa: E402

draw = random.Random(int(sys.argv[1]))
steps = int(sys.argv[2])
folder = os.path.join(os.path.dirname(torch.__file__), "lib")
c10 = ctypes.CDLL(os.path.join(folder, "libc10.so"))
allocator = ctypes.CDLL(os.path.join(folder, "libc10_cuda.so"))
allocator.FakeMemory.argtypes = [ctypes.c_uint64, ctypes.c_int64, ctypes.c_int, ctypes.c_int]
allocator.FakeNoMemory.argtypes = [ctypes.c_int64]
c10.FakeBytesReported.restype = ctypes.c_int64

live, at_peak, peak = collections.Counter(), {}, 0
next_address = 0x7F0000000000


class Tensor:
    """Of the GPU, as far as prof looks at one."""
    is_cuda = True
    grad = None

    def __init__(self, role):
        global next_address, peak, at_peak
        self.role, self.bytes, self.address = role, 512 * draw.randint(1, 4000), next_address
        next_address += 1 << 24
        allocator.FakeMemory(self.address, self.bytes, 1, 0)
        live[role] += self.bytes
        if sum(live.values()) > peak:
            peak, at_peak = sum(live.values()), dict(live)

    def free(self):
        allocator.FakeMemory(self.address, -self.bytes, 1, 0)
        live[self.role] -= self.bytes

    def untyped_storage(self):
        return self

    def data_ptr(self):
        return self.address

    def nbytes(self):
        return self.bytes

    def get_device(self):
        return 0


class Layer(nn.Module):
    def __init__(self, cached):
        super().__init__()
        self._parameters = {"weight": Tensor("weights"), "bias": None}
        self._buffers = {"mean": Tensor("buffers")}
        if cached:
            self._buffers["k_cache"] = Tensor("KV cache")

    def forward(self, kept):
        kept.append(Tensor("activations"))
        Tensor("activations").free()


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.first, self.second = Layer(False), Layer(True)
        self.state, self.called = None, 0

    def forward(self, kept):
        self.called += 1
        if self.called == 1:
            self.state = Tensor("kept between calls")
        self.first(kept)
        self.second(kept)


time.sleep(1)  # prof looks for PyTorch every 20 ms
allocator.FakeMemory(0x1000, 4096, 0, -1)  # of the CPU
net = Net()
weights = [layer._parameters["weight"] for layer in (net.first, net.second)]
optimizer = Optimizer(weights)
for step in range(steps):
    kept = []
    net(kept)
    for tensor in kept:
        tensor.free()
    for weight in weights:
        weight.grad = Tensor("gradients")
    if step == 0:
        # A dictionary in a list: optimizers nest their state.
        optimizer.state = {id(weight): {"moments": [Tensor("optimizer state")], "step": 3}
                           for weight in weights}
    optimizer.step()
    for weight in weights:
        weight.grad.free()
        weight.grad = None
allocator.FakeNoMemory(123 << 20)
library.FakeLaunchNow(b"kernel")
print(json.dumps({"peak": peak, "at_peak": at_peak, "live": sum(live.values()),
                  "reported": c10.FakeBytesReported(),
                  "refused": c10.FakeTimesWithoutMemory()}))
