#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""This program trains a model on two GPUs with data-parallel ranks over NCCL.

overlap: the gradients of one layer are summed up while others are computed. apart: all of them
after the last one.

    ddp.py overlap|apart --seed N [--steps N | --seconds S]
"""

import os
import random
import socket

import step_clock

os.environ.setdefault("CUBLAS_WORKSPACE_CONFIG", ":4096:8")
import torch
import torch.distributed as dist
import torch.multiprocessing

RANKS, LAYERS, STEPS_PER_WAIT = 2, 16, 20


def make_model(rank, width):
    layers = []
    for _ in range(LAYERS):
        layers += [torch.nn.Linear(width, width), torch.nn.GELU()]
    model = torch.nn.Sequential(*layers).to(rank, torch.bfloat16)
    return torch.nn.parallel.DistributedDataParallel(model, device_ids=[rank])


def sum_up(model):
    """All gradients in one collective."""
    gradients = [parameter.grad for parameter in model.parameters()]
    flat = torch.cat([gradient.flatten() for gradient in gradients])
    dist.all_reduce(flat)
    flat /= RANKS
    for gradient, part in zip(gradients, flat.split([g.numel() for g in gradients])):
        gradient.copy_(part.view_as(gradient))


def all_go_on(clock, rank):
    """Rank 0 decides, because the clocks of the ranks differ."""
    flag = torch.tensor([int(clock.goes_on())], device=rank)
    dist.broadcast(flag, 0)
    return bool(flag.item())


def run(rank, arguments, port):
    os.environ.update(MASTER_ADDR="127.0.0.1", MASTER_PORT=str(port))
    torch.cuda.set_device(rank)
    dist.init_process_group("nccl", rank=rank, world_size=RANKS)
    draw = random.Random(arguments.seed)
    width, batch = 256 * draw.randint(6, 8), 512 * draw.randint(4, 8)
    torch.manual_seed(arguments.seed)
    model = make_model(rank, width)
    torch.manual_seed(arguments.seed + 1 + rank)
    x = torch.randn(batch, width, device=rank, dtype=torch.bfloat16)
    optimizer = torch.optim.SGD(model.parameters(), lr=1e-3)
    loss = None

    def step():
        nonlocal loss
        optimizer.zero_grad(set_to_none=True)
        if arguments.kind == "overlap":
            loss = model(x).float().square().mean()
            loss.backward()
        else:
            with model.no_sync():
                loss = model(x).float().square().mean()
                loss.backward()
            sum_up(model)
        optimizer.step()

    step()  # NCCL makes its connections
    torch.cuda.synchronize()
    clock = step_clock.StepClock(arguments)
    while clock.goes_on() if arguments.steps else all_go_on(clock, rank):
        steps = clock.until_wait(STEPS_PER_WAIT)
        for _ in range(steps):
            step()
        torch.cuda.synchronize()
        clock.waited(steps)
    if rank == 0:
        print(f"[checksum] {loss.item():.6e}")
        clock.print(width=width, batch=batch)
    dist.destroy_process_group()


def free_port():
    with socket.socket() as found:
        found.bind(("127.0.0.1", 0))
        return found.getsockname()[1]


def main():
    arguments = step_clock.parse(__doc__, ("overlap", "apart"))
    if torch.cuda.device_count() < RANKS:
        print("[skipped] fewer than two GPUs")
        return
    torch.multiprocessing.spawn(run, (arguments, free_port()), nprocs=RANKS)


if __name__ == "__main__":
    main()
