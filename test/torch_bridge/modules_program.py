# SPDX-License-Identifier: Apache-2.0
"""A program with modules, for modules_test.py. Each module launches a kernel of its name on the
fake GPU of test/processes. It runs with the real PyTorch, and with the part that stands in for it.

modules_program.py CASE
"""
import ctypes
import os
import sys
import threading
import time

case = sys.argv[1]
library = ctypes.CDLL(os.environ["CUDA_INJECTION64_PATH"])
library.InitializeInjection()


def launch(name):
    library.FakeLaunchNow(name.encode())


import torch  # noqa: E402: after the recording began
from torch import nn  # noqa: E402

# prof looks for PyTorch every 20 ms, and then tests it.
time.sleep(1)


class Leaf(nn.Module):
    def __init__(self, name):
        super().__init__()
        self.kernel = name

    def forward(self, value):
        launch(self.kernel)
        return value


class Block(nn.Module):
    def __init__(self):
        super().__init__()
        self.fc = Leaf("fc")

    def forward(self, value):
        launch("block")
        return self.fc(value)


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.first, self.second = Block(), Block()
        self.tied = self.first.fc

    def forward(self, value):
        launch("net")
        value = self.second(self.first(value))
        return self.tied(value)


class Fails(nn.Module):
    def __init__(self, error):
        super().__init__()
        self.error, self.inner = error, Leaf("inner")

    def forward(self, value):
        self.inner(value)
        raise self.error


def nested():
    """Modules in modules, one of them under two names, and one that is called alone."""
    alone = Leaf("alone")
    alone(1)
    net = Net()
    net(1)
    net.second(1)
    launch("outside")


def later():
    """A module that came after the first call, and one that the model does not know."""
    net, unknown = Net(), Leaf("unknown")
    net(1)
    net.second.fc = nn.Module.__new__(Block)
    net.second.fc.__init__()
    net(1)
    net.second.fc.forward = lambda value: unknown(value)
    net(1)


def errors():
    """Exceptions of all kinds leave each module."""
    for error in (ValueError("no"), KeyboardInterrupt(), SystemExit(3), GeneratorExit()):
        try:
            Fails(error)(1)
        except BaseException as raised:
            assert raised is error
        launch("outside")


def threads():
    net = Net()
    barrier = threading.Barrier(3)

    def work():
        barrier.wait()
        for _ in range(50):
            net(1)

    workers = [threading.Thread(target=work) for _ in range(3)]
    for worker in workers:
        worker.start()
    for worker in workers:
        worker.join()


def strange():
    """Modules that compare by value, have no hash, hide their parts, or are gone."""
    class Strange(nn.Module):
        __hash__ = None

        def __init__(self):
            super().__init__()
            self.inner = Leaf("strange")

        def __eq__(self, other):
            raise RuntimeError("compared")

        def named_modules(self, *args, **kwargs):
            raise RuntimeError("listed")

        def forward(self, value):
            return self.inner(value)

    Strange()(1)
    for i in range(300):  # the same addresses, again and again
        Leaf("gone")(1) if i % 2 else Block()(1)


def fork():
    net = Net()
    net(1)
    child = os.fork()
    if child == 0:
        net(1)
        os._exit(0)
    assert os.waitpid(child, 0)[1] == 0


def backward():
    """Forward and backward pass, with and without checkpoints, and a replica on another thread."""
    from torch.utils.checkpoint import checkpoint

    class Work(torch.autograd.Function):
        @staticmethod
        def forward(ctx, value, name):
            launch(name)
            ctx.name = name
            return value * 2

        @staticmethod
        def backward(ctx, grad):
            launch(ctx.name + "_backward")
            return grad * 2, None

    class Layer(nn.Module):
        def __init__(self, name):
            super().__init__()
            self.fc, self.kernel = nn.Linear(4, 4), name

        def forward(self, value):
            return Work.apply(self.fc(value), self.kernel).relu()

    class Model(nn.Module):
        def __init__(self):
            super().__init__()
            self.layers = nn.ModuleList([Layer("plain"), Layer("reentrant"), Layer("saved")])

        def forward(self, value):
            value = self.layers[0](value)
            value = checkpoint(self.layers[1], value, use_reentrant=True)
            return checkpoint(self.layers[2], value, use_reentrant=False)

    model = Model()
    for _ in range(2):
        model(torch.ones(2, 4)).sum().backward()

    def replica(module):
        copy = module._replicate_for_data_parallel()
        for name, child in module._modules.items():
            copy._modules[name] = replica(child)
        return copy

    copy = replica(model.layers[0])
    copy.fc._parameters.update(model.layers[0].fc._parameters)

    @torch.no_grad()  # nodes of two threads may have the same number
    def call_replica():
        copy(torch.ones(2, 4))

    other = threading.Thread(target=call_replica)
    other.start()
    other.join()


getattr(sys.modules[__name__], case)()
print(case + " ran")
