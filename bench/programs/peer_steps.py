#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""This program times steps of PyTorch, for profilers that run it one after another.

    peer_steps.py KIND... [--parts N]     KIND: storm, decode, train

It waits for a line on stdin before it uses the GPU, so that it may load while another one runs.
Prints as JSON for each kind and part
[microseconds a step, microseconds of a fixed piece of host code].
"""

import argparse
import json
import sys

import timed_steps  # sets what makes cuBLAS deterministic, before PyTorch is there
import torch

STEPS = {"storm": 4000, "decode": 16, "train": 3}  # of a part


def storm_step():
    x = torch.zeros(1, device="cuda")
    return lambda: x.add_(1)


def step_of(kind, model):
    if kind == "storm":
        return storm_step()
    return {"decode": timed_steps.decode_step, "train": timed_steps.train_step}[kind](model)


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("kinds", nargs="+", choices=STEPS)
    parser.add_argument("--parts", type=int, default=20)
    arguments = parser.parse_args()
    sys.stdin.readline()
    if not torch.cuda.is_available():
        print("[skipped] no CUDA device")
        return
    model, found = timed_steps.new_model(), {}
    for kind in arguments.kinds:
        step, steps = step_of(kind, model), STEPS[kind]
        timed_steps.timed(step, steps)  # loads kernels and fills PyTorch's caches
        found[kind] = timed_steps.timed(step, steps, arguments.parts)
    print("[parts] " + json.dumps(found), flush=True)


if __name__ == "__main__":
    main()
