// SPDX-License-Identifier: Apache-2.0
//
// A PM session is one device under CUPTI's PM sampling: the hardware writes counters of the GPU to
// a buffer at a fixed interval, and Decode fetches them. Kernels run undisturbed.
//
// One thread at a time.
#ifndef PROF_CUPTI_BACKEND_PM_PM_SESSION_H_
#define PROF_CUPTI_BACKEND_PM_PM_SESSION_H_

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "cupti_backend/api/cupti_api.h"
#include "cupti_backend/metrics/metric_host.h"
#include "cupti_backend/pm/pm_plan.h"
#include "lib/capture/events/events.h"

namespace prof::cupti {

class PmSession {
 public:
  PmSession(const CuptiApi* api, int device) : api_(api), device_(device) {}
  ~PmSession() { Close(); }
  PmSession(const PmSession&) = delete;
  PmSession& operator=(const PmSession&) = delete;

  struct Sizes {
    // Samples that one Decode can take: 11 KB (DRAM alone) to 90 KB (all of triage) of host memory
    // each on GH100. CUPTI 13.0 drops the samples beyond that.
    uint32_t room = 256;
    // Device memory for the samples that were not fetched yet: 8 KB each with all of triage.
    size_t hardware_buffer_bytes = size_t{64} << 20;
  };
  // Enables and configures, but does not start: 75 to 110 ms on an H200. An open session keeps the
  // range profiler from starting on the device (HARDWARE_BUSY), also between Stop and Start.
  // Another pass or interval needs Close and Open: CUPTI 13.0 answers a second configuration of an
  // object with success, and ignores it.
  CUptiResult Open(const PmPass& pass, int64_t interval_ns, const Sizes& sizes);
  bool open() const { return object_ != nullptr; }
  // Begins and ends to sample: 0.5 and 1.6 ms, which no launch notices.
  CUptiResult Start();
  CUptiResult Stop();

  // Appends all finished samples to `batch`, but the first one after a Start, wherever it comes: it
  // covers work from before. Those with times that cannot be are left out, too, and counted in
  // misdated(). CUPTI_ERROR_OUT_OF_MEMORY: the hardware buffer overflowed, and only
  // Close and Open make it work again. Some 50 us a sample, and as much to evaluate it, with all of
  // triage.
  enum class Idleness { kKeep, kThinOut };  // of samples in which the GPU did nothing: one of eight
  CUptiResult Decode(const MetricEvaluator& evaluator, Idleness idleness,
                     capture::PmBatchEvent* batch);

  // Stops and disables (40 ms); does nothing when it is not open. Samples that were not decoded are
  // lost.
  void Close();
  // Of the samples of the last Decode that thins out, the share in which the GPU did nothing.
  // Its pass can show that the GPU does nothing.
  bool knows_idle() const { return !activity_.empty(); }
  double idle_share() const { return idle_share_; }
  // Those of the last Decode may all be of one launch (steady_samples.h).
  bool steady() const { return steady_; }
  // The samples of the last Decode that end before Open, or in the future, without those of no
  // length: on an H200 one of some seconds ago comes with a burst beside a kernel that fills the
  // link to the host.
  uint32_t misdated() const { return misdated_; }
  // CUPTI has ended, and the session with it: nothing is called.
  void Forget() { object_ = nullptr, started_ = false; }

 private:
  CUptiResult Configure(const Sizes& sizes);
  CUptiResult ResetImage();
  bool Idle(const MetricEvaluator& evaluator, size_t sample) const;
  bool IsMisdated(int64_t end_ns, int64_t now_ns) const;
  CUptiResult SampleInfo(size_t index, CUpti_PmSampling_CounterData_GetSampleInfo_Params* sample);

  const CuptiApi* const api_;
  const int device_;
  CUpti_PmSampling_Object* object_ = nullptr;
  bool started_ = false;
  bool first_ = true;
  uint32_t room_ = 0;
  int64_t interval_ns_ = 0, opened_ns_ = 0, last_end_ns_ = 0;
  size_t next_sample_ = 0;  // in the image, to which CUPTI appends
  std::vector<std::string> metrics_;
  std::vector<std::string> activity_;  // those of them that are zero when the GPU does nothing
  uint32_t idle_samples_ = 0, misdated_ = 0;
  double idle_share_ = 0;
  bool steady_ = false;
  std::vector<uint8_t> config_, image_;
  std::vector<uint8_t> blank_;  // an empty image: to copy it takes a third of CUPTI's time for one
};

}  // namespace prof::cupti

#endif  // PROF_CUPTI_BACKEND_PM_PM_SESSION_H_
