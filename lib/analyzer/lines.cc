// SPDX-License-Identifier: Apache-2.0
#include "lib/analyzer/lines.h"

#include <algorithm>
#include <cctype>
#include <cstdint>
#include <string>
#include <unordered_map>

namespace prof::analyzer {
namespace {

using model::kNoIndex;
using model::Model;

// What a frame's line did.
struct Sum {
  int64_t operations = 0, kernels = 0, time_ns = 0, idle_ns = 0;
  std::unordered_map<int32_t, int64_t> groups;  // of kernels, to time
};
using Sums = std::unordered_map<uint32_t, Sum>;  // by frame

bool StartsWith(std::string_view text, std::string_view start) {
  return text.substr(0, start.size()) == start;
}

// For each stack, its innermost own frame; where it has none, its innermost frame.
std::vector<uint32_t> OwnFrames(const Model& model) {
  std::vector<uint8_t> own_file(model.strings.size(), 2);  // 2: not looked at
  const auto is_own = [&](uint32_t frame) {
    const uint32_t file = model.host_frames[frame].file;
    if (own_file[file] == 2) own_file[file] = IsOwnFile(model.strings[file]) ? 1 : 0;
    return own_file[file] == 1;
  };
  std::vector<uint32_t> own(model.host_stacks.size(), model::kNone);  // kNone: it has none
  for (size_t stack = 1; stack < own.size(); ++stack) {
    const model::HostStack& node = model.host_stacks[stack];
    own[stack] = is_own(node.frame) ? node.frame : own[node.parent];
  }
  for (size_t stack = 1; stack < own.size(); ++stack) {
    if (own[stack] == model::kNone) own[stack] = model.host_stacks[stack].frame;
  }
  return own;
}

LineReport Describe(const Model& model, uint32_t frame, const Sum& sum,
                    const std::vector<KernelReport>& kernels) {
  const model::HostFrame& from = model.host_frames[frame];
  LineReport line;
  line.file = model.strings[from.file];
  line.function = model.strings[from.function];
  line.line = from.line;
  line.operations = sum.operations;
  line.kernels = sum.kernels;
  line.time_ns = static_cast<double>(sum.time_ns);
  line.idle_ns = static_cast<double>(sum.idle_ns);
  const auto most =
      std::max_element(sum.groups.begin(), sum.groups.end(), [](const auto& a, const auto& b) {
        return a.second != b.second ? a.second < b.second : a.first > b.first;
      });
  if (most != sum.groups.end()) {
    const KernelReport& kernel = kernels[static_cast<size_t>(most->first)];
    line.dominant = kernel.name;
    line.limiter = kernel.verdict.limiter;
  }
  return line;
}

std::vector<LineReport> DescribeAll(const Model& model, const Sums& sums,
                                    const std::vector<KernelReport>& kernels) {
  std::vector<LineReport> lines;
  lines.reserve(sums.size());
  for (const auto& [frame, sum] : sums) lines.push_back(Describe(model, frame, sum, kernels));
  std::sort(lines.begin(), lines.end(), [](const LineReport& a, const LineReport& b) {
    if (a.time_ns != b.time_ns) return a.time_ns > b.time_ns;
    if (a.file != b.file) return a.file < b.file;
    if (a.line != b.line) return a.line < b.line;
    return a.function < b.function;
  });
  return lines;
}

}  // namespace

bool IsOwnFile(std::string_view file) {
  if (file.empty() || file.front() == '<') {
    // A cell of a notebook: "<ipython-input-3-...>".
    return StartsWith(file, "<ipython-input-");
  }
  for (const std::string_view folder : {"/site-packages/", "/dist-packages/"}) {
    if (file.find(folder) != std::string_view::npos) return false;
  }
  for (const std::string_view library : {"/lib/python3.", "/lib64/python3."}) {
    const size_t at = file.find(library);
    if (at == std::string_view::npos) continue;
    size_t end = at + library.size();
    while (end < file.size() && std::isdigit(static_cast<unsigned char>(file[end])) != 0) ++end;
    if (end < file.size() && (file[end] == '/' || file[end] == 't')) return false;
  }
  return true;
}

LinesReport SumLines(const Model& model, const Timeline& timeline, const KernelGroups& groups,
                     const std::vector<KernelReport>& kernels) {
  LinesReport report;
  if (model.host_stacks.size() <= 1) return report;
  const std::vector<uint32_t> own_frames = OwnFrames(model);
  Sums own, all;
  int64_t without_ns = 0;
  bool any = false;
  for (size_t i = 0; i < model.ops.size(); ++i) {
    const model::Op op = model.ops[i];
    const uint32_t stack = model.StackOf(op);
    const int64_t time_ns = timeline.exclusive_ns[i];
    if (stack == model::kNone) {
      without_ns += time_ns;
      continue;
    }
    any = true;
    for (Sum* sum : {&own[own_frames[stack]], &all[model.host_stacks[stack].frame]}) {
      ++sum->operations;
      sum->time_ns += time_ns;
      if (model::RunsKernels(op)) ++sum->kernels;
      const int32_t group = groups.group_of_op[i];
      if (group != kNoIndex) sum->groups[group] += time_ns;
    }
  }
  if (!any) return report;
  for (const DeviceTimeline& device : timeline.devices) {
    for (const Gap& gap : device.gaps) {
      if (gap.cause == GapCause::kProfiler || gap.previous_op == kNoIndex) continue;
      const uint32_t stack = model.StackOf(model.ops[static_cast<size_t>(gap.previous_op)]);
      if (stack == model::kNone) continue;
      own[own_frames[stack]].idle_ns += gap.undisturbed_ns();
      all[model.host_stacks[stack].frame].idle_ns += gap.undisturbed_ns();
    }
  }
  report.own = DescribeAll(model, own, kernels);
  report.all = DescribeAll(model, all, kernels);
  report.without_stack_ns = static_cast<double>(without_ns);
  return report;
}

}  // namespace prof::analyzer
