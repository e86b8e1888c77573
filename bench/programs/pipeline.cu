// SPDX-License-Identifier: Apache-2.0
//
// This program is a pipeline of two threads and four streams. One thread copies each item to the
// GPU and prepares it, the other computes, sums up and copies back; a stream for each of the four.
// All four work at the same time.
//
//   pipeline --seed N [--steps N | --seconds S]
#include <atomic>
#include <condition_variable>
#include <cstdint>
#include <deque>
#include <mutex>
#include <random>
#include <string>
#include <thread>
#include <vector>

#include "cuda_check.h"
#include "step_clock.h"

namespace {

constexpr int kSlots = 6, kItemsUnderWay = 4, kItemsPerBatch = 16;
constexpr int kBlocks = 264, kThreads = 256;

struct Shape {
  int floats, rounds;
};

__global__ void prepare(const float* in, float* out, int count) {
  const int stride = gridDim.x * blockDim.x;
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < count; i += stride) {
    out[i] = __expf(-in[i] * in[i]);
  }
}

__global__ void compute(float* values, int count, int rounds) {
  const int stride = gridDim.x * blockDim.x;
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < count; i += stride) {
    float value = values[i];
#pragma unroll 8
    for (int round = 0; round < rounds; ++round) value = fmaf(value, 0.999f, 0.0005f);
    values[i] = value;
  }
}

// In integers, because their sum does not depend on the order.
__global__ void sum_up(const float* values, int count, unsigned* sum) {
  unsigned mine = 0;
  const int stride = gridDim.x * blockDim.x;
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < count; i += stride) {
    mine += static_cast<unsigned>(values[i] * 4096.0f);
  }
  for (int lanes = 16; lanes > 0; lanes /= 2) mine += __shfl_down_sync(~0u, mine, lanes);
  if (threadIdx.x % 32 == 0) atomicAdd(sum, mine);
}

struct Slot {
  float *host_in = nullptr, *in = nullptr, *values = nullptr;
  unsigned *sum = nullptr, *host_sum = nullptr;
  cudaEvent_t copied = nullptr, prepared = nullptr, computed = nullptr, done = nullptr;
};

Slot MakeSlot(const Shape& shape, std::mt19937_64& random) {
  Slot slot;
  const size_t bytes = shape.floats * sizeof(float);
  CUDA_CHECK(cudaMallocHost(&slot.host_in, bytes));
  CUDA_CHECK(cudaMallocHost(&slot.host_sum, sizeof(unsigned)));
  CUDA_CHECK(cudaMalloc(&slot.in, bytes));
  CUDA_CHECK(cudaMalloc(&slot.values, bytes));
  CUDA_CHECK(cudaMalloc(&slot.sum, sizeof(unsigned)));
  for (int i = 0; i < shape.floats; ++i)
    slot.host_in[i] = 0x1p-32f * static_cast<uint32_t>(random());
  for (cudaEvent_t* event : {&slot.copied, &slot.prepared, &slot.computed, &slot.done}) {
    CUDA_CHECK(cudaEventCreateWithFlags(event, cudaEventDisableTiming));
  }
  return slot;
}

// Slots in the order in which they were put. Take() waits for one, or for the end.
class Queue {
 public:
  void Put(Slot* slot) {
    const std::lock_guard<std::mutex> lock(mutex_);
    slots_.push_back(slot);
    changed_.notify_one();
  }
  Slot* Take() {
    std::unique_lock<std::mutex> lock(mutex_);
    changed_.wait(lock, [this] { return !slots_.empty() || ended_; });
    if (slots_.empty()) return nullptr;
    Slot* const slot = slots_.front();
    slots_.pop_front();
    return slot;
  }
  void End() {
    const std::lock_guard<std::mutex> lock(mutex_);
    ended_ = true;
    changed_.notify_all();
  }

 private:
  std::mutex mutex_;
  std::condition_variable changed_;
  std::deque<Slot*> slots_;
  bool ended_ = false;
};

