// SPDX-License-Identifier: Apache-2.0
#include "cupti_backend/code/code_watch.h"

#include <utility>
#include <vector>

#include "cupti_backend/code/code_scanner.h"
#include "cupti_backend/code/cubin_reader.h"

namespace prof::cupti {
namespace {

uint64_t KeyOf(std::string_view name) { return std::hash<std::string_view>()(name); }

}  // namespace

void CodeWatch::Add(const void* cubin, size_t bytes) {
  {
    const capture::MutexLock lock(mutex_);
    if (bytes > kMostBytes - bytes_ || kernels_.size() >= kMostKernels) return;
    bytes_ += bytes;
  }
  CubinReader reader(cubin, bytes);
  if (!CanScan(reader.architecture())) return;
  // Not under the lock: other threads load modules, too.
  std::vector<std::pair<uint64_t, format::CodeCensus>> found;
  CubinFunction function;
  while (found.size() < kMostKernels && reader.Next(&function)) {
    const format::CodeCensus census = Scan(function.code, function.bytes, reader.architecture());
    if (census.instructions > 0) found.emplace_back(KeyOf(function.name), census);
  }
  const capture::MutexLock lock(mutex_);
  for (const auto& [key, census] : found) {
    if (kernels_.size() >= kMostKernels) return;
    const auto [known, is_new] = kernels_.try_emplace(key, Known{census});
    if (!is_new && !(known->second.census == census)) known->second.ambiguous = true;
  }
}

std::optional<format::CodeCensus> CodeWatch::Find(std::string_view kernel) const {
  const capture::MutexLock lock(mutex_);
  const auto found = kernels_.find(KeyOf(kernel));
  if (found == kernels_.end() || found->second.ambiguous) return std::nullopt;
  return found->second.census;
}

}  // namespace prof::cupti
