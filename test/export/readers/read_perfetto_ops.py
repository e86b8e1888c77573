# SPDX-License-Identifier: Apache-2.0
"""Decodes the ops of PyTorch in a trace with Perfetto's own definitions of messages (PyPI: perfetto),
and compares calls and times with prof's table of ops."""
import reader
from perfetto_packets import messages, packets

OPS = ("cpu_op", "user_annotation")

with reader.folder() as folder:
    trace = list(packets(reader.export("perfetto", folder, "app.pftrace")))

names, categories, open_slices, clock = {}, {}, {}, {}
calls, total_ns, flows = {}, {}, {}
for packet in trace:
    sequence = packet.trusted_packet_sequence_id
    for entry in packet.interned_data.event_names:
        names[sequence, entry.iid] = entry.name
    for entry in packet.interned_data.event_categories:
        categories[sequence, entry.iid] = entry.name
    whole = packet.timestamp_clock_id == 6 or sequence not in clock
    if packet.HasField("trace_packet_defaults"):
        clock[sequence] = packet.timestamp
    elif packet.HasField("timestamp") and not whole:
        clock[sequence] += packet.timestamp
    if not packet.HasField("track_event"):
        continue
    event = packet.track_event
    track = open_slices.setdefault(event.track_uuid, [])
    time_ns = packet.timestamp if whole else clock[sequence]
    if event.type == messages.TrackEvent.TYPE_SLICE_BEGIN:
        kinds = [categories[sequence, iid] for iid in event.category_iids]
        name = names[sequence, event.name_iid] if event.name_iid else event.name
        track.append((name, any(kind in OPS for kind in kinds), time_ns))
        for flow in event.flow_ids:
            flows.setdefault(flow, []).append(name)
    elif event.type == messages.TrackEvent.TYPE_SLICE_END:
        reader.check(track, "an end without a begin")
        name, is_op, begin_ns = track.pop()
        if is_op:
            calls[name] = calls.get(name, 0) + 1
            total_ns[name] = total_ns.get(name, 0) + time_ns - begin_ns
reader.check(not any(open_slices.values()), "slices that do not end")

expected_calls, expected_ns = {}, {}
for row in reader.report()["torch"]["ops"]:
    expected_calls[row["name"]] = expected_calls.get(row["name"], 0) + row["calls"]
    expected_ns[row["name"]] = expected_ns.get(row["name"], 0) + round(row["cpu_ns"])
reader.check(calls and calls == expected_calls, f"Perfetto has {calls}, prof {expected_calls}")
reader.check(total_ns == expected_ns, f"Perfetto has {total_ns}, prof {expected_ns}")
both = [ends for ends in flows.values() if len(ends) > 1]
reader.check(both, "no arrow has two ends")
reader.check(all(ends[0].startswith("aten::") and "Backward" in ends[1] for ends in both),
             f"arrows lead from {both}")
print("ok")
