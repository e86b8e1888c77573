# SPDX-License-Identifier: Apache-2.0
"""prof's trace of the ops of the real PyTorch, event by event beside torch.profiler's.

real_events.py PROBE PROF

PROBE is the library of probe.cc, PROF the program `prof`. Both profilers look at the same run on
the CPU, and both write a trace in Chrome's JSON. The test is skipped where this interpreter has no
PyTorch of a known version.
"""
import collections
import json
import os
import re
import subprocess
import sys
import tempfile

import listening

probe = listening.load()
probe.probe_begin_with_shapes()

torch = listening.torch_must_be_there()
listening.look(probe)

ALL = "all that both record"


class Twice(torch.autograd.Function):
    @staticmethod
    def forward(ctx, value):
        return value * 2

    @staticmethod
    def backward(ctx, grad):
        return grad * 2


class Model(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.embedding = torch.nn.Embedding(11, 8)
        self.norm = torch.nn.LayerNorm(8)
        self.up, self.down = torch.nn.Linear(8, 16), torch.nn.Linear(16, 8)

    def forward(self, tokens):
        hidden = self.embedding(tokens)
        for _ in range(2):
            with torch.profiler.record_function("layer"):
                hidden = hidden + self.down(torch.nn.functional.gelu(self.up(self.norm(hidden))))
        return torch.nn.functional.linear(Twice.apply(hidden), self.embedding.weight)


def train():
    torch.manual_seed(0)
    model = Model()
    optimizer = torch.optim.Adam(model.parameters())
    tokens, targets = torch.tensor([1, 2, 3, 2]), torch.tensor([2, 3, 2, 1])
    for _ in range(3):
        torch.nn.functional.cross_entropy(model(tokens), targets).backward()
        optimizer.step()
        optimizer.zero_grad()
        probe.probe_drain()


with torch.profiler.profile(activities=[torch.profiler.ProfilerActivity.CPU],
                            record_shapes=True) as profile:
    with torch.profiler.record_function(ALL):
        train()
with tempfile.TemporaryDirectory() as folder:
    path = os.path.join(folder, "torch.prof")
    assert probe.probe_end(path.encode()) == 0, "events were lost"
    traces = os.path.join(folder, "ours.json"), os.path.join(folder, "theirs.json")
    subprocess.run([sys.argv[2], "export", "--to", "chrome", path, "-o", traces[0]], check=True,
                   stderr=subprocess.DEVNULL)
    profile.export_chrome_trace(traces[1])
    ours, theirs = (json.load(open(trace, encoding="utf-8"))["traceEvents"] for trace in traces)


def ops_in(trace):
    """The ops within ALL on its thread, in the order of their begins, each with its depth."""
    ops = [event for event in trace if event.get("cat") in ("cpu_op", "user_annotation")]
    all_ops = next(event for event in ops if event["name"] == ALL)
    ops = [event for event in ops if event["tid"] == all_ops["tid"] and
           all_ops["ts"] <= event["ts"] < all_ops["ts"] + all_ops["dur"]]
    ops.sort(key=lambda event: (event["ts"], -event["dur"]))
    open_until = []
    for event in ops:
        while open_until and open_until[-1] <= event["ts"]:
            open_until.pop()
        event["depth"] = len(open_until)
        open_until.append(event["ts"] + event["dur"])
    return ops


def links_in(trace, ops):
    """{place of the node in `ops`: place of the op that made it}"""
    places = {(event["ts"], event["tid"], event["cat"]): place for place, event in enumerate(ops)}
    begins, ends = {}, {}
    for event in trace:
        if event.get("cat") == "fwdbwd":
            place = places.get((event["ts"], event["tid"], "cpu_op"))
            (begins if event["ph"] == "s" else ends)[event["id"]] = place
    return {ends[link]: begins[link] for link in begins}


ours_ops, theirs_ops = ops_in(ours), ops_in(theirs)
for mine, other in zip(ours_ops, theirs_ops):
    for field in ("name", "cat", "depth"):
        assert mine[field] == other[field], (field, mine, other)
    assert mine["args"].get("Input Dims", []) == other["args"].get("Input Dims", []), (mine, other)
    number = other["args"].get("Sequence number")
    if "Sequence number" in mine["args"]:
        assert mine["args"]["Sequence number"] == number, (mine, other)
    elif number is not None and re.fullmatch(r"\w+Backward\d*", mine["name"]):
        raise AssertionError("a node without its number: %s, %s" % (mine, other))
assert len(ours_ops) == len(theirs_ops), (len(ours_ops), len(theirs_ops))
links = links_in(ours, ours_ops)
assert links and links == links_in(theirs, theirs_ops), (links, links_in(theirs, theirs_ops))
kinds = collections.Counter(event["cat"] for event in ours_ops)
print("PyTorch %s: %s, %d links" % (torch.__version__, dict(kinds), len(links)))
