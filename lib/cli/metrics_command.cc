// SPDX-License-Identifier: Apache-2.0
//
// prof metrics: what can be measured on a chip, in how many passes, and what that costs.
#include <unistd.h>

#include <algorithm>
#include <cctype>
#include <iostream>
#include <nlohmann/json.hpp>
#include <regex>
#include <sstream>
#include <string>
#include <vector>

#include "cupti_backend/metrics/metric_catalogue.h"
#include "lib/cli/commands.h"
#include "lib/cli/terminal.h"
#include "lib/report/base/strings.h"
#include "lib/report/base/table.h"
#include "lib/report/base/units.h"
#include "lib/report/text/sections.h"

namespace prof::cli {
namespace {

using cupti::CatalogueAnswer;
using cupti::CatalogueGroup;
using cupti::CatalogueMetric;
using cupti::CatalogueTier;
using report::Align;
using report::Table;

constexpr const char* kCostSource =
    "measured on an H200 with CUPTI 13.0 (docs/counters.md): 8 us for times, 50 us for DRAM and "
    "L2, 1 ms as soon as anything per SM is read; other GPUs differ";

// Read in every pass; listed where it is the only one.
constexpr const char* kWindow = "gpu__time_duration.sum";

struct TierText {
  const char *name, *level, *answers;
};
constexpr TierText kTiers[] = {
    {"pulse", "pulse", "DRAM, L2, issue slots, tensor pipe, occupancy, clocks, in one pass"},
    {"T1", "sol", "DRAM, L2, L1, pipes, issue, occupancy, clocks, most of the speed of light"},
    {"T2", "stalls", "why warps wait, threads per instruction"},
    {"T3", "all", "sectors, requests, bank conflicts, hit rates, local memory, atomics"},
    {"T4", "all", "tensor operations by type"},
    {"SOL", "all", "the rest of Nsight Compute's sm__ and gpu__compute_memory_throughput"},
    {"user", "--metrics", "your own list"}};

const TierText& TextOf(const std::string& tier) {
  const TierText* const found =
      std::find_if(std::begin(kTiers), std::end(kTiers),
                   [&](const TierText& text) { return tier == text.name; });
  return found == std::end(kTiers) ? kTiers[std::size(kTiers) - 1] : *found;
}

double CostNs(const CatalogueTier& tier) {
  double cost = 0;
  for (const CatalogueGroup& group : tier.groups) cost += static_cast<double>(group.sample_cost_ns);
  return cost;
}

std::string Version(uint32_t version) {  // 130001 is 13.0.1
  return std::to_string(version / 10000) + "." + std::to_string(version / 100 % 100) + "." +
         std::to_string(version % 100);
}

std::vector<std::string> SplitList(const std::string& list) {
  std::vector<std::string> names;
  std::istringstream in(list);
  for (std::string name; std::getline(in, name, ',');) {
    if (!name.empty()) names.push_back(name);
  }
  return names;
}

// --- Text ----------------------------------------------------------------------------------------

void WriteOverview(std::ostream& out, const CatalogueAnswer& answer, int samples,
                   const TextOptions& text) {
  Table table;
  table.columns = {{"tier"},
                   {"level"},
                   {"passes", Align::kRight},
                   {"one sample", Align::kRight},
                   {std::to_string(samples) + " samples", Align::kRight},
                   {"answers", Align::kLeft, 30}};
  for (const CatalogueTier& tier : answer.tiers) {
    const double cost = CostNs(tier);
    const TierText& about = TextOf(tier.name);
    table.rows.push_back(
        {{tier.name, about.level, report::Count(static_cast<int64_t>(tier.groups.size())),
          report::Time(cost), report::Time(cost * samples), about.answers}});
  }
  report::WriteHeading(out, "Passes, and what they cost the thread that launches", text);
  report::WriteTable(out, table, text.width, text.utf8);
  report::WriteParagraph(out, "  costs: ", kCostSource, text.width);
  report::WriteParagraph(
      out, "  ",
      "A sample of a kernel takes a launch for each pass; other launches cost nothing. Each level "
      "holds the ones before it; what the pulse reads is in T1.",
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

void WriteTier(std::ostream& out, const CatalogueTier& tier, const TextOptions& text) {
  for (size_t i = 0; i < tier.groups.size(); ++i) {
    const CatalogueGroup& group = tier.groups[i];
    report::WriteHeading(out,
                         tier.name + ", pass " + std::to_string(i + 1) + " of " +
                             std::to_string(tier.groups.size()) + ": " + group.cost_class + ", " +
                             report::Time(static_cast<double>(group.sample_cost_ns)) +
                             " a sampled launch",
                         text);
    WriteMetricTable(out, group.metrics, false, text);
  }
}

void WriteRest(std::ostream& out, const CatalogueAnswer& answer, const TextOptions& text) {
  if (!answer.throughputs.empty()) {
    report::WriteHeading(out, "Throughputs, put together from parts", text);
  }
  for (const cupti::CatalogueThroughput& throughput : answer.throughputs) {
    std::string parts = "the largest of " +
                        report::Count(static_cast<int64_t>(throughput.parts.size())) +
                        " parts that one launch can tell";
    if (!throughput.missing.empty()) {
      parts += "; it can be more, as these need several passes: " +
               report::Join(throughput.missing, ", ");
    }
    report::WriteParagraph(out, "  ", throughput.metric + ": " + parts, text.width);
  }
  if (!answer.left_out.empty()) report::WriteHeading(out, "Not to be had", text);
  for (const std::string& reason : answer.left_out) {
    report::WriteParagraph(out, "  ", report::Printable(reason), text.width);
  }
}

std::string Text(const CatalogueAnswer& answer, const MetricsOptions& options) {
  const TextOptions text = OptionsFor(STDOUT_FILENO);
  std::ostringstream out;
  out << answer.chip << " (" << answer.chip_source << "), CUPTI " << Version(answer.cupti_version)
      << " in " << answer.cupti_path << '\n';
  if (options.chip.empty() && answer.chip_source.rfind("assumed", 0) == 0) {
    report::WriteParagraph(out, "--chip shows another: ", report::Join(answer.chips, ", "),
                           text.width);
  }
  if (!options.search.empty()) {
    report::WriteHeading(out,
                         report::Count(static_cast<int64_t>(answer.found.size())) +
                             " metrics match '" + report::Printable(options.search) + "'",
                         text);
    WriteMetricTable(out, answer.found, true, text);
    report::WriteParagraph(out, "  ",
                           "A counter takes a suffix such as .sum, .avg or "
                           ".avg.pct_of_peak_sustained_elapsed, a ratio .ratio or .pct, a "
                           "throughput .avg.pct_of_peak_sustained_elapsed. --metrics NAME.sum says "
                           "in how many passes it can be read.",
                           text.width);
    return out.str();
  }
  WriteOverview(out, answer, options.samples, text);
  const bool one = !options.tier.empty() || !options.metrics.empty();
  if (one) {
    for (const CatalogueTier& tier : answer.tiers) WriteTier(out, tier, text);
    out << "  each pass reads " << kWindow << " as well, the time that its counters ran\n";
  } else {
    report::WriteParagraph(
        out, "  ",
        "--tier T1 lists the metrics of a tier, --search dram those of the chip, "
        "--metrics a,b plans your own list.",
        text.width);
  }
  WriteRest(out, answer, text);
  return out.str();
}

// --- JSON ----------------------------------------------------------------------------------------

using Json = nlohmann::ordered_json;

Json ToJson(const std::vector<CatalogueMetric>& metrics) {
  Json list = Json::array();
  for (const CatalogueMetric& metric : metrics) {
    list.push_back({{"name", metric.name},
                    {"kind", metric.kind},
                    {"hardware", metric.hardware},
                    {"unit", metric.unit},
                    {"description", metric.description}});
  }
  return list;
}

std::string JsonText(const CatalogueAnswer& answer, const MetricsOptions& options) {
  Json tiers = Json::array(), throughputs = Json::array();
  for (const CatalogueTier& tier : answer.tiers) {
    Json groups = Json::array();
    for (const CatalogueGroup& group : tier.groups) {
      groups.push_back({{"cost_class", group.cost_class},
                        {"sample_cost_ns", group.sample_cost_ns},
                        {"metrics", ToJson(group.metrics)}});
    }
    tiers.push_back({{"name", tier.name},
                     {"level", TextOf(tier.name).level},
                     {"passes", tier.groups.size()},
                     {"sample_cost_ns", CostNs(tier)},
                     {"total_cost_ns", CostNs(tier) * options.samples},
                     {"groups", groups}});
  }
  for (const cupti::CatalogueThroughput& throughput : answer.throughputs) {
    throughputs.push_back({{"metric", throughput.metric},
                           {"parts", throughput.parts},
                           {"missing", throughput.missing}});
  }
  const Json json = {{"schema", 1},
                     {"chip", answer.chip},
                     {"chip_source", answer.chip_source},
                     {"chips", answer.chips},
                     {"cupti_version", answer.cupti_version},
                     {"samples", options.samples},
                     {"cost_source", kCostSource},
                     {"tiers", tiers},
                     {"throughputs", throughputs},
                     {"left_out", answer.left_out},
                     {"found", ToJson(answer.found)}};
  return json.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

int Fail(const std::string& what, std::string fix) {
  if (!fix.empty()) fix[0] = static_cast<char>(std::toupper(static_cast<unsigned char>(fix[0])));
  std::cerr << "prof: " << what << ". " << fix << '\n';
  return kFailed;
}

}  // namespace

int MetricsCommand(const MetricsOptions& options) {
  cupti::CatalogueQuestion question;
  question.chip = options.chip;
  question.tier = options.tier;
  question.metrics = SplitList(options.metrics);
  if (!options.search.empty()) {
    try {
      const std::regex pattern(options.search);
      question.search = [pattern](const std::string& name) {
        return std::regex_search(name, pattern);
      };
    } catch (const std::regex_error& error) {
      return Fail("'" + options.search + "' is no regular expression: " + error.what(),
                  "Try a part of a name, such as dram or ^sm__inst");
    }
  }
  const CatalogueAnswer answer = cupti::AskCatalogue(question);
  if (!answer.error.empty()) return Fail(answer.error, answer.fix);
  if (question.search && answer.found.empty() && !options.json) {
    return Fail("no metric of " + answer.chip + " matches '" + options.search + "'",
                "prof metrics --search . lists all of them");
  }
  std::cout << (options.json ? JsonText(answer, options) : Text(answer, options)) << std::flush;
  if (std::cout) return 0;
  return Fail("cannot write to standard output", "Is the disk full?");
}

}  // namespace prof::cli
