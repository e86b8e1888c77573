#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
#
# A small Llama-like model. It does not use prof, and stands for any PyTorch program.
#
# Run:  prof run --output llama.prof -- python3 llama_like.py --mode decode
# See:  checksums equal to a run without prof, and a report by part of the model. The ranges of the
#       eight layers are one row: forward/layer */attn (8 ranges).
"""Prefill, decoding and training of an 8-layer model with deterministic results."""

import argparse
import os
import sys
import time

os.environ.setdefault("CUBLAS_WORKSPACE_CONFIG", ":4096:8")  # cuBLAS: the same sums in each run
try:
    import torch
    import torch.nn.functional as F
    from torch.nn.attention import SDPBackend, sdpa_kernel
except ImportError as error:
    print(f"[skipped] PyTorch is not installed: {error}")
    sys.exit(0)

LAYERS, HIDDEN, HEADS, INTERMEDIATE, VOCABULARY = 8, 2048, 16, 5632, 8192
HEAD = HIDDEN // HEADS
PREFILL_TOKENS, DECODE_BATCH, TRAIN_BATCH, TRAIN_TOKENS = 1024, 8, 2, 512
WARM_UP_STEPS = 3

nvtx_range = torch.cuda.nvtx.range


class RmsNorm(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.weight = torch.nn.Parameter(torch.ones(HIDDEN))

    def forward(self, x):
        scale = torch.rsqrt(x.float().pow(2).mean(-1, keepdim=True) + 1e-5)
        return (x * scale.to(x.dtype)) * self.weight


def linear(inputs, outputs):
    return torch.nn.Linear(inputs, outputs, bias=False)


class Attention(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.qkv = linear(HIDDEN, 3 * HIDDEN)
        self.out = linear(HIDDEN, HIDDEN)

    def forward(self, x, cache, position):
        batch, tokens, _ = x.shape
        qkv = self.qkv(x).view(batch, tokens, 3, HEADS, HEAD).permute(2, 0, 3, 1, 4)
        query, key, value = qkv[0], qkv[1], qkv[2]
        if cache is not None:
            end = position + tokens
            cache[0][:, :, position:end] = key
            cache[1][:, :, position:end] = value
            key, value = cache[0][:, :, :end], cache[1][:, :, :end]
        y = F.scaled_dot_product_attention(query, key, value, is_causal=tokens > 1)
        return self.out(y.transpose(1, 2).reshape(batch, tokens, HIDDEN))


class Mlp(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.gate = linear(HIDDEN, INTERMEDIATE)
        self.up = linear(HIDDEN, INTERMEDIATE)
        self.down = linear(INTERMEDIATE, HIDDEN)

    def forward(self, x):
        return self.down(F.silu(self.gate(x)) * self.up(x))


class Layer(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.norm_1, self.attention = RmsNorm(), Attention()
        self.norm_2, self.mlp = RmsNorm(), Mlp()

    def forward(self, x, cache, position):
        with nvtx_range("attn"):
            x = x + self.attention(self.norm_1(x), cache, position)
        with nvtx_range("mlp"):
            return x + self.mlp(self.norm_2(x))


class Model(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.embedding = torch.nn.Embedding(VOCABULARY, HIDDEN)
        self.layers = torch.nn.ModuleList(Layer() for _ in range(LAYERS))
        self.norm = RmsNorm()
        self.head = linear(HIDDEN, VOCABULARY)

    def forward(self, tokens, caches=None, position=0):
        with nvtx_range("forward"):
            x = self.embedding(tokens)
            for i, layer in enumerate(self.layers):
                with nvtx_range(f"layer {i}"):
                    x = layer(x, caches[i] if caches else None, position)
            with nvtx_range("head"):
                return self.head(self.norm(x))


def checksum(tensor):
    """Exact: integer sums modulo 2^64 over the bits, so any changed bit and any swap shows."""
    bits = tensor.detach().float().flatten().view(torch.int32).to(torch.int64)
    weights = torch.arange(bits.numel(), device=bits.device) % 65521 + 1
    return f"{(bits * weights).sum().item() & 0xFFFFFFFFFFFFFFFF:016x}"


class Clock:
    """The time of a step, without the warm-up."""

    def __init__(self, steps):
        self.first, self.begins = min(WARM_UP_STEPS, steps - 1), []

    def tick(self, step):
        if step == self.first:
            torch.cuda.synchronize()
        if step >= self.first:
            self.begins.append(time.perf_counter())

    def text(self):
        """The mean, and the tenth percentile: what a step takes while nothing disturbs it."""
        torch.cuda.synchronize()
        self.begins.append(time.perf_counter())
        times = sorted(end - begin for begin, end in zip(self.begins, self.begins[1:]))
        mean, quick = sum(times) / len(times), times[len(times) // 10]
        return f"us_per_step {mean * 1e6:.1f} quick_us_per_step {quick * 1e6:.1f}"


def run_forward(model, steps):
    tokens = torch.randint(VOCABULARY, (1, PREFILL_TOKENS), device="cuda")
    clock = Clock(steps)
    with torch.no_grad():
        for step in range(steps):
            clock.tick(step)
            logits = model(tokens)
    return checksum(logits), clock.text()


def run_decode(model, steps):
    shape = (DECODE_BATCH, HEADS, steps, HEAD)
    caches = [
        tuple(torch.zeros(shape, device="cuda", dtype=torch.bfloat16) for _ in range(2))
        for _ in range(LAYERS)
    ]
    tokens = torch.randint(VOCABULARY, (DECODE_BATCH, 1), device="cuda")
    chosen = []
    clock = Clock(steps)
    with torch.no_grad():
        for step in range(steps):
            clock.tick(step)
            with nvtx_range("decode step"):
                logits = model(tokens, caches, step)
                tokens = logits.argmax(-1)
                chosen.append(tokens)
    return checksum(torch.cat(chosen, 1)) + checksum(logits), clock.text()


def run_train(model, steps):
    optimizer = torch.optim.AdamW(model.parameters(), lr=1e-4)
    tokens = torch.randint(VOCABULARY, (TRAIN_BATCH, TRAIN_TOKENS + 1), device="cuda")
    clock = Clock(steps)
    for step in range(steps):
        clock.tick(step)
        with nvtx_range("train step"):
            logits = model(tokens[:, :-1])
            loss = F.cross_entropy(logits.float().flatten(0, 1), tokens[:, 1:].flatten())
            with nvtx_range("backward"):
                loss.backward()
            with nvtx_range("optimizer"):
                optimizer.step()
                optimizer.zero_grad(set_to_none=True)
    return checksum(loss) + checksum(model.head.weight), clock.text()


def main():
    modes = {"forward": run_forward, "decode": run_decode, "train": run_train}
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--mode", choices=[*modes, "all"], default="all")
    parser.add_argument("--steps", type=int, default=20)
    parser.add_argument("--time", action="store_true", help="print microseconds per step")
    arguments = parser.parse_args()
    if arguments.steps < 1:
        parser.error("--steps must be at least 1")
    if not torch.cuda.is_available():
        print("[skipped] no CUDA device")
        return

    torch.use_deterministic_algorithms(True, warn_only=True)
    torch.utils.deterministic.fill_uninitialized_memory = False  # it would add kernels
    for mode, run in modes.items():
        if arguments.mode not in (mode, "all"):
            continue
        torch.manual_seed(20)
        with torch.device("cuda"):
            model = Model().to(torch.bfloat16)
        with sdpa_kernel(SDPBackend.MATH):  # the fused ones have no deterministic backward
            result, timing = run(model, arguments.steps)
        print(f"[checksum] {mode} {result}", flush=True)
        if arguments.time:
            print(f"[timing] {mode} steps {arguments.steps} {timing}", flush=True)


if __name__ == "__main__":
    main()
