# SPDX-License-Identifier: Apache-2.0
"""The shapes of inputs that prof records of the real PyTorch, compared with torch.profiler's.

real_shapes.py PROBE PROF

PROBE is the library of probe.cc, PROF the program `prof`. Both profilers look at the same run on
the CPU. The test is skipped where this interpreter has no PyTorch of a known version.
"""
import collections
import json
import os
import subprocess
import sys
import tempfile
import warnings

import listening

probe = listening.load()
probe.probe_begin_with_shapes()

torch = listening.torch_must_be_there()
listening.look(probe)
warnings.simplefilter("ignore")


def train():
    model = torch.nn.Sequential(torch.nn.Conv2d(3, 4, 3), torch.nn.BatchNorm2d(4),
                                torch.nn.Flatten(), torch.nn.Linear(4 * 36, 16),
                                torch.nn.LayerNorm(16), torch.nn.GELU(), torch.nn.Linear(16, 5))
    optimizer = torch.optim.Adam(model.parameters())
    for batch in (2, 7, 2):
        out = model(torch.randn(batch, 3, 8, 8))
        loss = torch.nn.functional.cross_entropy(out, torch.zeros(batch, dtype=torch.long))
        loss.backward()
        optimizer.step()
        optimizer.zero_grad()


class Twice(torch.autograd.Function):
    @staticmethod
    def forward(ctx, value, factor, other):
        return value * factor

    @staticmethod
    def backward(ctx, grad):
        return grad * 2, None, None


def odd_inputs():
    """Scalars, lists, many dimensions, and tensors whose sizes are no simple numbers."""
    a = torch.randn(2, 3)
    torch.tensor(3.0) + a
    torch.cat([a, a])
    torch._foreach_add([a, a], 1)
    torch.zeros(1, 2, 1, 3, 1, 1, 2) + 1
    torch.zeros(0, 4).sum()
    torch.nn.functional.linear(a, torch.randn(5, 3), None)
    torch.einsum("ij,kj->ik", a, a)
    torch.empty(3, 4, device="meta") + 1
    torch.sparse_coo_tensor(torch.tensor([[0], [1]]), torch.tensor([1.0]), (2, 3)).to_dense()
    torch.nested.nested_tensor([a, a]) + 1
    torch.quantize_per_tensor(a, 0.1, 0, torch.qint8).dequantize()
    torch.func.vmap(lambda row: row * 2)(a)
    torch.func.grad(lambda value: (value ** 2).sum())(a)
    Twice.apply(a.requires_grad_(), 2, torch.ones(9)).sum().backward()
    with torch.profiler.record_function("my part"):
        torch.relu(a)
    torch.jit.script(lambda_in_script)(a)


def lambda_in_script(value: torch.Tensor) -> torch.Tensor:
    return value.exp() + 1


def symbolic():
    """Fake tensors, with sizes that are symbols, as torch.compile traces with them."""
    from torch._subclasses.fake_tensor import FakeTensorMode
    from torch.fx.experimental.symbolic_shapes import ShapeEnv
    with FakeTensorMode(shape_env=ShapeEnv()) as mode:
        fake = mode.from_tensor(torch.randn(5, 3))
        (fake @ fake.t()).relu()
        torch.empty(4, 6).exp()
    from torch.fx.experimental.proxy_tensor import make_fx
    make_fx(lambda x: (x @ x.t()).relu().sum(), tracing_mode="symbolic")(torch.randn(4, 6))
    compiled = torch.compile(lambda x: (x * 2).relu().sum(), backend="aot_eager", dynamic=True)
    for rows in (3, 9):
        compiled(torch.randn(rows, 4, requires_grad=True)).backward()


with torch.profiler.profile(activities=[torch.profiler.ProfilerActivity.CPU],
                            record_shapes=True) as profile:
    for step in (train, odd_inputs, symbolic):
        step()
        probe.probe_drain()

# As it recorded them: profile.events() leaves an op out that is alone in another one of its name.
FUNCTION, BACKWARD_FUNCTION, USER_SCOPE = 0, 1, 7
theirs = collections.Counter()
for event in profile.profiler.kineto_results.events():
    if event.scope() in (FUNCTION, BACKWARD_FUNCTION, USER_SCOPE):
        theirs[event.name(), json.dumps(event.shapes())] += 1

with tempfile.TemporaryDirectory() as folder:
    path = os.path.join(folder, "torch.prof")
    lost = probe.probe_end(path.encode())
    if lost:
        sys.exit(str(lost) + " events were lost")
    report = json.loads(subprocess.run([sys.argv[2], "report", "--json", path], check=True,
                                       stdout=subprocess.PIPE).stdout)
    text = subprocess.run([sys.argv[2], "report", "--shapes", "--top", "9999", path], check=True,
                          stdout=subprocess.PIPE).stdout.decode()

ours = collections.Counter()
for op in report["torch"]["ops_by_shapes"]:
    ours[op["name"], op["shapes"]] += op["calls"]

failures = []
for key in sorted(set(theirs) | set(ours)):
    name, shapes = key
    if ours[key] != theirs[key]:
        failures.append("%s %s: prof has %d calls, torch.profiler %d"
                        % (name, shapes, ours[key], theirs[key]))
calls = collections.Counter()
for op in report["torch"]["ops"]:
    calls[op["name"], op["backward"]] += op["calls"]
for op in report["torch"]["ops_by_shapes"]:
    calls[op["name"], op["backward"]] -= op["calls"]
failures += ["%s: %d calls are in one of the tables only" % (key, n)
             for key, n in calls.items() if n]
for wanted in (("aten::addmm", "[[16], [2, 144], [144, 16], [], []]"),
               ("AddmmBackward0", "[[7, 5]]"),
               ("aten::nll_loss_forward", "[[7, 5], [7], [], [], []]"),
               ("aten::add", "[[1, 2, 1, 3, 1, 1, 2], [], []]"), ("Twice", None)):
    if not any(key[0] == wanted[0] and wanted[1] in (None, key[1]) for key in ours):
        failures.append("prof has no %s with %s" % wanted)
if "input shapes" not in text:
    failures.append("no shapes in the text: " + text)

if failures:
    sys.exit("PyTorch " + torch.__version__ + ":\n" + "\n".join(failures))
print("PyTorch %s: %d ops with their shapes, %d calls"
      % (torch.__version__, len(ours), sum(ours.values())))
