// SPDX-License-Identifier: Apache-2.0
//
// The parts that verdicts are made of: names, evidence lines, confidence. A line is added only when
// its metric was measured.
#ifndef PROF_LIB_ANALYZER_RULES_RULE_EVIDENCE_H_
#define PROF_LIB_ANALYZER_RULES_RULE_EVIDENCE_H_

#include <string>
#include <string_view>

#include "lib/analyzer/rules/rule_inputs.h"
#include "prof/report.h"

namespace prof::analyzer {

std::string_view NameOf(Unit unit);
std::string Use(const UnitUse& unit);  // "DRAM 91.3 % of peak"

// High: a winner of at least 80 % with a margin, enough launches that are long enough, and nothing
// doubtful; one level less for each thing that is missing.
Confidence Judge(const Facts& facts, double winner, double margin, double samples);
double SamplesOf(const Facts& facts, std::string_view metric);

void Say(const Facts& facts, std::string_view label, std::string_view unit, std::string_view metric,
         Verdict* verdict, double scale = 1);
void SayUnit(const Facts& facts, const UnitUse& unit, Verdict* verdict);
void SayTraffic(const Facts& facts, Verdict* verdict);
void SayMemoryAccess(const Facts& facts, Verdict* verdict);
void SayWarps(const Facts& facts, Verdict* verdict);
void SayGrid(const Facts& facts, Verdict* verdict);
void SayActivity(const Facts& facts, Verdict* verdict);
void SayStalls(const Facts& facts, Verdict* verdict);

}  // namespace prof::analyzer

#endif  // PROF_LIB_ANALYZER_RULES_RULE_EVIDENCE_H_
