// SPDX-License-Identifier: Apache-2.0
#include "lib/analyzer/base/step_names.h"

#include <cctype>
#include <string>
#include <utility>

#include "lib/analyzer/base/torch_paths.h"
#include "lib/text/strings.h"

namespace prof::analyzer {
namespace {

using Meaning = std::pair<std::string_view, StepPart>;

// How the names begin that PyTorch gives: torch/optim/optimizer.py, torch/utils/data/dataloader.py,
// torch/csrc/autograd/engine.cpp, torch/distributed/distributed_c10d.py.
constexpr Meaning kScopes[] = {
    {"Optimizer.step#", StepPart::kOptimizer},   {"Optimizer.zero_grad#", StepPart::kOptimizer},
    {"enumerate(DataLoader)#", StepPart::kData}, {"enumerate(DataPipe)#", StepPart::kData},
    {"nccl:", StepPart::kCommunication},         {"c10d::", StepPart::kCommunication},
    {model::kTorchEngine, StepPart::kBackward},
};

constexpr Meaning kWords[] = {
    {"forward", StepPart::kForward},
    {"fwd", StepPart::kForward},
    {"backward", StepPart::kBackward},
    {"bwd", StepPart::kBackward},
    {"optimizer", StepPart::kOptimizer},
    {"optim", StepPart::kOptimizer},
    {"data", StepPart::kData},
    {"dataload", StepPart::kData},
    {"dataloader", StepPart::kData},
    {"dataloading", StepPart::kData},
    {"communication", StepPart::kCommunication},
    {"comm", StepPart::kCommunication},
    {"allreduce", StepPart::kCommunication},
    {"allgather", StepPart::kCommunication},
    {"reducescatter", StepPart::kCommunication},
};

// What a word means. Two words that are one ("all_reduce") are looked up together.
std::optional<StepPart> PartOfWord(std::string_view word) {
  for (const auto& [known, part] : kWords) {
    if (word == known) return part;
  }
  return std::nullopt;
}

}  // namespace

std::optional<StepPart> PartOfScope(std::string_view name) {
  for (const auto& [begin, part] : kScopes) {
    if (text::StartsWith(name, begin)) return part;
  }
  return std::nullopt;
}

std::optional<StepPart> PartOfRange(std::string_view name, std::string_view domain) {
  if (domain == "NCCL") return StepPart::kCommunication;
  if (const std::optional<StepPart> scope = PartOfScope(name)) return scope;
  std::string word, before;
  for (size_t i = 0; i <= name.size(); ++i) {
    const auto c = static_cast<unsigned char>(i < name.size() ? name[i] : ' ');
    if (std::isalpha(c) != 0) {
      word += static_cast<char>(std::tolower(c));
      continue;
    }
    if (word.empty()) continue;
    std::optional<StepPart> part = PartOfWord(word);
    if (!part) part = PartOfWord(before + word);
    if (part) return part;
    before = std::exchange(word, "");
  }
  return std::nullopt;
}

}  // namespace prof::analyzer
