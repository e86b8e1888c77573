// SPDX-License-Identifier: Apache-2.0
//
// The metric catalogue lists for the program prof what a chip can measure and what that costs. It
// has no type of CUPTI's, and needs no GPU.
#ifndef PROF_CUPTI_BACKEND_METRICS_METRIC_CATALOGUE_H_
#define PROF_CUPTI_BACKEND_METRICS_METRIC_CATALOGUE_H_

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

namespace prof::cupti {

struct CatalogueMetric {
  std::string name;      // "dram__bytes_read.sum", or without suffix in CatalogueAnswer::found
  std::string kind;      // "counter", "ratio", "throughput"
  std::string hardware;  // "dram"
  std::string unit;      // of the counted thing: "byte"; a suffix may relate it to something else
  std::string description;
};

// Metrics that one launch answers.
struct CatalogueGroup {
  std::vector<CatalogueMetric> metrics;
  std::string cost_class;      // "DRAM and L2"
  int64_t sample_cost_ns = 0;  // of a sampled launch, for its thread, on an H200
};

struct CatalogueLevel {
  std::string name;  // "sol"
  std::vector<CatalogueGroup> groups;
};

struct CatalogueThroughput {
  std::string metric;
  std::vector<std::string> parts;    // it is their maximum
  std::vector<std::string> missing;  // parts that need several passes themselves
};

struct CatalogueQuestion {
  std::string chip;                  // "GH100"; empty: the first GPU's, without one kAssumedChip
  std::string level;                 // "sol"; empty: all
  std::vector<std::string> metrics;  // not empty: these, as level "user", and no other
  // Set: `found` gets the names that it takes, and there are no levels.
  std::function<bool(const std::string& base_name)> search;
};

struct CatalogueAnswer {
  std::string error, fix;  // not empty: nothing else is there
  std::string cupti_path;
  uint32_t cupti_version = 0;  // 130001
  std::string chip;
  std::string chip_source;  // "of GPU 0", "as asked for", or why it was assumed
  std::vector<std::string> chips;
  std::vector<CatalogueLevel> levels;
  std::vector<CatalogueThroughput> throughputs;
  std::vector<std::string> left_out;  // "name: reason"
  std::vector<CatalogueMetric> found;
};

inline constexpr const char* kAssumedChip = "GH100";

// Loads CUPTI (and the driver, to find the GPU, when no chip is named). Up to a second.
CatalogueAnswer AskCatalogue(const CatalogueQuestion& question);

}  // namespace prof::cupti

#endif  // PROF_CUPTI_BACKEND_METRICS_METRIC_CATALOGUE_H_
