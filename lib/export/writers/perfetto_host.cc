// SPDX-License-Identifier: Apache-2.0
#include "lib/export/writers/perfetto_host.h"

#include <array>
#include <cstddef>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "lib/export/base/host_slices.h"
#include "lib/export/base/json_text.h"
#include "lib/export/base/labels.h"
#include "lib/export/base/proto_writer.h"
#include "lib/export/writers/perfetto_fields.h"
#include "lib/export/writers/perfetto_gpu.h"

namespace prof::exporting::perfetto {

// FNV-1a, 32 bits: each slice has it.
uint64_t TrackId(const Events& events, std::string_view what, uint32_t number) {
  const std::string text = events.process().host + '/' + std::to_string(events.process().pid) +
                           '/' + std::string(what) + std::to_string(number);
  uint32_t hash = 2166136261;
  for (const char c : text) hash = (hash ^ static_cast<unsigned char>(c)) * 16777619;
  return hash | uint64_t{1};  // 0 is no track
}

uint64_t ProcessTrack(const Events& events) { return TrackId(events, "process", 0); }

namespace {

uint64_t ThreadTrack(const Events& events, uint32_t thread) {
  return TrackId(events, "thread", thread);
}

// A slice or an instant on a track.
size_t BeginEvent(uint64_t type, uint64_t track, ProtoWriter* out) {
  const size_t event = out->Begin(packet::kTrackEvent);
  out->Integer(track::kType, type);
  out->Integer(track::kUuid, track);
  return event;
}

void Annotate(std::string_view name, int64_t value, ProtoWriter* out) {
  const size_t annotation = out->Begin(track::kAnnotation);
  out->Text(track::kAnnotationName, name);
  out->Integer(track::kAnnotationInt, static_cast<uint64_t>(value));
  out->End(annotation);
}

void Annotate(std::string_view name, std::string_view value, ProtoWriter* out) {
  const size_t annotation = out->Begin(track::kAnnotation);
  out->Text(track::kAnnotationName, name);
  out->Text(track::kAnnotationText, value);
  out->End(annotation);
}

// Marks and slices that are not on the track of their thread are few, so they have whole times and
// names, and no sequence that orders them.
class SpanWriter {
 public:
  // `title`: of the tracks. `lanes`: a word for their ids.
  SpanWriter(const Events& events, uint32_t sequence, std::string_view title,
             std::string_view lanes, PacketStream* stream)
      : events_(events), sequence_(sequence), title_(title), lanes_(lanes), stream_(stream) {}

  void Add(const MarkEvent& mark) {
    Write(track::kInstant, ThreadTrack(events_, mark.thread), mark.time_ns,
          events_.NameOf(mark.path, mark.thread, mark.time_ns));
  }

  // Spans overlap: each gets a track on which no other one is open.
  void Add(int64_t start_ns, int64_t end_ns, std::string_view name) {
    size_t lane = 0;
    while (lane < lane_ends_.size() && lane_ends_[lane] > start_ns) ++lane;
    if (lane == lane_ends_.size()) AddLane();
    lane_ends_[lane] = end_ns;
    const uint64_t track = Lane(lane);
    Write(track::kBegin, track, start_ns, name);
    Write(track::kEnd, track, end_ns, "");
  }

 private:
  uint64_t Lane(size_t lane) const { return TrackId(events_, lanes_, static_cast<uint32_t>(lane)); }

  void AddLane() {
    ProtoWriter& out = stream_->writer();
    const size_t packet = stream_->Begin(sequence_);
    const size_t descriptor = out.Begin(packet::kTrackDescriptor);
    out.Integer(track::kDescriptorUuid, Lane(lane_ends_.size()));
    out.Integer(track::kParent, ProcessTrack(events_));
    out.Text(track::kDescriptorName, title_);
    out.End(descriptor);
    stream_->End(packet);
    lane_ends_.push_back(0);
  }

  void Write(uint64_t type, uint64_t track, int64_t time_ns, std::string_view name) {
    ProtoWriter& out = stream_->writer();
    const size_t packet = stream_->Begin(sequence_);
    out.Integer(packet::kTimestamp, static_cast<uint64_t>(time_ns));
    const size_t event = BeginEvent(type, track, &out);
    if (type != track::kEnd) out.Text(track::kName, ValidUtf8(name));
    out.End(event);
    stream_->End(packet);
  }

