// SPDX-License-Identifier: Apache-2.0
#include "lib/analyzer/memory/tensor_roles.h"

#include <algorithm>
#include <array>
#include <iterator>
#include <limits>
#include <map>
#include <optional>
#include <string_view>
#include <tuple>
#include <utility>

#include "lib/analyzer/base/step_names.h"
#include "lib/analyzer/base/torch_paths.h"
#include "lib/analyzer/memory/places.h"
#include "lib/text/strings.h"

namespace prof::analyzer {
namespace {

using model::kNone;
using model::TorchScope;

// Calls of its model that began while a tensor was allocated. A variable of the program keeps the
// results of one call until the next one has ended.
constexpr size_t kKeptForCalls = 2;

// Parts of the names of functions and files that keep keys and values: transformers'
// cache_utils.py, vLLM's and SGLang's KV caches, gpt-fast's KVCache.
constexpr std::string_view kCacheNames[] = {"kv_cache",     "KVCache",     "kvcache", "cache_utils",
                                            "DynamicCache", "StaticCache", "KvCache"};

// What PyTorch gives a handle of cuBLAS, on Hopper and on other chips
// (aten/src/ATen/cuda/CublasHandlePool.cpp, the default of CUBLAS_WORKSPACE_CONFIG).
constexpr uint64_t kWorkspaces[] = {uint64_t{4096} * 8 * 1024,
                                    uint64_t{4096} * 1024 * 2 + uint64_t{16} * 1024 * 8};
constexpr std::string_view kProducts[] = {"mm", "linear", "matmul", "Mm", "Linear"};

bool IsProduct(std::string_view name) {
  return std::any_of(std::begin(kProducts), std::end(kProducts), [&](std::string_view product) {
    return name.find(product) != std::string_view::npos;
  });
}

// Where Reducer allocates its buckets: PyTorch calls its code in C++ from here.
constexpr std::string_view kBucketFile = "torch/nn/parallel/distributed.py";
constexpr std::string_view kDistributedFolder = "torch/distributed/";

std::optional<TensorRole> RoleOf(model::TensorChange use) {
  switch (use) {
    case model::TensorChange::kWeight:
      return TensorRole::kWeight;
    case model::TensorChange::kBuffer:
      return TensorRole::kBuffer;
    case model::TensorChange::kGradient:
      return TensorRole::kGradient;
    case model::TensorChange::kOptimizerState:
      return TensorRole::kOptimizerState;
    case model::TensorChange::kCache:
      return TensorRole::kCache;
    default:
      return std::nullopt;
  }
}

// What a stack says of the memory that was allocated in it.
struct StackKind {
  bool buckets = false, distributed = false, cache = false;
};

bool NamesCache(std::string_view text) {
  return std::any_of(std::begin(kCacheNames), std::end(kCacheNames), [&](std::string_view name) {
    return text.find(name) != std::string_view::npos;
  });
}

// By stack. Each text is searched once.
std::vector<StackKind> KindsOfStacks(const model::Model& model) {
  std::vector<bool> names_cache(model.strings.size()), distributed = names_cache,
                                                       buckets = names_cache;
  for (size_t i = 0; i < model.strings.size() && model.host_stacks.size() > 1; ++i) {
    const std::string_view text = model.strings[i];
    names_cache[i] = NamesCache(text);
    distributed[i] = text.find(kDistributedFolder) != std::string_view::npos;
    buckets[i] = text::EndsWith(text, kBucketFile);
  }
  std::vector<StackKind> kinds(model.host_stacks.size());
  for (size_t stack = 1; stack < kinds.size(); ++stack) {
    const model::HostStack& node = model.host_stacks[stack];
    const model::HostFrame& frame = model.host_frames[node.frame];
    kinds[stack].buckets = buckets[frame.file];
    kinds[stack].distributed = distributed[frame.file];
    kinds[stack].cache =
        names_cache[frame.file] || names_cache[frame.function] || kinds[node.parent].cache;
  }
  return kinds;
}

// Times at which something began, by thread; asked for how many of them are not after a moment.
class Begins {
 public:
  void Add(uint32_t thread, int64_t time_ns) { times_[thread].push_back(time_ns); }
  void Sort() {
    for (auto& [thread, times] : times_) std::sort(times.begin(), times.end());
  }
  [[nodiscard]] size_t Until(uint32_t thread, int64_t time_ns) const {
    const auto of_thread = times_.find(thread);
    if (of_thread == times_.end()) return 0;
    const std::vector<int64_t>& times = of_thread->second;
    return static_cast<size_t>(std::upper_bound(times.begin(), times.end(), time_ns) -
                               times.begin());
  }

