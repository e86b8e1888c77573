# SPDX-License-Identifier: Apache-2.0
"""What PyTorch's autograd engine does between nodes, and the forward op that prof gives it.

real_engine.py PROBE PROF [KEEP]

PROBE is the library of probe.cc, PROF the program `prof`. A small model is trained on the CPU,
where the program's own thread runs the engine, and on a made-up device, for which the engine has a
thread as it has for a GPU. A third program has weights on the device that it uses on both, so that
two threads run nodes at the same time.

Each op "launches a kernel", whose name has the truth: which node the engine ran last, and for a
gradient that accumulates, which node completed it. Hooks of autograd and the graph itself tell
that. With KEEP, a folder, the recordings of two passes are kept there, as those in test/data.

The test is skipped where this interpreter has no PyTorch of a known version.
"""
import collections
import json
import os
import re
import subprocess
import sys
import tempfile
import threading

import listening

probe = listening.load()

torch = listening.torch_must_be_there()
from torch.nn import functional
from torch.utils import backend_registration
from torch.utils._python_dispatch import TorchDispatchMode
from torch.utils._pytree import tree_map

PASSES = 2 if len(sys.argv) > 3 else 5
DEVICE = "toy"


class Engine:
    """What the engine is doing, from autograd's hooks."""

    def __init__(self):
        self.range = {}       # by node: the range around its forward op
        self.completed = {}   # by AccumulateGrad: the node that gave it a gradient last
        self.running = {}     # by thread: a node, and whether it has returned
        self.threads = set()

    def follow(self, output, name):
        """The nodes below `output` that are not known yet were made in the range `name`."""
        todo = [output.grad_fn]
        while todo:
            node = todo.pop()
            if node is None or node in self.range:
                continue
            self.range[node] = name
            node.register_prehook(lambda grads, node=node: self.enter(node))
            node.register_hook(lambda results, grads, node=node: self.leave(node))
            todo += [below for below, _ in node.next_functions]

    def enter(self, node):
        self.threads.add(threading.get_native_id())
        self.running[threading.get_native_id()] = (node, False)

    def leave(self, node):
        for below, _ in node.next_functions:
            if below is not None and "AccumulateGrad" in below.name():
                self.completed[below] = node
        self.running[threading.get_native_id()] = (node, True)

    def truth(self):
        """Where the thread is: (place, node)."""
        node, left = self.running.get(threading.get_native_id(), (None, False))
        if node is None:
            return "forward", None
        if "AccumulateGrad" in node.name():
            return "accumulate", self.completed[node]
        return ("behind" if left else "node"), node

    def forget(self):
        self.range.clear()
        self.completed.clear()
        self.running.clear()


engine = Engine()


def launch(func):
    place, node = engine.truth()
    made = "" if node is None else " made by %s in %s" % (node.name(), engine.range[node])
    probe.probe_launch(("%s %s%s" % (func, place, made)).encode())


class LaunchInEach(TorchDispatchMode):
    """Each op of the CPU launches a kernel."""

    def __torch_dispatch__(self, func, types, args=(), kwargs=None):
        launch(func)
        return func(*args, **(kwargs or {}))


class Toy(torch.Tensor):
    """A tensor of the made-up device: the CPU does its work, and each op launches a kernel."""

    @staticmethod
    def __new__(cls, held):
        made = torch.Tensor._make_wrapper_subclass(
            cls, held.size(), strides=held.stride(), storage_offset=held.storage_offset(),
            dtype=held.dtype, device=torch.device(DEVICE, 0))
        made.held = held
        return made

    @classmethod
    def __torch_dispatch__(cls, func, types, args=(), kwargs=None):
        launch(func)
        kwargs = dict(kwargs or {})
        if kwargs.get("device") is not None:
            kwargs["device"] = torch.device("cpu")
        held = func(*tree_map(lambda x: x.held if isinstance(x, Toy) else x, args), **kwargs)
        if func.overloadpacket.__name__.endswith("_"):
            return args[0]
        return tree_map(lambda x: Toy(x) if isinstance(x, torch.Tensor) else x, held)


def step(name, work):
    """Forward work in the range `name`."""
    probe.probe_push(name.encode())
    output = work()
    probe.probe_pop()
    engine.follow(output, name)
    return output


class Model(torch.nn.Module):
    """Ops that make the engine sum gradients: residuals, a weight used twice, a broadcast bias."""

    def __init__(self, place):
        super().__init__()
        size = 8
        self.embedding = torch.nn.Embedding(11, size)
        self.norm = torch.nn.LayerNorm(size)
        self.up, self.down = torch.nn.Linear(size, 16), torch.nn.Linear(16, size)
        self.bias = torch.nn.Parameter(torch.zeros(size))
        for module in self.modules():
            for name, parameter in module.named_parameters(recurse=False):
                setattr(module, name, torch.nn.Parameter(place(parameter.detach())))

    def forward(self, tokens, targets):
        hidden = step("embedding", lambda: self.embedding(tokens))
        for layer in ("first", "second"):  # of one module: all its weights are used twice
            normed = step(layer + " norm", lambda: self.norm(hidden))
            wide = step(layer + " up", lambda: functional.gelu(self.up(normed)))
            narrow = step(layer + " down", lambda: self.down(wide))
            hidden = step(layer + " residual", lambda: hidden + narrow)
        biased = step("bias", lambda: hidden + self.bias)
        logits = step("head", lambda: functional.linear(biased, self.embedding.weight))
        return step("loss", lambda: functional.cross_entropy(logits, targets))


