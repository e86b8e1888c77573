#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""This program runs a model that torch.compile made, with sizes that it draws.

    compiled.py default|reduce-overhead --seed N [--steps N | --seconds S]

reduce-overhead: in CUDA graphs.
"""

import os
import random

import step_clock

os.environ.setdefault("CUBLAS_WORKSPACE_CONFIG", ":4096:8")
import torch

LAYERS, HEADS = 4, 16


class Block(torch.nn.Module):
    def __init__(self, hidden):
        super().__init__()
        self.norm = torch.nn.LayerNorm(hidden)
        self.qkv = torch.nn.Linear(hidden, 3 * hidden)
        self.out = torch.nn.Linear(hidden, hidden)
        self.up = torch.nn.Linear(hidden, 4 * hidden)
        self.down = torch.nn.Linear(4 * hidden, hidden)

    def forward(self, x):
        batch, tokens, hidden = x.shape
        parts = self.qkv(self.norm(x)).view(batch, tokens, 3, HEADS, hidden // HEADS)
        query, key, value = parts.permute(2, 0, 3, 1, 4)
        y = torch.nn.functional.scaled_dot_product_attention(query, key, value, is_causal=True)
        x = x + self.out(y.transpose(1, 2).reshape(batch, tokens, hidden))
        gate = torch.nn.functional.gelu(self.up(x)) * torch.sigmoid(x).mean()
        return x + self.down(torch.softmax(gate, -1))


def main():
    arguments = step_clock.parse(__doc__, ("default", "reduce-overhead"))
    draw = random.Random(arguments.seed)
    hidden, tokens = 256 * draw.randint(2, 4), 128 * draw.randint(2, 8)
    torch.manual_seed(arguments.seed)
    with torch.device("cuda"):
        model = torch.nn.Sequential(*(Block(hidden) for _ in range(LAYERS))).to(torch.bfloat16)
        x = torch.randn(1, tokens, hidden, dtype=torch.bfloat16)
    compiled = torch.compile(model, mode=arguments.kind)
    with torch.no_grad():
        for _ in range(3):  # compiles, and records the graphs
            compiled(x)
        torch.cuda.synchronize()
        clock = step_clock.StepClock(arguments)
        clock.run(lambda: compiled(x), 20, torch.cuda.synchronize)
        result = compiled(x).float().sum().item()
    print(f"[checksum] {result:.4e}")
    clock.print(hidden=hidden, tokens=tokens)


if __name__ == "__main__":
    main()
