#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
#
# Training whose images are decoded and changed in the loop of the program itself, one by one. With
# --fixed worker processes do it ahead of the loop.
#
# Run:  prof run --torch ops --python-stacks --host-samples 200 -o train.prof -- python3 train.py
"""A small convolutional network and its data loader."""

import argparse
import os
import sys
import time
import zlib

try:
    import numpy
    import torch
    from torch import nn
except ImportError as error:
    print(f"[skipped] PyTorch and NumPy are not installed: {error}")
    sys.exit(0)

SIDE, CLASSES, BATCH, WARM_UP_STEPS = 64, 100, 256, 4
MOST_WORKERS = 12


class Images(torch.utils.data.Dataset):
    """Compressed images, as from files: the same for the same number."""

    def __init__(self, count):
        self._count = count
        rows = numpy.arange(SIDE * SIDE * 3, dtype=numpy.uint32).reshape(SIDE, SIDE, 3)
        self._files = [zlib.compress(((rows * (i + 3)) % 251).astype(numpy.uint8).tobytes())
                       for i in range(16)]

    def __len__(self):
        return self._count

    def __getitem__(self, index):
        pixels = numpy.frombuffer(zlib.decompress(self._files[index % len(self._files)]),
                                  dtype=numpy.uint8).reshape(SIDE, SIDE, 3)
        image = pixels.astype(numpy.float32) / 255
        image = (image - image.mean(axis=(0, 1))) / (image.std(axis=(0, 1)) + 1e-3)
        if index % 2:
            image = image[:, ::-1]
        return torch.from_numpy(numpy.ascontiguousarray(image.transpose(2, 0, 1))), index % CLASSES


def make_loader(steps, fixed):
    images = Images(steps * BATCH)
    if not fixed:
        return torch.utils.data.DataLoader(images, batch_size=BATCH)
    workers = max(1, min(MOST_WORKERS, (os.cpu_count() or 1) - 2))
    return torch.utils.data.DataLoader(images, batch_size=BATCH, num_workers=workers,
                                       pin_memory=True, prefetch_factor=4)


def make_model():
    def block(inputs, outputs):
        return [nn.Conv2d(inputs, outputs, 3, stride=2, padding=1), nn.BatchNorm2d(outputs),
                nn.ReLU()]
    return nn.Sequential(*block(3, 64), *block(64, 128), *block(128, 256), *block(256, 512),
                         nn.AdaptiveAvgPool2d(1), nn.Flatten(), nn.Linear(512, CLASSES))


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--steps", type=int, default=40)
    parser.add_argument("--fixed", action="store_true")
    arguments = parser.parse_args()
    if not torch.cuda.is_available():
        print("[skipped] no CUDA device")
        return
    torch.manual_seed(20)
    model = make_model().cuda()
    optimizer = torch.optim.SGD(model.parameters(), lr=1e-3)
    loss, start, first = None, time.perf_counter(), 0
    for step, (images, labels) in enumerate(make_loader(arguments.steps, arguments.fixed)):
        if step == WARM_UP_STEPS:
            torch.cuda.synchronize()
            start, first = time.perf_counter(), step
        with torch.cuda.nvtx.range("train step"):
            loss = nn.functional.cross_entropy(model(images.cuda(non_blocking=True)),
                                               labels.cuda(non_blocking=True))
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
    torch.cuda.synchronize()
    us = (time.perf_counter() - start) * 1e6 / max(1, arguments.steps - first)
    print(f"[checksum] {loss.isfinite().item()}")
    print(f"[timing] steps {arguments.steps} us_per_step {us:.1f}")


if __name__ == "__main__":
    main()
