// SPDX-License-Identifier: Apache-2.0
//
// The local memory watch keeps how much local memory a kernel has, from its first launch to the
// record of it.
#ifndef PROF_CUPTI_BACKEND_SCHEDULE_LOCAL_MEMORY_WATCH_H_
#define PROF_CUPTI_BACKEND_SCHEDULE_LOCAL_MEMORY_WATCH_H_

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <unordered_map>

#include "cupti_backend/schedule/triage_coverage.h"
#include "lib/capture/process/mutex.h"

namespace prof::cupti {

class LocalMemoryWatch {
 public:
  static constexpr size_t kMostKernels = 16'384;  // what comes later is not known

  // A launching thread, for the first launch of a signature. Two functions of one name may share a
  // key: the larger value stays.
  void Set(KernelKey key, uint32_t bytes) {
    const capture::MutexLock lock(mutex_);
    if (bytes_.size() >= kMostKernels && bytes_.find(key) == bytes_.end()) return;
    uint32_t& known = bytes_[key];
    known = std::max(known, bytes);
  }

  // The collector thread, for a kernel that it has not met.
  std::optional<uint32_t> Find(KernelKey key) const {
    const capture::MutexLock lock(mutex_);
    const auto found = bytes_.find(key);
    return found == bytes_.end() ? std::nullopt : std::optional<uint32_t>(found->second);
  }

 private:
  mutable capture::Mutex mutex_;
  std::unordered_map<KernelKey, uint32_t> bytes_ PROF_GUARDED_BY(mutex_);
};

}  // namespace prof::cupti

#endif  // PROF_CUPTI_BACKEND_SCHEDULE_LOCAL_MEMORY_WATCH_H_
