#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""This program runs one stage of a convolutional network, without gradients.

`channels-last` is as it should be: the layout that tensor cores want, and bfloat16 by autocast.
`channels-first` has lost the layout, `float32` the autocast.

    images.py channels-last|channels-first|float32 --seed N [--steps N | --seconds S] [--wait]
"""

import random

import timed_parts
import torch
from torch import nn

_KINDS = ("channels-last", "channels-first", "float32")
_CHANNELS, _SIDE, _LAYERS = 128, 56, 6


def make_stage():
    layers = []
    for _ in range(_LAYERS):
        layers += [nn.Conv2d(_CHANNELS, _CHANNELS, 3, padding=1, bias=False),
                   nn.BatchNorm2d(_CHANNELS), nn.ReLU(inplace=True)]
    return nn.Sequential(*layers).cuda().eval()


def main():
    arguments = timed_parts.parse(__doc__, _KINDS)
    draw = random.Random(arguments.seed)
    batch = draw.randint(32, 64)
    torch.manual_seed(arguments.seed)
    stage = make_stage()
    images = torch.randn(batch, _CHANNELS, _SIDE, _SIDE, device="cuda")
    if arguments.kind != "channels-first":
        stage = stage.to(memory_format=torch.channels_last)
        images = images.to(memory_format=torch.channels_last)
    timed, found = timed_parts.TimedParts(), None

    def step():
        nonlocal found
        with torch.no_grad(), torch.cuda.nvtx.range("stage"), timed.part("stage"), \
                torch.autocast("cuda", torch.bfloat16, enabled=arguments.kind != "float32"):
            found = stage(images)

    timed.run(arguments, step, lambda: found.double().abs().sum().item(), batch=batch)


if __name__ == "__main__":
    main()
