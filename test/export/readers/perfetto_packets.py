# SPDX-License-Identifier: Apache-2.0
"""The packets of a trace, by Perfetto's own definitions of messages (PyPI: perfetto)."""
import zlib

import reader

try:
    from perfetto.protos.perfetto.trace import perfetto_trace_pb2 as messages
except ImportError:
    reader.skip("the Python package perfetto is not installed: pip install perfetto")


def packets(path):
    trace = messages.Trace()
    with open(path, "rb") as file:
        trace.ParseFromString(file.read())
    for outer in trace.packet:
        inner = messages.Trace()
        inner.ParseFromString(zlib.decompress(outer.compressed_packets))
        yield from inner.packet
