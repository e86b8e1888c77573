// SPDX-License-Identifier: Apache-2.0
#include "lib/report/text/sections/torch_section.h"

#include <algorithm>
#include <cstddef>
#include <ostream>
#include <string>
#include <utility>
#include <vector>

#include "lib/report/base/strings.h"
#include "lib/report/base/table.h"
#include "lib/report/text/heading.h"
#include "lib/text/numbers.h"

namespace prof::report {
namespace {

std::string Share(double part, double whole) {
  return whole > 0 ? text::Percent(part / whole) : "-";
}

std::string NameText(const TorchOp& op) {
  std::string name = Printable(op.name);
  if (!op.forward.empty()) name += " (of " + Printable(op.forward) + ")";
  return name;
}

const char* PassText(const TorchOp& op) {
  if (op.backward) return "backward";
  return op.kind == TorchOp::Kind::kUser ? "scope" : "";
}

double ACall(const TorchOp& op, double ns) {
  return op.calls > 0 ? ns / static_cast<double>(op.calls) : 0;
}

bool Before(const TorchOp& a, const TorchOp& b, SortBy sort) {
  switch (sort) {
    case SortBy::kCalls:
      return a.calls > b.calls;
    case SortBy::kName:
      return a.name < b.name;
    case SortBy::kAverage:
      return std::pair(ACall(a, a.gpu_ns), ACall(a, a.cpu_ns)) >
             std::pair(ACall(b, b.gpu_ns), ACall(b, b.cpu_ns));
    case SortBy::kTotal:
      return a.gpu_ns > b.gpu_ns;
    case SortBy::kCpu:
      return a.cpu_self_ns > b.cpu_self_ns;
    case SortBy::kCpuTotal:
      return a.cpu_ns > b.cpu_ns;
    case SortBy::kTime:
    case SortBy::kGain:
      return false;  // as they come: by the GPU time of their own
  }
  return false;
}

// The ops in the order that was asked for, as many as are shown.
std::vector<const TorchOp*> Shown(const std::vector<TorchOp>& all, const TextOptions& options) {
  std::vector<const TorchOp*> ops;
  ops.reserve(all.size());
  for (const TorchOp& op : all) ops.push_back(&op);
  std::stable_sort(ops.begin(), ops.end(), [&](const TorchOp* a, const TorchOp* b) {
    return Before(*a, *b, options.sort);
  });
  ops.resize(std::min(ops.size(), static_cast<size_t>(options.max_rows)));
  return ops;
}

void WriteRest(std::ostream& out, size_t all, size_t shown, const char* what) {
  if (shown == all) return;
  out << "and " << text::Count(static_cast<int64_t>(all - shown)) << " more " << what
      << "; --top shows more\n";
}

// Shares and times a call would take the place of names in shorter lines.
constexpr int kWide = 150;

std::string ShareOrBlank(double part, double whole) {
  return part > 0 && whole > 0 ? text::Percent(part / whole) : "";
}

// On the host, of the ops' own: they sum to the time that threads were in an op.
double HostTime(const TorchReport& torch) {
  double sum_ns = 0;
  for (const TorchOp& op : torch.ops) sum_ns += op.cpu_self_ns;
  return sum_ns;
}

void WriteOps(std::ostream& out, const TorchReport& torch, const TextOptions& options) {
  const std::vector<const TorchOp*> shown = Shown(torch.ops, options);
  const double host_ns = HostTime(torch);
  const bool wide = options.width >= kWide;
  const auto if_wide = [wide](std::string cell) { return wide ? std::move(cell) : ""; };
  Table table;
  table.columns = {{"GPU self", Align::kRight},     {"GPU self %", Align::kRight, 0, 2},
                   {"GPU total", Align::kRight},    {"GPU a call", Align::kRight, 0, 4},
                   {"its backward", Align::kRight}, {"launches", Align::kRight},
                   {"CPU self", Align::kRight},     {"CPU self %", Align::kRight, 0, 3},
                   {"CPU total", Align::kRight},    {"CPU a call", Align::kRight, 0, 5},
                   {"calls", Align::kRight},        {"limiter", Align::kLeft, 0, 1},
                   {"pass", Align::kLeft},          {"op", Align::kLeft, wide ? 32 : 20, 0, true}};
  for (const TorchOp* op : shown) {
    table.rows.push_back(
        {{TimeOrBlank(op->gpu_self_ns), if_wide(ShareOrBlank(op->gpu_self_ns, torch.gpu_ns)),
          TimeOrBlank(op->gpu_ns), if_wide(TimeOrBlank(ACall(*op, op->gpu_ns))),
          TimeOrBlank(op->backward_gpu_ns), op->launches > 0 ? text::Count(op->launches) : "",
          text::Time(op->cpu_self_ns), if_wide(ShareOrBlank(op->cpu_self_ns, host_ns)),
          text::Time(op->cpu_ns), if_wide(TimeOrBlank(ACall(*op, op->cpu_ns))),
          text::Count(op->calls), LimiterText(op->limiters), PassText(*op), NameText(*op)}});
  }
  WriteTable(out, table, options.width, options.utf8);
  WriteRest(out, torch.ops.size(), shown.size(), "ops");
}

void WriteShapes(std::ostream& out, const TorchReport& torch, const TextOptions& options) {
  const std::vector<const TorchOp*> shown = Shown(torch.ops_by_shapes, options);
  Table table;
  table.columns = {{"GPU self", Align::kRight},       {"GPU total", Align::kRight},
                   {"GPU a call", Align::kRight},     {"CPU self", Align::kRight, 0, 2},
                   {"calls", Align::kRight},          {"limiter", Align::kLeft, 0, 1},
                   {"pass", Align::kLeft, 0, 3},      {"op", Align::kLeft, 12, 0, true},
                   {"input shapes", Align::kLeft, 24}};
  for (const TorchOp* op : shown) {
    table.rows.push_back({{TimeOrBlank(op->gpu_self_ns), TimeOrBlank(op->gpu_ns),
                           TimeOrBlank(ACall(*op, op->gpu_ns)), text::Time(op->cpu_self_ns),
                           text::Count(op->calls), LimiterText(op->limiters), PassText(*op),
                           NameText(*op), op->shapes.empty() ? "?" : Printable(op->shapes)}});
  }
  WriteTable(out, table, options.width, options.utf8);
  WriteRest(out, torch.ops_by_shapes.size(), shown.size(), "ops with their shapes");
}

void WriteTorchRanges(std::ostream& out, const TorchReport& torch, const TextOptions& options) {
  if (torch.ranges.empty()) return;
  WriteHeading(out, "Ranges, with the backward pass of what ran in them", options);
  const size_t shown = std::min(torch.ranges.size(), static_cast<size_t>(options.max_rows));
  Table table;
  table.columns = {{"forward", Align::kRight},
                   {"backward", Align::kRight},
                   {"range", Align::kLeft, 20, 0, true}};
  for (size_t i = 0; i < shown; ++i) {
    const TorchRange& range = torch.ranges[i];
    table.rows.push_back(
        {{TimeOrBlank(range.forward_ns), TimeOrBlank(range.backward_ns), Printable(range.label)}});
  }
  WriteTable(out, table, options.width, options.utf8);
  if (shown < torch.ranges.size()) {
    out << "and " << text::Count(static_cast<int64_t>(torch.ranges.size() - shown))
        << " more ranges; --top shows more\n";
  }
}

std::string Summary(const TorchReport& torch) {
  std::string summary = Share(torch.gpu_in_ops_ns, torch.gpu_ns) +
                        " of the GPU time was launched in one of " +
                        text::Count(static_cast<int64_t>(torch.ops.size())) + " kinds of op";
  if (torch.backward_ns > 0) {
    summary += "; " + Share(torch.backward_ns, torch.gpu_ns) + " in the backward pass, where " +
               Share(torch.forward_known_ns, torch.backward_ns) +
               " of the time has a known forward op";
    if (torch.forward_inferred_ns > 0) {
      summary += " (" + Share(torch.forward_inferred_ns, torch.backward_ns) +
                 " by the node that ran before)";
    }
  }
  return summary;
}

}  // namespace

std::string LimiterText(const std::vector<LimiterTime>& limiters) {
  double all_ns = 0;
  for (const LimiterTime& limiter : limiters) all_ns += limiter.time_ns;
  if (all_ns <= 0) return "";
  const LimiterTime& most = limiters.front();
  return std::string(ToString(most.limiter)) + " " + Share(most.time_ns, all_ns);
}

void WriteTorch(std::ostream& out, const Report& report, const TextOptions& options) {
  if (!report.torch.recorded) return;
  WriteHeading(out, "PyTorch", options);
  std::string views = ". --ops shows them";
  if (!report.torch.ops_by_shapes.empty()) views += ", --shapes by the shapes of their inputs";
  WriteParagraph(out, "", Summary(report.torch) + views + ".", options.width);
  if (report.torch.modules.empty()) return;
  WriteParagraph(out, "",
                 Share(report.torch.gpu_in_modules_ns, report.torch.gpu_ns) +
                     " of the GPU time belongs to a module. --modules shows them.",
                 options.width);
}

bool WriteTorchShapes(std::ostream& out, const Report& report, const TextOptions& options) {
  if (report.torch.ops_by_shapes.empty()) return false;
  WriteHeading(out, "Ops of PyTorch by the shapes of their inputs", options);
  WriteShapes(out, report.torch, options);
  return true;
}

bool WriteTorchOps(std::ostream& out, const Report& report, const TextOptions& options) {
  if (!report.torch.recorded) return false;
  WriteHeading(out, "Ops of PyTorch", options);
  WriteParagraph(out, "",
                 Summary(report.torch) + ". Threads were in ops for " +
                     text::Time(HostTime(report.torch)) + ".",
                 options.width);
  WriteOps(out, report.torch, options);
  WriteTorchRanges(out, report.torch, options);
  return true;
}

}  // namespace prof::report
