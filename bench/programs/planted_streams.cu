// SPDX-License-Identifier: Apache-2.0
//
// Work on several streams: what could run side by side and does not, and what does.
#include <memory>

#include "planted.h"

namespace {

// prof knows collectives by the name of their kernels. This one stands for an all-reduce of NCCL.
__global__ void ncclDevKernel_AllReduce_Planted(int rounds, float* values) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  float value = values[i];
  for (int round = 0; round < rounds; ++round) value = fmaf(value, 0.998f, 0.4f);
  values[i] = value;
}

// One stream hands over to the other one.
class HandOver {
 public:
  explicit HandOver(const Machine* machine) : machine_(machine) {
    CUDA_CHECK(cudaEventCreateWithFlags(&done_, cudaEventDisableTiming));
  }
  HandOver(const HandOver&) = delete;
  HandOver& operator=(const HandOver&) = delete;
  ~HandOver() { CUDA_CHECK(cudaEventDestroy(done_)); }

  void To(int stream) const {
    CUDA_CHECK(cudaEventRecord(done_, machine_->streams[1 - stream]));
    CUDA_CHECK(cudaStreamWaitEvent(machine_->streams[stream], done_, 0));
  }

 private:
  const Machine* machine_;
  cudaEvent_t done_ = nullptr;
};

// Grids on a quarter of the SMs, one after the other: none of them needs another one.
Step SmallGrids(Machine* m) {
  const double us = m->Draw("kernel_us", 30, 80), sms = m->Draw("sms", 0.2, 0.3);
  return [=](int64_t) {
    for (int i = 0; i < 10; ++i) m->Work(us, sms);
  };
}

Step SideBySide(Machine* m) {
  const double us = m->Draw("kernel_us", 200, 280);
  return [=](int64_t) {
    m->Work(us, 0.3, 0);
    m->Work(us, 0.3, 1);
  };
}

// A stream that is not non-blocking waits for the legacy default stream, and that one for it.
class BlockingStream {
 public:
  BlockingStream() { CUDA_CHECK(cudaStreamCreate(&stream_)); }
  BlockingStream(const BlockingStream&) = delete;
  BlockingStream& operator=(const BlockingStream&) = delete;
  ~BlockingStream() { CUDA_CHECK(cudaStreamDestroy(stream_)); }
  cudaStream_t get() const { return stream_; }

 private:
  cudaStream_t stream_ = nullptr;
};

Step DefaultStream(Machine* m) {
  const double us = m->Draw("kernel_us", 40, 70);
  const auto blocking = std::make_shared<BlockingStream>();
  return [=](int64_t) {
    for (int i = 0; i < 5; ++i) {
      m->Launch(us, 0.3, blocking->get());
      m->Launch(us, 0.3, nullptr);
    }
  };
}

// Each kernel waits for the one before it, on the other stream.
Step Hops(Machine* m) {
  const double us = m->Draw("kernel_us", 9, 13);  // a hop takes some microsecond
  const auto hand_over = std::make_shared<HandOver>(m);
  return [=](int64_t) {
    for (int i = 0; i < 10; ++i) {
      m->Work(us, 1, i % 2);
      hand_over->To(1 - i % 2);
    }
  };
}

// The collective waits for the kernels of the step, and the next step for the collective.
Step Communication(Machine* m) {
  const double us = m->Draw("kernel_us", 60, 100);
  const int rounds = static_cast<int>(500 * m->Draw("communication_us", 100, 200));
  const auto hand_over = std::make_shared<HandOver>(m);
  return [=](int64_t) {
    for (int i = 0; i < 3; ++i) m->Work(us);
    hand_over->To(1);
    ncclDevKernel_AllReduce_Planted<<<16, 256, 0, m->streams[1]>>>(rounds, m->other);
    CUDA_CHECK(cudaGetLastError());
    hand_over->To(0);
  };
}

}  // namespace

Timelines StreamTimelines() {
  return {{"small-grids", SmallGrids},
          {"two-streams", SideBySide},
          {"default-stream", DefaultStream},
          {"hops", Hops},
          {"communication", Communication}};
}
