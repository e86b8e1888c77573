#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""This program runs the model of examples/pytorch/llama_like.py with sizes that it draws.

graph is decoding from a CUDA graph, which is captured once and replayed for each step.

    llama.py forward|decode|train|graph --seed N [--steps N | --seconds S]
"""

import pathlib
import random
import sys

import step_clock

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[3] / "examples" / "pytorch"))
import llama_like  # sets what makes cuBLAS deterministic, before PyTorch is there
import torch

MOST_POSITIONS = 256
WARM_UP_STEPS = 3


def make_model(seed):
    torch.manual_seed(seed)
    with torch.device("cuda"):
        return llama_like.Model().to(torch.bfloat16)


def random_tokens(batch, tokens):
    return torch.randint(llama_like.VOCABULARY, (batch, tokens), device="cuda")


def make_caches(batch):
    shape = (batch, llama_like.HEADS, MOST_POSITIONS, llama_like.HEAD)
    return [tuple(torch.zeros(shape, device="cuda", dtype=torch.bfloat16) for _ in range(2))
            for _ in range(llama_like.LAYERS)]


def forward(model, draw, clock):
    count = 64 * draw.randint(8, 16)
    tokens = random_tokens(1, count)
    logits = None

    def step():
        nonlocal logits
        logits = model(tokens)

    with torch.no_grad():
        clock.run(step, 5, torch.cuda.synchronize)
    return logits, {"tokens": count}


def decode(model, draw, clock):
    batch = draw.randint(1, 8)
    caches, tokens, position, logits = make_caches(batch), random_tokens(batch, 1), 0, None

    def step():
        nonlocal tokens, position, logits
        with llama_like.nvtx_range("decode step"):
            logits = model(tokens, caches, position)
            tokens = logits.argmax(-1)
        position = (position + 1) % MOST_POSITIONS

    with torch.no_grad():
        clock.run(step, 10, torch.cuda.synchronize)
    return logits, {"batch": batch}


def train(model, draw, clock):
    batch, count = draw.randint(1, 2), 64 * draw.randint(4, 8)
    tokens = random_tokens(batch, count + 1)
    optimizer = torch.optim.AdamW(model.parameters(), lr=1e-4)
    loss = None

    def step():
        nonlocal loss
        with llama_like.nvtx_range("train step"):
            logits = model(tokens[:, :-1])
            loss = torch.nn.functional.cross_entropy(logits.float().flatten(0, 1),
                                                     tokens[:, 1:].flatten())
            loss.backward()
            optimizer.step()
            optimizer.zero_grad(set_to_none=True)

    with llama_like.sdpa_kernel(llama_like.SDPBackend.MATH):  # deterministic backward, too
        clock.run(step, 3, torch.cuda.synchronize)
    return loss, {"batch": batch, "tokens": count}


def graph(model, draw, clock):
    batch, position = draw.randint(1, 8), draw.randint(64, MOST_POSITIONS - 1)
    caches, tokens = make_caches(batch), random_tokens(batch, 1)

    def step():
        logits = model(tokens, caches, position)
        tokens.copy_(logits.argmax(-1))
        return logits

    with torch.no_grad():
        side = torch.cuda.Stream()
        side.wait_stream(torch.cuda.current_stream())
        with torch.cuda.stream(side):
            for _ in range(WARM_UP_STEPS):
                step()
        torch.cuda.current_stream().wait_stream(side)
        captured = torch.cuda.CUDAGraph()
        with torch.cuda.graph(captured):
            logits = step()
        clock.run(captured.replay, 20, torch.cuda.synchronize)
    return logits, {"batch": batch, "position": position}


def main():
    kinds = {"forward": forward, "decode": decode, "train": train, "graph": graph}
    arguments = step_clock.parse(__doc__, kinds)
    torch.use_deterministic_algorithms(True, warn_only=True)
    torch.utils.deterministic.fill_uninitialized_memory = False  # it would add kernels
    model = make_model(arguments.seed)
    torch.cuda.synchronize()
    clock = step_clock.StepClock(arguments)
    result, parameters = kinds[arguments.kind](model, random.Random(arguments.seed), clock)
    print(f"[checksum] {llama_like.checksum(result)}")
    clock.print(**parameters)


if __name__ == "__main__":
    main()
