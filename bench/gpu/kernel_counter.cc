// SPDX-License-Identifier: Apache-2.0
//
// Counts the kernels of a program, and nothing else: an injection library for CUDA_INJECTION64_PATH
// that shares no code with prof, to check prof's counts against. At exit it appends one line
// "<pid> kernels <n> dropped <n>" to the file named by KERNEL_COUNTER_OUTPUT. Without that it reads
// no record: what a program then takes longer is CUPTI's own floor.
//
// Build:  g++ -std=c++17 -O2 -shared -fPIC kernel_counter.cc -o libkernel_counter.so
// -I<toolkit>/include
//         -L<toolkit>/lib64 -lcupti
#include <cupti.h>
#include <unistd.h>

#include <atomic>
#include <cstdio>
#include <cstdlib>

namespace {

constexpr size_t kBufferBytes = 8 << 20;
constexpr size_t kBufferAlignment = 8;
std::atomic<unsigned long long> kernels{0};
std::atomic<unsigned long long> dropped{0};
std::atomic<uint8_t*> spare{nullptr};  // fresh pages would be part of the cost
const char* output = nullptr;

void CUPTIAPI GiveBuffer(uint8_t** buffer, size_t* size, size_t* max_records) {
  *buffer = spare.exchange(nullptr);
  if (*buffer == nullptr) {
    *buffer = static_cast<uint8_t*>(std::aligned_alloc(kBufferAlignment, kBufferBytes));
  }
  *size = *buffer == nullptr ? 0 : kBufferBytes;
  *max_records = 0;
}

void CUPTIAPI TakeBuffer(CUcontext context, uint32_t stream, uint8_t* buffer, size_t /*size*/,
                         size_t valid_bytes) {
  CUpti_Activity* record = nullptr;
  while (output != nullptr &&
         cuptiActivityGetNextRecord(buffer, valid_bytes, &record) == CUPTI_SUCCESS) {
    if (record->kind == CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL) ++kernels;
  }
  size_t lost = 0;
  if (cuptiActivityGetNumDroppedRecords(context, stream, &lost) == CUPTI_SUCCESS) dropped += lost;
  std::free(spare.exchange(buffer));
}

void WriteCounts() {
  cuptiActivityFlushAll(CUPTI_ACTIVITY_FLAG_FLUSH_FORCED);
  std::FILE* file = output == nullptr ? nullptr : std::fopen(output, "a");
  if (file == nullptr) return;
  std::fprintf(file, "%d kernels %llu dropped %llu\n", static_cast<int>(getpid()), kernels.load(),
               dropped.load());
  std::fclose(file);
}

}  // namespace

extern "C" __attribute__((visibility("default"))) int InitializeInjection() {
  output = std::getenv("KERNEL_COUNTER_OUTPUT");
  const bool counting = cuptiActivityRegisterCallbacks(GiveBuffer, TakeBuffer) == CUPTI_SUCCESS &&
                        cuptiActivityEnable(CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL) == CUPTI_SUCCESS;
  if (counting) std::atexit(WriteCounts);
  return 1;  // 0 would make the driver complain; the missing line says that nothing was counted
}
