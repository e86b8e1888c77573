// SPDX-License-Identifier: Apache-2.0
#include "cupti_backend/pm/pm_pauses.h"

#include <algorithm>
#include <cstddef>
#include <limits>

namespace prof::cupti {

void PmPauses::Begin(int64_t now_ns) {
  constexpr size_t kMost = 64;
  if (pauses_.size() == kMost) pauses_.erase(pauses_.begin());
  pauses_.push_back({now_ns, std::numeric_limits<int64_t>::max()});
}

void PmPauses::End(int64_t now_ns) {
  if (!pauses_.empty()) pauses_.back().end_ns = now_ns;
}

bool PmPauses::Within(int64_t begin_ns, int64_t end_ns) const {
  return std::any_of(pauses_.begin(), pauses_.end(), [&](const Pause& pause) {
    return begin_ns < pause.end_ns && end_ns > pause.begin_ns;
  });
}

void PmPauses::TakeOut(capture::PmBatchEvent* batch) const {
  const size_t samples = batch->begin_ns.size();
  if (pauses_.empty() || samples == 0) return;
  const size_t metrics = batch->values.size() / samples;
  size_t kept = 0;
  for (size_t i = 0; i < samples; ++i) {
    if (Within(batch->begin_ns[i], batch->end_ns[i])) continue;
    batch->begin_ns[kept] = batch->begin_ns[i];
    batch->end_ns[kept] = batch->end_ns[i];
    std::copy_n(batch->values.begin() + static_cast<ptrdiff_t>(i * metrics), metrics,
                batch->values.begin() + static_cast<ptrdiff_t>(kept * metrics));
    ++kept;
  }
  batch->begin_ns.resize(kept);
  batch->end_ns.resize(kept);
  batch->values.resize(kept * metrics);
}

}  // namespace prof::cupti
