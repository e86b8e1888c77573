// SPDX-License-Identifier: Apache-2.0
//
// Numbers in sentences: "12.3 us", "1,204".
#ifndef PROF_LIB_ANALYZER_BASE_NUMBER_TEXT_H_
#define PROF_LIB_ANALYZER_BASE_NUMBER_TEXT_H_

#include <cstdint>
#include <string>

namespace prof::analyzer {

// Three significant digits and a unit: "850 ns", "12.3 us", "1.50 ms", "3.20 s".
std::string FormatNs(double ns);
// With thousands separators.
std::string FormatCount(uint64_t count);
// "1 copy", "2 copies".
std::string Plural(uint64_t count, const char* one, const char* many);
// Printf's "%.*f".
std::string FormatFixed(double value, int decimals);
// Bytes with a decimal unit: "512 B", "1.50 GB".
std::string FormatBytes(double bytes);

}  // namespace prof::analyzer

#endif  // PROF_LIB_ANALYZER_BASE_NUMBER_TEXT_H_
