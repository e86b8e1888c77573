// SPDX-License-Identifier: Apache-2.0
#include "cupti_backend/schedule/need_schedule.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <new>

namespace prof::cupti {
namespace {

constexpr int64_t kNever = std::numeric_limits<int64_t>::max();
constexpr uint32_t kMaxProbes = 64;
// An interval below this is no reason to wait longer for a launch.
constexpr int64_t kLongIntervalNs = NeedSchedule::kRunningNs;
constexpr int64_t kFirstPauseNs = 50'000'000, kLongestPauseNs = 800'000'000;
// The first sample of a group decides, the second confirms it, later ones show the spread.
constexpr double kWeightOfSample[] = {1, 0.5, 0.25};
// Where the use of the units is unknown it comes first: it decides what else matters.
constexpr double kWeightOfUse = 4;

uint64_t Bit(uint32_t group) { return uint64_t{1} << group; }

// The questions are bits: calls `visit` with each.
template <typename Visit>
void ForEach(format::Needs needs, const Visit& visit) {
  for (; needs != 0; needs &= needs - 1) visit(needs & -needs);
}

}  // namespace

NeedSchedule::NeedSchedule(uint32_t samples, uint32_t skip, uint32_t every)
    : samples_(std::clamp(samples, 1U, kSamples)),
      skip_(skip),
      every_(std::max(every, 1U)),
      seats_(new (std::nothrow) Seat[kCapacity]),
      shapes_(new (std::nothrow) Shape[kCapacity]),
      kinds_(new (std::nothrow) Kind[kCapacity]) {
  candidates_.reserve(kCapacity);
}

// --- Launching threads ---------------------------------------------------------------------------

NeedSchedule::Shape* NeedSchedule::ShapeOf(uint64_t key) {
  if (shapes_ == nullptr) return nullptr;
  for (uint32_t probe = 0; probe < kMaxProbes; ++probe) {
    Shape& shape = shapes_[(key + probe) % kCapacity];
    uint64_t found = shape.key.load(std::memory_order_acquire);
    if (found == key) return &shape;
    if (found != 0) continue;
    if (shape.key.compare_exchange_strong(found, key, std::memory_order_acq_rel) || found == key) {
      return &shape;
    }
  }
  return nullptr;
}

void NeedSchedule::Add(Entry& entry, size_t slot, uint64_t shape_key) {
  entry.resume_ns.store(kNever, kRelaxed);
  Shape* shape = ShapeOf(shape_key);
  if (shape == nullptr || seats_ == nullptr) return;
  static_assert(kMaxSlots <= 32);
  const uint32_t bit = uint32_t{1} << slot;
  if ((shape->slots.fetch_or(bit, kRelaxed) & bit) == 0) news_.fetch_add(1, kRelaxed);
  const uint32_t number = seats_taken_.fetch_add(1, kRelaxed);
  if (number >= kCapacity) return;
  Seat& seat = seats_[number];
  seat.shape = shape;
  seat.slot = static_cast<uint8_t>(slot);
  // A kernel that is loaded for each call has a signature for each, which never comes again.
  entry.unseen.store(shape->rings.load(kRelaxed), kRelaxed);
  entry.seat.store(number + 1, std::memory_order_release);
  seat.entry.store(&entry, std::memory_order_release);
}

bool NeedSchedule::Considers(Entry& entry, int64_t now_ns) {
  const uint32_t launch = entry.launches.fetch_add(1, kRelaxed);
  const int64_t last_ns = entry.last_launch_ns.load(kRelaxed);
  entry.last_launch_ns.store(now_ns, kRelaxed);
  // A break in a dense series is no interval: the next launch sets it back.
  if (last_ns != 0 && now_ns - last_ns > kLongIntervalNs) {
    entry.interval_ns.store(now_ns - last_ns, kRelaxed);
  } else if (entry.interval_ns.load(kRelaxed) != 0) {
    entry.interval_ns.store(0, kRelaxed);
  }
  const bool wanted = now_ns >= entry.resume_ns.load(kRelaxed) &&
                      entry.exclusion.load(std::memory_order_acquire) == Exclusion::kNone &&
                      launch >= skip_ && (launch - skip_) % every_ == 0;
  if (alarm_.learns()) TellAlarm(entry, now_ns);
  return wanted;
}

// Kernels are told apart by their shape: one that is loaded again has another signature.
[[gnu::noinline]] void NeedSchedule::TellAlarm(const Entry& entry, int64_t now_ns) {
  const uint32_t seat = entry.seat.load(std::memory_order_acquire);
  const Shape* shape = seat != 0 ? seats_[seat - 1].shape : nullptr;
  LaunchAlarm::Kernel kernel;
  kernel.lacking = entry.unseen.load(kRelaxed);
  if (kernel.lacking) {  // of the others nobody asks for more
    kernel.delay_ns = entry.delay_ns.load(kRelaxed);
    const auto timed = static_cast<int64_t>(entry.timed_launches.load(kRelaxed));
    if (timed > 0) {
      kernel.time_ns = static_cast<int64_t>(entry.timed_ns.load(kRelaxed)) / timed;
    } else if (shape != nullptr) {
      kernel.time_ns = shape->launch_ns.load(kRelaxed);
    }
    if (shape != nullptr) kernel.time_ns /= 1 + shape->bursts.load(kRelaxed);
  }
  const void* key = shape != nullptr ? static_cast<const void*>(shape) : &entry;
  alarm_.OnLaunch(reinterpret_cast<uintptr_t>(key), kernel, now_ns);
}

// --- Any thread ----------------------------------------------------------------------------------

void NeedSchedule::SetNeeds(uint64_t shape_key, format::Needs needs) {
  Shape* shape = ShapeOf(shape_key);
  if (shape != nullptr) shape->needs.store(needs, kRelaxed);
}

// A shape that was never launched here, as a node of a graph, takes no place for it.
void NeedSchedule::CountBurst(uint64_t shape_key) {
  if (shapes_ == nullptr) return;
  for (uint32_t probe = 0; probe < kMaxProbes; ++probe) {
    Shape& shape = shapes_[(shape_key + probe) % kCapacity];
    const uint64_t found = shape.key.load(std::memory_order_acquire);
    if (found == shape_key) shape.bursts.fetch_add(1, kRelaxed);
    if (found == shape_key || found == 0) return;
  }
}

// --- One thread at a time ------------------------------------------------------------------------

void NeedSchedule::SetGroups(size_t slot, const std::vector<Group>& groups) {
  slots_[slot].groups = groups;
  if (groups.size() > kMaxGroups) slots_[slot].groups.resize(kMaxGroups);
}

// The kind of a signature whose launches take `mean_ns`; a new one where none takes as long.
NeedSchedule::Kind* NeedSchedule::KindOf(Seat& seat, const Entry& entry, double mean_ns) {
  const bool region = entry.region.load(kRelaxed), requested = entry.requested.load(kRelaxed);
  const auto fits = [&](const Kind& kind) {
    return kind.slot == seat.slot && kind.region == region && kind.requested == requested &&
           std::abs(mean_ns - kind.mean_ns) <= kSameTime * kind.mean_ns;
  };
  if (seat.kind != nullptr && fits(*seat.kind)) return seat.kind;
  for (Kind* kind = seat.shape->first; kind != nullptr; kind = kind->next) {
    if (fits(*kind)) return kind;
  }
  // Its time has moved: what was learned of it stays true enough.
  if (seat.kind != nullptr && seat.kind->all_ns == 0) {
    seat.kind->mean_ns = mean_ns;
    return seat.kind;
  }
  if (kinds_ == nullptr || kinds_taken_ == kCapacity) return seat.kind;
  Kind& made = kinds_[kinds_taken_++];
  made.slot = seat.slot;
  made.region = region;
  made.requested = requested;
  made.mean_ns = mean_ns;
  made.next = seat.shape->first;
  seat.shape->first = &made;
  return &made;
}

void NeedSchedule::ForgetTimes() {
  all_ns_ = recent_ns_ = unseen_ns_ = 0;
  for (uint32_t i = 0; i < kinds_taken_; ++i) {
    Kind& kind = kinds_[i];
    kind.able = kind.running = kind.chosen = false;
    kind.all_ns = kind.recent_ns = 0;
    kind.interval_ns = kLongestRunningNs;
  }
}

// The kernels of a graph have needs of their own. A launch that is over sooner than the next one is
// launched is limited by that.
format::Needs NeedSchedule::NeedsOf(const Seat& seat, const Entry& entry, double mean_ns) const {
  if (entry.requested.load(kRelaxed)) return format::kNeedsEverything;
  if (entry.region.load(kRelaxed) || mean_ns < format::kLaunchSizedNs) return always_;
  if (!triage_works_.load(kRelaxed)) return format::kNeedsEverything;
  const format::Needs needs = seat.shape->needs.load(kRelaxed);
  if (needs != kUnanswered) return needs | always_;
  return always_ != format::kNeedsNothing ? always_ : kUnanswered;
}

// Nothing is known of its use of the units, and triage could find out.
bool NeedSchedule::IsUnseen(const Seat& seat, const Entry& entry) const {
  if (entry.region.load(kRelaxed) || !triage_works_.load(kRelaxed)) return false;
  if (seat.shape->needs.load(kRelaxed) != kUnanswered) return false;
  const uint32_t timed = entry.timed_launches.load(kRelaxed);
  if (timed == 0) return true;
  const double mean_ns = static_cast<double>(entry.timed_ns.load(kRelaxed)) / timed;
  return mean_ns >= format::kLaunchSizedNs && mean_ns * entry.launches.load(kRelaxed) < kVainNs;
}

void NeedSchedule::NoticeReturn(Seat& seat, const Entry& entry, int64_t now_ns) {
  const uint32_t launches = entry.launches.load(kRelaxed);
  if (launches == seat.noticed) return;
  const bool back = watched_ && seat.noticed > 0 && now_ns - seat.noticed_ns > kCalmNs;
  seat.noticed = launches;
  seat.noticed_ns = now_ns;
  if (!back || seat.returns >= kMostReturns || !IsUnseen(seat, entry)) return;
  ++seat.returns;
  returns_.fetch_add(1, kRelaxed);
}

void NeedSchedule::Learn(Seat& seat, Entry& entry, double decay, int64_t now_ns) {
  NoticeReturn(seat, entry, now_ns);
  const uint32_t timed = entry.timed_launches.load(kRelaxed);
  const bool requested = entry.requested.load(kRelaxed);
  if (timed == 0 && !requested) return;
  const double mean_ns =
      timed == 0 ? 0 : static_cast<double>(entry.timed_ns.load(kRelaxed)) / timed;
  const uint32_t launches = entry.launches.load(kRelaxed);
  seat.recent_ns = seat.recent_ns * decay + mean_ns * (launches - seat.launches);
  seat.launches = launches;
  seat.kind = KindOf(seat, entry, mean_ns);
  if (seat.kind == nullptr) return;
  Kind& kind = *seat.kind;
  const int64_t last_ns = entry.last_launch_ns.load(kRelaxed);
  const int64_t quiet_ns = now_ns - last_ns;
  kind.needs = NeedsOf(seat, entry, mean_ns);
  kind.able |= entry.exclusion.load(std::memory_order_acquire) == Exclusion::kNone;
  const int64_t interval_ns = std::min(entry.interval_ns.load(kRelaxed), kLongestRunningNs);
  kind.running |= quiet_ns <= std::clamp(2 * interval_ns, kRunningNs, kLongestRunningNs);
  kind.interval_ns = std::min(kind.interval_ns, interval_ns);
  kind.last_launch_ns = std::max(kind.last_launch_ns, last_ns);
  kind.all_ns += mean_ns * launches;
  kind.recent_ns += seat.recent_ns;
  all_ns_ += mean_ns * launches;
  recent_ns_ += seat.recent_ns;
  if (IsUnseen(seat, entry)) unseen_ns_ += seat.recent_ns;
}

// The GPU time of its launches so far, where it runs now and triage lacks samples of it.
double NeedSchedule::UnseenNs(const Seat& seat, const Entry& entry, int64_t now_ns) const {
  const uint32_t timed = entry.timed_launches.load(kRelaxed);
  if (timed == 0 || !IsUnseen(seat, entry)) return 0;
  const int64_t longest_ns = std::max(kLongestRunningNs, 2 * entry.interval_ns.load(kRelaxed));
  if (now_ns - entry.last_launch_ns.load(kRelaxed) > longest_ns) return 0;
  return static_cast<double>(entry.timed_ns.load(kRelaxed)) / timed * entry.launches.load(kRelaxed);
}

// Launches ring of the kernels that bring most: a burst is for one of them.
void NeedSchedule::ChooseAlarms(uint32_t seats, int64_t now_ns) {
  const auto for_each = [&](auto work) {
    for (uint32_t i = 0; i < seats; ++i) {
      Entry* entry = seats_[i].entry.load(std::memory_order_acquire);
      if (entry != nullptr) work(seats_[i], *entry);
    }
  };
  double most_ns = 0;
  for_each([](Seat& seat, Entry&) { seat.shape->unseen_ns = 0; });
  for_each([&](Seat& seat, Entry& entry) {
    seat.shape->unseen_ns += UnseenNs(seat, entry, now_ns);
    most_ns = std::max(most_ns, seat.shape->UnseenByBursts());
    const uint32_t timed = entry.timed_launches.load(kRelaxed);
    if (timed == 0) return;
    seat.shape->launch_ns.store(static_cast<int64_t>(entry.timed_ns.load(kRelaxed)) / timed,
                                kRelaxed);
  });
  bool any = false, fewer = false;
  for_each([&](Seat& seat, Entry& entry) {
    Shape& shape = *seat.shape;
    const bool rang = entry.unseen.load(kRelaxed);
    const double least = shape.rings.load(kRelaxed) ? kAlarmKeeps : kAlarmOfMost;
    const bool is_much = shape.unseen_ns > 0 && shape.unseen_ns >= least * kAlarmShare * all_ns_;
    const bool rings = is_much && shape.UnseenByBursts() >= least * most_ns;
    shape.rings.store(rings, kRelaxed);
    entry.unseen.store(rings && IsUnseen(seat, entry), kRelaxed);
    fewer |= rang && !rings;
    any |= rings;
  });
  if (fewer) alarm_.ForgetCue();
  alarm_.SetMayRing(any);
}

// Groups that lack samples: first those that answer, after a rest the later ones.
void NeedSchedule::FindOpen(Kind& kind, int64_t now_ns) {
  kind.open = 0;
  kind.answered = kind.decided = kind.needs == format::kNeedsNothing;
  if (kind.needs == kUnanswered || slots_[kind.slot].groups.empty()) return;
  const std::vector<Group>& groups = slots_[kind.slot].groups;
  uint64_t first = 0, second = 0, later = 0;
  for (uint32_t group = 0; group < groups.size(); ++group) {
    if ((groups[group].answers & kind.needs) == 0) continue;
    if (kind.region && groups[group].kernel_only) continue;
    if (kind.taken[group] == 0) first |= Bit(group);
    if (kind.taken[group] < std::min(kEnough, samples_)) second |= Bit(group);
    if (kind.taken[group] < samples_) later |= Bit(group);
  }
  kind.answered = first == 0;
  kind.decided = second == 0;
  kind.open = first != 0 && slots_[kind.slot].crowded ? first : second;
  if (kind.decided && plenty_ && now_ns - kind.first_take_ns >= kRestNs) kind.open = later;
}

void NeedSchedule::Refresh(bool plenty, int64_t now_ns) {
  plenty_ = plenty;
  // While counters are started nobody looks: what comes after that has not been away.
  watched_ = now_ns - refreshed_ns_ < kCalmNs / 2;
  const double decay =
      std::exp(-static_cast<double>(now_ns - refreshed_ns_) / static_cast<double>(kRecentNs));
  refreshed_ns_ = now_ns;
  ForgetTimes();
  const uint32_t seats = std::min(seats_taken_.load(kRelaxed), kCapacity);
  for (uint32_t i = 0; i < seats; ++i) {
    Entry* entry = seats_[i].entry.load(std::memory_order_acquire);
    if (entry != nullptr) Learn(seats_[i], *entry, decay, now_ns);
  }
  for (uint32_t i = 0; i < kinds_taken_; ++i) FindOpen(kinds_[i], now_ns);
  for (size_t slot = 0; slot < kMaxSlots; ++slot) {
    if (slots_[slot].groups.empty()) continue;
    Choose(slot);
    if (WantsMore(slot)) slots_[slot].last_wanted_ns.store(now_ns);
  }
  for (uint32_t i = 0; i < seats; ++i) {
    const Kind* kind = seats_[i].kind;
    Entry* entry = seats_[i].entry.load(kRelaxed);
    if (kind != nullptr && entry != nullptr) {
      entry->resume_ns.store(kind->open != 0 ? 0 : kNever, kRelaxed);
    }
  }
  ChooseAlarms(seats, now_ns);
  Judge(now_ns);
}

// A kind that is decided has its later samples to gain, which show the spread.
void NeedSchedule::Weigh(Kind& kind) const {
  kind.weight = kind.requested ? 1
                               : std::max(kind.all_ns / std::max(all_ns_, 1.0),
                                          kind.recent_ns / std::max(recent_ns_, 1.0));
  const std::vector<Group>& groups = slots_[kind.slot].groups;
  int64_t cost_ns = 0;
  for (uint32_t group = 0; group < groups.size(); ++group) {
    if ((kind.open & Bit(group)) != 0) cost_ns += groups[group].sample_ns;
  }
  kind.density = kind.weight * kWeightOfSample[kind.answered + kind.decided] /
                 std::max(static_cast<double>(cost_ns), 1.0);
}

// Those that decide most of what runs now, for what it takes.
void NeedSchedule::Choose(size_t slot_index) {
  Slot& slot = slots_[slot_index];
  candidates_.clear();
  bool worthwhile = false;
  uint32_t lacking = 0;
  for (uint32_t i = 0; i < kinds_taken_; ++i) {
    Kind& kind = kinds_[i];
    if (kind.slot != slot_index || kind.open == 0 || !kind.able || !kind.running) continue;
    Weigh(kind);
    worthwhile |= IsWorthwhile(kind);
    lacking += IsWorthwhile(kind) && !kind.answered ? 1 : 0;
    candidates_.push_back(&kind);
  }
  slot.crowded = lacking > kCrowd;
  if (worthwhile) {
    candidates_.erase(std::remove_if(candidates_.begin(), candidates_.end(),
                                     [](const Kind* kind) { return !IsWorthwhile(*kind); }),
                      candidates_.end());
  }
  if (candidates_.size() > kMaxChosen) {
    std::nth_element(candidates_.begin(), candidates_.begin() + (kMaxChosen - 1), candidates_.end(),
                     [](const Kind* a, const Kind* b) { return a->density > b->density; });
    candidates_.resize(kMaxChosen);
  }
  slot.wanting.fill(0);
  slot.value.fill(0);
  slot.interval_ns.fill(kLongestRunningNs);
  for (Kind* kind : candidates_) {
    kind->chosen = true;
    Tally(*kind, &slot, 1);
  }
}

// Something is wanted, of more GPU time than PM sampling could be asked about.
bool NeedSchedule::WantsMore(size_t slot) const {
  double open_ns = 0, unanswered_ns = 0;
  bool wanted = false;
  for (uint32_t i = 0; i < kinds_taken_; ++i) {
    const Kind& kind = kinds_[i];
    if (kind.slot != slot || !kind.running) continue;
    wanted |= kind.chosen;
    if (kind.able && kind.open != 0) open_ns += kind.recent_ns;
    if (kind.needs == kUnanswered) unanswered_ns += kind.recent_ns;
    if (kind.chosen && kind.requested) return true;
  }
  return wanted && open_ns >= unanswered_ns;
}

// Of all chosen kinds, for the groups that they want. What the user asked for is begun at once.
int64_t NeedSchedule::AnswersNs() const {
  const bool requested =
      std::any_of(kinds_.get(), kinds_.get() + kinds_taken_,
                  [](const Kind& kind) { return kind.chosen && kind.requested; });
  if (requested) return 0;
  int64_t cost_ns = 0;
  for (const Slot& slot : slots_) {
    for (uint32_t group = 0; group < slot.groups.size(); ++group) {
      if (slot.wanting[group] == 0) continue;
      const Group& facts = slot.groups[group];
      cost_ns += facts.change_ns + slot.wanting[group] * facts.sample_ns;
    }
  }
  return std::min(cost_ns, kMostAnswersNs);
}

// What is known of the whole program.
void NeedSchedule::Judge(int64_t now_ns) {
  double decided_ns = 0, open_ns = 0, open_recent_ns = 0;
  uint32_t unfinished = 0;
  bool to_come = false;
  for (uint32_t i = 0; i < kinds_taken_; ++i) {
    const Kind& kind = kinds_[i];
    const bool answerable = kind.able || kind.region;
    if (kind.decided || !answerable) {
      decided_ns += kind.decided ? kind.all_ns : 0;
      continue;
    }
    ++unfinished;
    to_come |= now_ns - kind.last_launch_ns < kGoneNs;
    if (kind.needs != kUnanswered && kind.running) {
      open_ns += kind.requested ? 2.0 * static_cast<double>(kTurnNs) : kind.all_ns;
      open_recent_ns += kind.recent_ns;
    }
  }
  unfinished_.store(unfinished);
  unseen_share_.store(recent_ns_ > 0 ? unseen_ns_ / recent_ns_ : 0, kRelaxed);
  open_share_.store(recent_ns_ > 0 ? open_recent_ns / recent_ns_ : 0, kRelaxed);
  decided_share_.store(all_ns_ > 0 ? decided_ns / all_ns_ : 0);
  complete_.store(all_ns_ > 0 && (decided_ns >= kCompleteShare * all_ns_ || !to_come));
  answers_ns_.store(AnswersNs(), kRelaxed);
  worth_a_turn_.store(open_ns >= 2.0 * static_cast<double>(kTurnNs));
}

// What `kind` decides with one more sample of `group`: its share of the GPU time, spread over what
// each question still takes, so that one that is nearly answered comes before one that is not.
double NeedSchedule::Value(const Kind& kind, const Slot& slot, uint32_t group) {
  double value = 0;
  ForEach(kind.needs & slot.groups[group].answers, [&](format::Needs question) {
    int remaining = 0;
    for (uint32_t other = 0; other < slot.groups.size(); ++other) {
      if ((kind.open & Bit(other)) != 0 && (slot.groups[other].answers & question) != 0) {
        ++remaining;
      }
    }
    value += (question == format::kNeedsUse ? kWeightOfUse : 1) / std::max(remaining, 1);
  });
  return value * kind.weight * kWeightOfSample[std::min<uint32_t>(kind.taken[group], 2)];
}

void NeedSchedule::Tally(const Kind& kind, Slot* slot, int sign) {
  for (uint32_t group = 0; group < slot->groups.size(); ++group) {
    if ((kind.open & Bit(group)) == 0) continue;
    slot->wanting[group] += static_cast<uint32_t>(sign);
    slot->value[group] += sign * Value(kind, *slot, group);
    slot->interval_ns[group] = std::min(slot->interval_ns[group], kind.interval_ns);
  }
}

double NeedSchedule::Score(const Slot& slot, uint32_t group, int active) {
  const Group& facts = slot.groups[group];
  const int64_t change_ns = static_cast<int>(group) == active ? 0 : facts.change_ns;
  const auto cost_ns = static_cast<double>(change_ns + slot.wanting[group] * facts.sample_ns);
  return std::ldexp(slot.value[group], -slot.vain[group]) / std::max(cost_ns, 1.0);
}

int NeedSchedule::Best(const Slot& slot, int active) {
  int best = -1;
  for (uint32_t group = 0; group < slot.groups.size(); ++group) {
    if (slot.wanting[group] == 0) continue;
    if (best < 0 || Score(slot, group, active) > Score(slot, static_cast<uint32_t>(best), active)) {
      best = static_cast<int>(group);
    }
  }
  return best;
}

NeedSchedule::Decision NeedSchedule::Plan(size_t slot_index, int active, int64_t now_ns) {
  Slot& slot = slots_[slot_index];
  const int best = Best(slot, active);
  if (best < 0 || now_ns < slot.not_before_ns) return {};
  const Decision change = {Action::kRotate, static_cast<uint32_t>(best)};
  if (active < 0) return WantsHardware() ? change : Decision{};
  const auto group = static_cast<uint32_t>(active);
  if (slot.wanting[group] == 0) return change;
  const int64_t patience_ns = std::max(kPatienceNs, 2 * slot.interval_ns[group]);
  if (now_ns - std::max(slot.taken_ns, slot.visit_ns) < patience_ns) return {};
  // Its launches do not come, or cannot be sampled now.
  if (slot.taken_ns < slot.visit_ns) {
    slot.vain[group] = static_cast<uint8_t>(std::min(slot.vain[group] + 1, 10));
    const uint32_t doublings = std::min(slot.vain_visits++, 6U);
    slot.not_before_ns = now_ns + std::min(kFirstPauseNs << doublings, kLongestPauseNs);
  }
  slot.taken_ns = slot.visit_ns = now_ns;
  const int other = Best(slot, -1);  // staying is no cheaper now
  return other != active ? Decision{Action::kRotate, static_cast<uint32_t>(other)} : Decision{};
}

NeedSchedule::Decision NeedSchedule::Next(const Entry& entry, size_t slot, int active) const {
  const uint32_t number = entry.seat.load(kRelaxed);
  if (number == 0 || active < 0 || slots_[slot].groups.empty()) return {};
  const Kind* kind = seats_[number - 1].kind;
  const auto group = static_cast<uint32_t>(active);
  if (kind == nullptr || !kind->chosen || (kind->open & Bit(group)) == 0) return {};
  return {Action::kSample, group};
}

NeedSchedule::Decision NeedSchedule::CountSample(Entry& entry, size_t slot_index, uint32_t group,
                                                 int64_t now_ns) {
  Slot& slot = slots_[slot_index];
  Kind& kind = *seats_[entry.seat.load(kRelaxed) - 1].kind;
  slot.taken_ns = now_ns + 1;  // in this visit
  slot.vain[group] = 0;
  slot.vain_visits = 0;
  if (kind.first_take_ns == 0) kind.first_take_ns = now_ns;
  if (kind.chosen) Tally(kind, &slot, -1);
  if (kind.taken[group] < samples_) ++kind.taken[group];
  const bool more = !slot.crowded && kind.taken[group] < std::min(kEnough, samples_);
  if (!more) kind.open &= ~Bit(group);
  if (kind.chosen) Tally(kind, &slot, 1);
  if (slot.wanting[group] > 0) return {};
  const int best = Best(slot, static_cast<int>(group));
  return best >= 0 ? Decision{Action::kRotate, static_cast<uint32_t>(best)} : Decision{};
}

void NeedSchedule::BeginVisit(size_t slot, int64_t now_ns) {
  slots_[slot].visit_ns = now_ns;
  Refresh(plenty_, now_ns);
}

uint32_t NeedSchedule::AfterFull(size_t slot, uint32_t group) const {
  const int best = Best(slots_[slot], static_cast<int>(group));
  return best >= 0 ? static_cast<uint32_t>(best) : group;
}

}  // namespace prof::cupti