cudaStream_t MakeStream() {
  cudaStream_t stream = nullptr;
  CUDA_CHECK(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
  return stream;
}

void Produce(const Shape& shape, Queue& empty, Queue& prepared, const std::atomic<bool>& ended) {
  const cudaStream_t copies = MakeStream(), preparing = MakeStream();
  while (!ended) {
    Slot* const slot = empty.Take();
    if (slot == nullptr) return;
    CUDA_CHECK(cudaMemcpyAsync(slot->in, slot->host_in, shape.floats * sizeof(float),
                               cudaMemcpyHostToDevice, copies));
    CUDA_CHECK(cudaEventRecord(slot->copied, copies));
    CUDA_CHECK(cudaStreamWaitEvent(preparing, slot->copied, 0));
    prepare<<<kBlocks, kThreads, 0, preparing>>>(slot->in, slot->values, shape.floats);
    CUDA_CHECK(cudaGetLastError());
    CUDA_CHECK(cudaEventRecord(slot->prepared, preparing));
    prepared.Put(slot);
  }
}

void Compute(const Shape& shape, const Slot& slot, cudaStream_t computing, cudaStream_t summing) {
  CUDA_CHECK(cudaStreamWaitEvent(computing, slot.prepared, 0));
  compute<<<kBlocks, kThreads, 0, computing>>>(slot.values, shape.floats, shape.rounds);
  CUDA_CHECK(cudaEventRecord(slot.computed, computing));
  CUDA_CHECK(cudaStreamWaitEvent(summing, slot.computed, 0));
  CUDA_CHECK(cudaMemsetAsync(slot.sum, 0, sizeof(unsigned), summing));
  sum_up<<<kBlocks, kThreads, 0, summing>>>(slot.values, shape.floats, slot.sum);
  CUDA_CHECK(
      cudaMemcpyAsync(slot.host_sum, slot.sum, sizeof(unsigned), cudaMemcpyDeviceToHost, summing));
  CUDA_CHECK(cudaGetLastError());
  CUDA_CHECK(cudaEventRecord(slot.done, summing));
}

// Returns the sum over all items.
uint64_t Consume(const Shape& shape, Queue& empty, Queue& prepared, StepClock& clock) {
  const cudaStream_t computing = MakeStream(), summing = MakeStream();
  std::deque<Slot*> under_way;
  uint64_t sum = 0;
  const auto finish = [&] {
    Slot* const slot = under_way.front();
    under_way.pop_front();
    CUDA_CHECK(cudaEventSynchronize(slot->done));
    sum += *slot->host_sum;
    empty.Put(slot);
  };
  while (clock.GoesOn()) {
    const int64_t items = clock.StepsUntilWait(kItemsPerBatch);
    for (int64_t i = 0; i < items; ++i) {
      if (under_way.size() == kItemsUnderWay) finish();
      under_way.push_back(prepared.Take());
      Compute(shape, *under_way.back(), computing, summing);
    }
    clock.Waited(items);
  }
  while (!under_way.empty()) finish();
  return sum;
}

}  // namespace

int main(int argc, char** argv) {
  const StepOptions options = ParseSteps(argc, argv, 1);
  if (!HasDevice()) return 0;
  std::mt19937_64 random(options.seed);
  const Shape shape{static_cast<int>(1 << 20) + static_cast<int>(random() % 8) * (1 << 17),
                    1024 + static_cast<int>(random() % 1024)};
  std::vector<Slot> slots;
  Queue empty, prepared;
  for (int i = 0; i < kSlots; ++i) slots.push_back(MakeSlot(shape, random));
  for (Slot& slot : slots) empty.Put(&slot);

  std::atomic<bool> ended = false;
  StepClock clock(options.limit);
  std::thread producer([&] { Produce(shape, empty, prepared, ended); });
  const uint64_t sum = Consume(shape, empty, prepared, clock);
  ended = true;
  empty.End();
  producer.join();
  CUDA_CHECK(cudaDeviceSynchronize());
  std::printf("[checksum] %llu\n", static_cast<unsigned long long>(sum));
  clock.Print("{\"floats\": " + std::to_string(shape.floats) +
              ", \"rounds\": " + std::to_string(shape.rounds) + "}");
  return 0;
}
