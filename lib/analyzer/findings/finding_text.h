// SPDX-License-Identifier: Apache-2.0
//
// The sentences that several findings share: where most of a time is, and how to check a gain.
#ifndef PROF_LIB_ANALYZER_FINDINGS_FINDING_TEXT_H_
#define PROF_LIB_ANALYZER_FINDINGS_FINDING_TEXT_H_

#include <map>
#include <string>

#include "lib/analyzer/findings/finding_inputs.h"

namespace prof::analyzer {

// Nanoseconds by the name of a place.
using TimeByPlace = std::map<std::string, double>;

// "51.4 ms of 75.5 ms (68 %) in range layer/qkv_proj": the place with most of `total_ns`, however
// little it has. Empty without a place.
[[nodiscard]] std::string MostOf(const TimeByPlace& times, double total_ns,
                                 const std::string& before_the_name);

// "range layer/qkv_proj"; "no range".
[[nodiscard]] std::string RangeName(const model::Model& model, uint32_t path);
// The name of a call without its version. `name`: index into Model::strings.
[[nodiscard]] std::string CallName(const model::Model& model, uint32_t name);

// "3.210 s" after the recording began: enough digits to find the moment in a long run.
[[nodiscard]] std::string MomentText(const RunInputs& inputs, int64_t time_ns);
// "12.1 ms (3.4 % of the span)"
[[nodiscard]] std::string WithShare(const RunInputs& inputs, double time_ns);

// Adds that much of the launch gaps is from the time in which counters were sampled, where launches
// took longer or the rest of the run has hardly any. Then the finding is of low confidence.
void AddSamplingCost(const RunInputs& inputs, Finding* finding);

// The command that would show what a change of the host's side saves.
inline constexpr char kCheckTimeline[] =
    "prof run --counters none, before and after the change: compare the idle time of both reports";
// The command that decides what counters of launches may have caused.
inline constexpr char kCheckWithoutCounters[] =
    "prof run --counters none shows what is left without the counters";

}  // namespace prof::analyzer

#endif  // PROF_LIB_ANALYZER_FINDINGS_FINDING_TEXT_H_
