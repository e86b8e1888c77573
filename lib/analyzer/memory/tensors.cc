// SPDX-License-Identifier: Apache-2.0
#include "lib/analyzer/memory/tensors.h"

#include <algorithm>
#include <array>
#include <limits>
#include <map>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "lib/analyzer/memory/holders.h"
#include "lib/analyzer/memory/places.h"
#include "lib/analyzer/memory/segments.h"
#include "lib/analyzer/memory/tensor_roles.h"

namespace prof {

const char* ToString(TensorRole role) {
  switch (role) {
    case TensorRole::kWeight:
      return "weights";
    case TensorRole::kBuffer:
      return "buffers";
    case TensorRole::kGradient:
      return "gradients";
    case TensorRole::kOptimizerState:
      return "optimizer state";
    case TensorRole::kActivation:
      return "activations";
    case TensorRole::kBackward:
      return "backward pass";
    case TensorRole::kTemporary:
      return "temporary";
    case TensorRole::kCommunication:
      return "communication";
    case TensorRole::kCache:
      return "KV cache";
    case TensorRole::kKept:
      return "kept between calls";
    case TensorRole::kWorkspace:
      return "workspaces";
    case TensorRole::kOther:
      break;
  }
  return "other tensors";
}

namespace analyzer {
namespace {

constexpr size_t kMostRefused = 20, kMostDevices = 64;  // each has a walk over the ledgers
constexpr const char* kUnusedPart = "unused by PyTorch";
constexpr const char* kOtherPart = "not PyTorch's";

class Describer {
 public:
  Describer(const model::Model& model, const RangeFamilies& families, const Ledger& blocks,
            const Ledger& tensors)
      : model_(model),
        families_(families),
        blocks_(blocks),
        tensors_(tensors),
        roles_(FindTensorRoles(model, tensors)),
        segments_(&blocks, &tensors) {}

  void AddTensors(MemoryReport* report) const {
    for (const auto& [id, device] : PeaksOf(tensors_)) {
      if (device.peak_change == kNoChange) continue;
      TensorMemory& memory = report->tensors.emplace_back();
      memory.device = id;
      memory.allocations = device.allocations;
      memory.peak_bytes = device.peak;
      memory.bytes_at_end = device.live;
      memory.roles_named = !model_.tensors.uses.empty();
      const int64_t time_ns = tensors_.changes[static_cast<size_t>(device.peak_change)].time_ns;
      memory.peak_at_ns = SinceStart(model_, time_ns);
      memory.roles = RolesAfter(id, device.peak_change, Which::kAll);
      Holdings holdings = HoldingsAfter(model_, families_, tensors_, id, device.peak_change);
      memory.blocks_at_peak = holdings.blocks;
      memory.holders = std::move(holdings.holders);
      memory.lines = std::move(holdings.lines);
      memory.ops = std::move(holdings.ops);
      memory.segments = segments_.At(id, time_ns);
    }
  }

  // Of the peak of each device.
  void AddParts(MemoryReport* report) const {
    const std::map<uint32_t, DevicePeak> peaks = PeaksOf(blocks_);
    for (DeviceMemory& device : report->devices) {
      const auto peak = peaks.find(device.device);
      if (peak == peaks.end() || peak->second.peak_change == kNoChange) continue;
      const int64_t time_ns = FullestAt(device.device, peak->second.peak_change);
      const std::vector<RoleHolder> roles =
          RolesAfter(device.device, tensors_.LastChange(time_ns), Which::kInSegments);
      const TensorSegments segments = segments_.At(device.device, time_ns);
      if (roles.empty() && segments.segments == 0) continue;
      uint64_t rest = device.peak_bytes;
      const auto add = [&](const char* part, uint64_t bytes) {
        const uint64_t held = std::min(bytes, rest);
        if (held > 0) device.parts.push_back({part, held});
        rest -= held;
      };
      for (const RoleHolder& role : roles) add(ToString(role.role), role.bytes);
      add(kUnusedPart, segments.unused_bytes);
      add(kOtherPart, rest);
      std::stable_sort(device.parts.begin(), device.parts.end(),
                       [](const MemoryPart& a, const MemoryPart& b) { return a.bytes > b.bytes; });
    }
  }

  void AddFailures(MemoryReport* report) const {
    // Device, bytes, range, line and op.
    std::map<std::tuple<uint32_t, uint64_t, uint32_t, uint32_t, uint32_t>, size_t> known;
    const Places places(model_);
    std::vector<TensorFailure>& failures = report->tensor_failures;
    for (const model::Allocation& refused : model_.tensors.refused) {
      const uint32_t owner = families_.of_path[refused.path];
      const uint32_t frame = places.FrameOf(refused), op = places.OpOf(refused);
      const std::tuple key{refused.device, refused.bytes, owner, frame, op};
      if (failures.size() == kMostRefused && known.count(key) == 0) continue;
      const auto [place, added] = known.try_emplace(key, failures.size());
      if (added) {
        TensorFailure& failure = failures.emplace_back();
        failure.bytes = refused.bytes;
        failure.device = refused.device;
        failure.range = OwnerName(families_, owner);
        failure.place = DescribeFrame(model_, frame);
        failure.op = TorchOpName(model_, op);
        failure.first_at_ns = SinceStart(model_, refused.time_ns);
        AddLedger(refused.time_ns, &failure);
      }
      ++failures[place->second].count;
    }
  }