def train(model, inputs):
    for _ in range(PASSES):
        model(*inputs).backward()
        engine.forget()


class ToHost(torch.autograd.Function):
    """The only way from the made-up device to the CPU. The gradient comes back by it."""

    @staticmethod
    def forward(ctx, value):
        return value.held.clone()

    @staticmethod
    def backward(ctx, grad):
        return Toy(grad)


class OnBoth(torch.nn.Module):
    """The CPU completes the gradient of one weight while the device is busy with other nodes."""

    def __init__(self):
        super().__init__()
        self.moved = torch.nn.Parameter(Toy(torch.ones(4)))
        self.stays = torch.nn.Parameter(Toy(torch.ones(4)))

    def forward(self):
        moved = step("host", lambda: repeat(torch.exp, 6, ToHost.apply(self.moved)))
        stays = step("device", lambda: repeat(torch.sin, 30, self.stays))
        return step("loss", lambda: ToHost.apply(stays).sum() + moved.sum())


def repeat(function, times, value):
    for _ in range(times):
        value = function(value)
    return value


def op_of(node):
    """AddmmBackward0: addmm"""
    return re.sub(r"Backward\d*$", "", node).lower()


def plain(op):
    """aten::_log_softmax: logsoftmax; aten::nll_loss_forward: nllloss"""
    return re.sub(r"_forward$", "", op.split("::")[-1]).replace("_", "")


def check(report, one_thread):
    """Compares the forward op of each kernel, and the backward pass of each range, with the truth.

    A gradient that accumulates later than 0.1 ms after the node has no known op: on a busy machine
    that may be one in any pass, but not the same one in all of them. Where other threads of the
    engine run nodes meanwhile it has none either.
    """
    seen, expected_ns, unknown_ns = collections.Counter(), collections.Counter(), 0
    for kernel in report["kernels"]:
        what = kernel["full_name"]
        place, node, name = re.fullmatch(r"\S+ (\S+)(?: made by (\S+) in (.+))?", what).groups()
        if place == "forward":
            continue
        for op in kernel["torch_ops"]:
            expected_ns[name] += op["time_ns"]
            if op["forward"]:
                assert plain(op["forward"]) == op_of(node), (what, op)
                seen[place] += op["launches"]
            else:
                assert place == "accumulate", "no forward op: %s, %s" % (what, op)
                seen["not known"] += op["launches"]
                unknown_ns += op["time_ns"]
        known = any(op["forward"] for op in kernel["torch_ops"])
        assert known or not one_thread, what
    for row in report["torch"]["ranges"]:
        missing_ns = expected_ns.pop(row["label"], 0) - row["backward_ns"]
        assert 0 <= missing_ns <= unknown_ns, (row, missing_ns)
        unknown_ns -= missing_ns
    assert unknown_ns == sum(expected_ns.values()), (unknown_ns, expected_ns)  # ranges without any
    for place in ("node", "behind", "accumulate") if one_thread else ("node", "not known"):
        assert seen[place] > 0, "no kernel launched in '%s'" % place
    return dict(seen)


def record(what, make_model, *inputs):
    """Records the training and checks it. Returns the threads of the engine."""
    probe.probe_begin()
    listening.look(probe)
    engine.threads.clear()
    train(make_model(), inputs)
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(sys.argv[3] if len(sys.argv) > 3 else folder,
                            "torch_engine_%s.prof" % what)
        assert probe.probe_end(path.encode()) == 0, "events were lost"
        text = subprocess.run([sys.argv[2], "report", "--json", path], check=True,
                              stdout=subprocess.PIPE).stdout
    seen = check(json.loads(text), what != "both")
    print("PyTorch", torch.__version__, what + ":", seen)
    return set(engine.threads)


torch.manual_seed(0)
tokens, targets = torch.tensor([1, 2, 3, 2]), torch.tensor([2, 3, 2, 1])
has_device = hasattr(backend_registration, "_setup_privateuseone_for_python_backend")
if has_device:  # before the first backward pass: the engine starts its threads there
    backend_registration._setup_privateuseone_for_python_backend(DEVICE)
me = threading.get_native_id()
with LaunchInEach():
    assert record("cpu", lambda: Model(lambda tensor: tensor), tokens, targets) == {me}
if not has_device:
    print("this PyTorch has no devices that are written in Python")
    sys.exit(0)
threads = record("device", lambda: Model(Toy), Toy(tokens), Toy(targets))
assert len(threads) == 1 and me not in threads, "the engine has no thread of its own"
assert len(record("both", OnBoth)) == 2, "the engine has not run on two threads"
