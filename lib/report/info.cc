// SPDX-License-Identifier: Apache-2.0
#include "lib/report/info.h"

#include <algorithm>
#include <cstdint>
#include <locale>
#include <ostream>
#include <set>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

#include "lib/format/cupti_version.h"
#include "lib/format/enums.h"
#include "lib/format/losses.h"
#include "lib/report/base/strings.h"
#include "lib/report/base/table.h"
#include "lib/report/text/heading.h"
#include "lib/text/numbers.h"
#include "lib/text/strings.h"

namespace prof {
namespace report {
namespace {

using model::Model;

// 13010 is 13.1.
std::string CudaVersion(uint32_t version) {
  if (version == 0) return "unknown";
  return std::to_string(version / 1000) + "." + std::to_string(version % 1000 / 10);
}

std::string CuptiVersion(uint32_t version) {
  if (version == 0) return "not loaded";
  const std::string number = std::to_string(version);  // of CUDA 13 on, 130001 is 13.0 Update 1
  return version >= 10000 ? number : format::CuptiVersion(version) + " (version " + number + ")";
}

void WriteProcess(std::ostream& out, const Model& model, uint64_t file_bytes, int width) {
  const model::Process& process = model.process;
  const auto fact = [&](const char* name, const std::string& text) {
    WriteParagraph(out, name, Printable(text), width);
  };
  fact("command    ", process.command);
  fact("process    ", "pid " + std::to_string(process.pid) + " on " + process.host +
                          (process.rank >= 0 ? ", rank " + std::to_string(process.rank) : "") +
                          (process.injected ? ", prof injected" : ", prof linked in"));
  fact("versions   ", "prof " + process.prof_version + ", snapshot format " +
                          std::to_string(process.format_version) + ", driver " +
                          (process.nvidia_driver.empty() ? "unknown" : process.nvidia_driver) +
                          " (CUDA " + CudaVersion(process.cuda_driver_version) + "), CUPTI " +
                          CuptiVersion(process.cupti_version) +
                          (process.cupti_path.empty() ? "" : " from " + process.cupti_path));
  if (process.cupti_device_bytes > 0) {
    fact("GPU memory ", "CUPTI may take up to " +
                            text::Bytes(static_cast<double>(process.cupti_device_bytes)) +
                            " of each context for the times of operations");
  }
  if (model.end_ns > process.start_ns) {
    fact("recorded   ", text::Time(static_cast<double>(model.end_ns - process.start_ns)));
  }
  std::string end = model.stopped_in_order ? "stopped in order" : "ends without its last block";
  if (!model.truncation.empty()) end += ". " + model.truncation;
  if (!model.after_end.empty()) end += ". " + model.after_end;
  fact("end        ", end);
  const auto operations = static_cast<double>(model.ops.size());
  std::string size = text::Bytes(static_cast<double>(file_bytes));
  if (operations > 0) {
    size += ", " + text::Grouped(static_cast<double>(file_bytes) / operations, 1) +
            " B a GPU operation";
  }
  fact("size       ", size);
}

void WriteDevices(std::ostream& out, const Model& model, const TextOptions& options) {
  if (model.devices.empty()) return;
  WriteHeading(out, "Devices", options);
  for (const model::Device& device : model.devices) {
    // A value that could not be read is 0.
    std::string line = Printable(device.name);
    const auto add = [&](bool known, const std::string& fact) {
      if (known) line += ", " + fact;
    };
    add(!device.chip.empty(), Printable(device.chip));
    add(device.compute_major != 0, "compute capability " + std::to_string(device.compute_major) +
                                       "." + std::to_string(device.compute_minor));
    add(device.sm_count != 0, std::to_string(device.sm_count) + " SMs");
    add(device.sm_clock_khz != 0, "up to " + text::Rate(device.sm_clock_khz * 1e3, "Hz"));
    add(device.memory_bytes != 0,
        text::Bytes(static_cast<double>(device.memory_bytes)) + " memory");
    add(device.l2_bytes != 0, text::Bytes(device.l2_bytes) + " L2");
    WriteParagraph(out, "  GPU " + std::to_string(device.id) + "  ", line, options.width);
  }
}

void WriteCounts(std::ostream& out, const Model& model, const TextOptions& options) {
  int64_t kernels = 0, sampled = 0, copies = 0, memsets = 0, in_graphs = 0, graphs = 0;
  // Not the signatures of a report, which takes ranges that differ in numbers only as one.
  std::set<std::pair<uint32_t, uint32_t>> shapes_in_paths;
  for (const model::Op& op : model.ops) {
    if (op.graph != 0) ++in_graphs;
    if (op.kind == model::OpKind::kCopy) ++copies;
    if (op.kind == model::OpKind::kMemset) ++memsets;
    if (op.kind == model::OpKind::kGraph) ++graphs;
    if (op.kind != model::OpKind::kKernel) continue;
    ++kernels;
    sampled += op.sampled ? 1 : 0;
    shapes_in_paths.emplace(op.shape, op.path);
  }
  WriteHeading(out, "Records", options);
  Table table;
  table.columns = {{"kind"}, {"count", Align::kRight}};
  const auto row = [&](const char* kind, size_t count) {
    table.rows.push_back({{kind, text::Count(static_cast<int64_t>(count))}});
  };
  row("kernels", static_cast<size_t>(kernels));
  row("kernels by launch shape and range path", shapes_in_paths.size());
  row("kernels under a counter range", static_cast<size_t>(sampled));
  row("operations from CUDA graphs", static_cast<size_t>(in_graphs));
  row("graph launches recorded as a whole", static_cast<size_t>(graphs));
  row("copies", static_cast<size_t>(copies));
  row("memsets", static_cast<size_t>(memsets));
  if (!model.allocations.empty()) row("allocations and frees", model.allocations.size());
  if (!model.pool_states.empty()) row("states of memory pools", model.pool_states.size());
  if (!model.unified_memory.empty()) row("unified memory events", model.unified_memory.size());
  if (!model.gpu_states.empty()) row("readings of the state of GPUs", model.gpu_states.size());
  row("API calls", model.api_calls.size());
  row("synchronizations", model.syncs.size());
  row("ranges opened", model.instances.size() + model.spans.size());
  const auto paths = std::count_if(  // of the program, not those that the reader adds for graphs
      model.paths.begin() + 1, model.paths.end(),
      [](const model::RangePath& path) { return path.captured == model::kNone; });
  row("range paths", static_cast<size_t>(paths));
  row("marks", model.marks.size());
  row("values attached to ranges and marks", model.payloads.size());
  row("threads", model.threads.size() - 1);
  row("counter samples", model.samples.size());
  row("times that prof held up a thread", model.profiler_intervals.size());
  if (!model.pauses.empty()) row("pauses of the recording", model.pauses.size());
  WriteTable(out, table, options.width, options.utf8);
}

void WritePassGroups(std::ostream& out, const Model& model, const TextOptions& options) {
  if (model.groups.size() < 2) return;
  WriteHeading(out, "Pass groups: metrics that are read together", options);
  std::vector<int64_t> samples(model.groups.size(), 0);
  for (const model::CounterSample& sample : model.samples) {
    if (sample.group < samples.size()) ++samples[sample.group];
  }
  Table table;
  table.columns = {{"group", Align::kRight},
                   {"level"},
                   {"samples", Align::kRight},
                   {"metrics", Align::kLeft, 40}};
  for (size_t id = 1; id < model.groups.size(); ++id) {
    const model::PassGroup& group = model.groups[id];
    table.rows.push_back({{std::to_string(id), Printable(group.level), text::Count(samples[id]),
                           Printable(text::Join(group.metrics, ", "))}});
  }
  WriteTable(out, table, options.width, options.utf8);
}

void WritePmSeries(std::ostream& out, const Model& model, const TextOptions& options) {
  if (model.pm_series.empty()) return;
  WriteHeading(out, "PM sampling: the whole GPU at a fixed interval", options);
  Table table;
  table.columns = {{"GPU", Align::kRight},     {"interval", Align::kRight},
                   {"samples", Align::kRight}, {"rows", Align::kRight},
                   {"time", Align::kRight},    {"metrics", Align::kLeft, 40}};
  for (const model::PmSeries& series : model.pm_series) {
    int64_t samples = 0;
    double ns = 0;
    for (size_t i = 0; i < series.rows(); ++i) {
      samples += series.samples[i];
      ns += static_cast<double>(series.end_ns[i] - series.begin_ns[i]);
    }
    table.rows.push_back(
        {{std::to_string(series.device), text::Time(static_cast<double>(series.interval_ns)),
          text::Count(samples), text::Count(static_cast<int64_t>(series.rows())), text::Time(ns),
          Printable(text::Join(series.metrics, ", "))}});
  }
  WriteTable(out, table, options.width, options.utf8);
}

void WriteIntegrity(std::ostream& out, const Integrity& integrity, const TextOptions& options) {
  WriteHeading(out, "Integrity", options);
  out << "  " << text::Count(text::Clamped(integrity.kernels)) << " kernel records for "
      << text::Count(text::Clamped(integrity.launches)) << " launch calls; counters cost the host "
      << text::Time(static_cast<double>(integrity.counter_cost_ns)) << '\n';
  for (const format::IntegrityCount& row : format::kIntegrityCounts) {
    const int64_t count = text::Clamped(integrity.*row.count);
    if (row.doubt == format::Doubt::kNothing || count == 0) continue;
    out << "  LOST  " << row.label << ": " << text::Count(count) << '\n';
  }
  for (const format::IntegrityFlag& row : format::kIntegrityFlags) {
    if (integrity.*row.flag) out << "  DOUBT  " << row.label << '\n';
  }
  if (integrity.rows_not_kept > 0) {
    out << "  older events, dropped on purpose (keep-last): "
        << text::Count(text::Clamped(integrity.rows_not_kept)) << '\n';
  }
  if (integrity.complete()) out << "  nothing was lost\n";
}

void WriteNotices(std::ostream& out, const Model& model, int width) {
  for (const model::Notice& notice : model.notices) {
    std::string text = Printable(notice.what);
    if (!notice.fix.empty()) text += ". Fix: " + Printable(notice.fix);
    WriteParagraph(out, std::string("  ") + format::Name(notice.severity) + "  ", text, width);
  }
}

}  // namespace
}  // namespace report

void WriteInfo(std::ostream& out, const model::Model& model, uint64_t file_bytes,
               const TextOptions& asked) {
  TextOptions options = asked;
  options.width = std::max(options.width, 80);
  std::ostringstream text;
  text.imbue(std::locale::classic());
  report::WriteProcess(text, model, file_bytes, options.width);
  report::WriteDevices(text, model, options);
  report::WriteCounts(text, model, options);
  report::WritePassGroups(text, model, options);
  report::WritePmSeries(text, model, options);
  report::WriteIntegrity(text, model.integrity, options);
  report::WriteNotices(text, model, options.width);
  const std::string bytes = text.str();
  out.write(bytes.data(), static_cast<std::streamsize>(bytes.size()));
}

}  // namespace prof
