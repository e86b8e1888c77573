// SPDX-License-Identifier: Apache-2.0
#include "lib/analyzer/timeline/streams.h"

#include <algorithm>
#include <map>
#include <set>
#include <tuple>
#include <utility>

#include "lib/format/enums.h"

namespace prof::analyzer {
namespace {

struct FoundStream {
  StreamReport report;
  std::set<std::pair<model::ChannelType, uint32_t>> channels;
};

}  // namespace

std::vector<StreamReport> DescribeStreams(const model::Model& model) {
  std::map<std::tuple<uint32_t, uint32_t, uint32_t>, FoundStream> streams;
  FoundStream* last = nullptr;
  for (const model::Op& op : model.ops) {
    if (last == nullptr || last->report.device != op.device || last->report.context != op.context ||
        last->report.stream != op.stream) {
      last = &streams[{op.context, op.stream, op.device}];
      last->report.device = op.device;
      last->report.context = op.context;
      last->report.stream = op.stream;
    }
    ++last->report.operations;
    if (op.timed) last->report.time_ns += static_cast<double>(op.end_ns - op.start_ns);
    if (op.channel_type != model::ChannelType::kUnknown) {
      last->channels.emplace(op.channel_type, op.channel);
    }
  }
  // A context is on one device, so a stream is here once, except in a damaged file.
  const auto set_all = [&](uint32_t context, uint32_t stream, const auto& set) {
    for (auto it = streams.lower_bound({context, stream, 0});
         it != streams.end() && std::get<0>(it->first) == context &&
         std::get<1>(it->first) == stream;
         ++it) {
      set(&it->second.report);
    }
  };
  for (const model::Stream& stream : model.streams) {
    set_all(stream.context, stream.stream, [&](StreamReport* report) {
      report->priority = stream.priority;
      const bool known = stream.flag != model::StreamFlag::kUnknown;
      report->kind = known ? format::Name(stream.flag) : "";
    });
  }
  for (const model::StreamName& name : model.stream_names) {
    if (name.context == 0) continue;

    set_all(name.context, name.stream, [&](StreamReport* report) { report->name = name.name; });
  }
  std::vector<StreamReport> list;
  list.reserve(streams.size());
  for (auto& [key, found] : streams) {
    found.report.channels = static_cast<int64_t>(found.channels.size());
    list.push_back(std::move(found.report));
  }
  std::stable_sort(list.begin(), list.end(), [](const StreamReport& a, const StreamReport& b) {
    return a.time_ns > b.time_ns;
  });
  return list;
}

}  // namespace prof::analyzer
