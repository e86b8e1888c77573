// SPDX-License-Identifier: Apache-2.0
//
// PM samples become tracks.
#ifndef PROF_LIB_HTML_GATHER_SAMPLES_H_
#define PROF_LIB_HTML_GATHER_SAMPLES_H_

#include "lib/html/timeline_data.h"
#include "lib/snapshot/model/model.h"
#include "prof/report.h"

namespace prof::html {

// Tracks "pm", one for each series. Columns: the time since the end of the row before, the
// duration, and for each metric the difference to its last value, in thousandths of its maximum
// plus 1; 0 stands for no value. Rows of long series are means of several that touch.
void GatherPmSamples(const model::Model& model, const Report& report, TimelineData* data);

}  // namespace prof::html

#endif  // PROF_LIB_HTML_GATHER_SAMPLES_H_
