// SPDX-License-Identifier: Apache-2.0
//
// The zoo: kernels whose limit is known, with what was measured of them. A folder of JSON files,
// which bench/zoo writes.
#ifndef PROF_LIB_EVAL_ZOO_H_
#define PROF_LIB_EVAL_ZOO_H_

#include <optional>
#include <string>
#include <vector>

#include "lib/snapshot/model/model.h"
#include "prof/kernel_report.h"

namespace prof::eval {

// A change whose gain is known, by measurement or arithmetic.
struct KnownGain {
  std::string action;  // id
  double part = 0;     // of the time, 0..1
  std::string source;
};

struct Label {
  std::vector<std::string> limiters;  // that are right, the most fitting first
  std::vector<std::string> rules;     // not empty: the rule that must find it, for a planted waste
  std::vector<std::string> helpful;   // ids of actions
  std::vector<std::string> harmful;   // of actions that cost work and gain nothing here
  std::optional<KnownGain> saves;
  std::string why;  // not empty: what is doubtful about the label
};

struct LabelledKernel {
  std::string file;
  model::Device device;
  KernelReport kernel;  // launches and counters: no units, no verdict
  Metrics ncu;          // the same metrics by Nsight Compute; empty: it was not run
  Label label;
};

struct Zoo {
  std::string error;  // not empty: a file cannot be read; all else is empty
  std::vector<LabelledKernel> kernels;
};

// All *.json of the folder, by name. Reads files.
[[nodiscard]] Zoo ReadZoo(const std::string& folder);

}  // namespace prof::eval

#endif  // PROF_LIB_EVAL_ZOO_H_
