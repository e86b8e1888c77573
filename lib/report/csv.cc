// SPDX-License-Identifier: Apache-2.0
#include "lib/report/csv.h"

#include <array>
#include <charconv>
#include <cmath>
#include <optional>
#include <ostream>
#include <set>
#include <string>
#include <string_view>

#include "lib/report/base/strings.h"
#include "lib/text/strings.h"

namespace prof {
namespace {

constexpr const char* kLaunchColumns =
    "name,full_name,range,device,grid_x,grid_y,grid_z,block_x,block_y,block_z,"
    "registers_per_thread,static_shared_bytes,dynamic_shared_bytes,local_bytes_per_thread,"
    "launches,in_graph,total_ns,share,duration_n,duration_median_ns,duration_min_ns,"
    "duration_max_ns,duration_from_counters,sm_sol,sm_sol_largest,sm_sol_missing,memory_sol,"
    "memory_sol_largest,memory_sol_missing";
constexpr const char* kVerdictColumns =
    "waves,occupancy_theoretical,occupancy_achieved,occupancy_limited_by,"
    "limiter,confidence,rule,summary,action,gain_at_most,missing,samples_used,samples_rejected";

// Where ops of PyTorch were recorded: the op that launched it for most of its time.
constexpr const char* kTorchColumns = "torch_op,torch_forward";
// Where modules of PyTorch were recorded: the one that has most of its time.
constexpr const char* kModuleColumn = "torch_module";

// A line of cells, quoted where they need it.
class CsvLine {
 public:
  void Text(std::string_view text) {
    Separate();
    if (text.find_first_of(",\"\r\n") == std::string_view::npos) {
      line_ += text;
      return;
    }
    line_ += '"';
    for (const char c : text) {
      if (c == '"') line_ += '"';
      line_ += c;
    }
    line_ += '"';
  }

  template <typename Integer>
  void Integral(Integer value) {
    Text(std::to_string(value));
  }

  // The shortest text that reads back as the same number.
  void Real(const std::optional<double>& value) {
    std::array<char, 40> buffer{};
    char* end = buffer.data();
    if (value && std::isfinite(*value)) {
      end = std::to_chars(buffer.data(), buffer.data() + buffer.size(), *value).ptr;
    }
    Text({buffer.data(), static_cast<size_t>(end - buffer.data())});
  }

  const std::string& text() const { return line_; }

 private:
  void Separate() {
    if (!first_) line_ += ',';
    first_ = false;
  }

  std::string line_;
  bool first_ = true;
};

// The value, the largest part, and the number of parts without a value.
void AddThroughput(const SpeedOfLight& light, const char* base, CsvLine* line) {
  for (const Throughput& throughput : light.throughputs) {
    if (throughput.metric != std::string(base) + ".avg.pct_of_peak_sustained_elapsed") continue;
    line->Real(throughput.of_peak);
    line->Text(throughput.largest);
    line->Integral(throughput.missing.size());
    return;
  }
  for (int i = 0; i < 3; ++i) line->Text("");
}

void AddKernel(const KernelReport& kernel, CsvLine* line) {
  const Occupancy& occupancy = kernel.occupancy;
  const auto if_known = [&](double value) {
    return occupancy.known ? std::optional<double>(value) : std::nullopt;
  };
  const auto resource = [&](uint32_t amount) {
    line->Text(kernel.resources_known ? std::to_string(amount) : "");
  };
  line->Text(kernel.name);
  line->Text(kernel.full_name);
  line->Text(kernel.range);
  line->Integral(kernel.device);
  const auto of_launch = [&](uint32_t amount) {
    line->Text(kernel.whole_graph ? "" : std::to_string(amount));
  };
  for (const uint32_t size : kernel.grid) of_launch(size);
  for (const uint32_t size : kernel.block) of_launch(size);
  resource(kernel.registers_per_thread);
  resource(kernel.static_shared_bytes);
  of_launch(kernel.dynamic_shared_bytes);
  if (kernel.local_known) {
    resource(kernel.local_bytes_per_thread);
  } else {
    line->Text("");
  }
  line->Integral(kernel.launches);
  line->Integral(kernel.in_graph ? 1 : 0);
  line->Real(kernel.total_ns);
  line->Real(kernel.share);
  line->Integral(kernel.duration_ns.n);
  line->Real(kernel.duration_ns.median);
  line->Real(kernel.duration_ns.min);
  line->Real(kernel.duration_ns.max);
  line->Integral(kernel.duration_from_counters ? 1 : 0);
  AddThroughput(kernel.speed_of_light, "sm__throughput", line);
  AddThroughput(kernel.speed_of_light, "gpu__compute_memory_throughput", line);
  for (int unit = 0; unit < kUnitCount; ++unit) {
    const UnitUse* const use = kernel.Find(static_cast<Unit>(unit));
    line->Real(use == nullptr ? std::nullopt : std::optional<double>(use->of_peak));
  }
  line->Real(if_known(occupancy.waves));
  line->Real(if_known(occupancy.theoretical));
  line->Real(occupancy.achieved);
  line->Text(text::Join(occupancy.limited_by, "; "));
  line->Text(ToString(kernel.verdict.limiter));
  line->Text(ToString(kernel.verdict.confidence));
  line->Text(kernel.verdict.rule);
  line->Text(kernel.verdict.summary);
  line->Text(kernel.verdict.action);
  line->Real(kernel.verdict.gain_at_most);
  line->Text(kernel.verdict.missing);
  line->Integral(kernel.samples_used);
  line->Integral(kernel.samples_rejected);
}

}  // namespace

void WriteCsv(std::ostream& out, const Report& report) {
  std::set<std::string_view> metrics, continuous;
  for (const KernelReport& kernel : report.kernels) {
    for (const auto& [name, value] : kernel.metrics) metrics.insert(name);
    for (const auto& [name, value] : kernel.continuous) continuous.insert(name);
  }
  out << kLaunchColumns;
  for (int unit = 0; unit < kUnitCount; ++unit) out << ",use_" << ToString(static_cast<Unit>(unit));
  out << ',' << kVerdictColumns;
  for (const std::string_view name : metrics) {
    CsvLine cell;
    cell.Text(name);
    out << ',' << cell.text();
  }
  for (const std::string_view name : continuous) {
    CsvLine cells;
    cells.Text("continuous " + std::string(name));
    cells.Text("continuous error " + std::string(name));
    out << ',' << cells.text();
  }
  if (report.torch.recorded) out << ',' << kTorchColumns;
  if (!report.torch.modules.empty()) out << ',' << kModuleColumn;
  out << '\n';
  for (const KernelReport& kernel : report.kernels) {
    CsvLine line;
    AddKernel(kernel, &line);
    for (const std::string_view name : metrics) {
      const auto found = kernel.metrics.find(name);
      line.Real(found == kernel.metrics.end() ? std::nullopt
                                              : std::optional<double>(found->second.median));
    }
    for (const std::string_view name : continuous) {
      const auto found = kernel.continuous.find(name);
      const bool known = found != kernel.continuous.end() && found->second.value;
      line.Real(known ? found->second.value : std::nullopt);
      line.Real(known ? std::optional<double>(found->second.error) : std::nullopt);
    }
    if (report.torch.recorded) {
      const bool in_op = !kernel.torch_ops.empty();
      line.Text(in_op ? kernel.torch_ops.front().name : "");
      line.Text(in_op ? kernel.torch_ops.front().forward : "");
    }
    if (!report.torch.modules.empty()) {
      line.Text(kernel.torch_modules.empty() ? "" : kernel.torch_modules.front().name);
    }
    out << line.text() << '\n';
  }
}

}  // namespace prof