 private:
  std::map<uint32_t, std::vector<int64_t>> times_;
};

class RoleFinder {
 public:
  RoleFinder(const model::Model& model, const Ledger& tensors)
      : model_(model),
        tensors_(tensors),
        backward_(BackwardPaths(model)),
        stacks_(KindsOfStacks(model)) {
    FindOwners();
    FindBegins();
  }

  std::vector<TensorRole> Find() {
    std::vector<std::optional<TensorRole>> named = NamedRoles();
    std::vector<TensorRole> roles(tensors_.blocks.size(), TensorRole::kOther);
    std::vector<size_t> open;
    for (size_t i = 0; i < roles.size(); ++i) {
      const Block& block = tensors_.blocks[i];
      const model::Allocation& tensor = tensors_.Of(block);
      if (stacks_[tensor.stack].buckets) {
        roles[i] = TensorRole::kCommunication;
      } else if (named[i]) {
        roles[i] = *named[i];
      } else if (block.freed == kNotFreed) {
        open.push_back(i);
      } else {
        roles[i] = RoleOfFreed(tensor, (*tensors_.allocations)[block.freed]);
        ++known_[PlaceOf(tensor)][static_cast<size_t>(roles[i])];
      }
    }
    // What was still allocated at the end is as most tensors of its place that were freed.
    for (const size_t i : open) roles[i] = RoleOfOpen(tensors_.Of(tensors_.blocks[i]));
    return roles;
  }

 private:
  static constexpr size_t kRoles = static_cast<size_t>(TensorRole::kOther) + 1;
  using Place = std::tuple<uint32_t, uint32_t, uint64_t>;  // stack, op, bytes
  static Place PlaceOf(const model::Allocation& tensor) {
    return {tensor.stack, tensor.torch_op, tensor.bytes};
  }

  // By path: what the code around it says.
  void FindOwners() {
    parts_.resize(model_.paths.size());
    models_.resize(model_.paths.size());
    products_.resize(model_.paths.size());
    for (uint32_t path = 1; path < model_.paths.size(); ++path) {
      const model::RangePath& node = model_.paths[path];
      if (node.torch == TorchScope::kNone) continue;
      const bool module = node.torch == TorchScope::kModule;
      models_[path] = models_[node.parent] != kNone || !module ? models_[node.parent] : path;
      products_[path] = !module && (products_[node.parent] || IsProduct(node.name));
      parts_[path] = module ? std::nullopt : PartOfScope(node.name);
      if (!parts_[path]) parts_[path] = parts_[node.parent];
    }
  }

  void FindBegins() {
    for (const model::RangeInstance& instance : model_.torch.instances) {
      calls_[instance.path].Add(instance.thread, instance.start_ns);
    }
    for (auto& [path, begins] : calls_) begins.Sort();
  }

  // The tensors that were allocated when Python named them.
  std::vector<std::optional<TensorRole>> NamedRoles() const {
    std::vector<std::optional<TensorRole>> roles(tensors_.blocks.size());
    std::map<uint64_t, size_t> live;  // by address
    size_t next = 0;
    for (const model::TensorUse& use : model_.tensors.uses) {
      for (; next < tensors_.changes.size() && tensors_.changes[next].time_ns <= use.time_ns;
           ++next) {
        const Change& change = tensors_.changes[next];
        const uint64_t address = tensors_.Of(tensors_.blocks[change.block]).address;
        if (!change.ends) {
          live[address] = change.block;
        } else if (const auto at = live.find(address);
                   at != live.end() && at->second == change.block) {
          live.erase(at);
        }
      }
      auto at = live.upper_bound(use.address);
      if (at == live.begin()) continue;
      --at;
      const uint64_t bytes = tensors_.Of(tensors_.blocks[at->second]).bytes;
      if (use.address - at->first < bytes) roles[at->second] = RoleOf(use.use);
    }
    return roles;
  }

  [[nodiscard]] bool InOptimizer(uint32_t path) const {
    return parts_[path] == StepPart::kOptimizer;
  }

  // The outermost path around `path` that is in the optimizer.
  [[nodiscard]] uint32_t OptimizerStep(uint32_t path) const {
    while (InOptimizer(model_.paths[path].parent)) path = model_.paths[path].parent;
    return path;
  }

