// SPDX-License-Identifier: Apache-2.0
//
// The device turn lets the processes that prof records on one GPU use its counters in turns: CUPTI
// serves one of them at a time, and the others would be refused until its end.
//
// A lock file for each GPU belongs to the one whose turn it is; a second file shows that somebody
// waits. The system gives both back when a process ends, and the children that it forked during its
// turn. Where the files cannot be opened,
// everybody has a turn at any time, and CUPTI refuses the later ones.
#ifndef PROF_CUPTI_BACKEND_PM_DEVICE_TURN_H_
#define PROF_CUPTI_BACKEND_PM_DEVICE_TURN_H_

#include <cstdint>
#include <string>

namespace prof::cupti {

// Not thread safe: a thread of prof's own calls it, never one of the program. Nothing here waits.
class DeviceTurn {
 public:
  // Whoever has a turn keeps it this long while others wait.
  static constexpr int64_t kTurnNs = 1'000'000'000;
  // Whoever waits looks again after this time; whoever gave a turn away waits twice as long.
  static constexpr int64_t kRetryNs = 50'000'000;

  DeviceTurn() = default;
  ~DeviceTurn();
  DeviceTurn(const DeviceTurn&) = delete;
  DeviceTurn& operator=(const DeviceTurn&) = delete;

  // Chooses the GPU, by its UUID as hexadecimal digits, and the folder of the files. Once.
  void Open(const std::string& folder, const std::string& uuid);

  // Takes the turn, or shows that this one waits. True: it has it; the hardware may be used.
  [[nodiscard]] bool Take(int64_t now_ns);
  // When Take is to be called again, after it was false.
  [[nodiscard]] int64_t retry_ns() const { return retry_ns_; }
  // It has had its turn, and somebody else waits for one.
  [[nodiscard]] bool IsOver(int64_t now_ns) const;
  // Gives the turn away; the hardware was let go. Nothing happens without a turn.
  void Give(int64_t now_ns);

 private:
  int turn_ = -1, queue_ = -1;  // files
  bool has_ = false, waits_ = false;
  int taken_by_ = 0;  // a process
  int64_t since_ns_ = 0, retry_ns_ = 0;
};

}  // namespace prof::cupti

#endif  // PROF_CUPTI_BACKEND_PM_DEVICE_TURN_H_
