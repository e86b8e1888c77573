#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
#
# A decoding loop that chooses each token on the host: it waits for the GPU in every step, and the
# GPU for it. With --fixed the GPU chooses, and the host asks after every 32 steps whether all
# sequences have ended: at most 31 steps are for nothing.
#
# Run:  prof run --torch ops --python-stacks -o decode.prof -- python3 decode.py
"""Decoding from a CUDA graph, until all sequences have ended."""

import argparse
import pathlib
import sys
import time

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "pytorch"))
import llama_like  # sets what makes cuBLAS deterministic, before PyTorch is there
import torch

BATCH, POSITION, POSITIONS, END = 4, 128, 256, -1  # no sequence ends: all runs do the same steps
STEPS_PER_LOOK, WARM_UP_STEPS = 32, 3


def capture(model, caches, tokens, chooses):
    """One step as a graph, and the logits that it writes: it reads `tokens`.

    `chooses`: it writes the next ones there, too.
    """
    def step():
        logits = model(tokens, caches, POSITION)
        if chooses:
            tokens.copy_(logits.argmax(-1))
        return logits

    side = torch.cuda.Stream()
    side.wait_stream(torch.cuda.current_stream())
    with torch.cuda.stream(side):
        for _ in range(WARM_UP_STEPS):
            step()
    torch.cuda.current_stream().wait_stream(side)
    graph = torch.cuda.CUDAGraph()
    with torch.cuda.graph(graph):
        logits = step()
    return graph, logits


def decode_on_gpu(graph, tokens, steps):
    for step in range(1, steps + 1):
        with torch.cuda.nvtx.range("decode step"):
            graph.replay()
            if step % STEPS_PER_LOOK == 0 and (tokens == END).all().item():
                return


def decode_on_host(graph, logits, tokens, steps):
    for _ in range(steps):
        with torch.cuda.nvtx.range("decode step"):
            graph.replay()
            chosen = logits.cpu().argmax(-1)
            if (chosen == END).all():
                return
            tokens.copy_(chosen)


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--steps", type=int, default=2000)
    parser.add_argument("--fixed", action="store_true")
    arguments = parser.parse_args()
    if not torch.cuda.is_available():
        print("[skipped] no CUDA device")
        return
    torch.manual_seed(20)
    with torch.device("cuda"):
        model = llama_like.Model().to(torch.bfloat16)
        shape = (BATCH, llama_like.HEADS, POSITIONS, llama_like.HEAD)
        caches = [tuple(torch.zeros(shape, dtype=torch.bfloat16) for _ in range(2))
                  for _ in range(llama_like.LAYERS)]
        tokens = torch.randint(llama_like.VOCABULARY, (BATCH, 1))
    with torch.no_grad():
        graph, logits = capture(model, caches, tokens, chooses=arguments.fixed)
        torch.cuda.synchronize()
        start = time.perf_counter()
        if arguments.fixed:
            decode_on_gpu(graph, tokens, arguments.steps)
        else:
            decode_on_host(graph, logits, tokens, arguments.steps)
        torch.cuda.synchronize()
    us = (time.perf_counter() - start) * 1e6 / arguments.steps
    print(f"[checksum] {llama_like.checksum(tokens)}")
    print(f"[timing] steps {arguments.steps} us_per_step {us:.1f}")


if __name__ == "__main__":
    main()
