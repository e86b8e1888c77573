#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""This program trains or runs a small network, and wastes most of its time in one line.

Each case plants one waste, in a line that ends with "# planted: CASE". Its size is drawn. What a
compiled function launches is in the line of its decorator, and a graph break makes more of that.

    slow_lines.py CASE --seed N [--seconds S]
"""

import argparse
import random
import threading
import time

import torch
from torch import nn

BATCH, WIDTH, WARM_UP_STEPS = 512, 1024, 3


class Network(nn.Module):
    def __init__(self, layers):
        super().__init__()
        self.layers = nn.ModuleList(nn.Linear(WIDTH, WIDTH) for _ in range(layers))

    def forward(self, values):
        for layer in self.layers:
            values = torch.relu(layer(values))
        return values


class Training:
    """Steps of a network; a case adds its waste to each of them."""

    def __init__(self, draw):
        self.network = Network(draw.randint(4, 8)).cuda()
        self.optimizer = torch.optim.SGD(self.network.parameters(), lr=1e-4)
        self.values = torch.randn(BATCH, WIDTH, device="cuda")

    def step(self, values=None):
        loss = self.network(self.values if values is None else values).square().mean()
        loss.backward()
        self.optimizer.step()
        self.optimizer.zero_grad(set_to_none=True)
        return loss


def python_work(training, draw):
    count = draw.randint(100_000, 200_000)

    def step():
        training.step()
        return sum(i * i % 7 for i in range(count))  # planted: python_work
    return step


def copy(training, draw):
    host = torch.randn(draw.randint(64, 96) << 18)  # 64 to 96 MB, pageable

    def step():
        training.step()
        return host.to("cuda")  # planted: copy
    return step


def sync(training, draw):
    count = draw.randint(100, 200)

    def step():
        values = training.values
        for _ in range(count):
            values = values[:, :16] * 0.5
            if values.sum().item() > 1e30:  # planted: sync
                break
        return training.step()
    return step


def lock(training, draw):
    held, hold_s = threading.Lock(), draw.uniform(0.01, 0.02)

    def hold():
        while True:
            with held:
                time.sleep(hold_s)
            time.sleep(1e-4)

    threading.Thread(target=hold, daemon=True).start()

    def step():
        training.step()
        with held:  # planted: lock
            return None
    return step


class SlowSamples(torch.utils.data.Dataset):
    def __init__(self, draw):
        self._work = draw.randint(300, 600)

    def __len__(self):
        return 1 << 30

    def __getitem__(self, index):
        sum(i * i % 7 for i in range(self._work))
        return torch.zeros(WIDTH)


def data_worker(training, draw):
    loader = torch.utils.data.DataLoader(SlowSamples(draw), batch_size=BATCH, num_workers=1)
    batches = iter(loader)

    def step():
        batch = next(batches)  # planted: data_worker
        training.step(batch.cuda())
    return step


def bad_shapes(training, draw):
    odd = 8192 + 2 * draw.randint(1, 8) + 1  # no row is aligned for the tensor cores
    left, right = (torch.randn(odd, odd, device="cuda", dtype=torch.bfloat16) for _ in range(2))

    def step():
        training.step()
        return left @ right  # planted: bad_shapes
    return step


def graph_break(training, draw):
    count = draw.randint(30, 60)

    @torch.compile(backend="aot_eager")  # planted: graph_break
    def part(values):
        values = values * 0.5
        if values.sum().item() > 1e30:  # planted: graph_break
            values = values + 1
        return values * 2

    def step():
        values = training.values[:, :16]
        for _ in range(count):
            values = part(values)
        return training.step()
    return step


def recompile(training, draw):
    torch._dynamo.config.cache_size_limit = 1 << 20  # pylint: disable=protected-access
    size = draw.randint(1000, 2000)

    @torch.compile(backend="aot_eager", dynamic=False)
    def part(values):
        for _ in range(20):
            values = torch.sin(values) + 1
        return values

    def step():
        nonlocal size
        size += 1
        training.step()
        return part(torch.zeros(size, device="cuda"))  # planted: recompile
    return step


def allocation(training, draw):
    count = draw.randint(1, 3) << 30

    def step():
        training.step()
        for _ in range(4):
            torch.cuda.empty_cache()  # planted: allocation
            scratch = torch.empty(count, dtype=torch.uint8, device="cuda")  # planted: allocation
            del scratch
    return step


def slow_kernel(training, draw):
    values = torch.randn(draw.randint(32, 64) << 20, device="cuda")

    def step():
        training.step()
        return values.sort().values  # planted: slow_kernel
    return step


CASES = {case.__name__: case for case in (
    python_work, copy, sync, lock, data_worker, bad_shapes, graph_break, recompile, allocation,
    slow_kernel)}


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("case", choices=CASES)
    parser.add_argument("--seed", type=int, required=True)
    parser.add_argument("--seconds", type=float, default=4)
    arguments = parser.parse_args()
    draw = random.Random(arguments.seed)
    torch.manual_seed(arguments.seed)
    step = CASES[arguments.case](Training(draw), draw)
    for _ in range(WARM_UP_STEPS):
        step()
    torch.cuda.synchronize()
    start, steps = time.perf_counter(), 0
    while time.perf_counter() - start < arguments.seconds:
        with torch.cuda.nvtx.range("step"):
            step()
        steps += 1
    torch.cuda.synchronize()
    us = (time.perf_counter() - start) * 1e6 / steps
    print(f"[timing] steps {steps} us_per_step {us:.1f}")


if __name__ == "__main__":
    main()
