// SPDX-License-Identifier: Apache-2.0
//
// Turns the columns of version 1 of a block into those of version 2, written straight from
// docs/internals/snapshot-format.md: for SnapshotBuilder::edit.
#ifndef PROF_TEST_SUPPORT_GUESS_COLUMNS_H_
#define PROF_TEST_SUPPORT_GUESS_COLUMNS_H_

#include <cstdint>

#include "lib/format/guess.h"
#include "prof/snapshot.pb.h"

namespace prof::test {

template <typename Values, typename Misses>
void GuessIds(const Values& values, Misses* misses) {
  format::IdGuess guess;
  uint32_t right = 0;
  for (const auto value : values) {
    const auto id = static_cast<uint32_t>(value);
    if (id == guess.guess()) {
      ++right;
    } else {
      misses->Add(right);
      misses->Add(id);
      right = 0;
    }
    guess.Learn(id);
  }
}

template <typename Deltas, typename Misses>
void GuessCorrelations(const Deltas& deltas, Misses* misses) {
  google::protobuf::RepeatedField<uint32_t> zigzag;
  for (const int64_t delta : deltas) {
    zigzag.Add(static_cast<uint32_t>(delta < 0 ? -2 * delta - 1 : 2 * delta));
  }
  GuessIds(zigzag, misses);
}

// `durations` and `more` are null for rows that have none.
template <typename Ids, typename Deltas, typename Durations, typename Guesses>
void GuessTimes(int64_t base_ns, const Ids& ids, const Deltas& deltas, const Durations* durations,
                Guesses* starts, Guesses* more) {
  format::IntervalGuess guess;
  guess.Begin(base_ns);
  auto now = static_cast<uint64_t>(base_ns);
  for (int row = 0; row < ids.size(); ++row) {
    now += static_cast<uint64_t>(deltas.Get(row));
    const uint64_t duration = durations == nullptr ? 0 : durations->Get(row);
    guess.Enter(ids.Get(row));
    starts->Add(static_cast<int64_t>(now - guess.start_ns()));
    if (more != nullptr) more->Add(static_cast<int64_t>(duration - guess.duration_ns()));
    guess.Learn(now, duration);
  }
}

inline void GuessColumns(wire::Block& block) {
  if (block.has_kernels()) {
    wire::KernelColumns& c = *block.mutable_kernels();
    GuessIds(c.shape(), c.mutable_shape_guess());
    GuessIds(c.lane(), c.mutable_lane_guess());
    GuessCorrelations(c.correlation_delta(), c.mutable_correlation_guess());
    GuessTimes(c.base_ns(), c.shape(), c.start_delta_ns(), &c.duration_ns(),
               c.mutable_start_guess_ns(), c.mutable_duration_guess_ns());
    c.clear_shape();
    c.clear_lane();
    c.clear_correlation_delta();
    c.clear_start_delta_ns();
    c.clear_duration_ns();
  }
  if (block.has_api_calls()) {
    wire::ApiColumns& c = *block.mutable_api_calls();
    GuessIds(c.name(), c.mutable_name_guess());
    GuessIds(c.thread(), c.mutable_thread_guess());
    GuessCorrelations(c.correlation_delta(), c.mutable_correlation_guess());
    GuessTimes(c.base_ns(), c.name(), c.start_delta_ns(), &c.duration_ns(),
               c.mutable_start_guess_ns(), c.mutable_duration_guess_ns());
    c.clear_name();
    c.clear_thread();
    c.clear_correlation_delta();
    c.clear_start_delta_ns();
    c.clear_duration_ns();
  }
  if (block.has_ranges()) {
    wire::RangeColumns& c = *block.mutable_ranges();
    GuessIds(c.thread(), c.mutable_thread_guess());
    GuessIds(c.path(), c.mutable_path_guess());
    GuessTimes(c.base_ns(), c.path(), c.time_delta_ns(),
               static_cast<const google::protobuf::RepeatedField<uint64_t>*>(nullptr),
               c.mutable_time_guess_ns(),
               static_cast<google::protobuf::RepeatedField<int64_t>*>(nullptr));
    c.clear_thread();
    c.clear_path();
    c.clear_time_delta_ns();
  }
}

}  // namespace prof::test

#endif  // PROF_TEST_SUPPORT_GUESS_COLUMNS_H_
