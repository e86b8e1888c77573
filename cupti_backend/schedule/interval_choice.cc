// SPDX-License-Identifier: Apache-2.0
#include "cupti_backend/schedule/interval_choice.h"

#include <algorithm>
#include <iterator>
#include <unordered_map>
#include <utility>

#include "cupti_backend/schedule/triage_coverage.h"
#include "cupti_backend/schedule/triage_schedule.h"

namespace prof::cupti {
namespace {

constexpr double kOfLatest = 0.3;  // its weight
// What samples of several kernels are worth, by the part of them that is this kernel's.
constexpr double kOfMixed = 0.25;

// A launch with what is around it.
struct Place {
  IntervalChoice::Launch launch;
  size_t kernel = 0;                      // from 0 on
  int64_t free_from_ns = 0;               // the end of what ran before
  int64_t free_until_ns = 0;              // the start of what ran next
  int64_t own_from_ns = 0, own_until_ns;  // the same of other kernels

  double ns() const { return static_cast<double>(launch.end_ns - launch.start_ns); }
};

std::vector<Place> FindPlaces(const std::vector<IntervalChoice::Launch>& launches, int64_t begin_ns,
                              int64_t until_ns) {
  std::vector<Place> places;
  std::unordered_map<uint64_t, size_t> kernels;
  int64_t last_ns = begin_ns, last_of_others_ns = begin_ns;
  for (size_t i = 0; i < std::min(launches.size(), IntervalChoice::kMostLaunches); ++i) {
    const IntervalChoice::Launch& launch = launches[i];
    Place& place = places.emplace_back();
    place.launch = launch;
    place.kernel = kernels.try_emplace(launch.kernel, kernels.size()).first->second;
    if (i > 0 && launches[i - 1].kernel != launch.kernel) last_of_others_ns = last_ns;
    place.free_from_ns = last_ns;
    place.own_from_ns = last_of_others_ns;
    last_ns = std::max(last_ns, launch.end_ns);
  }
  int64_t next_ns = std::max(last_ns, until_ns), next_of_others_ns = next_ns;
  for (size_t i = places.size(); i > 0; --i) {
    Place& place = places[i - 1];
    if (i < places.size() && places[i].kernel != place.kernel) next_of_others_ns = next_ns;
    place.free_until_ns = next_ns;
    place.own_until_ns = next_of_others_ns;
    next_ns = place.launch.start_ns;
  }
  return places;
}

double Part(int64_t from_ns, int64_t until_ns, int64_t interval_ns) {
  const int64_t ns = std::clamp<int64_t>(until_ns - from_ns, 0, interval_ns);
  return static_cast<double>(ns) / static_cast<double>(interval_ns);
}

// In samples that lie anywhere.
double WorthOf(const Place& place, int64_t interval_ns) {
  constexpr int64_t kShortestNs = IntervalChoice::kIntervalsNs.front();
  const IntervalChoice::Launch& launch = place.launch;
  const double samples = place.ns() / static_cast<double>(interval_ns);
  // The samples that hold the middle of the launch, and no other kernel, begin between these two.
  const int64_t middle_ns = launch.start_ns + (launch.end_ns - launch.start_ns) / 2;
  const double own = Part(std::max(middle_ns - interval_ns, place.own_from_ns),
                          std::min(middle_ns, place.own_until_ns - interval_ns), interval_ns);
  const double all =
      Part(std::max(launch.end_ns - interval_ns, place.free_from_ns),
           std::min(launch.start_ns, place.free_until_ns - interval_ns), interval_ns);
  const double shortest = static_cast<double>(kShortestNs) / static_cast<double>(interval_ns);
  const double parts = samples * (own + kOfMixed * (1 - own) * shortest);
  // A burst that sees a part of a long launch is worth that part of it.
  const auto burst_ns = static_cast<double>(TriageSchedule::kBurstSamples * interval_ns);
  const double most = std::min(1.0, burst_ns / std::max(1.0, place.ns()));
  return std::min(most, parts / IntervalChoice::kWorthOfAll + all) * IntervalChoice::kWorthOfAll;
}

// The part of what lacks samples that a burst would settle which begins at such a kernel, by time.
class Gain {
 public:
  explicit Gain(const std::vector<Place>& places) {
    for (const Place& place : places) kernels_ = std::max(kernels_, place.kernel + 1);
    time_ns_.resize(kernels_);
    for (const Place& place : places) {
      if (!place.launch.lacking) continue;
      time_ns_[place.kernel] += place.ns();
      lacking_ns_ += place.ns();
    }
  }

  double Of(const std::vector<Place>& places, int64_t interval_ns) const {
    const int64_t burst_ns = TriageSchedule::kBurstSamples * interval_ns;
    double sum = 0, weights = 0;
    for (auto first = places.begin(); first != places.end();) {
      const int64_t until_ns = first->launch.start_ns + burst_ns;
      const auto last = std::find_if(
          first, places.end(), [&](const Place& one) { return one.launch.start_ns >= until_ns; });
      const auto [gain, weight] = OfBurst(first, last, interval_ns);
      sum += weight * gain;
      weights += weight;
      first = last;
    }
    return weights > 0 ? sum / weights / lacking_ns_ : 0;
  }

 private:
  using Iterator = std::vector<Place>::const_iterator;

  // The time that it settles, and the time of what lacks samples in it.
  std::pair<double, double> OfBurst(Iterator first, Iterator last, int64_t interval_ns) const {
    std::vector<double> worth(kernels_);
    double lacking_ns = 0;
    for (auto place = first; place != last; ++place) {
      if (!place->launch.lacking) continue;
      worth[place->kernel] += WorthOf(*place, interval_ns);
      lacking_ns += place->ns();
    }
    double gain = 0;
    for (size_t kernel = 0; kernel < kernels_; ++kernel) {
      gain += time_ns_[kernel] * std::min(1.0 / TriageCoverage::kEnoughBursts,
                                          worth[kernel] / TriageCoverage::kEnoughSamples);
    }
    return {gain, lacking_ns};
  }

  size_t kernels_ = 0;
  double lacking_ns_ = 0;
  std::vector<double> time_ns_;  // of each kernel that lacks samples
};

}  // namespace

void IntervalChoice::Add(const std::vector<Launch>& launches, int64_t begin_ns, int64_t until_ns) {
  const std::vector<Place> places = FindPlaces(launches, begin_ns, until_ns);
  if (std::none_of(places.begin(), places.end(),
                   [](const Place& place) { return place.launch.lacking; })) {
    return;  // it stays as it is
  }
  const Gain gain(places);
  for (size_t i = 0; i < gains_.size(); ++i) {
    gains_[i] += kOfLatest * (gain.Of(places, kIntervalsNs[i]) - gains_[i]);
  }
  const auto* const best = std::max_element(gains_.begin(), gains_.end());
  const auto* const now = std::find(kIntervalsNs.begin(), kIntervalsNs.end(),
                                    interval_ns_ == 0 ? kIntervalsNs.front() : interval_ns_);
  const bool is_better = *best > kBetter * gains_[static_cast<size_t>(now - kIntervalsNs.begin())];
  interval_ns_ = is_better ? kIntervalsNs[static_cast<size_t>(best - gains_.begin())] : *now;
}

}  // namespace prof::cupti
