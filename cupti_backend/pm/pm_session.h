// SPDX-License-Identifier: Apache-2.0
//
// A PM session is one device under CUPTI's PM sampling: the hardware writes counters of the GPU to
// a buffer at a fixed interval, and Decode fetches them. Kernels run undisturbed.
//
// Not thread safe: the PM sampler's thread alone uses it.
#ifndef PROF_CUPTI_BACKEND_PM_PM_SESSION_H_
#define PROF_CUPTI_BACKEND_PM_PM_SESSION_H_

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "cupti_backend/api/cupti_api.h"
#include "cupti_backend/metrics/metric_host.h"
#include "lib/capture/events/events.h"

namespace prof::cupti {

class PmSession {
 public:
  // Device memory for the samples that were not fetched yet: more than half a second of 10 kHz.
  static constexpr size_t kHardwareBufferBytes = size_t{64} << 20;
  PmSession(const CuptiApi* api, int device) : api_(api), device_(device) {}
  ~PmSession() { Close(); }
  PmSession(const PmSession&) = delete;
  PmSession& operator=(const PmSession&) = delete;

  // Enables, configures and starts: 60 to 150 ms on an H200. `config` is the config image of
  // `metrics`. `room`: samples that one Decode can take, 11 KB (DRAM and L2) to 22 KB (all units)
  // of host memory each on GH100. CUPTI 13.0 drops the samples beyond that.
  CUptiResult Open(const std::vector<std::string>& metrics, const std::vector<uint8_t>& config,
                   int64_t interval_ns, uint32_t room);

  // Appends all finished samples to `batch`, but the first one after Open: it covers work from
  // before. CUPTI_ERROR_OUT_OF_MEMORY: the hardware buffer overflowed, and only Close and Open make
  // it work again.
  CUptiResult Decode(const MetricEvaluator& evaluator, capture::PmBatchEvent* batch);

  // Stops and disables; does nothing when it is not open. Samples that were not decoded are lost.
  void Close();

 private:
  CUptiResult Prepare(int64_t interval_ns, uint32_t room);
  CUptiResult ResetImage();
  CUptiResult SampleInfo(size_t index, CUpti_PmSampling_CounterData_GetSampleInfo_Params* sample);

  const CuptiApi* const api_;
  const int device_;
  CUpti_PmSampling_Object* object_ = nullptr;
  bool started_ = false;
  bool first_ = true;
  uint32_t room_ = 0;
  int64_t interval_ns_ = 0, last_end_ns_ = 0;
  size_t next_sample_ = 0;  // in the image, to which CUPTI appends
  std::vector<std::string> metrics_;
  std::vector<uint8_t> config_, image_;
};

}  // namespace prof::cupti

#endif  // PROF_CUPTI_BACKEND_PM_PM_SESSION_H_
