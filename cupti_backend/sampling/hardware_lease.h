// SPDX-License-Identifier: Apache-2.0
//
// The hardware lease lets one thread at a time work with CUPTI's profiler.
#ifndef PROF_CUPTI_BACKEND_SAMPLING_HARDWARE_LEASE_H_
#define PROF_CUPTI_BACKEND_SAMPLING_HARDWARE_LEASE_H_

#include <atomic>
#include <cstdint>

namespace prof::cupti {

class HardwareLock;

// Proof that the calling thread may call CUPTI's profiler. A function that needs it takes a
// `const HardwareLease&`. It gives the hardware back when it dies.
class [[nodiscard]] HardwareLease {
 public:
  HardwareLease() = default;  // of nothing
  ~HardwareLease() { Release(); }
  HardwareLease(HardwareLease&& other) noexcept : lock_(other.lock_) { other.lock_ = nullptr; }
  HardwareLease& operator=(HardwareLease&&) = delete;

  explicit operator bool() const { return lock_ != nullptr; }

  void Release();
  // The hardware stays taken when this lease dies: a counter range is open, and Resume() goes on.
  void KeepTaken() { lock_ = nullptr; }

 private:
  friend class HardwareLock;
  explicit HardwareLease(HardwareLock* lock) : lock_(lock) {}

  HardwareLock* lock_ = nullptr;
};

class HardwareLock {
 public:
  // A launching thread: never waits.
  HardwareLease TryTake() {
    return HardwareLease(taken_.exchange(true, std::memory_order_acquire) ? nullptr : this);
  }
  // Polls. The lease is false when a launch did not return within `timeout_ns`.
  HardwareLease TakeWithin(int64_t timeout_ns);
  // The thread that called KeepTaken().
  HardwareLease Resume() { return HardwareLease(this); }

  [[nodiscard]] bool taken() const { return taken_.load(); }

 private:
  friend class HardwareLease;

  std::atomic<bool> taken_{false};
};

}  // namespace prof::cupti

#endif  // PROF_CUPTI_BACKEND_SAMPLING_HARDWARE_LEASE_H_
