// SPDX-License-Identifier: Apache-2.0
#include "lib/cli/metrics/metrics_command.h"

#include <CLI/CLI.hpp>
#include <iostream>
#include <memory>
#include <regex>
#include <sstream>
#include <string>
#include <vector>

#include "cupti_backend/metrics/metric_catalogue.h"
#include "lib/cli/base/help_format.h"
#include "lib/cli/base/message.h"
#include "lib/cli/base/recording_file.h"
#include "lib/cli/metrics/metrics_cupti.h"
#include "lib/cli/metrics/metrics_json.h"
#include "lib/cli/metrics/metrics_levels.h"
#include "lib/cli/metrics/metrics_options.h"
#include "lib/cli/metrics/metrics_text.h"

namespace prof::cli {
namespace {

std::vector<std::string> SplitList(const std::string& list) {
  std::vector<std::string> names;
  std::istringstream in(list);
  for (std::string name; std::getline(in, name, ',');) {
    if (!name.empty()) names.push_back(name);
  }
  return names;
}

int RunMetrics(const MetricsOptions& options) {
  cupti::CatalogueQuestion question;
  question.chip = options.chip;
  if (!options.level.empty()) {
    if (LevelNamed(options.level) == nullptr) {
      return Fail("there is no level '" + options.level + "': name one of " + LevelNames());
    }
    question.level = options.level;
  }
  question.metrics = SplitList(options.metrics);
  if (!options.search.empty()) {
    try {
      const std::regex pattern(options.search);
      question.search = [pattern](const std::string& name) {
        return std::regex_search(name, pattern);
      };
    } catch (const std::regex_error& error) {
      return Fail("--search '" + options.search + "' is not a regular expression: " + error.what() +
                  ". Try a part of a name, such as dram or ^sm__inst");
    }
  }
  const cupti::CatalogueAnswer answer = AskCupti(question);
  if (!answer.error.empty()) return Fail(answer.error + ": " + answer.fix);
  if (question.search && answer.found.empty() && !options.json) {
    return Fail("no metric of " + answer.chip + " matches '" + options.search +
                "': prof metrics --search . lists all of them");
  }
  if (!WriteOutput(options.json ? MetricsJson(answer, options) : MetricsText(answer, options),
                   "")) {
    return kFailed;
  }
  // A user's own metric that is not there is an error; a level has those that the chip has.
  if (question.metrics.empty() || answer.left_out.empty()) return 0;
  for (const std::string& reason : answer.left_out) Fail(reason);
  return kFailed;
}

}  // namespace

Command AddMetricsCommand(CLI::App* app) {
  const auto options = std::make_shared<MetricsOptions>();
  CLI::App* parser = app->add_subcommand(
      "metrics", "Print what counters a GPU has, in how many passes, at what cost; needs no GPU");
  parser->formatter(std::make_shared<HelpFormat>("prof metrics [options]"));
  parser
      ->add_option("--chip", options->chip,
                   "GH100, GB202, ... (default: the chip of the first GPU)")
      ->type_name("NAME");
  CLI::Option* level =
      parser
          ->add_option("--level", options->level, "List the metrics of one level: " + LevelNames())
          ->type_name("LEVEL");
  CLI::Option* search =
      parser->add_option("--search", options->search, "List the chip's metrics whose name matches")
          ->type_name("REGEX");
  parser->add_option("--metrics", options->metrics, "Plan the passes of your own list: a,b,c")
      ->type_name("LIST")
      ->excludes(level)
      ->excludes(search);
  search->excludes(level);
  parser
      ->add_option("--samples", options->samples,
                   "Samples for each signature and pass group, for the cost (default: " +
                       std::to_string(options->samples) + ")")
      ->check(CLI::Range(1, 100))
      ->type_name("N");
  parser->add_flag("--json", options->json, "Print everything as JSON");
  return {parser, [options] { return RunMetrics(*options); }};
}

}  // namespace prof::cli
