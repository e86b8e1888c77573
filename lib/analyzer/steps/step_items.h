// SPDX-License-Identifier: Apache-2.0
//
// The things on the critical paths of steps: what each was, where, and how long in all.
#ifndef PROF_LIB_ANALYZER_STEPS_STEP_ITEMS_H_
#define PROF_LIB_ANALYZER_STEPS_STEP_ITEMS_H_

#include <array>
#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <tuple>
#include <unordered_map>
#include <vector>

#include "lib/analyzer/base/families.h"
#include "lib/analyzer/kernels/kernels.h"
#include "lib/analyzer/steps/step_parts.h"
#include "lib/analyzer/steps/step_path.h"
#include "lib/analyzer/steps/step_windows.h"
#include "lib/snapshot/model/model.h"
#include "prof/step_report.h"

namespace prof::analyzer {

inline constexpr size_t kPathKinds = static_cast<size_t>(StepPathKind::kWait) + 1;

// Of one path, or of several together.
struct PathTime {
  std::array<int64_t, kPathKinds> kinds_ns{};
  std::array<int64_t, kStepParts> parts_ns{};

  void Add(const PathTime& other);
};

class StepItems {
 public:
  // Keeps references. `own_frames`: by stack, the line that it stands for (lines.h); empty: there
  // are no stacks.
  StepItems(const model::Model& model, const RangeFamilies& families, const KernelGroups& groups,
            const std::vector<KernelReport>& kernels, const StepParts& parts,
            std::vector<uint32_t> own_frames);

  // Adds a stretch to the time of its path and, of a path that counts, to the things on the paths.
  void Add(const PathPiece& piece, bool counts, PathTime* time);

  // By time, descending.
  [[nodiscard]] std::vector<StepPathItem> Items() const;
  // Operations in windows that count which have kLeastOffPath of `steps_ns` and hardly any of that
  // on the paths. Linear in the operations.
  [[nodiscard]] std::vector<StepOffPath> OffPath(const std::vector<StepWindow>& windows,
                                                 double steps_ns) const;

 private:
  enum class PlaceKind : uint8_t { kNone, kRange, kOp };
  struct Place {
    PlaceKind kind = PlaceKind::kNone;
    uint32_t path = 0;
  };
  // Whose line of Python it is: that of a call, or the one in which samples found the host.
  enum class LineOf : uint8_t { kCall, kHost };
  // What was done and its id; then where: place and line.
  using Key = std::tuple<PathWork, int64_t, PlaceKind, uint32_t, LineOf, uint32_t>;
  struct Sum {
    int64_t count = 0, time_ns = 0;
    std::array<int64_t, kStepParts> parts_ns{};

    // Cuts `share` of the times off.
    Sum Cut(double share);
    void Add(const Sum& other);
  };
  using Sums = std::map<Key, Sum>;
  // Host code between calls with host samples between them.
  struct SampledCode {
    Sum sum;
    std::map<uint32_t, int64_t> lines;  // samples by line; kNone: without a stack
  };
  using Samples = std::pair<const model::HostSample*, const model::HostSample*>;

  StepPathKind KindOf(const PathPiece& piece) const;
  StepPathKind KindOf(const model::Op& op) const;
  static void AddTime(const PathPiece& piece, StepPathKind kind, StepPart part, PathTime* time);
  static Sum SumOf(const PathPiece& piece, StepPart part);
  // `id`: which one it is of its kind of work.
  Key KeyOf(const PathPiece& piece, int64_t id, const Place& place) const;
  int64_t IdOf(const PathPiece& piece) const;
  void AddHostCode(const PathPiece& piece, bool counts, PathTime* time);
  bool OthersCalled(const PathPiece& piece) const;
  Samples SamplesIn(const PathPiece& piece) const;
  // With the sampled code, divided among the lines in which samples found the host.
  Sums WithSampledCode() const;
  Place PlaceAt(uint32_t thread, int64_t time_ns) const;
  uint32_t LineOfCall(int32_t call) const;
  int64_t OperationId(int32_t op) const;
  std::string OperationName(int64_t id) const;
  StepPathItem Describe(const Key& key, const Sum& sum) const;
  std::string WhereText(const Key& key) const;

  const model::Model& model_;
  const RangeFamilies& families_;
  const KernelGroups& groups_;
  const std::vector<KernelReport>& kernels_;
  const StepParts& parts_;
  const std::vector<bool> communicates_;  // by shape
  const std::vector<uint32_t> own_frames_;
  Sums sums_;
  std::map<Key, SampledCode> sampled_code_;  // by what it would be without samples
};

}  // namespace prof::analyzer

#endif  // PROF_LIB_ANALYZER_STEPS_STEP_ITEMS_H_
