// SPDX-License-Identifier: Apache-2.0
//
// A file of ceilings: what devices reached in a calibration. examples/ceilings writes it.
#ifndef PROF_LIB_ANALYZER_CEILINGS_FILE_H_
#define PROF_LIB_ANALYZER_CEILINGS_FILE_H_

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "lib/snapshot/model/model.h"

namespace prof::analyzer {

struct CeilingRow {
  std::string device;  // its name as CUDA has it
  uint32_t sm_count = 0;
  model::Ceiling ceiling;
};

struct Ceilings {
  std::string error;  // not empty: why the text is no file of ceilings; `rows` is empty
  std::vector<CeilingRow> rows;
};

// CSV with a head of "device,sm_count,kind,per_s,n,min,max,sm_clock_hz". Rates are per second, the
// clock is in Hz (0: not known). A rate that is no positive number is an error with its line.
[[nodiscard]] Ceilings ParseCeilings(std::string_view text);

// Gives each device of the model the ceilings of its name and number of SMs. A kind that the
// recording has itself stays. Returns how many it added.
int AddCeilings(const std::vector<CeilingRow>& rows, model::Model* model);

}  // namespace prof::analyzer

#endif  // PROF_LIB_ANALYZER_CEILINGS_FILE_H_
