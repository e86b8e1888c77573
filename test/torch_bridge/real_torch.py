# SPDX-License-Identifier: Apache-2.0
"""A small model in the real PyTorch, on the CPU, with prof listening to its ops.

real_torch.py PROBE [PROF]

PROBE is the library of probe.cc. PROF is the program `prof`; with it the recording's report is
checked as well. The test is skipped where this interpreter has no PyTorch of a known version.
"""
import json
import os
import subprocess
import sys
import tempfile
import threading

import listening

probe = listening.load()
probe.probe_begin()  # before PyTorch is there

torch = listening.torch_must_be_there()
listening.look(probe)
from torch.utils._python_dispatch import TorchDispatchMode


class Scale(torch.autograd.Function):
    """An op whose forward and backward launch a kernel each."""

    @staticmethod
    def forward(ctx, value):
        probe.probe_launch(b"scale_forward")
        return value * 2

    @staticmethod
    def backward(ctx, grad):
        probe.probe_launch(b"scale_backward")
        return grad * 2


class Shift(torch.autograd.Function):
    @staticmethod
    def forward(ctx, value):
        probe.probe_launch(b"shift_forward")
        return value + 1

    @staticmethod
    def backward(ctx, grad):
        probe.probe_launch(b"shift_backward")
        return grad.clone()


class LaunchInEach(TorchDispatchMode):
    """Each op of the CPU launches a kernel of its name, as it does on a GPU."""

    def __torch_dispatch__(self, func, types, args=(), kwargs=None):
        probe.probe_launch(str(func).encode())
        return func(*args, **(kwargs or {}))


def train(model, inputs):
    for name in (b"first", b"second"):
        probe.probe_push(b"step")
        probe.probe_push(name)
        hidden = Scale.apply(model(inputs))
        probe.probe_pop()
        probe.probe_push(b"head")
        with torch.autograd.profiler.record_function("my head"):
            loss = Shift.apply(hidden.relu()).sum()
        probe.probe_pop()
        loss.backward()
        probe.probe_pop()


torch.manual_seed(0)
model = torch.nn.Sequential(torch.nn.Linear(8, 16), torch.nn.Linear(16, 4))
train(model, torch.randn(2, 8))
with LaunchInEach():
    model[0](torch.randn(2, 8)).relu().exp().sum().backward()
with torch.no_grad():  # another thread makes no nodes
    other = threading.Thread(target=lambda: model(torch.randn(2, 8)))
    other.start()
    other.join()

with tempfile.TemporaryDirectory() as folder:
    path = os.path.join(folder, "torch.prof")
    lost = probe.probe_end(path.encode())
    if lost:
        sys.exit(str(lost) + " events were lost")
    model(torch.randn(2, 8))  # nobody listens any more
    if len(sys.argv) < 3:
        print("heard, not read: no program to read it with")
        sys.exit(0)
    text = subprocess.run([sys.argv[2], "report", "--json", path], check=True,
                          stdout=subprocess.PIPE).stdout
report = json.loads(text)

failures = []


def check(fact, what):
    if not fact:
        failures.append(what)


ops = {(op["name"], op["kind"], op["backward"]): op for op in report["torch"]["ops"]}


def op(name, kind="function", backward=False):
    found = ops.get((name, kind, backward))
    check(found, "no op " + name + " in " + str(sorted(ops)))
    return found or {}


check(op("aten::linear").get("calls") == 7,
      "aten::linear has %s calls" % op("aten::linear").get("calls"))
check(op("aten::addmm").get("calls", 0) >= 4, "aten::addmm")
check(op("my head", "user").get("calls") == 2, "my head")
check(op("AddmmBackward0", "node", True).get("calls") == 5, "AddmmBackward0")
check(op("aten::mm", backward=True).get("calls", 0) >= 4, "aten::mm in the backward pass")
check(op("Scale").get("launches") == 2, "Scale launched %s" % op("Scale").get("launches"))
check(op("ScaleBackward", "node", True).get("launches") == 2, "ScaleBackward")
check(op("ScaleBackward", "node", True).get("forward") == "Scale",
      "the forward of ScaleBackward is %s" % op("ScaleBackward", "node", True).get("forward"))
check(op("ShiftBackward", "node", True).get("forward") == "Shift", "the forward of ShiftBackward")
check(op("my head", "user").get("backward_gpu_ns") == 2000, "the backward pass of my head")
check(op("aten::linear").get("cpu_ns", 0) > op("aten::linear").get("cpu_self_ns", 0) > 0,
      "the times of aten::linear")
check(not any(op["name"].startswith("prof") for op in report["torch"]["ops"]), "prof's self-test")

ranges = {row["label"]: row for row in report["torch"]["ranges"]}
for name, wanted in (("step/first", (1000, 1000)), ("step/second", (1000, 1000)),
                     ("step/head", (2000, 2000))):
    row = ranges.get(name, {})
    check((row.get("forward_ns"), row.get("backward_ns")) == wanted, "range %s: %s" % (name, row))
# Ops are no ranges.
check(not any("aten::" in row["label"] for row in report["rows"]), "ops among the ranges")

kernels = {kernel["name"]: kernel for kernel in report["kernels"]}
backward = kernels["shift_backward"]["torch_ops"]
check(len(backward) == 1 and backward[0]["backward"] and backward[0]["forward"] == "Shift" and
      backward[0]["launches"] == 2, "the op of shift_backward: %s" % backward)

# The op around a kernel, and the forward op that it belongs to. Newer versions have an op of their
# own around the mode.
for name, op_name, forward in (("aten.addmm.default", "aten::addmm", ""),
                               ("aten.mm.default", "aten::mm", "aten::addmm"),
                               ("aten.threshold_backward.default", "aten::threshold_backward",
                                "aten::relu"),
                               ("aten.mul.Tensor", "aten::mul", "aten::exp")):
    found = [(op["name"], op["forward"]) for op in kernels.get(name, {}).get("torch_ops", [])]
    check(found in ([(op_name, forward)], [("PythonDispatchMode", forward)]),
          "the ops of %s are %s" % (name, found))

if failures:
    sys.exit("PyTorch " + torch.__version__ + ":\n" + "\n".join(failures))
print("PyTorch " + torch.__version__ + ": " + str(len(ops)) + " kinds of op")
