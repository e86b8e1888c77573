// SPDX-License-Identifier: Apache-2.0
#include "lib/report/text/sections/modules_section.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <numeric>
#include <ostream>
#include <vector>

#include "lib/report/base/strings.h"
#include "lib/report/base/table.h"
#include "lib/report/text/heading.h"
#include "lib/report/text/sections/torch_section.h"
#include "lib/text/numbers.h"

namespace prof::report {
namespace {

constexpr size_t kMostIndent = 20;  // levels

using Indices = std::vector<int32_t>;

double GpuTime(const TorchModule& module) { return module.forward_ns + module.backward_ns; }

// The modules that are shown, by GPU time, then by host time. A module has at least the GPU time of
// those in it, so that what is around a shown module is shown as well.
std::vector<bool> ShownModules(const std::vector<TorchModule>& modules, size_t most) {
  Indices by_time(modules.size());
  std::iota(by_time.begin(), by_time.end(), 0);
  std::stable_sort(by_time.begin(), by_time.end(), [&](int32_t a, int32_t b) {
    const TorchModule& first = modules[static_cast<size_t>(a)];
    const TorchModule& second = modules[static_cast<size_t>(b)];
    return GpuTime(first) > GpuTime(second);
  });
  std::vector<bool> shown(modules.size());
  for (size_t i = 0; i < std::min(most, by_time.size()); ++i) {
    shown[static_cast<size_t>(by_time[i])] = true;
  }
  return shown;
}

// Of two modules in the same one.
bool ModuleBefore(const TorchModule& a, const TorchModule& b, SortBy sort) {
  switch (sort) {
    case SortBy::kCalls:
      return a.calls > b.calls;
    case SortBy::kName:
      return a.name < b.name;
    case SortBy::kGain:
      return a.gain_at_most_ns > b.gain_at_most_ns;
    case SortBy::kCpu:
    case SortBy::kCpuTotal:
      return a.cpu_ns > b.cpu_ns;
    case SortBy::kTime:
    case SortBy::kAverage:
    case SortBy::kTotal:
      return GpuTime(a) > GpuTime(b);
  }
  return false;
}

// Without the name of the module around it, and indented below that.
std::string NameInTree(const std::vector<TorchModule>& modules, const TorchModule& module) {
  std::string name = module.name;
  if (module.parent >= 0) {
    name = name.substr(modules[static_cast<size_t>(module.parent)].name.size() + 1);
  }
  size_t level = 0;
  for (int32_t at = module.parent; at >= 0 && level < kMostIndent;
       at = modules[static_cast<size_t>(at)].parent) {
    ++level;
  }
  return std::string(2 * level, ' ') + Printable(name);
}

Row RowOf(const std::vector<TorchModule>& modules, const TorchModule& module) {
  return {{TimeOrBlank(module.forward_ns), TimeOrBlank(module.backward_ns),
           TimeOrBlank(module.gpu_self_ns), module.launches > 0 ? text::Count(module.launches) : "",
           LimiterText(module.limiters), TimeOrBlank(module.gain_at_most_ns),
           text::Time(module.cpu_ns), text::Count(module.calls), NameInTree(modules, module)}};
}

// The shown modules as a tree.
void AddRows(const std::vector<TorchModule>& modules, const std::vector<bool>& shown, SortBy sort,
             Table* table) {
  std::vector<Indices> inner(modules.size() + 1);  // the last one: of no module
  for (size_t i = 0; i < modules.size(); ++i) {
    if (!shown[i]) continue;
    const int32_t parent = modules[i].parent;
    inner[parent < 0 ? modules.size() : static_cast<size_t>(parent)].push_back(
        static_cast<int32_t>(i));
  }
  for (Indices& of_one : inner) {
    std::stable_sort(of_one.begin(), of_one.end(), [&](int32_t a, int32_t b) {
      return ModuleBefore(modules[static_cast<size_t>(a)], modules[static_cast<size_t>(b)], sort);
    });
  }
  Indices left(inner.back().rbegin(), inner.back().rend());
  while (!left.empty()) {
    const auto at = static_cast<size_t>(left.back());
    left.pop_back();
    table->rows.push_back(RowOf(modules, modules[at]));
    left.insert(left.end(), inner[at].rbegin(), inner[at].rend());
  }
}

}  // namespace

bool WriteModules(std::ostream& out, const Report& report, const TextOptions& options) {
  const std::vector<TorchModule>& modules = report.torch.modules;
  if (modules.empty()) return false;
  WriteHeading(out, "Modules of PyTorch", options);
  const double gpu_ns = report.torch.gpu_ns;
  WriteParagraph(
      out, "",
      (gpu_ns > 0 ? text::Percent(report.torch.gpu_in_modules_ns / gpu_ns) : std::string("-")) +
          " of the GPU time belongs to one of " +
          text::Count(static_cast<int64_t>(modules.size())) +
          " modules. Times are with the modules in each, but for \"self\".",
      options.width);
  Table table;
  table.columns = {{"forward", Align::kRight},
                   {"backward", Align::kRight},
                   {"self", Align::kRight},
                   {"launches", Align::kRight},
                   {"limiter", Align::kLeft, 0, 1},
                   {"at most", Align::kRight},
                   {"CPU", Align::kRight},
                   {"calls", Align::kRight},
                   {"module", Align::kLeft, 20, 0, true}};
  const size_t most = static_cast<size_t>(options.max_rows);
  AddRows(modules, ShownModules(modules, most), options.sort, &table);
  WriteTable(out, table, options.width, options.utf8);
  if (most < modules.size()) {
    out << "and " << text::Count(static_cast<int64_t>(modules.size() - most))
        << " more modules; --top shows more\n";
  }
  return true;
}

}  // namespace prof::report
