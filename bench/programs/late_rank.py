#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""This program trains a model on all GPUs, and one of its ranks comes late to each collective.

    late_rank.py nobody|work|inputs|neighbour|host|in-turn --seed N --late F [--seconds S]

nobody: all ranks do the same. work: the late rank has more matrix products. inputs: it has more
rows in each. neighbour: another process uses its GPU. host: it sleeps before each step. in-turn:
another rank sleeps in each step. `late` is about how much longer a step of it takes, as a share of
the time of a step. Before that all ranks make steps without it. The program prints the median time
of both kinds of step, and which rank is late.
"""

import argparse
import json
import os
import random
import socket
import statistics
import time

import torch
import torch.distributed as dist
import torch.multiprocessing

LAYERS, CLEAN_STEPS = 8, 30
KINDS = ("nobody", "work", "inputs", "neighbour", "host", "in-turn")
NEIGHBOUR_TURN_S = 0.02


class Model:
    """Layers of one weight. Gradients are summed up while those of other layers are computed."""

    def __init__(self, rank, width, rows):
        options = {"device": rank, "dtype": torch.bfloat16}
        self.weights = [torch.randn(width, width, **options) / width for _ in range(LAYERS)]
        self.gradients = [torch.empty_like(weight) for weight in self.weights]
        self.x = torch.randn(rows, width, **options)

    def step(self, more=0):
        """`more`: matrix products that other ranks do not have. It returns the loss of the step."""
        x, inputs = self.x, []
        for weight in self.weights:
            inputs.append(x)
            x = torch.nn.functional.gelu(x @ weight)
        for _ in range(more):
            torch.mm(self.gradients[0], self.weights[0])
        loss, sums = x.float().square().mean(), []
        for i in reversed(range(LAYERS)):
            torch.mm(inputs[i].T, x, out=self.gradients[i])
            x = x @ self.weights[i].T
            sums.append(dist.all_reduce(self.gradients[i], async_op=True))
        for handle in sums:
            handle.wait()
        for weight, gradient in zip(self.weights, self.gradients):
            weight.add_(gradient, alpha=-1e-6)
        return loss


def seconds_of(step, count):
    """Of one step, the median. The host waits for the loss of each, as programs do that print it.
    """
    torch.cuda.synchronize()
    times = [time.perf_counter()]
    for i in range(count):
        step(i).item()
        times.append(time.perf_counter())
    return statistics.median(end - start for start, end in zip(times, times[1:]))


def seconds_of_product(model, count=20):
    torch.cuda.synchronize()
    start = time.perf_counter()
    for _ in range(count):
        torch.mm(model.gradients[0], model.weights[0])
    torch.cuda.synchronize()
    return (time.perf_counter() - start) / count


def same_for_all(values, rank):
    """The values of rank 0, because the ranks measure different ones."""
    shared = torch.tensor(values, device=rank, dtype=torch.float64)
    dist.broadcast(shared, 0)
    return shared.tolist()


def late_rank(arguments, ranks):
    return random.Random(arguments.seed).randrange(ranks)


def disturb(device, share, begin):
    """Uses the GPU for a share of the time, from `begin` on."""
    a = torch.randn(4096, 4096, device=device, dtype=torch.bfloat16)
    a @ a
    torch.cuda.synchronize(device)
    begin.wait()
    while True:
        start = time.perf_counter()
        while time.perf_counter() - start < share * NEIGHBOUR_TURN_S:
            a @ a
            torch.cuda.synchronize(device)
        time.sleep((1 - share) * NEIGHBOUR_TURN_S)


def run(rank, arguments, ranks, port, begin):
    os.environ.update(MASTER_ADDR="127.0.0.1", MASTER_PORT=str(port))
    torch.cuda.set_device(rank)
    dist.init_process_group("nccl", rank=rank, world_size=ranks,
                            device_id=torch.device("cuda", rank))
    draw = random.Random(arguments.seed + 1)
    width, rows = 256 * draw.randint(16, 20), 512 * draw.randint(10, 16)
    torch.manual_seed(arguments.seed + rank)
    model = Model(rank, width, rows)
    kind, is_late = arguments.kind, rank == late_rank(arguments, ranks)
    seconds_of(lambda i: model.step(), 3)  # NCCL makes its connections
    clean_s, product_s = same_for_all([seconds_of(lambda i: model.step(), CLEAN_STEPS),
                                       seconds_of_product(model)], rank)
    more_s = arguments.late * clean_s
    more = max(1, round(more_s / product_s)) if kind == "work" and is_late else 0
    if kind == "inputs" and is_late:
        model.x = torch.randn(rows + 8 * round(arguments.late * rows / 8), width, device=rank,
                              dtype=torch.bfloat16)

    def step(i):
        its_turn = random.Random(f"{arguments.seed} {i}").randrange(ranks) == rank
        if kind == "host" and is_late or kind == "in-turn" and its_turn:
            time.sleep(more_s)
        return model.step(more)

    dist.barrier()
    begin.set()
    steps = max(60, int(arguments.seconds / clean_s))
    late_s = seconds_of(step, steps)
    if rank == 0:
        print("[steps] " + json.dumps({"clean_s": clean_s, "late_s": late_s, "steps": steps,
                                       "width": width, "rows": rows}), flush=True)
    dist.barrier()
    dist.destroy_process_group()


def free_port():
    with socket.socket() as found:
        found.bind(("127.0.0.1", 0))
        return found.getsockname()[1]


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("kind", choices=KINDS)
    parser.add_argument("--seed", type=int, required=True)
    parser.add_argument("--late", type=float, required=True)
    parser.add_argument("--seconds", type=float, default=3)
    arguments = parser.parse_args()
    ranks = torch.cuda.device_count()
    if ranks < 2:
        print("[skipped] fewer than two GPUs")
        return
    late = late_rank(arguments, ranks)
    print(f"[late] {'none' if arguments.kind in ('nobody', 'in-turn') else late} of {ranks}",
          flush=True)
    context = torch.multiprocessing.get_context("spawn")
    begin = context.Event()
    neighbour = context.Process(target=disturb, args=(late, arguments.late, begin), daemon=True)
    if arguments.kind == "neighbour":
        neighbour.start()
    torch.multiprocessing.spawn(run, (arguments, ranks, free_port(), begin), nprocs=ranks)
    if neighbour.is_alive():
        neighbour.terminate()


if __name__ == "__main__":
    main()
