// SPDX-License-Identifier: Apache-2.0
#include "lib/compare/compare_json.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <filesystem>
#include <fstream>
#include <limits>
#include <nlohmann/json.hpp>
#include <optional>
#include <ostream>
#include <sstream>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>
#include <vector>

#include "lib/compare/limit.h"
#include "lib/text/strings.h"

namespace prof {
namespace {

using Json = nlohmann::ordered_json;

Json Number(double value) { return std::isfinite(value) ? Json(value) : Json(nullptr); }
Json Number(const std::optional<double>& value) { return value ? Number(*value) : Json(nullptr); }

Json Numbers(const std::vector<double>& values) {
  Json list = Json::array();
  for (const double value : values) list.push_back(Number(value));
  return list;
}

Json ToJson(const Statistic& value) {
  return {{"n", value.n},
          {"median", Number(value.median)},
          {"min", Number(value.min)},
          {"max", Number(value.max)},
          {"sum", Number(value.sum)}};
}

Json ToJson(const std::optional<Modes>& modes) {
  if (!modes) return nullptr;
  return {{"low", modes->low}, {"high", modes->high}, {"share_of_high", modes->share_of_high}};
}

Json ToJson(const Compared& c) {
  return {{"name", c.name},
          {"before", ToJson(c.before)},
          {"after", ToJson(c.after)},
          {"modes_before", ToJson(c.modes_before)},
          {"modes_after", ToJson(c.modes_after)},
          {"ratio", Number(c.ratio.value)},
          {"low", c.ratio.is_interval ? Number(c.ratio.low) : Json(nullptr)},
          {"high", c.ratio.is_interval ? Number(c.ratio.high) : Json(nullptr)},
          {"level", c.level},
          {"corrected", c.corrected},
          {"noise", Number(c.noise)},
          {"noise_from", c.noise_from},
          {"threshold", c.threshold},
          {"tested", c.tested},
          {"change", ToString(c.change)},
          {"why", c.why},
          {"runs_needed", c.runs_needed}};
}

// A time of the run: what moved stands with it. Of a kernel it stands with the kernel.
Json OfRun(const std::vector<Compared>& run) {
  Json list = Json::array();
  for (const Compared& one : run) {
    Json json = ToJson(one);
    json["explanation"] = one.explanation;
    list.push_back(std::move(json));
  }
  return list;
}

Json ToJson(const std::optional<Normalization>& normalized) {
  if (!normalized) return nullptr;
  return {{"factor", normalized->factor}, {"by", normalized->by}, {"why", normalized->why}};
}

Json ToJson(const ComparedWork& work) {
  return {{"change", ToString(work.change)},
          {"counter", work.counter},
          {"ratio", Number(work.ratio)},
          {"why", work.why}};
}

Json ToJson(const Metrics& metrics) {
  Json json = Json::object();
  for (const auto& [name, statistic] : metrics) json[name] = ToJson(statistic);
  return json;
}

Json ToJson(const KernelChange& kernel) {
  Json counters = Json::array();
  for (const CounterChange& c : kernel.counters) {
    counters.push_back({{"metric", c.metric},
                        {"words", c.words},
                        {"before", c.before},
                        {"after", c.after},
                        {"moved", c.moved},
                        {"exact", c.exact},
                        {"spread", Number(c.spread)},
                        {"values", c.values},
                        {"certain", c.certain},
                        {"weight", Number(c.weight)}});
  }
  return {{"name", kernel.name},
          {"range", kernel.range},
          {"device", kernel.device},
          {"matched", ToString(kernel.matched)},
          {"confidence", ToString(kernel.confidence)},
          {"match_why", kernel.match_why},
          {"time", ToJson(kernel.time)},
          {"normalized", ToJson(kernel.normalized)},
          {"cycles", kernel.cycles ? ToJson(*kernel.cycles) : Json(nullptr)},
          {"work", ToJson(kernel.work)},
          {"total_before_ns", Number(kernel.total_before_ns)},
          {"total_after_ns", Number(kernel.total_after_ns)},
          {"launches_before", Number(kernel.launches_before)},
          {"launches_after", Number(kernel.launches_after)},
          {"counters", counters},
          {"explanation", kernel.explanation}};
}

// --- The baseline --------------------------------------------------------------------------------

Json ToJson(const LevelCeiling& ceiling) {
  return {{"bytes_per_s", ceiling.bytes_per_s}, {"measured", ceiling.measured}};
}

Json ToJson(const KernelLimit& limit) {
  Json mixed = Json::array();
  for (const Unit unit : limit.mixed) mixed.push_back(ToString(unit));
  return {{"limiter", ToString(limit.limiter)},
          {"mixed", mixed},
          {"dram", ToJson(limit.dram)},
          {"l2", ToJson(limit.l2)},
          {"run_clock_hz", limit.run_clock_hz}};
}

Json ToJson(const KernelRuns& kernel) {
  return {{"name", kernel.name},
          {"full_name", kernel.full_name},
          {"range", kernel.range},
          {"device", kernel.device},
          {"grid", kernel.grid},
          {"block", kernel.block},
          {"resources_known", kernel.resources_known},
          {"registers_per_thread", kernel.registers_per_thread},
          {"local_known", kernel.local_known},
          {"local_bytes_per_thread", kernel.local_bytes_per_thread},
          {"static_shared_bytes", kernel.static_shared_bytes},
          {"dynamic_shared_bytes", kernel.dynamic_shared_bytes},
          {"position", kernel.position},
          {"limit", ToJson(kernel.limit)},
          {"noise", Number(kernel.noise)},
          {"noise_runs", kernel.noise_runs},
          {"launch_noise", Number(kernel.launch_noise)},
          {"launch_modes", ToJson(kernel.launch_modes)},
          {"time_ns", Numbers(kernel.time_ns)},
          {"total_ns", Numbers(kernel.total_ns)},
          {"launches", Numbers(kernel.launches)},
          {"cycles", Numbers(kernel.cycles)},
          {"metrics", ToJson(kernel.metrics)},
          {"launch_metrics", ToJson(kernel.launch_metrics)}};
}

Json ToJson(const RunQuantity& quantity) {
  return {{"kind", ToString(quantity.kind)},
          {"name", quantity.name},
          {"noise", Number(quantity.noise)},
          {"noise_runs", quantity.noise_runs},
          {"values_ns", Numbers(quantity.values_ns)}};
}

Json ToJson(const RunSet& set);

template <typename Item>
Json List(const std::vector<Item>& items) {
  Json list = Json::array();
  for (const Item& item : items) list.push_back(ToJson(item));
  return list;
}

Json ToJson(const RunSet& set) {
  return {{"devices", set.devices},
          {"driver", set.driver},
          {"command", set.command},
          {"runs", set.runs},
          {"counted_runs", set.counted_runs},
          {"sm_clock_hz", set.sm_clock_hz},
          {"sm_count", set.sm_count},
          {"dram_peak_bytes_per_s", set.dram_peak_bytes_per_s},
          {"notes", set.notes},
          {"quantities", List(set.quantities)},
          {"kernels", List(set.kernels)}};
}

// Reading: at() and get() throw where the text is no baseline; ReadBaseline() catches.

double NumberOf(const Json& json) {
  return json.is_null() ? std::numeric_limits<double>::quiet_NaN() : json.get<double>();
}

std::optional<double> OptionalOf(const Json& json) {
  if (json.is_null()) return std::nullopt;
  return json.get<double>();
}

// One value for each run: fewer are an error of the file.
std::vector<double> ValuesOf(const Json& json, int64_t runs) {
  std::vector<double> values;
  for (int64_t i = 0; i < runs; ++i) values.push_back(NumberOf(json.at(static_cast<size_t>(i))));
  return values;
}

Statistic StatisticOf(const Json& json) {
  Statistic statistic;
  statistic.n = json.at("n").get<int64_t>();
  statistic.median = NumberOf(json.at("median"));
  statistic.min = NumberOf(json.at("min"));
  statistic.max = NumberOf(json.at("max"));
  statistic.sum = NumberOf(json.at("sum"));
  return statistic;
}

Metrics MetricsOf(const Json& json) {
  Metrics metrics;
  for (const auto& [name, value] : json.items()) metrics[name] = StatisticOf(value);
  return metrics;
}

std::optional<Modes> ModesOf(const Json& json) {
  if (json.is_null()) return std::nullopt;
  return Modes{json.at("low").get<double>(), json.at("high").get<double>(),
               json.at("share_of_high").get<double>()};
}

LevelCeiling CeilingOf(const Json& json) {
  return {json.at("bytes_per_s").get<double>(), json.at("measured").get<bool>()};
}

KernelLimit LimitOf(const Json& json) {
  KernelLimit limit;
  limit.limiter = compare::LimiterOf(json.at("limiter").get<std::string>());
  limit.mixed = compare::UnitsOf(json.at("mixed").get<std::vector<std::string>>());
  limit.dram = CeilingOf(json.at("dram"));
  limit.l2 = CeilingOf(json.at("l2"));
  json.at("run_clock_hz").get_to(limit.run_clock_hz);
  return limit;
}

KernelRuns KernelOf(const Json& json, int64_t runs) {
  KernelRuns kernel;
  json.at("name").get_to(kernel.name);
  json.at("full_name").get_to(kernel.full_name);
  json.at("range").get_to(kernel.range);
  json.at("device").get_to(kernel.device);
  json.at("grid").get_to(kernel.grid);
  json.at("block").get_to(kernel.block);
  json.at("resources_known").get_to(kernel.resources_known);
  json.at("registers_per_thread").get_to(kernel.registers_per_thread);
  json.at("local_bytes_per_thread").get_to(kernel.local_bytes_per_thread);
  // Older baselines have 0 for all kernels.
  kernel.local_known = json.value("local_known", kernel.local_bytes_per_thread > 0);
  json.at("static_shared_bytes").get_to(kernel.static_shared_bytes);
  json.at("dynamic_shared_bytes").get_to(kernel.dynamic_shared_bytes);
  json.at("position").get_to(kernel.position);
  kernel.noise = OptionalOf(json.at("noise"));
  json.at("noise_runs").get_to(kernel.noise_runs);
  kernel.launch_noise = NumberOf(json.at("launch_noise"));
  kernel.launch_modes = ModesOf(json.at("launch_modes"));
  kernel.time_ns = ValuesOf(json.at("time_ns"), runs);
  kernel.total_ns = ValuesOf(json.at("total_ns"), runs);
  kernel.launches = ValuesOf(json.at("launches"), runs);
  kernel.cycles = ValuesOf(json.at("cycles"), runs);
  kernel.metrics = MetricsOf(json.at("metrics"));
  // Older baselines have neither.
  if (json.contains("launch_metrics")) {
    kernel.launch_metrics = MetricsOf(json.at("launch_metrics"));
  }
  if (json.contains("limit")) kernel.limit = LimitOf(json.at("limit"));
  return kernel;
}

RunQuantity::Kind KindOf(const std::string& name) {
  using Kind = RunQuantity::Kind;
  for (const Kind kind : {Kind::kBusy, Kind::kIdle, Kind::kRange, Kind::kHost}) {
    if (name == ToString(kind)) return kind;
  }
  return Kind::kSpan;
}

RunQuantity QuantityOf(const Json& json, int64_t runs) {
  RunQuantity quantity;
  quantity.kind = KindOf(json.at("kind").get<std::string>());
  json.at("name").get_to(quantity.name);
  quantity.noise = OptionalOf(json.at("noise"));
  json.at("noise_runs").get_to(quantity.noise_runs);
  quantity.values_ns = ValuesOf(json.at("values_ns"), runs);
  return quantity;
}

constexpr int64_t kMostRunsOfASet = 100'000;  // a damaged file must not take all memory

RunSet SetOf(const Json& json) {
  RunSet set;
  json.at("devices").get_to(set.devices);
  json.at("driver").get_to(set.driver);
  json.at("command").get_to(set.command);
  json.at("runs").get_to(set.runs);
  if (set.runs < 1 || set.runs > kMostRunsOfASet) {
    set.error = "its number of runs is " + std::to_string(set.runs);
    return set;
  }
  json.at("counted_runs").get_to(set.counted_runs);
  json.at("sm_clock_hz").get_to(set.sm_clock_hz);
  json.at("sm_count").get_to(set.sm_count);
  set.dram_peak_bytes_per_s = json.value("dram_peak_bytes_per_s", 0.0);
  json.at("notes").get_to(set.notes);
  for (const Json& kernel : json.at("kernels")) set.kernels.push_back(KernelOf(kernel, set.runs));
  for (const Json& quantity : json.at("quantities")) {
    const auto kind = quantity.at("kind").get<std::string>();
    if (ToString(KindOf(kind)) != kind) {
      set.error = "'" + kind + "' is no quantity of a run";
      return set;
    }
    set.quantities.push_back(QuantityOf(quantity, set.runs));
  }
  return set;
}

Baseline BaselineError(std::string error) {
  Baseline baseline;
  baseline.error = std::move(error);
  return baseline;
}

constexpr char kMakeOne[] = "`prof baseline write BASELINE RECORDING...` makes one of recordings";
constexpr char kWriteAgain[] = "Restore it, or write it again with `prof baseline write`";

// The user's file, in words for a text of which byte number `byte` is the first that is no JSON.
std::string WhyNoJson(std::string_view text, size_t byte) {
  const size_t first = text.find_first_not_of(" \t\r\n");
  if (first == std::string_view::npos) {
    return std::string("it is empty, and so no baseline of prof. ") + kMakeOne;
  }
  if (text::StartsWith(text, "PROFSNAP")) {
    return std::string("it is a recording, and no baseline of prof. ") + kMakeOne;
  }
  if (text[first] != '{') {
    return std::string("it is no baseline of prof, which is JSON. ") + kMakeOne;
  }
  const std::string_view read = text.substr(0, std::min(byte, text.size()));
  const auto line = 1 + std::count(read.begin(), read.end(), '\n');
  return "it is no baseline of prof: its JSON ends or is broken in line " + std::to_string(line) +
         ". " + kWriteAgain;
}

// "key 'devices' not found" of "[json.exception.out_of_range.403] key 'devices' not found".
std::string WithoutNumber(const std::string& what) {
  const size_t end = what.find("] ");
  return text::StartsWith(what, "[json.exception") && end != std::string::npos
             ? what.substr(end + 2)
             : what;
}

Baseline BaselineOf(const Json& json) {
  if (!json.is_object() || !json.contains("prof_baseline")) {
    return BaselineError(std::string("it is no baseline of prof. ") + kMakeOne);
  }
  const int schema = json.at("prof_baseline").get<int>();
  if (schema != compare::kBaselineSchema) {
    return BaselineError("its version is " + std::to_string(schema) + ", this prof reads " +
                         std::to_string(compare::kBaselineSchema) +
                         ": write it again with `prof baseline write`");
  }
  Baseline baseline;
  for (const Json& set : json.at("sets")) {
    baseline.sets.push_back(SetOf(set));
    if (!baseline.sets.back().error.empty()) return BaselineError(baseline.sets.back().error);
  }
  return baseline;
}

constexpr auto kReplace = Json::error_handler_t::replace;  // bytes that are no UTF-8

}  // namespace

void WriteComparisonJson(std::ostream& out, const Comparison& comparison) {
  const Json json = {
      {"schema", compare::kComparisonSchema},
      {"error", comparison.error},
      {"before", comparison.before},
      {"after", comparison.after},
      {"runs_before", comparison.runs_before},
      {"runs_after", comparison.runs_after},
      {"order",
       comparison.order == RunOrder::kUnknown ? Json(nullptr) : Json(ToString(comparison.order))},
      {"overall", ToString(comparison.overall())},
      {"overall_work", ToString(comparison.overall_work())},
      {"runs_needed", comparison.runs_needed()},
      {"notes", comparison.notes},
      {"kernels", List(comparison.kernels)},
      {"run", OfRun(comparison.run)}};
  out << json.dump(1, ' ', false, kReplace) << '\n';
}

void WriteBaseline(std::ostream& out, const Baseline& baseline) {
  const Json json = {{"prof_baseline", compare::kBaselineSchema}, {"sets", List(baseline.sets)}};
  out << json.dump(1, ' ', false, kReplace) << '\n';
}

Baseline ReadBaseline(std::string_view json) {
  try {
    return BaselineOf(Json::parse(json));
  } catch (const nlohmann::json::parse_error& problem) {
    return BaselineError(WhyNoJson(json, problem.byte));
  } catch (const nlohmann::json::exception& problem) {
    return BaselineError("it is JSON, but no baseline of prof, or a damaged one (" +
                         WithoutNumber(problem.what()) + "). " + kWriteAgain);
  }
}

Baseline LoadBaseline(const std::string& path) {
  std::error_code failed;
  if (std::filesystem::is_directory(path, failed)) {
    return BaselineError("cannot read " + path + ": it is a folder. Name the baseline, a file");
  }
  std::ifstream file(path, std::ios::binary);
  if (!file) {
    return BaselineError("cannot read " + path + ": `prof baseline write " + path +
                         " RECORDING...` makes it");
  }
  std::ostringstream text;
  text << file.rdbuf();
  Baseline baseline = ReadBaseline(text.str());
  if (!baseline.error.empty()) baseline.error = "cannot read " + path + ": " + baseline.error;
  return baseline;
}

}  // namespace prof
