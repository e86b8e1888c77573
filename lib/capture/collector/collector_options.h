// SPDX-License-Identifier: Apache-2.0
//
// The collector's options define where a recording goes and what is in it.
#ifndef PROF_LIB_CAPTURE_COLLECTOR_COLLECTOR_OPTIONS_H_
#define PROF_LIB_CAPTURE_COLLECTOR_COLLECTOR_OPTIONS_H_

#include "lib/capture/collector/output_claim.h"
#include "lib/capture/collector/torch_source.h"
#include "lib/capture/wire/encoder.h"

namespace prof::capture {

struct CollectorOptions {
  OutputName output;
  HeaderEvent header;  // without versions: the source knows them once it has started
  bool ranges = true;
  bool python_stacks = false, native_stacks = false;
  int host_samples = 0;  // as in SessionOptions
  bool torch = false;    // record the ops of PyTorch, if `ranges`
  TorchWish torch_wish;  // if `torch`
  int keep_last_seconds = 0, keep_mib = 0, dump_signal = 0;  // as in SessionOptions
  bool file_only_with_gpu_work = false;
  double dump_idle_percent = 0;  // as in SessionOptions
};

}  // namespace prof::capture

#endif  // PROF_LIB_CAPTURE_COLLECTOR_COLLECTOR_OPTIONS_H_
