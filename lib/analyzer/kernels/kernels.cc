// SPDX-License-Identifier: Apache-2.0
#include "lib/analyzer/kernels/kernels.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <map>
#include <string>
#include <string_view>
#include <tuple>
#include <unordered_map>
#include <vector>

#include "lib/analyzer/base/code_counts.h"
#include "lib/analyzer/base/kernel_names.h"
#include "lib/analyzer/base/statistics.h"
#include "lib/analyzer/kernels/occupancy.h"
#include "lib/analyzer/kernels/untraced_launches.h"
#include "lib/format/hash.h"
#include "lib/text/demangle.h"

namespace prof::analyzer {
namespace {

using model::Model;
using model::Op;

struct Signature {
  uint32_t device, shape, path;
  uint32_t graph = 0;  // a CUDA graph that was recorded without its kernels
  bool operator==(const Signature& other) const {
    return std::tie(device, shape, path, graph) ==
           std::tie(other.device, other.shape, other.path, other.graph);
  }
};

struct SignatureHash {
  size_t operator()(const Signature& s) const {
    return format::Mix(format::Mix(1, uint64_t{s.shape} << 32 | s.path),
                       uint64_t{s.graph} << 32 | s.device);
  }
};

// The part of a path's label that says where its work was captured.
std::string CapturedIn(const Model& model, const RangeFamilies& families, uint32_t path) {
  const model::RangePath& range = model.paths[path];
  if (range.captured == model::kNone) return "";
  const std::string& label = families.label[path];
  if (label == range.full) return model.paths[range.captured].full;
  const size_t at = label.find(model::kCapturedIn);  // of a family: "replay > layer * (8 ranges)"
  return at == std::string::npos ? label : label.substr(at + std::strlen(model::kCapturedIn));
}

// Assigns samples whose launches are older than the recording to groups that are there, by what a
// launch call has of the shape: a launch without a record has no more.
void AssignOlder(const Model& model, const RangeFamilies& families, KernelGroups* result) {
  using Size = std::array<uint32_t, 3>;
  using Key = std::tuple<uint32_t, uint32_t, std::string_view, Size, Size, uint32_t>;
  const auto key = [&model](uint32_t device, uint32_t path, uint32_t shape_id) {
    const model::Shape& shape = model.shapes[shape_id];
    return Key(device, path, shape.name, shape.grid, shape.block, shape.dynamic_shared_bytes);
  };
  const auto is_older = [](const model::CounterSample& sample) {
    return sample.op == model::kNoIndex && sample.shape != 0;
  };
  if (std::none_of(model.samples.begin(), model.samples.end(), is_older)) return;
  std::map<Key, int32_t> groups;
  for (size_t g = 0; g < result->groups.size(); ++g) {
    const KernelGroup& group = result->groups[g];
    if (group.launches.whole_graph) continue;
    groups.try_emplace(key(group.device, group.path, group.shape), static_cast<int32_t>(g));
  }
  for (size_t i = 0; i < model.samples.size(); ++i) {
    const model::CounterSample& sample = model.samples[i];
    if (!is_older(sample)) continue;
    const auto group = groups.find(key(sample.device, families.of_path[sample.path], sample.shape));
    if (group != groups.end()) result->group_of_older[i] = group->second;
  }
}

// Assigns each kernel to its group; demangles each shape's name once.
void Assign(const Model& model, const RangeFamilies& families, KernelGroups* result) {
  std::unordered_map<Signature, int32_t, SignatureHash> known;
  std::unordered_map<uint32_t, std::string> demangled;
  const std::vector<uint32_t> shapes = JoinShapes(model);
  result->group_of_op.assign(model.ops.size(), model::kNoIndex);
  for (size_t i = 0; i < model.ops.size(); ++i) {
    const Op& op = model.ops[i];
    if (!RunsKernels(op)) continue;
    const uint32_t graph = op.kind == model::OpKind::kGraph ? op.graph : 0;
    const uint32_t shape_id = shapes[op.shape];
    const auto [it, added] =
        known.try_emplace({op.device, shape_id, families.of_path[op.path], graph},
                          static_cast<int32_t>(result->groups.size()));
    result->group_of_op[i] = it->second;
    if (!added) continue;
    KernelGroup& group = result->groups.emplace_back();
    group.device = op.device;
    group.shape = shape_id;
    group.path = families.of_path[op.path];
    const model::Shape& shape = model.shapes[shape_id];
    const auto [name, unseen] = demangled.try_emplace(shape_id);
    if (unseen) name->second = text::Demangle(shape.name);
    KernelLaunches& launches = group.launches;
    launches.order = it->second;
    launches.full_name = name->second.empty() ? "(unknown kernel)" : name->second;
    launches.name = ShortName(launches.full_name);
    launches.range = families.label[group.path];
    launches.captured_in = CapturedIn(model, families, group.path);
    launches.device = op.device;
    if (graph != 0) {
      launches.name = launches.full_name = "CUDA graph " + std::to_string(graph);
      launches.whole_graph = true;
      launches.resources_known = false;
      continue;
    }
    launches.grid = shape.grid;
    launches.block = shape.block;
    launches.cluster = shape.cluster;
    launches.resources_known = HasResources(shape);
    launches.registers_per_thread = shape.registers_per_thread;
    launches.static_shared_bytes = shape.static_shared_bytes;
    launches.dynamic_shared_bytes = shape.dynamic_shared_bytes;
    launches.local_bytes_per_thread = shape.local_bytes_per_thread;
    launches.local_known = shape.local_known;
    if (shape.code) launches.code = CodeOf(*shape.code);
    if (launches.resources_known) {
      launches.occupancy = ComputeOccupancy(shape, model.FindDevice(op.device));
    }
  }
  AssignOlder(model, families, result);
}

// The launches of one group whose times are summarized.
struct Durations {
  int64_t undisturbed = 0, sampled = 0;
  size_t first = 0, count = 0;  // in the array of all durations
  bool Takes(const Op& op) const { return op.timed && (undisturbed == 0 || !op.sampled); }
};

// When the launches of one group began. Operations are in the order of their starts.
struct Starts {
  int64_t first_ns = 0, last_ns = 0, count = 0;
  void Add(int64_t start_ns) {
    if (count++ == 0) first_ns = start_ns;
    last_ns = start_ns;
  }
  bool ComesAgain(int64_t begin_ns, int64_t end_ns) const {
    if (count < 2) return false;
    const int64_t apart_ns = (last_ns - first_ns) / (count - 1);
    return end_ns - last_ns <= std::max((end_ns - begin_ns) / 10, apart_ns);
  }
};

using TimeIterator = std::vector<int64_t>::iterator;

// Sorts times that lie close together, as those of a short kernel do: counting them takes less than
// comparing them. Leaves others as they are.
void SortIfClose(TimeIterator first, TimeIterator last) {
  if (first == last) return;
  const auto [least, most] = std::minmax_element(first, last);
  const int64_t least_ns = *least;
  const uint64_t range = static_cast<uint64_t>(*most) - static_cast<uint64_t>(least_ns);
  if (range >= static_cast<uint64_t>(last - first)) return;
  std::vector<uint32_t> counts(range + 1);
  for (TimeIterator time = first; time != last; ++time) {
    ++counts[static_cast<size_t>(*time - least_ns)];
  }
  for (size_t i = 0; i < counts.size(); ++i) {
    first = std::fill_n(first, counts[i], least_ns + static_cast<int64_t>(i));
  }
}

// Of [first, last), which must not be empty, and whose order it changes. The value at q is the one
// at place q * (n - 1), rounded.
std::vector<double> Quantiles(TimeIterator first, TimeIterator last) {
  std::vector<double> quantiles;
  const ptrdiff_t places = last - first - 1;
  // What is before it is in its place.
  TimeIterator sorted = std::is_sorted(first, last) ? last : first;
  for (int q = 0; q < kDurationQuantiles; ++q) {
    const auto at = first + (places * q + (kDurationQuantiles - 1) / 2) / (kDurationQuantiles - 1);
    if (sorted != last) {
      std::nth_element(sorted, at, last);
      sorted = at;
    }
    quantiles.push_back(static_cast<double>(*at));
  }
  return quantiles;
}

}  // namespace

KernelGroups GroupKernels(const Model& model, const RangeFamilies& families) {
  KernelGroups result;
  Assign(model, families, &result);

  std::vector<Durations> durations(result.groups.size());
  std::vector<Starts> starts(result.groups.size());
  Starts all_starts;
  for (size_t i = 0; i < model.ops.size(); ++i) {
    if (result.group_of_op[i] == model::kNoIndex) continue;
    const Op& op = model.ops[i];
    KernelGroup& group = result.groups[result.group_of_op[i]];
    ++group.launches.launches;
    if (op.api != model::kNoIndex && model.api_calls[op.api].loads_code) {
      ++group.launches.loading_launches;
    }
    group.launches.in_graph |= op.graph != 0;
    if (!op.timed) continue;
    group.launches.total_ns += static_cast<double>(op.end_ns - op.start_ns);
    starts[result.group_of_op[i]].Add(op.start_ns);
    all_starts.Add(op.start_ns);
    Durations& counts = durations[result.group_of_op[i]];
    ++(op.sampled ? counts.sampled : counts.undisturbed);
  }

  // All durations in one array, group after group.
  size_t size = 0;
  for (Durations& group : durations) {
    group.first = size;
    size += static_cast<size_t>(group.undisturbed != 0 ? group.undisturbed : group.sampled);
  }
  std::vector<int64_t> all(size);
  for (size_t i = 0; i < model.ops.size(); ++i) {
    if (result.group_of_op[i] == model::kNoIndex) continue;
    const Op& op = model.ops[i];
    Durations& group = durations[result.group_of_op[i]];
    if (group.Takes(op)) all[group.first + group.count++] = op.end_ns - op.start_ns;
  }
  for (size_t g = 0; g < result.groups.size(); ++g) {
    const auto first = all.begin() + static_cast<ptrdiff_t>(durations[g].first);
    const auto last = first + static_cast<ptrdiff_t>(durations[g].count);
    KernelLaunches& launches = result.groups[g].launches;
    SortIfClose(first, last);
    if (first != last) launches.duration_quantiles_ns = Quantiles(first, last);
    launches.duration_ns = Summarize(first, last);  // in any order
    launches.comes_again = starts[g].ComesAgain(all_starts.first_ns, all_starts.last_ns);
  }
  return result;
}

void AddTimelineTimes(const Model& model, const Timeline& timeline, KernelGroups* groups) {
  for (size_t i = 0; i < model.ops.size(); ++i) {
    if (groups->group_of_op[i] == model::kNoIndex) continue;
    KernelGroup& group = groups->groups[groups->group_of_op[i]];
    group.exclusive_ns += timeline.exclusive_ns[i];
    const Op& op = model.ops[i];
    if (!op.timed) continue;
    const DeviceTimeline* const device = timeline.Find(op.device);
    if (device != nullptr && device->IsEvidence(op)) {
      group.undisturbed_ns += op.end_ns - op.start_ns;
    }
  }
}

}  // namespace prof::analyzer
