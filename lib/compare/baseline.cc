// SPDX-License-Identifier: Apache-2.0
#include "lib/compare/baseline.h"

#include <algorithm>
#include <cstddef>
#include <ostream>
#include <string>
#include <string_view>
#include <tuple>
#include <utility>
#include <vector>

#include "lib/compare/base/sample.h"
#include "lib/compare/compare.h"
#include "lib/report/base/table.h"
#include "lib/text/numbers.h"

namespace prof {
namespace {

using report::Align;

std::string NoiseCell(const std::optional<double>& noise) {
  return noise ? text::Percent(*noise) : std::string("-");
}

report::Row KernelRunsRow(const KernelRuns& kernel) {
  const Statistic time = compare::SummaryOf(kernel.time_ns);
  return {{kernel.name, kernel.range.empty() ? "(no range)" : kernel.range, text::Time(time.median),
           text::Time(time.min) + " to " + text::Time(time.max), text::Count(time.n),
           NoiseCell(kernel.noise)},
          false,
          {}};
}

report::Row QuantityRow(const RunQuantity& quantity) {
  const Statistic time = compare::SummaryOf(quantity.values_ns);
  return {{quantity.name, "(the run)", text::Time(time.median),
           text::Time(time.min) + " to " + text::Time(time.max), text::Count(time.n),
           NoiseCell(quantity.noise)},
          false,
          {}};
}

bool IsSameKernel(const KernelRuns& a, const KernelRuns& b) {
  return std::tie(a.full_name, a.range, a.device, a.grid, a.block, a.dynamic_shared_bytes) ==
         std::tie(b.full_name, b.range, b.device, b.grid, b.block, b.dynamic_shared_bytes);
}

bool IsSameQuantity(const RunQuantity& a, const RunQuantity& b) {
  return a.kind == b.kind && a.name == b.name;
}

// Noise over more runs is worth more.
template <typename Item, typename IsSame>
void KeepNoise(const std::vector<Item>& old, const IsSame& is_same, std::vector<Item>* items) {
  for (Item& item : *items) {
    const auto it = std::find_if(old.begin(), old.end(),
                                 [&](const Item& other) { return is_same(other, item); });
    if (it == old.end() || !it->noise || it->noise_runs <= item.noise_runs) continue;
    item.noise = it->noise;
    item.noise_runs = it->noise_runs;
  }
}

}  // namespace

void compare::WriteBaselineText(std::ostream& out, const Baseline& baseline, int width, int most) {
  for (const RunSet& set : baseline.sets) {
    out << Describe(set) << '\n';
    for (const std::string& note : set.notes) report::WriteParagraph(out, "note: ", note, width);
    report::Table table;
    table.columns = {{"kernel", Align::kLeft, 16}, {"range", Align::kLeft, 10},
                     {"median", Align::kRight},    {"runs from .. to", Align::kRight},
                     {"runs", Align::kRight},      {"noise", Align::kRight}};
    for (const RunQuantity& quantity : set.quantities) table.rows.push_back(QuantityRow(quantity));
    const size_t shown = std::min(set.kernels.size(), static_cast<size_t>(most));
    for (size_t i = 0; i < shown; ++i) table.rows.push_back(KernelRunsRow(set.kernels[i]));
    WriteTable(out, table, width, false);
    if (shown < set.kernels.size()) {
      out << text::Count(static_cast<int64_t>(set.kernels.size() - shown)) << " more kernels\n";
    }
    out << '\n';
  }
}

const RunSet* Baseline::Find(std::string_view devices, std::string_view driver) const& {
  const auto it = std::find_if(sets.begin(), sets.end(), [&](const RunSet& set) {
    return set.devices == devices && set.driver == driver;
  });
  return it == sets.end() ? nullptr : &*it;
}

void Baseline::Update(RunSet runs) {
  const auto it = std::find_if(sets.begin(), sets.end(), [&](const RunSet& set) {
    return set.devices == runs.devices && set.driver == runs.driver;
  });
  if (it == sets.end()) {
    sets.push_back(std::move(runs));
    return;
  }
  KeepNoise(it->kernels, IsSameKernel, &runs.kernels);
  KeepNoise(it->quantities, IsSameQuantity, &runs.quantities);
  *it = std::move(runs);
}

}  // namespace prof
