// SPDX-License-Identifier: Apache-2.0
#include "lib/analyzer/memory/places.h"

#include "lib/analyzer/base/own_frames.h"

namespace prof {

std::string ToString(const SourcePlace& place) {
  if (!place.known()) return "(no stack)";
  std::string text = place.file;
  if (text.empty()) text = place.module.empty() ? "(unknown file)" : place.module;
  if (place.line != 0) text += ":" + std::to_string(place.line);
  return text + " " + place.function;
}

namespace analyzer {

using model::kNone;
using model::TorchScope;

Places::Places(const model::Model& model) : model_(model) {
  if (model.host_stacks.size() > 1) own_frames_ = OwnFrames(model);
}

uint32_t Places::FrameOf(const model::Allocation& allocation) const {
  return own_frames_.empty() ? kNone : own_frames_[allocation.stack];
}

uint32_t Places::FrameOf(size_t call) const {
  return own_frames_.empty() ? kNone : own_frames_[model_.api_calls.stack(call)];
}

uint32_t Places::OpOf(const model::Allocation& allocation) const {
  return OutermostTorchOp(model_, allocation.torch_op);
}

uint32_t Places::OpOfFailed(size_t call) const {
  const auto found = model_.torch.out_of_memory.find(call);
  return found == model_.torch.out_of_memory.end() ? kNone
                                                   : OutermostTorchOp(model_, found->second);
}

uint32_t OutermostTorchOp(const model::Model& model, uint32_t path) {
  uint32_t outermost = kNone;
  for (; path != kNone; path = model.paths[path].parent) {
    const TorchScope scope = model.paths[path].torch;
    if (scope == TorchScope::kBackward) return path;
    if (scope == TorchScope::kModule && outermost != kNone) break;
    if (scope == TorchScope::kFunction) outermost = path;
  }
  return outermost;
}

SourcePlace DescribeFrame(const model::Model& model, uint32_t frame) {
  if (frame == kNone) return {};
  const model::HostFrame& from = model.host_frames[frame];
  return {model.strings[from.file], model.strings[from.function], model.strings[from.module],
          from.line};
}

std::string TorchOpName(const model::Model& model, uint32_t op) {
  return op == kNone ? std::string() : model.paths[op].name;
}

}  // namespace analyzer
}  // namespace prof
