# SPDX-License-Identifier: Apache-2.0
"""What an op costs while prof listens: the shortest batches with it and without it.

op_cost.py PROBE [shapes]

PROBE is the library of probe.cc; with `shapes` prof records the shapes of inputs, too. It prints
nanoseconds an op. No GPU is needed.
"""
import ctypes
import sys
import time

OPS, BATCHES, ROUNDS = 100, 40, 30

probe = ctypes.CDLL(sys.argv[1])
with_shapes = sys.argv[2:] == ["shapes"]
if with_shapes:
    probe.probe_begin_with_shapes()
else:
    probe.probe_begin()
import torch  # noqa: E402: after the probe

torch.set_num_threads(1)
torch.set_grad_enabled(False)
add, other = torch.ones(4).add_, torch.ones(4)


def batch():
    begin = time.perf_counter_ns()
    for _ in range(OPS):
        add(other)
    return (time.perf_counter_ns() - begin) / OPS


def rounds():
    times = []
    for _ in range(ROUNDS):
        times += [batch() for _ in range(BATCHES)]
        probe.probe_drain()
    return sorted(times)


if not probe.probe_look():
    sys.exit("prof does not hear PyTorch " + torch.__version__)
heard = rounds()
probe.probe_stop()
alone = rounds()
print("PyTorch %s: %.0f ns an op with prof%s, %.0f ns without: %.0f ns"
      % (torch.__version__, heard[0], " and shapes" if with_shapes else "", alone[0],
         heard[0] - alone[0]))
