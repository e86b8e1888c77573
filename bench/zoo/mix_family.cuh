// SPDX-License-Identifier: Apache-2.0
//
// MixFamily() makes a family of a kernel that calls RunMix().
#ifndef PROF_BENCH_ZOO_MIX_FAMILY_CUH_
#define PROF_BENCH_ZOO_MIX_FAMILY_CUH_

#include <utility>

#include "bench/zoo/mix.cuh"
#include "bench/zoo/names.h"
#include "bench/zoo/zoo.h"

// Five blocks fit an SM, four run by default: the knob "parallel" has room both ways.
#define MIX_KERNEL(name, kinds)                                  \
  extern "C" __global__ void __launch_bounds__(zoo::kThreads, 5) \
      KERNEL(name)(zoo::Mix mix, zoo::MixData data) {            \
    zoo::RunMix<(kinds)>(mix, data);                             \
  }

namespace zoo {

inline constexpr int kBlocksPerSm = 4;
inline constexpr int kRoundUnit = 5;  // so that five blocks can do the rounds of four

struct MixKnob {
  const char* resource;
  int Mix::*amount;
  int step;
};

using MixKernel = void (*)(Mix, MixData);

class MixFamily {
 public:
  MixFamily(const char* id, const char* name, MixKernel kernel, Mix mix, std::vector<MixKnob> knobs,
            const Setting& setting)
      : kernel_(kernel), mix_(mix), sms_(setting.sms) {
    setting.draws->Begin(name);
    mix_.rounds = setting.draws->Near(mix.rounds, kRoundUnit);
    family_.kernel = id;
    family_.name = name;
    for (const MixKnob& knob : knobs) {
      family_.knobs.push_back({knob.resource, mix.*knob.amount, knob.step});
    }
    family_.knobs.push_back({"parallel", kBlocksPerSm, 1});
    family_.launch = [kernel, drawn = mix_, knobs, sms = sms_](const Amounts& amounts) {
      Mix dosed = drawn;
      for (size_t i = 0; i < knobs.size(); ++i) dosed.*knobs[i].amount = amounts[i];
      Run(kernel, dosed, sms * amounts.back());
    };
  }

  template <typename Change>
  MixFamily& With(const char* kind, const char* action, Change change) {
    return By(kernel_, kind, action, change);
  }
  // The same work by another kernel. `same`: other ids of the change.
  template <typename Change>
  MixFamily& By(MixKernel kernel, const char* kind, const char* action, Change change,
                std::vector<const char*> same = {}) {
    Mix changed = mix_;
    change(changed);
    family_.variants.push_back(
        {kind, action, [kernel, changed, sms = sms_] { Run(kernel, changed, sms * kBlocksPerSm); },
         std::move(same)});
    return *this;
  }
  MixFamily& By(MixKernel kernel, const char* kind, const char* action,
                std::vector<const char*> same = {}) {
    return By(
        kernel, kind, action, [](Mix&) {}, std::move(same));
  }
  // The same work in five blocks for each SM.
  MixFamily& MoreWarps(const char* kind) {
    Mix changed = mix_;
    changed.rounds = mix_.rounds / kRoundUnit * kBlocksPerSm;
    family_.variants.push_back({kind, "raise-occupancy", [kernel = kernel_, changed, sms = sms_] {
                                  Run(kernel, changed, sms * kRoundUnit);
                                }});
    return *this;
  }
  MixFamily& Cause(const char* rule) {
    family_.cause = rule;
    return *this;
  }
  operator Family() const { return family_; }  // NOLINT(google-explicit-constructor)

 private:
  static void Run(MixKernel kernel, const Mix& mix, int blocks) {
    kernel<<<blocks, kThreads>>>(mix, {In(), Out(), Sink()});
  }

  MixKernel kernel_;
  Mix mix_;
  int sms_;
  Family family_;
};

}  // namespace zoo

#endif  // PROF_BENCH_ZOO_MIX_FAMILY_CUH_
