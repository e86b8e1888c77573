# SPDX-License-Identifier: Apache-2.0
"""What torch.compile, torch.jit, torch.fx and torch.export make of modules, as JSON on stdout.

compiled_program.py [BACKEND]

real_modules.py runs it with prof and without, and compares what it prints: results, graphs, graph
breaks, recompilations and warnings.
"""
import json
import sys
import warnings

import torch
import torch._dynamo
from torch import nn
from torch._dynamo.testing import CompileCounterWithBackend

BACKEND = sys.argv[1] if len(sys.argv) > 1 else "aot_eager"
facts = {}


class Block(nn.Module):
    def __init__(self):
        super().__init__()
        self.up, self.act, self.down = nn.Linear(8, 16), nn.GELU(), nn.Linear(16, 8)

    def forward(self, value):
        return value + self.down(self.act(self.up(value)))


class Breaks(nn.Module):
    def forward(self, value):
        torch._dynamo.graph_break()
        return value * 2


class Net(nn.Module):
    def __init__(self, *inner):
        super().__init__()
        self.layers = nn.ModuleList([Block() for _ in range(10)])
        self.inner = nn.ModuleList(inner)

    def forward(self, value):
        for layer in self.layers:
            value = layer(value)
        for module in self.inner:
            value = module(value)
        return value


def record(name, make, calls=3, **options):
    """`make` returns a callable from a compiler of functions and modules."""
    torch._dynamo.reset()
    torch._dynamo.utils.counters.clear()
    torch.manual_seed(0)
    backend = CompileCounterWithBackend(BACKEND)
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        function = make(lambda target: torch.compile(target, backend=backend, **options))
        results = []
        for i in range(calls):
            inputs = torch.ones(2 + i % 2, 8, requires_grad=True)
            result = function(inputs)
            result.sum().backward()
            results += [result.sum().item(), inputs.grad.sum().item()]
    counters = torch._dynamo.utils.counters
    facts[name] = {
        "results": ["%.6g" % result for result in results],
        "graphs": backend.frame_count,
        "ops": backend.op_count,
        "breaks": dict(counters["graph_break"]),
        "frames": dict(counters["frames"]),
        "unimplemented": sorted(counters["unimplemented"]),
        "warnings": sorted({str(warning.message)[:80] for warning in caught
                            if "NumPy" not in str(warning.message)}),
    }


def in_place(net):
    def compiled(compile_it):
        net.compile(backend=compile_it.__closure__[0].cell_contents)
        return net
    return compiled


def each_layer(compile_it):
    net = Net()
    for i, layer in enumerate(net.layers):
        net.layers[i] = compile_it(layer)
    return net


def with_hooks(compile_it):
    net = Net()
    net.layers[3].register_forward_pre_hook(lambda module, args: (args[0] + 1,))
    net.layers[4].register_forward_hook(lambda module, args, result: result * 2)
    return compile_it(net)


def in_function(compile_it):
    net = Net()

    def step(value):
        return net(value).relu() + nn.Module.__call__(net.layers[0], value)
    return compile_it(step)


record("model", lambda compile_it: compile_it(Net()), fullgraph=True)
record("graph break", lambda compile_it: compile_it(Net(Breaks(), Block(), Breaks())))
record("module.compile", in_place(Net()))
record("each layer", each_layer)
record("hooks", with_hooks, fullgraph=True)
record("function", in_function, fullgraph=True)
record("dynamic", lambda compile_it: compile_it(Net()), calls=6, dynamic=True)

torch.manual_seed(0)
net, value = Net().eval(), torch.ones(2, 8)
scripted, traced = torch.jit.script(Block()), torch.jit.trace(net, value)
exported = torch.export.export(net, (value,))
symbolic = torch.fx.symbolic_trace(net)
facts["jit"] = {
    "script": str(scripted.graph).count("prim::CallMethod"),
    "trace": ["%.6g" % traced(value).sum().item(), str(traced.graph).count("\n")],
    "export": ["%.6g" % exported.module()(value).sum().item(), len(exported.graph.nodes)],
    "fx": ["%.6g" % symbolic(value).sum().item(), len(symbolic.graph.nodes)],
}
print(json.dumps(facts, indent=1, sort_keys=True))