  const Events& events_;
  uint32_t sequence_;
  std::string_view title_, lanes_;
  PacketStream* stream_;
  std::vector<int64_t> lane_ends_;
};

class HostWriter {
 public:
  HostWriter(const Events& events, const Selection& selection, int64_t begin_ns,
             PacketStream* stream)
      : events_(events),
        selection_(selection),
        stream_(stream),
        sequence_(stream, kHostSequence, begin_ns),
        crossing_(events, kCrossingSequence, "ranges and ops that cross others", "crossing",
                  stream),
        flows_(TrackId(events, "flow", 0) << 32U),
        nvtx_(sequence_.Intern(interned::kCategories, "nvtx")),
        cuda_(sequence_.Intern(interned::kCategories, "cuda")),
        range_slices_(events.paths().size()),
        path_names_(events.paths().size()) {
    for (uint32_t id = 0; id < events.threads().size(); ++id) {
      const uint64_t track = ThreadTrack(events, id);
      ProtoWriter begin, end;
      begin.Integer(track::kType, track::kBegin);
      begin.Integer(track::kUuid, track);
      end.End(BeginEvent(track::kEnd, track, &end));
      tracks_.push_back({begin.Take(), end.Take()});
    }
  }

  static bool Wants(const TorchOpEvent& /*all*/) { return true; }

  void Begin(const RangeEvent& range) {
    const bool own_name = events_.paths()[range.path].family;
    const std::string& slice = SliceOf(range, own_name);
    ProtoWriter& out = stream_->writer();
    const size_t packet = sequence_.Begin();
    const size_t event = BeginSlice(range.thread);
    out.Raw(slice);
    if (own_name) {
      out.Text(track::kName, ValidUtf8(events_.NameOf(range.path, range.thread, range.start_ns)));
    }
    if (!range.closed) Annotate("open at the end", 1, &out);
    out.End(event);
    sequence_.EndAt(packet, range.start_ns);
  }

  // An arrow leads from an op to the nodes of the autograd graph that it made.
  void Begin(const TorchOpEvent& op, size_t row) {
    const bool own_name = events_.paths()[op.path].family;
    const uint64_t name = own_name ? 0 : NameOf(op);
    const uint64_t category = CategoryOf(op.kind);
    ProtoWriter& out = stream_->writer();
    const size_t packet = sequence_.Begin();
    const size_t event = BeginSlice(op.thread);
    out.Integer(track::kCategory, category);
    if (own_name) {
      out.Text(track::kName, ValidUtf8(TorchOpName(events_, op)));
    } else {
      out.Integer(track::kNameIid, name);
    }
    if (!op.closed) Annotate("open at the end", 1, &out);
    if (op.sequence >= 0) {
      Annotate("Sequence number", op.sequence, &out);
      const bool is_node = op.kind == TorchOpKind::kNode;
      const int64_t made = is_node ? op.forward : static_cast<int64_t>(row);
      if (made >= 0) out.Fixed64(track::kFlow, flows_ + static_cast<uint64_t>(made));
    }
    if (!op.shapes.empty()) Annotate("Input Dims", op.shapes, &out);
    out.End(event);
    sequence_.EndAt(packet, op.start_ns);
  }

  void Crosses(const RangeEvent& range) {
    crossing_.Add(range.start_ns, range.end_ns,
                  events_.NameOf(range.path, range.thread, range.start_ns));
  }
  void Crosses(const TorchOpEvent& op) {
    crossing_.Add(op.start_ns, op.end_ns, TorchOpName(events_, op));
  }

  void Begin(const CallEvent& call, size_t row) {
    const std::string& slice = SliceOf(call);
    ProtoWriter& out = stream_->writer();
    const size_t packet = sequence_.Begin();
    const size_t event = BeginSlice(call.thread);
    out.Raw(slice);
    if (selection_.Launched(row)) {
      const size_t correlation = out.Begin(track::kCorrelation);
      out.Integer(track::kSubmissions, EventOfCall(row));
      out.End(correlation);
    }
    if (call.error != 0) Annotate("error", call.error, &out);
    if (call.loads_code) Annotate("loads code", 1, &out);
    out.End(event);
    sequence_.EndAt(packet, call.start_ns);
  }

  void End(const SliceEnd& slice) {
    const size_t packet = sequence_.Begin();
    stream_->writer().Raw(tracks_[slice.thread].end);
    sequence_.EndAt(packet, slice.time_ns);
  }

 private:
  // Encoded: what slices of a thread have in common.
  struct Track {
    std::string begin;  // the first fields of an event that begins a slice
    std::string end;    // the event that ends one
  };

  size_t BeginSlice(uint32_t thread) {
    const size_t event = stream_->writer().Begin(packet::kTrackEvent);
    stream_->writer().Raw(tracks_[thread].begin);
    return event;
  }

