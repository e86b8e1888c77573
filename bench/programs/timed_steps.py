# SPDX-License-Identifier: Apache-2.0
"""This module has the steps of models that profilers are measured with, and times them in parts.

Beside each part it times a fixed piece of host code: a host may have several speeds, and parts at
one of them can be compared. The cores of a virtual machine differ from moment to moment, so each
part runs on the one that is fastest then. Threads that start within a part inherit its core:
profilers start theirs before, with the first use of CUDA.
"""

import os
import pathlib
import sys
import time

_HERE = pathlib.Path(__file__).resolve()
sys.path[:0] = [str(_HERE.parents[2] / "examples" / "pytorch"), str(_HERE.parent / "coverage")]
import llama_like  # sets what makes cuBLAS deterministic, before PyTorch is there
import step_clock
import torch
import torch.nn.functional as F

WARM_UP = 3
BATCH, POSITIONS = 8, 64


def new_model():
    torch.manual_seed(20)
    with torch.device("cuda"):
        return llama_like.Model().to(torch.bfloat16)


def train_step(model, tokens_of_row=llama_like.TRAIN_TOKENS):
    optimizer = torch.optim.AdamW(model.parameters(), lr=1e-4)
    shape = (llama_like.TRAIN_BATCH, tokens_of_row + 1)
    tokens = torch.randint(llama_like.VOCABULARY, shape, device="cuda")

    def step():
        logits = model(tokens[:, :-1])
        F.cross_entropy(logits.float().flatten(0, 1), tokens[:, 1:].flatten()).backward()
        optimizer.step()
        optimizer.zero_grad(set_to_none=True)

    return step


def decode_step(model, positions=POSITIONS):
    shape = (BATCH, llama_like.HEADS, positions, llama_like.HEAD)
    caches = [tuple(torch.zeros(shape, device="cuda", dtype=torch.bfloat16) for _ in range(2))
              for _ in range(llama_like.LAYERS)]
    tokens = torch.randint(llama_like.VOCABULARY, (BATCH, 1), device="cuda")

    def step():
        with torch.no_grad():
            model(tokens, caches, positions - 1).argmax(-1)

    return step


_PROBES = 3  # of each core: the shortest counts


def _move_to_fastest(cores):
    """The calling thread alone: others keep the cores that they have."""
    times = {}
    for core in cores:
        os.sched_setaffinity(0, {core})
        times[core] = min(step_clock.probe_us() for _ in range(_PROBES))
    os.sched_setaffinity(0, {min(times, key=times.get)})


def timed(step, steps, parts=1):
    """[[microseconds a step, the slower one of the fixed pieces around it]] of the parts."""
    for _ in range(WARM_UP):
        step()
    times = []
    torch.cuda.synchronize()
    cores = os.sched_getaffinity(0)
    try:
        for _ in range(parts):
            _move_to_fastest(cores)
            step()
            torch.cuda.synchronize()
            before_us = step_clock.probe_us()
            begin = time.perf_counter()
            for _ in range(steps):
                step()
            torch.cuda.synchronize()
            us = (time.perf_counter() - begin) / steps * 1e6
            times.append([round(us, 3), round(max(before_us, step_clock.probe_us()), 2)])
    finally:
        os.sched_setaffinity(0, cores)  # threads that start later inherit it
    return times
