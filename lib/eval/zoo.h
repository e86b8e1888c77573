// SPDX-License-Identifier: Apache-2.0
//
// The zoo: kernels whose limit is known, with what was measured of them. A folder of JSON files,
// which bench/zoo writes. A file of format 1 has counters of its kernels; one of format 2 has
// labels by intervention, and names recordings beside it.
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
  std::vector<std::string> same;  // other ids of the same change
};

// d log(time) / d log(amount of a resource), with the ends of its interval of 95 %.
struct Elasticity {
  std::string resource;
  double value = 0, low = 0, high = 0;
};

// The kernel was changed, and timed before and after.
struct MeasuredPair {
  bool is_fix = false;                 // else a decoy: advice that is right for another kernel
  std::string action;                  // id of the advice that the change follows
  double gain = 0, low = 0, high = 0;  // a part of the time before; < 0: slower; 95 %
  std::vector<std::string> same;       // other ids of the same change
};

// Whether the advice `id` is the change that was tried: `action`, or another id of it.
[[nodiscard]] bool IsChange(const std::string& id, const std::string& action,
                            const std::vector<std::string>& same);

struct Label {
  std::vector<std::string> limiters;  // that are right, the most fitting first
  std::vector<std::string> rules;     // not empty: the rule that must find it, for a planted waste
  std::vector<std::string> helpful;   // ids of actions
  std::vector<std::string> harmful;   // of actions that cost work and gain nothing here
  std::optional<KnownGain> saves;
  std::string why;  // not empty: what is doubtful about the label
  // Of a label by intervention; else empty.
  std::vector<Elasticity> elasticities;
  std::vector<MeasuredPair> pairs;
};

struct LabelledKernel {
  std::string file;
  model::Device device;
  KernelReport kernel;  // launches and counters: no units, no verdict
  Metrics ncu;          // the same metrics by Nsight Compute; empty: it was not run
  Label label;
  // Of format 2, where `kernel` has its name alone: what a recording reports about it, with its
  // verdict. Empty: the recordings of that form lack it.
  bool is_recorded = false;
  std::string family;  // what it is, for people
  std::optional<KernelReport> with_all, with_default;
  bool all_was_recorded = true, default_was_recorded = true;  // the form, of its draw
};

struct Zoo {
  std::string error;  // not empty: a file cannot be read; all else is empty
  std::vector<LabelledKernel> kernels;
};

// All *.json of the folder, by name, and the recordings that they name; a list of timelines
// (recorded_timelines.h) has no kernels. Reads files.
[[nodiscard]] Zoo ReadZoo(const std::string& folder);

}  // namespace prof::eval

#endif  // PROF_LIB_EVAL_ZOO_H_
