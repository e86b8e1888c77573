// SPDX-License-Identifier: Apache-2.0
//
// The flush watch finds out when a flush of CUPTI can bring nothing. A flush takes CUPTI's locks
// and looks at the buffers of all threads, and a program that waits for its input would pay for
// that five times a second.
//
// CUPTI asks for a buffer before it writes a record, and hands it over when its records are
// complete, which may be long after the last call: as long as it holds a buffer, it is flushed.
#ifndef PROF_CUPTI_BACKEND_ACTIVITY_FLUSH_WATCH_H_
#define PROF_CUPTI_BACKEND_ACTIVITY_FLUSH_WATCH_H_

#include <cstdint>

namespace prof::cupti {

// The collector thread's bookkeeping. It makes no call to CUPTI.
class FlushWatch {
 public:
  // It is flushed for so long after the last sign of work: what CUPTI notes without a call of the
  // program may come later than the call.
  static constexpr int64_t kAfterworkNs = 1'000'000'000;
  // And it is flushed so often in any case: CUPTI does not promise when it asks for a buffer.
  static constexpr int64_t kLongestNs = 5'000'000'000;

  // `signs`: changes with each launch, each call, and each buffer that CUPTI asked for or handed
  // over. `holds`: CUPTI has a buffer. True: flush now.
  bool Wants(uint64_t signs, bool holds, int64_t now_ns) {
    if (signs != signs_ || never_) last_sign_ns_ = now_ns;
    signs_ = signs;
    const bool quiet = !holds && now_ns - last_sign_ns_ >= kAfterworkNs;
    if (quiet && now_ns - last_flush_ns_ < kLongestNs) return false;
    never_ = false;
    last_flush_ns_ = now_ns;
    return true;
  }

 private:
  bool never_ = true;
  uint64_t signs_ = 0;
  int64_t last_sign_ns_ = 0, last_flush_ns_ = 0;
};

}  // namespace prof::cupti

#endif  // PROF_CUPTI_BACKEND_ACTIVITY_FLUSH_WATCH_H_
