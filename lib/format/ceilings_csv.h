// SPDX-License-Identifier: Apache-2.0
//
// The CSV of ceilings: what devices reached in a calibration. examples/ceilings writes it. The
// capture half reads it into each recording, and `prof report --ceilings` into one.
#ifndef PROF_LIB_FORMAT_CEILINGS_CSV_H_
#define PROF_LIB_FORMAT_CEILINGS_CSV_H_

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace prof::format {

struct CeilingRow {
  std::string device;  // its name as CUDA has it
  uint32_t sm_count = 0;
  std::string kind;  // lib/format/ceilings.h
  double per_s = 0;
  uint32_t n = 0;
  double min = 0, max = 0, sm_clock_hz = 0;
};

struct CeilingsCsv {
  std::string error;  // not empty: why the text has no ceilings; `rows` is empty
  std::vector<CeilingRow> rows;
};

// CSV with a head of "device,sm_count,kind,per_s,n,min,max,sm_clock_hz". Rates are per second, the
// clock is in Hz (0: not known). A rate that is no positive number is an error with its line.
[[nodiscard]] CeilingsCsv ParseCeilings(std::string_view text);

}  // namespace prof::format

#endif  // PROF_LIB_FORMAT_CEILINGS_CSV_H_
