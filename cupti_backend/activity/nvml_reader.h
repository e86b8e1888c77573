// SPDX-License-Identifier: Apache-2.0
//
// The NVML reader reads clocks, temperature and power of the GPUs itself. CUPTI refuses to on some
// machines where NVML works: virtual machines are among them.
#ifndef PROF_CUPTI_BACKEND_ACTIVITY_NVML_READER_H_
#define PROF_CUPTI_BACKEND_ACTIVITY_NVML_READER_H_

#include <cstdint>
#include <optional>
#include <vector>

#include "cupti_backend/api/driver_api.h"
#include "cupti_backend/api/nvml_api.h"
#include "lib/capture/events/events.h"

namespace prof::cupti {

// The collector thread.
class NvmlReader {
 public:
  // CUPTI's own period. A reading that takes long makes it longer: NVML takes at most
  // 1 / kTimesOfCost of the thread's time.
  static constexpr int64_t kPeriodNs = 50'000'000;
  static constexpr int64_t kTimesOfCost = 20;

  // Both outlive this. `nvml` is loaded.
  NvmlReader(const NvmlApi* nvml, const DriverApi* driver) : nvml_(nvml), driver_(driver) {}
  ~NvmlReader() { Stop(); }
  NvmlReader(const NvmlReader&) = delete;
  NvmlReader& operator=(const NvmlReader&) = delete;

  // Appends a reading of each of CUDA's devices when it is due. CUDA is initialized. Returns once
  // why there will be none.
  std::optional<Problem> Read(std::vector<capture::GpuStateEvent>* readings);
  void Stop();

 private:
  struct Device {
    uint32_t id;
    NvmlDevice handle;
  };
  enum class Phase { kNew, kReads, kOver };

  std::optional<Problem> Begin();
  void ReadDevice(const Device& device, std::vector<capture::GpuStateEvent>* readings) const;

  const NvmlApi* const nvml_;
  const DriverApi* const driver_;
  std::vector<Device> devices_;
  Phase phase_ = Phase::kNew;
  int64_t due_ns_ = 0;
};

}  // namespace prof::cupti

#endif  // PROF_CUPTI_BACKEND_ACTIVITY_NVML_READER_H_
