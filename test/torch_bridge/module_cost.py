# SPDX-License-Identifier: Apache-2.0
"""What a call of a module costs while prof listens: the shortest batches with it and without it.

LD_PRELOAD=PROBE PYTHONPATH=torch_bridge/site PROF_TORCH=modules python module_cost.py PROBE

PROBE is the library of probe.cc. It prints nanoseconds a call. No GPU is needed.
"""
import ctypes
import sys
import time

CALLS, BATCHES, ROUNDS = 100, 40, 30

probe = ctypes.CDLL(sys.argv[1])
probe.probe_begin()
import torch  # noqa: E402: after the probe
from torch.nn import Module  # noqa: E402

torch.set_num_threads(1)
torch.set_grad_enabled(False)
around, bare = Module.__call__, Module._wrapped_call_impl
if around is bare:
    sys.exit("prof does not hear the modules of PyTorch " + torch.__version__)


class Net(Module):
    """Calls of empty modules."""

    def __init__(self):
        super().__init__()
        self.layers = torch.nn.ModuleList([torch.nn.Identity() for _ in range(CALLS)])

    def forward(self, value):
        layers = list(self.layers)
        begin = time.perf_counter_ns()
        for layer in layers:
            layer(value)
        self.took_ns = (time.perf_counter_ns() - begin) / CALLS


def shortest(call):
    Module.__call__ = call
    times = []
    for _ in range(ROUNDS):
        for _ in range(BATCHES):
            net(value)
            times.append(net.took_ns)
        probe.probe_drain()
    return min(times)


net, value = Net(), torch.ones(4)
if not probe.probe_look():
    sys.exit("prof does not hear PyTorch " + torch.__version__)
heard, alone = shortest(around), shortest(bare)
probe.probe_stop()
unheard = shortest(around)
print("PyTorch %s: %.0f ns a call with prof, %.0f ns without: %.0f ns; %.0f ns while nothing is "
      "recorded" % (torch.__version__, heard, alone, heard - alone, unheard - alone))
