// SPDX-License-Identifier: Apache-2.0
#include "lib/html/gather_host.h"

#include <algorithm>
#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "lib/format/api_names.h"
#include "lib/format/enums.h"
#include "lib/html/track_writer.h"
#include "lib/snapshot/model/api_class.h"
#include "lib/snapshot/model/range_names.h"

namespace prof::html {
namespace {

// Of ranges, and of calls. A file of a million launches has to stay below 4 MB, and each of these
// takes 5 bytes of it.
constexpr size_t kManyOperations = 500'000;
constexpr size_t kMostEvents = 200'000, kMostBesideManyOperations = 50'000;
// Ranges with numbers in their names ("step 12") get a name each: 40 bytes.
constexpr size_t kMostOwnNames = 20'000;

size_t MostEvents(const model::Model& model) {
  return model.ops.size() > kManyOperations ? kMostBesideManyOperations : kMostEvents;
}

// The duration from which on at most `most` events are as long; 0: all may stay.
int64_t ShortestKept(std::vector<int64_t> durations_ns, size_t most) {
  if (durations_ns.size() <= most) return 0;
  const auto at = durations_ns.begin() + static_cast<std::ptrdiff_t>(most);
  std::nth_element(durations_ns.begin(), at, durations_ns.end(), std::greater<>());
  return *at + 1;
}

// The rows of threads, with a table of names.
class Threads {
 public:
  Threads(const model::Model& model, const char* kind, TimelineData* data)
      : model_(model), kind_(kind), data_(data) {}

  EventRow& Of(uint32_t thread, const char* label) {
    auto it = rows_.find(thread);
    if (it == rows_.end())
      it = rows_.emplace(thread, EventRow(data_, TrackOf(thread, label))).first;
    return it->second;
  }

  void Finish() {
    for (auto& [thread, row] : rows_) row.Finish();
  }

 private:
  Track TrackOf(uint32_t thread, const char* label) const {
    const model::Thread& known = model_.threads[thread];
    Track track;
    track.kind = kind_;
    track.group = "thread " + std::to_string(known.tid);
    if (!known.name.empty()) track.group += " " + known.name;
    track.label = label;
    return track;
  }

  const model::Model& model_;
  const char* kind_;
  TimelineData* data_;
  std::map<uint32_t, EventRow> rows_;
};

uint32_t AddName(std::string label, const char* kind, int32_t range, TimelineData* data) {
  Name name;
  name.label = std::move(label);
  name.kind = kind;
  name.range = range;
  data->names.push_back(std::move(name));
  return static_cast<uint32_t>(data->names.size()) - 1;
}

// The names of range instances: of their paths, or with their own numbers where they are few.
class InstanceNames {
 public:
  InstanceNames(const model::Model& model, const RangeRows& rows, TimelineData* data)
      : model_(model), rows_(rows), data_(data) {
    own_ = model.range_numbers.size() <= kMostOwnNames;
  }

  uint32_t Of(const model::RangeInstance& range) {
    const model::RangePath& path = model_.paths[range.path];
    const bool own = own_ && !path.stars.empty();
    std::string label = path.name;
    if (own) {
      const std::string full =
          model::InstanceName(model_, range.path, range.thread, range.start_ns);
      const std::string parent =
          path.parent == 0 ? ""
                           : model::InstanceName(model_, path.parent, range.thread, range.start_ns);
      label = parent.empty() ? full : full.substr(std::min(full.size(), parent.size() + 1));
    }
    const auto [it, added] = known_.try_emplace({range.path, label}, 0);
    if (added) it->second = AddName(label, "range", rows_[range.path], data_);
    return it->second;
  }

