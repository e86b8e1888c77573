// SPDX-License-Identifier: Apache-2.0
//
// Copies: between the host and the GPU, and within it.
#include <memory>

#include "planted.h"

namespace {

Step Pageable(Machine* m) {
  const double us = m->Draw("kernel_us", 200, 280);
  return [=](int64_t) {
    m->Copy(m->values, m->pageable.data(), Machine::kBytes);
    m->Work(us);
  };
}

Step Pinned(Machine* m) {
  const double us = m->Draw("kernel_us", 200, 280);
  return [=](int64_t) {
    m->Copy(m->values, m->pinned, Machine::kBytes);
    m->Work(us);
  };
}

// The kernels take longer than the copy beside them.
Step Overlapped(Machine* m) {
  const double us = m->Draw("kernel_us", 200, 280);
  return [=](int64_t) {
    m->Copy(m->other, m->pinned, Machine::kBytes, 1);
    for (int i = 0; i < 3; ++i) m->Work(us);
  };
}

// The copies take far longer than the kernel beside them.
Step LinkBound(Machine* m) {
  const double us = m->Draw("kernel_us", 30, 60);
  return [=](int64_t) {
    m->Copy(m->other, m->pinned, Machine::kBytes, 1);
    m->Work(us);
  };
}

Step SmallCopies(Machine* m) {
  constexpr size_t kFloatsEach = 1024;
  const double us = m->Draw("kernel_us", 0.1, 20);
  return [=](int64_t) {
    for (size_t i = 0; i < 50; ++i) {
      m->Copy(m->other + i * kFloatsEach, m->pinned + i * kFloatsEach, kFloatsEach * sizeof(float));
    }
    m->Work(us);
  };
}

// The host reads a value after each kernel.
Step ValuesBack(Machine* m) {
  const double us = m->Draw("kernel_us", 0.1, 10);
  return [=](int64_t) {
    for (int i = 0; i < kShortKernels; ++i) {
      m->Work(us);
      m->Wait();
      CUDA_CHECK(cudaMemcpy(m->pinned, m->values, sizeof(float), cudaMemcpyDeviceToHost));
    }
  };
}

class TwoBuffers {
 public:
  static constexpr size_t kBytes = 64 << 20;

  TwoBuffers() {
    CUDA_CHECK(cudaMalloc(&from, kBytes));
    CUDA_CHECK(cudaMalloc(&to, kBytes));
  }
  TwoBuffers(const TwoBuffers&) = delete;
  TwoBuffers& operator=(const TwoBuffers&) = delete;
  ~TwoBuffers() {
    CUDA_CHECK(cudaFree(from));
    CUDA_CHECK(cudaFree(to));
  }

  void *from = nullptr, *to = nullptr;
};

Step OnTheDevice(Machine* m) {
  const double us = m->Draw("kernel_us", 100, 200);
  const auto buffers = std::make_shared<TwoBuffers>();
  return [=](int64_t) {
    m->Work(us);
    for (int i = 0; i < 3; ++i) m->Copy(buffers->to, buffers->from, TwoBuffers::kBytes);
    CUDA_CHECK(cudaMemsetAsync(buffers->from, 0, TwoBuffers::kBytes, m->streams[0]));
  };
}

}  // namespace

Timelines CopyTimelines() {
  return {{"pageable", Pageable},
          {"pinned", Pinned},
          {"overlapped", Overlapped},
          {"link", LinkBound},
          {"small-copies", SmallCopies, 0.6},
          {"values-back", ValuesBack},
          {"device-copies", OnTheDevice}};
}
