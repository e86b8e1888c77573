// SPDX-License-Identifier: Apache-2.0
//
// The ceilings of a file, for the devices of a recording that has none.
#ifndef PROF_LIB_ANALYZER_DEVICE_CEILINGS_H_
#define PROF_LIB_ANALYZER_DEVICE_CEILINGS_H_

#include <vector>

#include "lib/format/ceilings_csv.h"
#include "lib/snapshot/model/model.h"

namespace prof::analyzer {

// Gives each device of the model the ceilings of its name and number of SMs. A kind that the
// recording has itself stays. Returns how many it added.
int AddCeilings(const std::vector<format::CeilingRow>& rows, model::Model* model);

}  // namespace prof::analyzer

#endif  // PROF_LIB_ANALYZER_DEVICE_CEILINGS_H_
