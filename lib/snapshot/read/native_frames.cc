// SPDX-License-Identifier: Apache-2.0
#include "lib/snapshot/read/native_frames.h"

#include <algorithm>
#include <cstdint>
#include <map>
#include <string>
#include <tuple>
#include <unordered_map>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "lib/symbols/source_lines.h"
#include "lib/text/demangle.h"

namespace prof::snapshot {
namespace {

using model::HostFrame;
using model::HostStack;

// Builds the new tables.
class NativeTables {
 public:
  explicit NativeTables(model::Model* model) : model_(*model) {}

  // The frames that stand for frame `id`, the outermost first.
  std::vector<uint32_t> FramesFor(const HostFrame& frame) {
    if (frame.module == 0) return {Add(frame)};
    // By value: the table of strings grows.
    const std::string module = model_.strings[frame.module];
    std::vector<symbols::SourcePlace> places =
        lines_.PlacesOf(module, model_.strings[frame.build_id], frame.offset);
    const std::string recorded = model_.strings[frame.function];
    if (places.empty()) {
      ++without_line_;
      HostFrame named = frame;
      named.function =
          Text(recorded.empty() ? Unnamed(module, frame.offset) : text::Demangle(recorded));
      named.offset = 0;  // calls of one function count as one frame
      return {Add(named)};
    }
    ++with_line_;
    std::vector<uint32_t> frames;
    for (auto place = places.rbegin(); place != places.rend(); ++place) {
      if (place->function.empty()) place->function = recorded;
      HostFrame named = frame;
      named.function = Text(place->function.empty() ? Unnamed(module, frame.offset)
                                                    : text::Demangle(place->function));
      named.file = Text(place->file);
      named.first_line = place->first_line;
      named.line = place->line;
      named.offset = 0;
      frames.push_back(Add(named));
    }
    return frames;
  }

  // The stack of `frame`, called by `parent`, in the new tables.
  uint32_t Add(uint32_t parent, uint32_t frame) {
    const auto [at, is_new] = stack_ids_.emplace(uint64_t{parent} << 32 | frame, stacks_.size());
    if (is_new) stacks_.push_back({parent, frame, stacks_[parent].depth + 1});
    return at->second;
  }

  void Move() {
    model_.host_frames = std::move(frames_);
    model_.host_stacks = std::move(stacks_);
  }

  // What is missing to find lines; empty: nothing is.
  [[nodiscard]] std::string Missing() const {
    if (!lines_.problem().empty()) return lines_.problem();
    if (with_line_ > 0 || without_line_ == 0) return {};
    return "compile with -g (-lineinfo is for the GPU's code), and keep the program and its "
           "libraries, or their files in /usr/lib/debug, where the report is made";
  }

 private:
  // "libsolver.so+0x1234"
  static std::string Unnamed(const std::string& module, uint64_t offset) {
    return absl::StrCat(module.substr(module.rfind('/') + 1), "+0x", absl::Hex(offset));
  }
  uint32_t Text(const std::string& text) {
    if (text.empty()) return 0;
    const auto [at, is_new] = text_ids_.emplace(text, model_.strings.size());
    if (is_new) model_.strings.push_back(text);
    return at->second;
  }
  uint32_t Add(const HostFrame& frame) {
    const auto key = std::tuple(frame.function, frame.file, frame.first_line, frame.line,
                                frame.module, frame.build_id);
    const auto [at, is_new] = frame_ids_.emplace(key, frames_.size());
    if (is_new) frames_.push_back(frame);
    return at->second;
  }

  model::Model& model_;
  symbols::SourceLines lines_;
  std::vector<HostFrame> frames_{HostFrame{}};
  std::vector<HostStack> stacks_{HostStack{}};
  std::map<std::tuple<uint32_t, uint32_t, uint32_t, uint32_t, uint32_t, uint32_t>, uint32_t>
      frame_ids_;
  std::unordered_map<std::string, uint32_t> text_ids_;
  std::unordered_map<uint64_t, uint32_t> stack_ids_;
  size_t with_line_ = 0, without_line_ = 0;
};

}  // namespace

void FindNativeSources(model::Model* model) {
  const bool native = std::any_of(model->host_frames.begin(), model->host_frames.end(),
                                  [](const HostFrame& frame) { return frame.module != 0; });
  if (!native) return;
  NativeTables tables(model);
  std::vector<std::vector<uint32_t>> frames(1);
  for (size_t id = 1; id < model->host_frames.size(); ++id) {
    frames.push_back(tables.FramesFor(model->host_frames[id]));
  }
  std::vector<uint32_t> ids(model->host_stacks.size());  // of the new stacks, by the old ones
  for (size_t id = 1; id < ids.size(); ++id) {
    const HostStack& stack = model->host_stacks[id];
    ids[id] = ids[stack.parent];
    for (const uint32_t frame : frames[stack.frame]) ids[id] = tables.Add(ids[id], frame);
  }
  tables.Move();
  model->api_calls.ChangeStacks([&ids](uint32_t stack) { return ids[stack]; });
  for (model::GraphNode& node : model->graph_nodes) node.stack = ids[node.stack];
  for (model::HostSample& sample : model->host_samples) sample.stack = ids[sample.stack];
  for (auto* const tensors : {&model->tensors.changes, &model->tensors.refused}) {
    for (model::Allocation& tensor : *tensors) tensor.stack = ids[tensor.stack];
  }
  if (const std::string missing = tables.Missing(); !missing.empty()) {
    model::Notice notice;
    notice.subsystem = model::Subsystem::kTimeline;
    notice.what = "native stacks have no source lines";
    notice.fix = missing;
    model->notices.push_back(std::move(notice));
  }
}

}  // namespace prof::snapshot