 private:
  // Of a device, in a ledger.
  struct DevicePeak {
    uint64_t live = 0, peak = 0;
    int64_t peak_change = kNoChange, allocations = 0;
  };

  // Files that name more devices are damaged or made up.
  static std::map<uint32_t, DevicePeak> PeaksOf(const Ledger& ledger) {
    std::map<uint32_t, DevicePeak> devices;
    for (size_t i = 0; i < ledger.changes.size(); ++i) {
      const Change& change = ledger.changes[i];
      const model::Allocation& block = ledger.Of(ledger.blocks[change.block]);
      if (SpaceOf(block.memory) != Space::kDevice) continue;
      if (devices.size() >= kMostDevices && devices.count(block.device) == 0) continue;
      DevicePeak& device = devices[block.device];
      if (change.ends) {
        TakeFrom(block.bytes, &device.live);
        continue;
      }
      ++device.allocations;
      AddTo(block.bytes, &device.live);
      if (device.live <= device.peak) continue;
      device.peak = device.live;
      device.peak_change = static_cast<int64_t>(i);
    }
    return devices;
  }

  // From this change of CUDA's blocks to the next one of the device: when tensors held most. A
  // segment is there before the tensor that it was taken for.
  [[nodiscard]] int64_t FullestAt(uint32_t device, int64_t change) const {
    const int64_t begin_ns = blocks_.changes[static_cast<size_t>(change)].time_ns;
    int64_t end_ns = std::numeric_limits<int64_t>::max();
    for (auto next = static_cast<size_t>(change) + 1; next < blocks_.changes.size(); ++next) {
      const model::Allocation& block = blocks_.Of(blocks_.blocks[blocks_.changes[next].block]);
      if (block.device != device || SpaceOf(block.memory) != Space::kDevice) continue;
      end_ns = blocks_.changes[next].time_ns;
      break;
    }
    int64_t fullest_ns = begin_ns;
    double held = 0, most = 0;
    for (auto next = static_cast<size_t>(tensors_.LastChange(begin_ns) + 1);
         next < tensors_.changes.size() && tensors_.changes[next].time_ns < end_ns; ++next) {
      const Change& tensor = tensors_.changes[next];
      const model::Allocation& memory = tensors_.Of(tensors_.blocks[tensor.block]);
      if (memory.device != device) continue;
      const auto bytes = static_cast<double>(memory.bytes);
      held += tensor.ends ? -bytes : bytes;
      if (held <= most) continue;
      most = held;
      fullest_ns = tensor.time_ns;
    }
    return fullest_ns;
  }

  // Tensors in no recorded segment hold nothing of what CUDA is recorded to have given.
  enum class Which : uint8_t { kAll, kInSegments };

  [[nodiscard]] std::vector<RoleHolder> RolesAfter(uint32_t device, int64_t change,
                                                   Which which) const {
    std::array<RoleHolder, static_cast<size_t>(TensorRole::kOther) + 1> sums{};
    for (size_t i = 0; i < roles_.size(); ++i) {
      const Block& block = tensors_.blocks[i];
      if (block.begin > change) break;
      const model::Allocation& tensor = tensors_.Of(block);
      if (tensor.device != device || !block.LiveAfter(change)) continue;
      if (which == Which::kInSegments && !segments_.HasSegment(i)) continue;
      RoleHolder& sum = sums[static_cast<size_t>(roles_[i])];
      sum.role = roles_[i];
      ++sum.blocks;
      AddTo(tensor.bytes, &sum.bytes);
    }
    std::vector<RoleHolder> roles;
    for (const RoleHolder& sum : sums) {
      if (sum.blocks > 0) roles.push_back(sum);
    }
    std::stable_sort(roles.begin(), roles.end(),
                     [](const RoleHolder& a, const RoleHolder& b) { return a.bytes > b.bytes; });
    return roles;
  }

  void AddLedger(int64_t time_ns, TensorFailure* failure) const {
    const int64_t change = tensors_.LastChange(time_ns);
    failure->roles = RolesAfter(failure->device, change, Which::kAll);
    for (const RoleHolder& role : failure->roles) AddTo(role.bytes, &failure->allocated);
    failure->lines = HoldingsAfter(model_, families_, tensors_, failure->device, change).lines;
    failure->segments = segments_.At(failure->device, time_ns);
  }

  const model::Model& model_;
  const RangeFamilies& families_;
  const Ledger& blocks_;
  const Ledger& tensors_;
  const std::vector<TensorRole> roles_;
  const Segments segments_;
};

}  // namespace

void DescribeTensors(const model::Model& model, const RangeFamilies& families, const Ledger& blocks,
                     const Ledger& tensors, MemoryReport* report) {
  if (!model.tensors.recorded()) return;
  const Describer describer(model, families, blocks, tensors);
  describer.AddTensors(report);
  describer.AddParts(report);
  describer.AddFailures(report);
}

}  // namespace analyzer
}  // namespace prof
