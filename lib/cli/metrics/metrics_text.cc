// SPDX-License-Identifier: Apache-2.0
#include "lib/cli/metrics/metrics_text.h"

#include <unistd.h>

#include <algorithm>
#include <sstream>
#include <vector>

#include "lib/cli/base/terminal.h"
#include "lib/cli/metrics/metrics_levels.h"
#include "lib/report/base/strings.h"
#include "lib/report/base/table.h"
#include "lib/report/text/heading.h"
#include "lib/text/numbers.h"
#include "lib/text/strings.h"

namespace prof::cli {
namespace {

using cupti::CatalogueAnswer;
using cupti::CatalogueGroup;
using cupti::CatalogueLevel;
using cupti::CatalogueMetric;
using report::Align;
using report::Table;

// Read in every pass; listed where it is the only one.
constexpr const char* kWindow = "gpu__time_duration.sum";

std::string Version(uint32_t version) {  // 130001 is 13.0.1; CUDA 12 counted from 18 to 28
  if (version < 10000) return "of CUDA 12 (version " + std::to_string(version) + ")";
  return std::to_string(version / 10000) + "." + std::to_string(version / 100 % 100) + "." +
         std::to_string(version % 100);
}

void WriteOverview(std::ostream& out, const CatalogueAnswer& answer, int samples,
                   const TextOptions& text) {
  Table table;
  table.columns = {{"level"},
                   {"read with"},
                   {"passes", Align::kRight},
                   {"one sample", Align::kRight},
                   {std::to_string(samples) + " samples", Align::kRight},
                   {"answers", Align::kLeft, 30}};
  for (const CatalogueLevel& level : answer.levels) {
    const double cost = SampleCostNs(level);
    const MetricLevel& about = LevelOrOwnList(level.name);
    table.rows.push_back(
        {{about.name, about.included, text::Count(static_cast<int64_t>(level.groups.size())),
          text::Time(cost), text::Time(cost * samples), about.answers}});
  }
  report::WriteHeading(out, "Passes, and what they cost the thread that launches", text);
  report::WriteTable(out, table, text.width, text.utf8);
  report::WriteParagraph(out, "  costs: ", kCostSource, text.width);
  report::WriteParagraph(
      out, "  ",
      "A sample of a kernel takes one launch for each pass. Other launches cost nothing. Each "
      "level of --counters includes the levels before it; the level sol reads what the pulse "
      "reads.",
      text.width);
}

void WriteMetricTable(std::ostream& out, const std::vector<CatalogueMetric>& metrics, bool kinds,
                      const TextOptions& text) {
  Table table;
  table.columns = {{"metric", Align::kLeft, 40},
                   {"kind"},
                   {"counts", Align::kLeft, 8},
                   {"meaning", Align::kLeft, 30}};
  for (const CatalogueMetric& metric : metrics) {
    if (!kinds && metric.name == kWindow && metrics.size() > 1) continue;
    table.rows.push_back({{report::Printable(metric.name), kinds ? metric.kind : "",
                           report::Printable(metric.unit), report::Printable(metric.description)}});
  }
  report::WriteTable(out, table, text.width, text.utf8);
}

void WriteLevel(std::ostream& out, const CatalogueLevel& level, const TextOptions& text) {
  for (size_t i = 0; i < level.groups.size(); ++i) {
    const CatalogueGroup& group = level.groups[i];
    report::WriteHeading(
        out,
        std::string(LevelOrOwnList(level.name).name) + ", pass " + std::to_string(i + 1) + " of " +
            std::to_string(level.groups.size()) + ": " + group.cost_class + ", " +
            text::Time(static_cast<double>(group.sample_cost_ns)) + " a sampled launch",
        text);
    WriteMetricTable(out, group.metrics, false, text);
  }
}

void WriteThroughputs(std::ostream& out, const CatalogueAnswer& answer, const TextOptions& text) {
  if (!answer.throughputs.empty()) {
    report::WriteHeading(out, "Throughputs that prof computes from their parts", text);
  }
  for (const cupti::CatalogueThroughput& throughput : answer.throughputs) {
    const auto count = static_cast<int64_t>(throughput.parts.size());
    std::string parts =
        "the largest of " + text::Plural(count, "part that fits", "parts that fit") + " one launch";
    if (!throughput.missing.empty()) {
      parts += "; it can be larger, because these parts need several passes: " +
               text::Join(throughput.missing, ", ");
    }
    report::WriteParagraph(out, "  ", throughput.metric + ": " + parts, text.width);
  }
}

void WriteLeftOut(std::ostream& out, const CatalogueAnswer& answer, const TextOptions& text) {
  if (answer.left_out.empty()) return;
  report::WriteHeading(out, "Not available on this chip", text);
  for (const std::string& reason : answer.left_out) {
    report::WriteParagraph(out, "  ", report::Printable(reason), text.width);
  }
}

void WriteFound(std::ostream& out, const CatalogueAnswer& answer, const std::string& search,
                const TextOptions& text) {
  report::WriteHeading(out,
                       text::Count(static_cast<int64_t>(answer.found.size())) + " metrics match '" +
                           report::Printable(search) + "'",
                       text);
  WriteMetricTable(out, answer.found, true, text);
  report::WriteParagraph(out, "  ",
                         "A counter takes a suffix such as .sum, .avg or "
                         ".avg.pct_of_peak_sustained_elapsed, a ratio .ratio or .pct, a "
                         "throughput .avg.pct_of_peak_sustained_elapsed. --metrics NAME.sum shows "
                         "in how many passes it can be read.",
                         text.width);
}

bool HasPlan(const CatalogueAnswer& answer) {
  return std::any_of(answer.levels.begin(), answer.levels.end(),
                     [](const CatalogueLevel& level) { return !level.groups.empty(); });
}

}  // namespace

std::string MetricsText(const CatalogueAnswer& answer, const MetricsOptions& options) {
  const TextOptions text = OptionsFor(STDOUT_FILENO);
  std::ostringstream out;
  out << answer.chip << " (" << answer.chip_source << "), CUPTI " << Version(answer.cupti_version)
      << " in " << answer.cupti_path << '\n';
  if (options.chip.empty() && answer.chip_source.rfind("assumed", 0) == 0) {
    report::WriteParagraph(out, "--chip shows another: ", text::Join(answer.chips, ", "),
                           text.width);
  }
  if (!options.search.empty()) {
    WriteFound(out, answer, options.search, text);
    return out.str();
  }
  if (HasPlan(answer)) WriteOverview(out, answer, options.samples, text);
  const bool one = !options.level.empty() || !options.metrics.empty();
  if (one && HasPlan(answer)) {
    for (const CatalogueLevel& level : answer.levels) WriteLevel(out, level, text);
    out << "  each pass reads " << kWindow << " as well, the time that its counters ran\n";
  }
  if (!one) {
    report::WriteParagraph(
        out, "  ",
        "--level sol lists the metrics of a level, --search dram those of the chip, "
        "--metrics a,b plans your own list.",
        text.width);
  }
  WriteThroughputs(out, answer, text);
  if (options.metrics.empty()) WriteLeftOut(out, answer, text);
  return out.str();
}

}  // namespace prof::cli
