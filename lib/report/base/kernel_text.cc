// SPDX-License-Identifier: Apache-2.0
#include "lib/report/base/kernel_text.h"

#include <algorithm>
#include <cmath>
#include <string_view>
#include <utility>

#include "lib/report/base/strings.h"
#include "lib/text/numbers.h"
#include "lib/text/strings.h"

namespace prof::report {
namespace {

// The columns of the tables. Shared memory uses L1's data path, and a kernel has one of the two.
struct UnitColumn {
  Unit unit;
  const char* heading;
  int dispensable;  // as in Column, counted from the caller's number; -1: never left out
};
constexpr UnitColumn kUnitColumns[] = {{Unit::kDram, "DRAM", -1},
                                       {Unit::kL2, "L2", -1},
                                       {Unit::kL1, "L1", -1},
                                       {Unit::kTensor, "tensor", 1},
                                       {Unit::kFma, "FMA", 0}};

const UnitUse* InColumn(const Measured& counters, Unit column) {
  const UnitUse* const use = counters.Find(column);
  return use == nullptr && column == Unit::kL1 ? counters.Find(Unit::kShared) : use;
}

std::string Dimensions(const std::array<uint32_t, 3>& size) {
  if (size[1] <= 1 && size[2] <= 1) return std::to_string(size[0]);
  std::string text = "(" + std::to_string(size[0]) + "," + std::to_string(size[1]);
  if (size[2] > 1) text += "," + std::to_string(size[2]);
  return text + ")";
}

std::string Sentence(std::string text) {
  if (!text.empty() && text.back() != '.') text += '.';
  return text;
}

// "4.36 TB/s of 4.81 TB/s (91 %)"
std::string OfPeak(double value, const std::optional<double>& peak, const std::string& unit) {
  std::string line = text::Rate(value, unit);
  if (peak && *peak > 0)
    line += " of " + text::Rate(*peak, unit) + " (" + text::ShortPercent(value / *peak) + ")";
  return line;
}

std::string Operations(double count) { return text::Rate(count, "op"); }

// Ratios of two passes can exceed 100 % (a hit rate of 114 % was seen); such a number is not
// printed.
constexpr double kBelievable = 1.005;

}  // namespace

void AddUnitColumns(int dispensable, std::vector<Column>* columns) {
  for (const UnitColumn& column : kUnitColumns) {
    const int number = column.dispensable < 0 ? 0 : dispensable + column.dispensable;
    columns->push_back({column.heading, Align::kRight, 0, number});
  }
  columns->push_back({"n", Align::kRight, 0, dispensable + 2});
}

void AddUnitCells(const Measured& counters, std::vector<std::string>* cells) {
  int64_t n = 0;
  for (const UnitColumn& column : kUnitColumns) {
    const UnitUse* const use = InColumn(counters, column.unit);
    cells->push_back(PercentCell(use == nullptr ? std::nullopt : std::optional(use->of_peak)));
    if (use != nullptr) n = std::max(n, use->n);
  }
  cells->push_back(text::Count(n));
}

std::string CoveredTime(const Report& report) {
  const bool any = std::any_of(
      report.kernels.begin(), report.kernels.end(),
      [](const KernelReport& kernel) { return kernel.verdict.limiter == Limiter::kCommunication; });
  return any ? "the kernel time without communication" : "the kernel time";
}

std::string OfLongerRun(const Report& report) {
  constexpr double kLeast = 0.001;
  const double later = report.verdicts.later;
  return later < kLeast ? "" : "; a longer run may add " + text::ShortPercent(later);
}

std::string LaunchShape(const KernelReport& kernel) {
  if (kernel.whole_graph) return "-";
  return Dimensions(kernel.grid) + " x " + Dimensions(kernel.block);
}

std::string OccupancyText(const KernelReport& kernel) {
  const Occupancy& occupancy = kernel.occupancy;
  std::string line;
  if (occupancy.known) {
    line = "occupancy: " + text::ShortPercent(occupancy.theoretical) + " possible";
    if (!occupancy.limited_by.empty()) {
      line += " (limited by " + text::Join(occupancy.limited_by, ", ") + ")";
    }
  }
  if (occupancy.achieved) {
    line += (line.empty() ? "occupancy: " : ", ") + text::ShortPercent(*occupancy.achieved) +
            " achieved";
  }
  if (occupancy.known && occupancy.waves > 0) {
    line += "; " + text::Grouped(occupancy.waves, 2) + " waves";
    if (occupancy.waves > 1 && occupancy.tail_lost >= 0.005) {
      line += ", of which the partial last one loses " + text::ShortPercent(occupancy.tail_lost);
    }
  }
  return line;
}

namespace {

// "measured " for a rate that a calibration reached; a peak of the chip has no word.
std::string OfCeiling(double value, const std::optional<double>& ceiling, const std::string& from,
                      const std::string& unit) {
  const bool is_measured = from.find("measured") != std::string::npos;
  if (!is_measured || !ceiling || !(*ceiling > 0)) return OfPeak(value, ceiling, unit);
  return text::Rate(value, unit) + " of the measured " + text::Rate(*ceiling, unit) + " (" +
         text::ShortPercent(value / *ceiling) + ")";
}

const RooflineLevel* LevelOf(const Roofline& roofline, std::string_view name) {
  const auto& levels = roofline.levels;
  const auto found = std::find_if(levels.begin(), levels.end(), [&](const RooflineLevel& level) {
    return level.level == name && level.bytes_per_s;
  });
  return found == levels.end() ? nullptr : &*found;
}

struct LevelName {
  std::string_view level;
  const char* name;
};
constexpr LevelName kLevelNames[] = {{"l1", "L1"}, {"l2", "L2"}, {"dram", "DRAM"}};

std::string RoofText(const std::string& roof, double flops_per_byte,
                     const std::optional<double>& ridge, const std::string& of,
                     const std::optional<double>& of_attainable) {
  std::string text = text::Grouped(flops_per_byte, flops_per_byte < 100 ? 2 : 0) + " flop/byte";
  text += of.empty() ? "" : " of " + of;
  if (!roof.empty()) text += ", under the " + roof + " roof";
  if (!roof.empty() && ridge) text += " (they meet at " + text::Grouped(*ridge, 1) + ")";
  if (of_attainable) text += ": " + text::ShortPercent(*of_attainable) + " of it";
  return text;
}

// The intensity, with the lowest roof above it and the distance to that.
std::string IntensityText(const Roofline& roofline) {
  for (const LevelName& row : kLevelNames) {
    const RooflineLevel* const level = LevelOf(roofline, row.level);
    if (roofline.bound_by != row.level || level == nullptr || !level->flops_per_byte) continue;
    return RoofText(row.name, *level->flops_per_byte, level->ridge, row.name,
                    roofline.of_attainable);
  }
  if (!roofline.flops_per_byte) return "";
  const RooflineLevel* const dram = LevelOf(roofline, "dram");
  std::optional<double> ridge = dram != nullptr ? dram->ridge : std::nullopt;
  const std::optional<double>& peak = roofline.dram_peak_bytes_per_s;
  if (!ridge && roofline.flop_peak_per_s && peak && *peak > 0) {
    ridge = *roofline.flop_peak_per_s / *peak;
  }
  if (!ridge) return RoofText("", *roofline.flops_per_byte, ridge, "", std::nullopt);
  const bool is_compute = roofline.bound_by == "compute";
  const bool is_dram = !is_compute && *roofline.flops_per_byte < *ridge;
  return RoofText(is_dram ? "DRAM" : "compute", *roofline.flops_per_byte, ridge,
                  is_compute ? "DRAM" : "", is_compute ? roofline.of_attainable : std::nullopt);
}

}  // namespace

std::string RooflineText(const Roofline& roofline) {
  std::vector<std::string> parts;
  for (const LevelName& row : kLevelNames) {
    const RooflineLevel* const level = LevelOf(roofline, row.level);
    if (level != nullptr) {
      parts.push_back(
          std::string(row.name) + " " +
          OfCeiling(*level->bytes_per_s, level->ceiling_bytes_per_s, level->ceiling, "B/s"));
    } else if (row.level == "dram" && roofline.dram_bytes_per_s) {
      parts.push_back("DRAM " +
                      OfPeak(*roofline.dram_bytes_per_s, roofline.dram_peak_bytes_per_s, "B/s"));
    }
  }
  if (roofline.flops_per_s) {
    parts.push_back(roofline.flop_kind + (roofline.flop_kind.empty() ? "" : " ") +
                    OfCeiling(*roofline.flops_per_s, roofline.flop_peak_per_s,
                              roofline.flop_ceiling, "flop/s"));
  }
  if (std::string intensity = IntensityText(roofline); !intensity.empty()) {
    parts.push_back(std::move(intensity));
  }
  return parts.empty() ? "" : "roofline: " + text::Join(parts, "; ");
}

std::string FlopsText(const KernelReport& kernel) {
  std::vector<std::string> kinds;
  for (const FlopCount& count : kernel.flops) {
    if (!(count.per_launch > 0)) continue;
    std::string line = count.kind + " " + Operations(count.per_launch);
    if (count.per_s) line += " at " + OfPeak(*count.per_s, count.peak_per_s, "op/s");
    kinds.push_back(line);
  }
  return kinds.empty() ? "" : "operations per launch: " + text::Join(kinds, "; ");
}

std::string CodeText(const KernelReport& kernel) {
  if (!kernel.code) return "";
  const KernelCode& code = *kernel.code;
  std::string result = text::Count(code.instructions.all) + " instructions";
  if (code.instructions.in_loops > 0) {
    result += ", " + text::Count(code.instructions.in_loops) + " of them in loops";
  }
  std::vector<std::string> kinds;
  for (const KernelCode::Kind& kind : code.kinds()) {
    const KernelCode::Count& count = kind.count;
    if (count.all == 0) continue;
    kinds.push_back(std::string(kind.words) + " " + text::Count(count.all));
    if (count.in_loops > 0) kinds.back() += " (" + text::Count(count.in_loops) + " in loops)";
  }
  if (!kinds.empty()) result += ": " + text::Join(kinds, ", ");
  if (code.calls_others) result += "; functions that it calls elsewhere are not counted";
  return result;
}

std::string TimeSource(const KernelReport& kernel) {
  if (!kernel.duration_from_counters) return "";
  return "time by the counter (gpu__time_duration, n = " + text::Count(kernel.duration_ns.n) +
         "), not the timeline: prof kept its launches out of the trace";
}

std::string PercentCell(const std::optional<double>& fraction) {
  if (!fraction || !std::isfinite(*fraction)) return "-";
  if (*fraction > kBelievable) return "?";
  return text::Grouped(100 * std::min(*fraction, 1.0), 0);
}

namespace {

// "medium: it has 2 samples"; at most the two gravest doubts.
std::string ConfidenceText(const Verdict& verdict) {
  std::string text = ToString(verdict.confidence);
  for (size_t i = 0; i < std::min<size_t>(2, verdict.doubts.size()); ++i) {
    text += (i == 0 ? ": " : "; ") + Printable(verdict.doubts[i].text);
  }
  return text;
}

}  // namespace

std::vector<std::string> VerdictText(const Verdict& verdict, double total_ns) {
  std::vector<std::string> paragraphs;
  if (verdict.limiter == Limiter::kNotMeasured) {
    const std::string why = Printable(verdict.missing.empty() ? verdict.summary : verdict.missing);
    paragraphs.push_back("not measured: " + Sentence(why));
    return paragraphs;
  }
  std::string what = ToString(verdict.limiter);
  what += " (confidence " + ConfidenceText(verdict) + ")";
  if (!verdict.summary.empty()) what += ": " + Sentence(Printable(verdict.summary));
  if (!verdict.evidence.empty()) {
    what += " Evidence: " + Sentence(Printable(text::Join(verdict.evidence, "; ")));
  }
  if (!verdict.runner_up.empty()) what += " Next: " + Sentence(Printable(verdict.runner_up));
  paragraphs.push_back(what);
  if (!verdict.notes.empty()) {
    paragraphs.push_back("also: " + Sentence(Printable(text::Join(verdict.notes, "; "))));
  }
  if (!verdict.action.empty()) {
    std::string action = "do: " + Sentence(Printable(verdict.action));
    if (verdict.gain_at_most > 0) {
      action += " At most " + text::ShortPercent(verdict.gain_at_most) + " of its time, " +
                text::Time(verdict.gain_at_most * total_ns) + " in all";
      action += verdict.gain_formula.empty() ? "." : ": " + Sentence(verdict.gain_formula);
    }
    paragraphs.push_back(action);
  }
  if (!verdict.missing.empty()) {
    paragraphs.push_back("would decide: " + Sentence(Printable(verdict.missing)));
  }
  return paragraphs;
}

}  // namespace prof::report
