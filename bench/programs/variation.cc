// SPDX-License-Identifier: Apache-2.0
#include <cstdint>

#include "known_kernels.h"

int Variation::Draw(int written, int step) {
  if (!is_drawn_) return written;
  const uint64_t most = static_cast<uint64_t>(written / step), least = (most + 1) / 2;
  // Not a distribution of the library: every library draws the same sizes of a seed.
  return static_cast<int>(least + random_() % (most - least + 1)) * step;
}

std::vector<KnownKernel> AllKernels(Variation& vary) {
  std::vector<KnownKernel> kernels = MemoryKernels(vary);
  for (const auto& make : {ComputeKernels, MatrixKernels}) {
    const std::vector<KnownKernel> more = make(vary);
    kernels.insert(kernels.end(), more.begin(), more.end());
  }
  return kernels;
}