  // Encoded: what all slices of a range have in common. A name is a part of it, unless each has
  // `own_name`.
  const std::string& SliceOf(const RangeEvent& range, bool own_name) {
    std::string& slice = range_slices_[range.path];
    if (slice.empty()) {
      ProtoWriter fields;
      fields.Integer(track::kCategory, nvtx_);
      if (!own_name) {
        fields.Integer(track::kNameIid,
                       sequence_.Intern(interned::kEventNames, events_.paths()[range.path].name));
      }
      slice = fields.Take();
    }
    return slice;
  }
  // Encoded: what all calls of a name have in common. They share its text.
  const std::string& SliceOf(const CallEvent& call) {
    std::string& slice = call_slices_[call.name.data()];
    if (slice.empty()) {
      ProtoWriter fields;
      fields.Integer(track::kCategory, cuda_);
      fields.Integer(track::kApi, interned::kCuda);
      fields.Integer(track::kNameIid, sequence_.Intern(interned::kEventNames, call.name));
      slice = fields.Take();
    }
    return slice;
  }
  uint64_t NameOf(const TorchOpEvent& op) {
    uint64_t& iid = path_names_[op.path];
    if (iid == 0) iid = sequence_.Intern(interned::kEventNames, TorchOpName(events_, op));
    return iid;
  }
  uint64_t CategoryOf(TorchOpKind kind) {
    uint64_t& iid = torch_categories_[static_cast<size_t>(kind)];
    if (iid == 0) iid = sequence_.Intern(interned::kCategories, TorchCategory(kind));
    return iid;
  }

  const Events& events_;
  const Selection& selection_;
  PacketStream* stream_;
  Sequence sequence_;
  SpanWriter crossing_;
  uint64_t flows_;  // the id of the flow from the op in row 0
  uint64_t nvtx_, cuda_;
  std::array<uint64_t, 4> torch_categories_{};  // interned, by kind; 0: not yet
  std::vector<Track> tracks_;                   // by thread
  std::vector<std::string> range_slices_;       // by path; empty: not yet
  std::vector<uint64_t> path_names_;            // of ops: interned, by path; 0: not yet
  std::unordered_map<const char*, std::string> call_slices_;
};

}  // namespace

void WriteTracks(const Events& events, PacketStream* stream) {
  ProtoWriter& out = stream->writer();
  const ProcessInfo& process = events.process();
  const size_t packet = stream->Begin(kHeadSequence);
  const size_t descriptor = out.Begin(packet::kTrackDescriptor);
  out.Integer(track::kDescriptorUuid, ProcessTrack(events));
  const size_t details = out.Begin(track::kProcess);
  out.Integer(track::kPid, process.pid);
  out.Text(track::kCommand, ValidUtf8(process.command));
  out.Text(track::kProcessName, ValidUtf8(process.command));
  if (process.rank >= 0) out.Text(track::kProcessLabels, "rank " + std::to_string(process.rank));
  out.End(details);
  out.End(descriptor);
  stream->End(packet);
  for (uint32_t id = 1; id < events.threads().size(); ++id) {
    const ThreadInfo& thread = events.threads()[id];
    const size_t thread_packet = stream->Begin(kHeadSequence);
    const size_t thread_descriptor = out.Begin(packet::kTrackDescriptor);
    out.Integer(track::kDescriptorUuid, ThreadTrack(events, id));
    out.Integer(track::kParent, ProcessTrack(events));
    const size_t thread_details = out.Begin(track::kThread);
    out.Integer(track::kPid, process.pid);
    out.Integer(track::kTid, thread.tid);
    if (!thread.name.empty()) out.Text(track::kThreadName, ValidUtf8(thread.name));
    out.End(thread_details);
    out.End(thread_descriptor);
    stream->End(thread_packet);
  }
}

void WriteHost(const Events& events, const Selection& selection, int64_t begin_ns,
               PacketStream* stream) {
  HostWriter writer(events, selection, begin_ns, stream);
  VisitHostSlices(events, selection, &writer);
  SpanWriter spans(events, kSpanSequence, "NVTX start/end ranges", "span", stream);
  for (const MarkEvent& mark : events.marks()) {
    if (selection.HasAt(mark.path, mark.time_ns)) spans.Add(mark);
  }
  const EventTable<RangeEvent> all_spans = events.spans();
  for (size_t row = 0; row < all_spans.size(); ++row) {
    const RangeEvent span = all_spans[row];
    if (!selection.Has(span, row)) continue;
    spans.Add(span.start_ns, span.end_ns, events.NameOf(span.path, span.thread, span.start_ns));
  }
  SpanWriter overheads(events, kOverheadSequence, "work of prof, CUPTI and the driver", "overhead",
                       stream);
  for (const OverheadEvent& overhead : events.overheads()) {
    if (!selection.HasTime(overhead.start_ns, overhead.end_ns)) continue;
    overheads.Add(overhead.start_ns, overhead.end_ns, overhead.kind);
  }
}

}  // namespace prof::exporting::perfetto
