# SPDX-License-Identifier: Apache-2.0
"""Lets Holistic Trace Analysis (PyPI: traceinsight) find the op of PyTorch around each kernel, by its
graph of calls, and compares that with prof's table of ops."""
import os

import reader

os.environ["HTA_DISABLE_NS_ROUNDING"] = "1"
try:
    from hta.common.trace_call_graph import CallGraph
    from hta.trace_analysis import TraceAnalysis
except ImportError:
    reader.skip("the Python package traceinsight is not installed: pip install traceinsight")

with reader.folder() as folder:
    reader.export("chrome", folder, "rank0.json")
    trace = TraceAnalysis(trace_dir=folder).t
    CallGraph(trace)
    events = trace.get_trace(0)
    names = trace.symbol_table.sym_table

category = events["cat"].map(lambda symbol: names[symbol])
parent = events["parent"].to_dict()
external = events["external_id"].to_dict()
is_op = (category == "cpu_op").to_dict()
name = events["name"].map(lambda symbol: names[symbol]).to_dict()


def op_around(kernel):
    at = parent[kernel]
    while at >= 0 and not is_op[at]:
        at = parent[at]
    return at


torch = reader.report()["torch"]
own_ns = {}
kernels = events[category == "kernel"]
for kernel, duration in zip(kernels["index"], kernels["dur"]):
    op = op_around(kernel)
    if op < 0:
        continue
    reader.check(external[kernel] == external[op], f"the id of {name[op]} is not its kernel's")
    own_ns[name[op]] = own_ns.get(name[op], 0) + round(1000 * float(duration))
expected_ns = {}
for row in torch["ops"]:
    if row["gpu_self_ns"] > 0:
        expected_ns[row["name"]] = expected_ns.get(row["name"], 0) + round(row["gpu_self_ns"])
reader.check(own_ns and own_ns == expected_ns, f"HTA has {own_ns}, prof {expected_ns}")
print("ok")
