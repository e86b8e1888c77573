#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""This program trains a small convolutional network on images that a data loader makes.

    vision_steps.py --steps N

Its worker processes make the images, and the main process copies them from pinned memory.
"""

import argparse
import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "examples" / "pytorch"))
import llama_like  # sets what makes cuBLAS deterministic, before PyTorch is there
import torch
import torch.nn.functional as F

IMAGE, CLASSES, BATCH, WORKERS = 64, 100, 64, 4


class Images(torch.utils.data.Dataset):
    def __init__(self, count):
        self.count = count

    def __len__(self):
        return self.count

    def __getitem__(self, index):
        values = torch.arange(3 * IMAGE * IMAGE, dtype=torch.float32) + index
        return values.sin().view(3, IMAGE, IMAGE), index % CLASSES


class Residual(torch.nn.Module):
    def __init__(self, channels):
        super().__init__()
        self.first = torch.nn.Conv2d(channels, channels, 3, padding=1, bias=False)
        self.second = torch.nn.Conv2d(channels, channels, 3, padding=1, bias=False)
        self.norm_1, self.norm_2 = torch.nn.BatchNorm2d(channels), torch.nn.BatchNorm2d(channels)

    def forward(self, x):
        y = F.relu(self.norm_1(self.first(x)))
        return F.relu(x + self.norm_2(self.second(y)))


def make_model():
    layers = [torch.nn.Conv2d(3, 64, 3, padding=1)]
    for _ in range(8):
        layers.append(Residual(64))
    return torch.nn.Sequential(*layers, torch.nn.AdaptiveAvgPool2d(1), torch.nn.Flatten(),
                               torch.nn.Linear(64, CLASSES)).cuda()


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--steps", type=int, default=100)
    steps = parser.parse_args().steps
    if not torch.cuda.is_available():
        print("[skipped] no CUDA device")
        return
    torch.manual_seed(20)
    torch.backends.cudnn.deterministic = True
    torch.backends.cudnn.benchmark = False
    model = make_model()
    optimizer = torch.optim.SGD(model.parameters(), lr=1e-2, momentum=0.9)
    loader = torch.utils.data.DataLoader(Images(steps * BATCH), batch_size=BATCH,
                                         num_workers=WORKERS, pin_memory=True)
    clock, loss = llama_like.Clock(steps), None
    for step, (images, labels) in enumerate(loader):
        clock.tick(step)
        images, labels = images.cuda(non_blocking=True), labels.cuda(non_blocking=True)
        loss = F.cross_entropy(model(images), labels)
        loss.backward()
        optimizer.step()
        optimizer.zero_grad(set_to_none=True)
    print(f"[checksum] vision {llama_like.checksum(loss)}")
    print(f"[timing] vision steps {steps} {clock.text()}", flush=True)


if __name__ == "__main__":
    main()
