// SPDX-License-Identifier: Apache-2.0
#include "lib/analyzer/base/integrity.h"

#include <utility>

#include "lib/format/losses.h"
#include "lib/text/numbers.h"

namespace prof::analyzer {
namespace {

using format::Doubt;

constexpr char kTimesInDoubt[] =
    ": times, shares and idle time are of what was recorded, and findings about gaps are withheld.";

std::string Sentence(uint64_t count, const format::IntegrityCount& row) {
  return text::Plural(text::Clamped(count), row.one, row.many) + ' ' + row.rest +
         (row.doubt == Doubt::kOperations ? kTimesInDoubt : "");
}

}  // namespace

std::string WhyIncomplete(const model::Model& model) {
  if (!model.truncation.empty()) return model.truncation;
  if (!model.after_end.empty()) return model.after_end;
  if (model.stopped_in_order || model.integrity.incomplete) return "";
  return "The capture was not stopped in order (the program was killed, or did not call Stop): "
         "work "
         "at its end may be missing.";
}

std::vector<std::string> IntegritySentences(const model::Model& model,
                                            int64_t samples_without_kernel,
                                            int64_t samples_without_work) {
  const prof::Integrity& integrity = model.integrity;
  std::vector<std::string> sentences;
  if (std::string why = WhyIncomplete(model); !why.empty()) sentences.push_back(std::move(why));
  for (const format::IntegrityFlag& row : format::kIntegrityFlags) {
    if (integrity.*row.flag) sentences.emplace_back(row.sentence);
  }
  for (const format::IntegrityCount& row : format::kIntegrityCounts) {
    const uint64_t count = integrity.*row.count;
    if (count != 0 && *row.rest != '\0') sentences.push_back(Sentence(count, row));
  }
  if (samples_without_kernel != 0) {
    sentences.push_back(
        text::Plural(samples_without_kernel, "counter sample", "counter samples") +
        " could not be assigned to one kernel and are not used: the kernel's record is missing, or "
        "the launch was a graph of several.");
  }
  if (samples_without_work != 0) {
    sentences.push_back(
        text::Plural(samples_without_work, "counter sample", "counter samples") +
        " of CUDA graphs or ranges are not used: none of their operations was recorded.");
  }
  return sentences;
}

std::vector<std::string> LostOperations(const model::Model& model) {
  std::vector<std::string> losses;
  for (const format::IntegrityCount& row : format::kIntegrityCounts) {
    const uint64_t count = model.integrity.*row.count;
    if (count == 0 || row.doubt != Doubt::kOperations) continue;
    losses.push_back(std::to_string(count) + " " + row.label);
  }
  for (const format::IntegrityFlag& row : format::kIntegrityFlags) {
    if (model.integrity.*row.flag) losses.emplace_back(row.label);
  }
  if (!model.truncation.empty()) losses.emplace_back("a recording whose end is missing");
  return losses;
}

bool RecordsLost(const model::Model& model) {
  for (const format::IntegrityCount& row : format::kIntegrityCounts) {
    if (row.doubt == Doubt::kOperations && model.integrity.*row.count != 0) return true;
  }
  for (const format::IntegrityFlag& row : format::kIntegrityFlags) {
    if (row.loses_records && model.integrity.*row.flag) return true;
  }
  return !model.truncation.empty();
}

uint64_t LostRangeEvents(const model::Model& model) {
  uint64_t lost = 0;
  for (const format::IntegrityCount& row : format::kIntegrityCounts) {
    if (row.doubt == Doubt::kRanges) lost += model.integrity.*row.count;
  }
  return lost;
}

}  // namespace prof::analyzer
