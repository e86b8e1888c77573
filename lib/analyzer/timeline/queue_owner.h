// SPDX-License-Identifier: Apache-2.0
//
// The owner of a gap is what drained the queue. A host that is ahead of the GPU hides its own work.
// A stall takes that lead away: a wait for the GPU, code that is loaded, long work outside CUDA. It
// makes its thread late by its length. The GPU then idles in several gaps, before one launch after
// the other, until the thread has caught up. All of them belong to the stall, not to the launches.
#ifndef PROF_LIB_ANALYZER_TIMELINE_QUEUE_OWNER_H_
#define PROF_LIB_ANALYZER_TIMELINE_QUEUE_OWNER_H_

#include <array>
#include <cstdint>
#include <optional>
#include <unordered_map>
#include <vector>

#include "lib/analyzer/timeline/gap_cause.h"
#include "lib/analyzer/timeline/timeline.h"
#include "lib/snapshot/model/model.h"

namespace prof::analyzer {

class QueueOwners {
 public:
  // Keeps references. Takes n log n in the calls and overheads of `model`.
  QueueOwners(const model::Model& model, const GapClassifier& classifier);

  // How late a thread is because of its stalls.
  struct Lateness;
  // Of all threads, before the first gap of a device. What is over before `start_ns`, where the
  // device's first operation starts, made nobody late.
  std::vector<Lateness> AllOnTime(int64_t start_ns) const;
  // Gives a gap that was classified on its own to what drained the queue, and sets the times of the
  // gap that others take part in. The gap gets no longer and no shorter.
  // `late`: as the device's gap before left it.
  void Assign(const GapParts& parts, Gap* gap, std::vector<Lateness>* late) const;

 private:
  enum Kind : uint8_t { kWait, kLoading, kHost, kKinds };
  struct Stall {
    int64_t start_ns = 0, length_ns = 0;
    int64_t at_most_ns = 0;          // waits: what it took without prof at most
    int32_t call = model::kNoIndex;  // waits: index into Model::api_calls
    Kind kind = kWait;
  };
  // The waits of a call, as far as they are known.
  struct WaitLength {
    int64_t length_ns = 0, at_most_ns = 0;
  };

  void AddCalls();
  void AddLoading();
  int64_t WithoutProfNs(uint32_t thread, int64_t start_ns, int64_t end_ns) const;
  bool ProfWaited(const model::ApiCall& call, int64_t since_ns) const;
  WaitLength WaitOf(const model::ApiCall& call, int64_t since_ns,
                    const std::unordered_map<uint32_t, int64_t>& usual_ns) const;
  template <typename Function>
  void ForEachWait(const Function& function) const;
  std::unordered_map<uint32_t, int64_t> MedianWaits() const;
  bool Allocates(int32_t call) const;
  void Advance(const Gap& gap, int32_t launch, Lateness* late) const;
  void TakeIn(const Stall& stall, const Gap& gap, Lateness* late) const;
  static void Own(const Lateness& late, Gap* gap);
  int64_t BesideNs(const GapParts& parts, const Gap& gap, bool loads) const;
  void Bound(Gap* gap, Lateness* late) const;
  static void Consume(const Gap& gap, int64_t left_ns, Lateness* late);

  const model::Model& model_;
  const GapClassifier& classifier_;
  std::vector<IntervalUnion> prof_;         // prof's work, by thread
  std::vector<IntervalUnion> prof_waits_;   // of that, when it may have waited for a GPU
  std::vector<std::vector<Stall>> stalls_;  // by thread; sorted by start
};

struct QueueOwners::Lateness {
  std::array<int64_t, kKinds> ns{};
  int32_t wait = model::kNoIndex;  // the call
  size_t next = 0;                 // of the thread's stalls
  // The call that launched what ended the last gap, where it waits itself: it did so behind it.
  std::optional<Stall> own_wait;
  // What a thread without its waits, or without those that allocate or free memory, would be
  // ahead by at most: all of them, less what it has made good for in gaps.
  int64_t without_waits_ns = 0, without_allocations_ns = 0;
};

}  // namespace prof::analyzer

#endif  // PROF_LIB_ANALYZER_TIMELINE_QUEUE_OWNER_H_
