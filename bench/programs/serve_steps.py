#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""This program serves requests as an inference server does: batches of several sizes, a CUDA graph
for each of them, and results that the host needs before it goes on.

    serve_steps.py --steps N
"""

import argparse
import pathlib
import random
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "examples" / "pytorch"))
import llama_like  # sets what makes cuBLAS deterministic, before PyTorch is there
import torch

BATCHES, POSITION, WARM_UP = (1, 2, 4, 8), 128, 3


class Server:
    def __init__(self, model):
        self.model, self.graphs = model, {}
        self.caches = [tuple(torch.zeros(BATCHES[-1], llama_like.HEADS, POSITION + 1,
                                         llama_like.HEAD, device="cuda", dtype=torch.bfloat16)
                             for _ in range(2)) for _ in range(llama_like.LAYERS)]
        for batch in BATCHES:
            self.graphs[batch] = self.capture(batch)

    def step(self, tokens):
        batch = tokens.shape[0]
        caches = [(key[:batch], value[:batch]) for key, value in self.caches]
        return self.model(tokens, caches, POSITION).argmax(-1)

    def capture(self, batch):
        tokens = torch.zeros(batch, 1, dtype=torch.int64, device="cuda")
        side = torch.cuda.Stream()
        side.wait_stream(torch.cuda.current_stream())
        with torch.cuda.stream(side):
            for _ in range(WARM_UP):
                self.step(tokens)
        torch.cuda.current_stream().wait_stream(side)
        graph = torch.cuda.CUDAGraph()
        with torch.cuda.graph(graph):
            result = self.step(tokens)
        return graph, tokens, result

    def serve(self, requests):
        """`requests`: the last token of each, on the host. Returns the next ones."""
        batch = min(size for size in BATCHES if size >= len(requests))
        graph, tokens, result = self.graphs[batch]
        tokens[:len(requests), 0].copy_(torch.tensor(requests), non_blocking=True)
        graph.replay()
        return result[:len(requests), 0].tolist()


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--steps", type=int, default=500)
    steps = parser.parse_args().steps
    if not torch.cuda.is_available():
        print("[skipped] no CUDA device")
        return
    torch.manual_seed(20)
    with torch.device("cuda"):
        model = llama_like.Model().to(torch.bfloat16)
    draw = random.Random(20)
    clock, total = llama_like.Clock(steps), 0
    with torch.no_grad():
        server = Server(model)
        for step in range(steps):
            clock.tick(step)
            with torch.cuda.nvtx.range("request batch"):
                requests = [draw.randrange(llama_like.VOCABULARY)
                            for _ in range(draw.randint(1, BATCHES[-1]))]
                total = (total * 31 + sum(server.serve(requests))) % (1 << 61)
    print(f"[checksum] serve {total:016x}")
    print(f"[timing] serve steps {steps} {clock.text()}", flush=True)


if __name__ == "__main__":
    main()
