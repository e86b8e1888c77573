// SPDX-License-Identifier: Apache-2.0
//
// This injection library (CUDA_INJECTION64_PATH) counts the kernels of a program. It shares no code
// with prof, so that prof's counts can be checked against it. At exit it appends one line
// "<pid> kernels <n> dropped <n>" to the file that KERNEL_COUNTER_OUTPUT names.
//
// The experiment `pytorch` builds it (build_injection() in lib/bench.py).
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

void CUPTIAPI GiveBuffer(uint8_t** buffer, size_t* size, size_t* max_records) {
  *buffer = static_cast<uint8_t*>(std::aligned_alloc(kBufferAlignment, kBufferBytes));
  *size = *buffer == nullptr ? 0 : kBufferBytes;
  *max_records = 0;
}

void CUPTIAPI TakeBuffer(CUcontext context, uint32_t stream, uint8_t* buffer, size_t /*size*/,
                         size_t valid_bytes) {
  CUpti_Activity* record = nullptr;
  while (cuptiActivityGetNextRecord(buffer, valid_bytes, &record) == CUPTI_SUCCESS) {
    if (record->kind == CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL) ++kernels;
  }
  size_t lost = 0;
  if (cuptiActivityGetNumDroppedRecords(context, stream, &lost) == CUPTI_SUCCESS) dropped += lost;
  std::free(buffer);
}

void WriteCounts() {
  cuptiActivityFlushAll(CUPTI_ACTIVITY_FLAG_FLUSH_FORCED);
  const char* path = std::getenv("KERNEL_COUNTER_OUTPUT");
  std::FILE* file = path == nullptr ? stderr : std::fopen(path, "a");
  if (file == nullptr) return;
  std::fprintf(file, "%d kernels %llu dropped %llu\n", static_cast<int>(getpid()), kernels.load(),
               dropped.load());
  if (file != stderr) std::fclose(file);
}

}  // namespace

extern "C" __attribute__((visibility("default"))) int InitializeInjection() {
  const bool counting = cuptiActivityRegisterCallbacks(GiveBuffer, TakeBuffer) == CUPTI_SUCCESS &&
                        cuptiActivityEnable(CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL) == CUPTI_SUCCESS;
  if (counting) std::atexit(WriteCounts);
  return 1;  // 0 would make the driver complain; a missing line means that nothing was counted
}
