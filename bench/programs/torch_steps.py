# SPDX-License-Identifier: Apache-2.0
"""Training steps of a small model on the CPU, alone or under a profiler, for bench/torch_ops.py.

torch_steps.py PROFILER WIDTH STEPS OUT [PROBE]

PROFILER: none, prof, prof-shapes, torch, torch-shapes. OUT gets JSON: the times of the steps, and
with torch.profiler its table of ops; with prof it is the recording, and the times are on stdout.
PROBE is the library of test/torch_bridge/probe.cc.
"""
import ctypes
import json
import sys
import time

PROFILER, WIDTH, STEPS, OUT = sys.argv[1], int(sys.argv[2]), int(sys.argv[3]), sys.argv[4]
WARM_UP = 10

import torch  # noqa: E402: after the arguments

torch.set_num_threads(1)
torch.manual_seed(0)


class Model(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.embedding = torch.nn.Embedding(100, WIDTH)
        self.norm = torch.nn.LayerNorm(WIDTH)
        self.up, self.down = torch.nn.Linear(WIDTH, 4 * WIDTH), torch.nn.Linear(4 * WIDTH, WIDTH)

    def forward(self, tokens):
        hidden = self.embedding(tokens)
        for _ in range(4):
            hidden = hidden + self.down(torch.nn.functional.gelu(self.up(self.norm(hidden))))
        return torch.nn.functional.linear(hidden, self.embedding.weight)


model = Model()
optimizer = torch.optim.SGD(model.parameters(), lr=0.01)
tokens = torch.arange(WIDTH) % 100


def step():
    optimizer.zero_grad()
    torch.nn.functional.cross_entropy(model(tokens), tokens).backward()
    optimizer.step()


def steps(between=lambda: None):
    times = []
    for _ in range(STEPS):
        begin = time.perf_counter_ns()
        step()
        times.append(time.perf_counter_ns() - begin)
        between()
    return times


def with_prof():
    probe = ctypes.CDLL(sys.argv[5])
    probe.probe_notices.restype = ctypes.c_char_p
    (probe.probe_begin_with_shapes if "shapes" in PROFILER else probe.probe_begin)()
    if not probe.probe_look():
        sys.exit(probe.probe_notices().decode())
    times = steps(probe.probe_drain)
    if probe.probe_end(OUT.encode()):
        sys.exit("events were lost")
    return times


def with_torch():
    with torch.profiler.profile(activities=[torch.profiler.ProfilerActivity.CPU],
                                record_shapes="shapes" in PROFILER) as profile:
        times = steps()
    ops = [{"name": op.key, "calls": op.count, "self_us": op.self_cpu_time_total,
            "total_us": op.cpu_time_total} for op in profile.key_averages()]
    with open(OUT, "w", encoding="utf-8") as file:
        json.dump(ops, file)
    return times


for _ in range(WARM_UP):
    step()
measure = {"none": steps, "prof": with_prof, "torch": with_torch}[PROFILER.split("-")[0]]
print(json.dumps(measure()))