  [[nodiscard]] bool IsWithin(uint32_t path, uint32_t around) const {
    while (path != kNone && path != around) path = model_.paths[path].parent;
    return path == around;
  }

  // Whether it was freed in the same call of `call` in which it was allocated.
  [[nodiscard]] bool FreedIn(uint32_t call, const model::Allocation& tensor,
                             const model::Allocation& freed) const {
    if (call == kNone || tensor.thread != freed.thread || !IsWithin(freed.torch_op, call)) {
      return false;
    }
    const auto begins = calls_.find(call);
    return begins != calls_.end() && begins->second.Until(tensor.thread, tensor.time_ns) ==
                                         begins->second.Until(tensor.thread, freed.time_ns);
  }

  [[nodiscard]] TensorRole RoleOfFreed(const model::Allocation& tensor,
                                       const model::Allocation& freed) const {
    const uint32_t op = tensor.torch_op;
    const uint32_t call = InOptimizer(op) ? OptimizerStep(op) : OutermostTorchOp(model_, op);
    if (FreedIn(call, tensor, freed)) return TensorRole::kTemporary;
    if (const auto role = RoleByPlace(tensor)) return *role;
    if (InOptimizer(op)) return TensorRole::kOptimizerState;
    if (backward_[op]) {
      return backward_[freed.torch_op] ? TensorRole::kBackward : TensorRole::kGradient;
    }
    if (op == kNone) return TensorRole::kOther;
    if (backward_[freed.torch_op]) return TensorRole::kActivation;
    if (models_[op] == kNone) return TensorRole::kOther;
    return KeptUntil(tensor, freed.time_ns) ? TensorRole::kKept : TensorRole::kActivation;
  }

  [[nodiscard]] std::optional<TensorRole> RoleByPlace(const model::Allocation& tensor) const {
    const StackKind& stack = stacks_[tensor.stack];
    if (stack.distributed || parts_[tensor.torch_op] == StepPart::kCommunication) {
      return TensorRole::kCommunication;
    }
    if (stack.cache) return TensorRole::kCache;
    return std::nullopt;
  }

  // Whether its model was called again while it was allocated.
  [[nodiscard]] bool KeptUntil(const model::Allocation& tensor, int64_t time_ns) const {
    const auto begins = calls_.find(models_[tensor.torch_op]);
    if (begins == calls_.end()) return false;
    return begins->second.Until(tensor.thread, time_ns) -
               begins->second.Until(tensor.thread, tensor.time_ns) >=
           kKeptForCalls;
  }

  [[nodiscard]] bool IsWorkspace(const model::Allocation& tensor) const {
    const bool size = std::find(std::begin(kWorkspaces), std::end(kWorkspaces), tensor.bytes) !=
                      std::end(kWorkspaces);
    return size && products_[tensor.torch_op];
  }

  // A tensor that was never freed.
  [[nodiscard]] TensorRole RoleOfOpen(const model::Allocation& tensor) const {
    if (const auto role = RoleByPlace(tensor)) return *role;
    const auto alike = known_.find(PlaceOf(tensor));
    if (alike != known_.end()) {
      const auto most = std::max_element(alike->second.begin(), alike->second.end());
      return static_cast<TensorRole>(most - alike->second.begin());
    }
    if (IsWorkspace(tensor)) return TensorRole::kWorkspace;
    const uint32_t op = tensor.torch_op;
    if (InOptimizer(op)) return TensorRole::kOptimizerState;
    if (backward_[op]) return TensorRole::kGradient;
    if (models_[op] == kNone) return TensorRole::kOther;
    return KeptUntil(tensor, std::numeric_limits<int64_t>::max()) ? TensorRole::kKept
                                                                  : TensorRole::kActivation;
  }

  const model::Model& model_;
  const Ledger& tensors_;
  const std::vector<bool> backward_;     // by path
  const std::vector<StackKind> stacks_;  // by stack
  std::vector<uint32_t> models_;         // by path: the outermost module around it; kNone
  std::vector<bool> products_;           // by path: it multiplies matrices, or is in such an op
  std::vector<std::optional<StepPart>> parts_;  // by path: of the innermost scope that has one
  std::map<uint32_t, Begins> calls_;            // by path of an op
  std::map<Place, std::array<size_t, kRoles>> known_;
};

}  // namespace

std::vector<TensorRole> FindTensorRoles(const model::Model& model, const Ledger& tensors) {
  return RoleFinder(model, tensors).Find();
}

}  // namespace prof::analyzer
