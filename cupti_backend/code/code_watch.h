// SPDX-License-Identifier: Apache-2.0
//
// The code watch looks into the code of each module that the driver loads, and keeps what the
// kernels in it do until a record names one.
#ifndef PROF_CUPTI_BACKEND_CODE_CODE_WATCH_H_
#define PROF_CUPTI_BACKEND_CODE_CODE_WATCH_H_

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>
#include <unordered_map>

#include "lib/capture/process/mutex.h"
#include "lib/format/code_census.h"

namespace prof::cupti {

class CodeWatch {
 public:
  // What comes later is not known. A program that loads everything at its start has some GB.
  static constexpr size_t kMostKernels = 65'536, kMostBytes = size_t{1} << 29;

  // A thread that loads a module; the cubin need not last. 1 MB takes about 1.5 ms. Two kernels of
  // one name and different code: neither is known. May throw std::bad_alloc.
  void Add(const void* cubin, size_t bytes);

  // Any thread. nullopt: its code was not seen.
  [[nodiscard]] std::optional<format::CodeCensus> Find(std::string_view kernel) const;

 private:
  struct Known {
    format::CodeCensus census;
    bool ambiguous = false;
  };

  mutable capture::Mutex mutex_;
  std::unordered_map<uint64_t, Known> kernels_ PROF_GUARDED_BY(mutex_);  // by hash of the name
  size_t bytes_ PROF_GUARDED_BY(mutex_) = 0;                             // of all modules so far
};

}  // namespace prof::cupti

#endif  // PROF_CUPTI_BACKEND_CODE_CODE_WATCH_H_
