# SPDX-License-Identifier: Apache-2.0
"""Decodes a trace with Perfetto's own definitions of messages (PyPI: perfetto), and where its trace
processor can be had, runs queries on it. PROF_TRACE_PROCESSOR names that program: the package
downloads it at the first use, and a test downloads nothing."""
import os

import reader
from perfetto_packets import messages, packets


def decode(path, kernels):
    stages = begins = ends = 0
    specifications, names = {}, {}
    for packet in packets(path):
        for entry in packet.interned_data.gpu_specifications:
            specifications[entry.iid] = entry
        for entry in packet.interned_data.event_names:
            names[packet.trusted_packet_sequence_id, entry.iid] = entry.name
        if packet.HasField("gpu_render_stage_event"):
            event = packet.gpu_render_stage_event
            reader.check(event.event_id != 0, "each operation has an id")
            reader.check(event.hw_queue_iid in specifications, "each operation has a stream")
            reader.check((packet.trusted_packet_sequence_id, event.name_iid) in names,
                         "each operation has a name")
            stage = specifications[event.stage_iid]
            stages += stage.category == messages.InternedGpuRenderStageSpecification.COMPUTE
        if packet.HasField("track_event"):
            begins += packet.track_event.type == messages.TrackEvent.TYPE_SLICE_BEGIN
            ends += packet.track_event.type == messages.TrackEvent.TYPE_SLICE_END
    reader.check(0 < stages <= kernels, f"{stages} kernels of {kernels}")
    reader.check(begins == ends and begins > 0, f"{begins} slices begin, {ends} end")
    return stages


def query(path, kernels):
    program = os.environ.get("PROF_TRACE_PROCESSOR", "")
    if not program:
        print("decoded only: PROF_TRACE_PROCESSOR names no trace processor")
        return
    from perfetto.trace_processor import TraceProcessor, TraceProcessorConfig
    with TraceProcessor(trace=path, config=TraceProcessorConfig(bin_path=program)) as processor:
        bad = list(processor.query(
            "select name, value from stats where severity in ('error', 'data_loss') and value > 0"))
        reader.check(not bad, f"errors: {[(row.name, row.value) for row in bad]}")
        row = next(processor.query(
            "select count(*) as n from slice s where s.dur > 0 and "
            "extract_arg(s.arg_set_id, 'render_stage_category') = 2"))
        reader.check(row.n == kernels, f"{row.n} kernels of {kernels}")


with reader.folder() as folder:
    trace_path = reader.export("perfetto", folder, "app.pftrace")
    found = decode(trace_path, reader.report()["totals"]["kernels"])
    query(trace_path, found)
print("ok")
