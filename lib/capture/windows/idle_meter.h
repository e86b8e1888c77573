// SPDX-License-Identifier: Apache-2.0
//
// The idle meter looks at the operations on their way into the file, and measures how much of a
// time the GPUs were idle.
#ifndef PROF_LIB_CAPTURE_WINDOWS_IDLE_METER_H_
#define PROF_LIB_CAPTURE_WINDOWS_IDLE_METER_H_

#include <cstdint>
#include <map>
#include <optional>
#include <utility>
#include <vector>

#include "lib/capture/windows/forwarding_sink.h"

namespace prof::capture {

// The collector's thread. Memory: 1 MiB for each GPU, where intervals are joined; the gaps that
// joining closes are the shortest ones.
class IdleMeter final : public ForwardingSink {
 public:
  using ForwardingSink::Add;
  using ForwardingSink::ForwardingSink;

  LaunchId IdOf(const KernelEvent& launch) override;
  void Add(const KernelEvent& event) override;
  void Add(const KnownKernelEvent& event) override;
  void Add(const CopyEvent& event) override;
  void Add(const MemsetEvent& event) override;
  void Add(const GraphRunEvent& event) override;

  // The percentage of [begin, end) in which the busiest GPU ran nothing; nullopt: no GPU has run
  // anything before `begin`. Forgets what ended before `begin`. An operation counts once its record
  // is here, so `end` should lie a second back.
  [[nodiscard]] std::optional<double> IdlePercent(int64_t begin_ns, int64_t end_ns);

 private:
  static constexpr size_t kMostIntervals = 65'536;
  using Intervals = std::vector<std::pair<int64_t, int64_t>>;
  struct Device {
    Intervals busy;
    bool ran = false;  // before what was forgotten
  };

  void Busy(uint32_t device, int64_t start_ns, int64_t end_ns);
  static void Join(Intervals* busy);

  std::map<uint32_t, Device> devices_;
  std::vector<uint32_t> device_of_lane_;
};

}  // namespace prof::capture

#endif  // PROF_LIB_CAPTURE_WINDOWS_IDLE_METER_H_
