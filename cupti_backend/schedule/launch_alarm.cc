// SPDX-License-Identifier: Apache-2.0
#include "cupti_backend/schedule/launch_alarm.h"

#include <algorithm>

namespace prof::cupti {
namespace {

constexpr size_t kContext = 4;  // launches

// Never 0 (Knuth's multiplicative hash).
uint16_t ShortKey(uint64_t key) {
  return static_cast<uint16_t>((key * 0x9E3779B97F4A7C15U) >> 48 | 1);
}

// The latest launch of a context.
uint16_t LatestOf(uint64_t context) { return static_cast<uint16_t>(context); }

// [0, 1): mixed as SplitMix64 does it, because a loop's launches are at a distance.
double RandomOf(size_t position) {
  uint64_t mixed = position * 0x9E3779B97F4A7C15U;
  mixed = (mixed ^ mixed >> 32) * 0xBF58476D1CE4E5B9U;
  return static_cast<double>(mixed >> 11) * 0x1p-53;
}

}  // namespace

void LaunchAlarm::OnLaunch(uint64_t key, const Kernel& kernel, int64_t now_ns) {
  const uint64_t context = context_.load(kRelaxed) << 16 | ShortKey(key);
  context_.store(context, kRelaxed);
  const size_t position = position_.fetch_add(1, kRelaxed);
  Past& past = pasts_[position % kPasts];
  past.context.store(context, kRelaxed);
  past.at_ns.store(now_ns, kRelaxed);
  const uint64_t cue = cue_.load(kRelaxed);
  if (cue != 0 && context == cue) OnCue(now_ns);
  if (LatestOf(context) == kernel_.load(kRelaxed)) come_.store(0, kRelaxed);
  if (!kernel.lacking) return;
  if (cue == 0 || !comes_again_.load(kRelaxed)) Ring(0);
  const bool waits = state_.load(kRelaxed) == State::kArmed;
  const bool is_first_again =
      !waits && turn_.load(kRelaxed) == 0 && LatestOf(context) == kernel_.load(kRelaxed);
  const bool chosen = !waits && IsChosen(position, kernel.time_ns);
  if (cue == 0 || chosen || is_first_again) LearnCue(position, now_ns + kernel.delay_ns);
}

void LaunchAlarm::SetLearns(bool learns) {
  if (learns && !learns_.load(kRelaxed)) {
    learns_from_.store(position_.load(kRelaxed), kRelaxed);
    cue_.store(0, kRelaxed);  // nobody has counted how often its context came
  }
  learns_.store(learns, kRelaxed);
}

size_t LaunchAlarm::PastsBefore(size_t position) const {
  const size_t from = learns_from_.load(kRelaxed);
  const size_t known = position > from ? position - from : 0;
  return known > kContext ? std::min(known, kPasts) - kContext : 0;
}

void LaunchAlarm::OnCue(int64_t now_ns) {
  const uint32_t turn = turn_.load(kRelaxed), come = come_.fetch_add(1, kRelaxed) + 1;
  if (turn != 0 && come != turn) return;
  comes_again_.store(true, kRelaxed);
  Ring(now_ns + lead_ns_.load(kRelaxed));
}

// Of n candidates with the times t1 .. tn each has the cue in the end with the probability
// ti / (t1 + .. + tn).
bool LaunchAlarm::IsChosen(size_t position, int64_t time_ns) {
  time_ns = std::max<int64_t>(time_ns, 1);
  const int64_t all_ns = candidates_ns_.fetch_add(time_ns, kRelaxed) + time_ns;
  return RandomOf(position) * static_cast<double>(all_ns) < static_cast<double>(time_ns);
}

void LaunchAlarm::SwitchOff() {
  candidates_ns_.store(0, kRelaxed);
  if (state_.exchange(State::kOff, std::memory_order_acq_rel) != State::kArmed) return;
  cue_.store(0, kRelaxed);
  comes_again_.store(false, kRelaxed);
}

void LaunchAlarm::Ring(int64_t expected_ns) {
  if (state_.load(kRelaxed) != State::kArmed) return;
  expected_ns_.store(expected_ns, kRelaxed);
  State armed = State::kArmed;
  if (state_.compare_exchange_strong(armed, State::kRung, std::memory_order_acq_rel)) {
    signal_.Post();
  }
}

// The latest launch that is long enough before that time: this one, where its kernel waits for
// others.
void LaunchAlarm::LearnCue(size_t position, int64_t expected_ns) {
  // Where launches follow each other so fast that the oldest one is too late, none is looked at.
  const Past& oldest = pasts_[(position + 1) % kPasts];
  if (position >= kPasts && expected_ns - oldest.at_ns.load(kRelaxed) < kShortestLeadNs) return;
  const size_t pasts = PastsBefore(position + 1);
  for (size_t back = 0; back < pasts; ++back) {
    const Past& past = pasts_[(position - back) % kPasts];
    const int64_t lead_ns = expected_ns - past.at_ns.load(kRelaxed);
    if (lead_ns < kShortestLeadNs) continue;
    if (lead_ns > kLongestLeadNs) return;
    const uint64_t context = past.context.load(kRelaxed);
    const uint16_t kernel = LatestOf(pasts_[position % kPasts].context.load(kRelaxed));
    lead_ns_.store(lead_ns, kRelaxed);
    kernel_.store(kernel, kRelaxed);
    turn_.store(TurnOf(position, back, kernel), kRelaxed);
    come_.store(0, kRelaxed);
    cue_.store(context, kRelaxed);
    return;
  }
}

uint32_t LaunchAlarm::TurnOf(size_t position, size_t cue_back, uint16_t kernel) const {
  const uint64_t context = pasts_[(position - cue_back) % kPasts].context.load(kRelaxed);
  const size_t pasts = PastsBefore(position + 1);
  uint32_t turn = 1;
  for (size_t back = cue_back + 1; back < pasts; ++back) {
    const uint64_t past = pasts_[(position - back) % kPasts].context.load(kRelaxed);
    if (LatestOf(past) == kernel) return turn;
    if (past == context) ++turn;
  }
  return 0;
}

}  // namespace prof::cupti