 private:
  const model::Model& model_;
  const RangeRows& rows_;
  TimelineData* data_;
  bool own_ = false;
  std::map<std::pair<uint32_t, std::string>, uint32_t> known_;
};

template <typename Instances>
void GatherInstances(const model::Model& model, const Instances& instances, const char* label,
                     InstanceNames* names, TimelineData* data) {
  std::vector<int64_t> durations_ns;
  durations_ns.reserve(instances.size());
  for (const model::RangeInstance& range : instances) {
    durations_ns.push_back(range.end_ns - range.start_ns);
  }
  const int64_t shortest_ns = ShortestKept(std::move(durations_ns), MostEvents(model));
  Threads threads(model, "range", data);
  for (const model::RangeInstance& range : instances) {
    EventRow& row = threads.Of(range.thread, label);
    if (range.end_ns - range.start_ns < shortest_ns) {
      row.LeaveOut(1);
      continue;
    }
    Event event;
    event.start_ns = range.start_ns;
    event.end_ns = range.end_ns;
    event.name = names->Of(range);
    row.Add(event);
  }
  threads.Finish();
}

// Of many calls, one that waits for the GPU counts as if it were 16 times as long.
void GatherCalls(const model::Model& model, TimelineData* data) {
  std::vector<bool> waits;
  waits.reserve(model.strings.size());
  for (const std::string& name : model.strings) waits.push_back(model::BlocksHost(name));
  const auto weight = [&](const model::ApiCall& call) {
    const int64_t duration_ns = call.end_ns - call.start_ns;
    return waits[call.name] ? 16 * duration_ns : duration_ns;
  };
  std::vector<int64_t> weights;
  weights.reserve(model.api_calls.size());
  for (const model::ApiCall& call : model.api_calls) weights.push_back(weight(call));
  const int64_t least = ShortestKept(std::move(weights), MostEvents(model));
  std::map<uint32_t, uint32_t> names;  // by string
  Threads threads(model, "call", data);
  for (const model::ApiCall& call : model.api_calls) {
    EventRow& row = threads.Of(call.thread, "CUDA calls");
    if (weight(call) < least) {
      row.LeaveOut(1);
      continue;
    }
    const auto [it, added] = names.try_emplace(call.name, 0);
    if (added) {
      const std::string label(format::WithoutApiSuffix(model.strings[call.name]));
      it->second = AddName(label, waits[call.name] ? "wait" : "call", kNoRow, data);
    }
    Event event;
    event.start_ns = call.start_ns;
    event.end_ns = call.end_ns;
    event.name = it->second;
    row.Add(event);
  }
  threads.Finish();
}

void GatherProfiler(const model::Model& model, TimelineData* data) {
  if (model.profiler_intervals.empty() && model.pauses.empty()) return;
  Track track;
  track.kind = "prof";
  track.group = "prof";
  track.label = "prof's own work";
  EventRow row(data, std::move(track));
  std::vector<Event> events;
  std::map<format::ProfilerWork, uint32_t> names;
  for (const model::ProfilerInterval& work : model.profiler_intervals) {
    const auto [it, added] = names.try_emplace(work.work, 0);
    if (added) it->second = AddName(format::Name(work.work), "prof", kNoRow, data);
    Event event;
    event.start_ns = work.begin_ns;
    event.end_ns = work.end_ns;
    event.name = it->second;
    events.push_back(event);
  }
  const uint32_t pause =
      model.pauses.empty() ? 0 : AddName("the recording was paused", "prof", kNoRow, data);
  for (const model::Pause& one : model.pauses) {
    Event event;
    event.start_ns = one.begin_ns;
    event.end_ns = one.end_ns;
    event.name = pause;
    events.push_back(event);
  }
  std::stable_sort(events.begin(), events.end(),
                   [](const Event& a, const Event& b) { return a.start_ns < b.start_ns; });
  for (const Event& event : events) row.Add(event);
  row.Finish();
}

}  // namespace

void GatherHost(const model::Model& model, const RangeRows& rows, TimelineData* data) {
  InstanceNames names(model, rows, data);
  GatherInstances(model, model.instances, "NVTX", &names, data);
  GatherInstances(model, model.spans, "NVTX start/end", &names, data);
  GatherCalls(model, data);
  GatherProfiler(model, data);
}

}  // namespace prof::html
