// SPDX-License-Identifier: Apache-2.0
#include "lib/cli/report/report_conflicts.h"

#include <algorithm>
#include <array>
#include <iterator>
#include <string_view>

#include "lib/text/strings.h"

namespace prof::cli {
namespace {

// An option that decides what is printed.
struct ReportView {
  std::string_view flag, prints;
  std::array<std::string_view, 3> takes;  // beside it these have an effect
};

constexpr std::string_view kPart = "prints one part of the report";

// The first one that is given decides.
constexpr ReportView kViews[] = {
    {"--html", "writes a page of its own to its own file", {}},
    {"--json", "prints everything", {"--kernel", "--steps"}},
    {"--csv", "prints all kernels", {"--kernel"}},
    {"--kernel", kPart, {"--top"}},
    {"--range", kPart, {"--top", "--sort", "--instances"}},
    {"--ops", kPart, {"--top", "--sort"}},
    {"--shapes", kPart, {"--top", "--sort"}},
    {"--modules", kPart, {"--top", "--sort"}},
    {"--steps", kPart, {"--top"}},
    {"--by-line", kPart, {"--top"}},
    {"--source", kPart, {}},
};
constexpr std::string_view kDetails[] = {"--top", "--sort", "--details", "--instances"};

bool IsView(std::string_view flag) {
  return std::any_of(std::begin(kViews), std::end(kViews),
                     [&](const ReportView& view) { return view.flag == flag; });
}

bool HasNoEffectBeside(const ReportView& view, std::string_view flag) {
  if (flag == "--output") return view.flag == "--html";
  const bool is_known = IsView(flag) || std::find(std::begin(kDetails), std::end(kDetails), flag) !=
                                            std::end(kDetails);
  return is_known && flag != view.flag &&
         std::find(view.takes.begin(), view.takes.end(), flag) == view.takes.end();
}

}  // namespace

std::string ReportConflict(const std::vector<std::string>& given) {
  const auto is_given = [&](std::string_view flag) {
    return std::find(given.begin(), given.end(), flag) != given.end();
  };
  const ReportView* const view =
      std::find_if(std::begin(kViews), std::end(kViews),
                   [&](const ReportView& known) { return is_given(known.flag); });
  if (view == std::end(kViews)) return "";
  std::vector<std::string> without_effect;
  for (const std::string& flag : given) {
    if (HasNoEffectBeside(*view, flag)) without_effect.push_back(flag);
  }
  if (without_effect.empty()) return "";
  return std::string(view->flag) + " " + std::string(view->prints) + ": leave out " +
         text::Join(without_effect, ", ");
}

}  // namespace prof::cli
