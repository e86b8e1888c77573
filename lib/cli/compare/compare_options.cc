// SPDX-License-Identifier: Apache-2.0
#include "lib/cli/compare/compare_options.h"

namespace prof::cli {

void AddCompareOptions(CLI::App* parser, ComparePercents* percents, CompareOptions* options) {
  parser
      ->add_option("--threshold", percents->threshold,
                   "Least change that counts, in percent (default: 5). For a kernel it is 3 times "
                   "its noise, where that is more")
      ->check(CLI::Range(0.1, 1000.0))
      ->type_name("PERCENT");
  parser
      ->add_option("--alpha", options->alpha,
                   "Chance of any false alarm, and that an interval misses (default: 0.05)")
      ->check(CLI::Range(1e-6, 0.5))
      ->type_name("CHANCE");
  parser
      ->add_option("--least-share", percents->least_share,
                   "Kernels and ranges with less than this percentage of the time are not tested "
                   "(default: 0.5)")
      ->check(CLI::Range(0.0, 100.0))
      ->type_name("PERCENT");
}

CompareOptions WithPercents(CompareOptions options, const ComparePercents& percents) {
  options.threshold = percents.threshold / 100;
  options.least_share = percents.least_share / 100;
  return options;
}

}  // namespace prof::cli
