// SPDX-License-Identifier: Apache-2.0
//
// The doctor's checks judge the facts of a machine: what of a recording will work, and how to get
// the rest.
#ifndef PROF_LIB_CLI_DOCTOR_DOCTOR_CHECKS_H_
#define PROF_LIB_CLI_DOCTOR_DOCTOR_CHECKS_H_

#include <string>
#include <vector>

#include "lib/cli/doctor/doctor_facts.h"

namespace prof::cli {

enum class Health {
  kGood,
  kLimited,  // recording works, and lacks something
  kBad       // nothing can be recorded
};

struct Check {
  Health health = Health::kGood;
  std::string subject;  // "driver"
  std::string finding;  // "580.159.04"
  std::string fix;      // how to get it; empty where all is well
};

// In the order in which one needs the other.
[[nodiscard]] std::vector<Check> ChecksOf(const DoctorFacts& facts);

// "timeline", "counters", "PM sampling": each with whether it will work, and why not.
[[nodiscard]] std::vector<Check> ExpectedParts(const DoctorFacts& facts);

// The worst of them.
[[nodiscard]] Health WorstOf(const std::vector<Check>& checks);

}  // namespace prof::cli

#endif  // PROF_LIB_CLI_DOCTOR_DOCTOR_CHECKS_H_
