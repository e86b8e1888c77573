// SPDX-License-Identifier: Apache-2.0
//
// The held-up watch notices a launch that does not return from its counter range.
#ifndef PROF_CUPTI_BACKEND_SAMPLING_HELD_UP_WATCH_H_
#define PROF_CUPTI_BACKEND_SAMPLING_HELD_UP_WATCH_H_

#include <algorithm>
#include <array>
#include <atomic>
#include <cstdint>
#include <cstring>
#include <optional>
#include <string>

#include "cupti_backend/schedule/sample_schedule.h"

namespace prof::cupti {

// There is one open range at a time. No lock, no allocation.
class HeldUpWatch {
 public:
  // A range that is open for so long holds the program up.
  static constexpr int64_t kHeldUpNs = 5'000'000'000;

  struct Launch {
    SampleSchedule::Entry* signature;
    std::string kernel_name;  // its first kNameBytes; empty: no kernel
  };
  static constexpr size_t kNameBytes = 256;

  // The launching thread. The name is copied: CUPTI's may go with its module while the worker reads
  // it. nullptr: no kernel.
  void BeginRange(SampleSchedule::Entry* signature, const char* kernel_name, int64_t now_ns) {
    signature_.store(signature);
    SetName(kernel_name);
    since_ns_.store(now_ns);
  }
  void EndRange() { since_ns_.store(0); }

  // The worker: the launch that has been under its range for kHeldUpNs.
  [[nodiscard]] std::optional<Launch> Find(int64_t now_ns) const {
    const int64_t since_ns = since_ns_.load();
    if (since_ns == 0 || now_ns - since_ns < kHeldUpNs) return std::nullopt;
    Launch launch{signature_.load(), Name()};
    // Another range has begun meanwhile: the name may be of both.
    if (launch.signature == nullptr || since_ns_.load() != since_ns) return std::nullopt;
    return launch;
  }

 private:
  using Word = uint64_t;

  void SetName(const char* name) {
    const size_t bytes = name != nullptr ? strnlen(name, kNameBytes) : 0;
    for (size_t i = 0; i < name_.size(); ++i) {
      const size_t at = i * sizeof(Word);
      Word word = 0;
      if (at < bytes) std::memcpy(&word, name + at, std::min(sizeof(word), bytes - at));
      name_[i].store(word);
      if (at + sizeof(word) > bytes) return;  // its end is in this word
    }
  }
  [[nodiscard]] std::string Name() const {
    std::array<char, kNameBytes> text;
    for (size_t i = 0; i < name_.size(); ++i) {
      const Word word = name_[i].load();
      std::memcpy(text.data() + i * sizeof(word), &word, sizeof(word));
    }
    return {text.data(), strnlen(text.data(), text.size())};
  }

  std::atomic<int64_t> since_ns_{0};  // 0: no range is open
  std::atomic<SampleSchedule::Entry*> signature_{nullptr};
  std::array<std::atomic<Word>, kNameBytes / sizeof(Word)> name_{};  // ends with a zero, or full
};

}  // namespace prof::cupti

#endif  // PROF_CUPTI_BACKEND_SAMPLING_HELD_UP_WATCH_H_
