// SPDX-License-Identifier: Apache-2.0
#include "lib/export/base/labels.h"

#include <algorithm>
#include <cctype>

#include "lib/text/strings.h"

namespace prof::exporting {
namespace {

bool AllDigits(std::string_view text) {
  return !text.empty() &&
         std::all_of(text.begin(), text.end(), [](char c) { return c >= '0' && c <= '9'; });
}

// The name without its last "_v123"; the name itself where there is none.
std::string_view WithoutNumber(std::string_view call) {
  const size_t at = call.rfind("_v");
  return at != call.npos && AllDigits(call.substr(at + 2)) ? call.substr(0, at) : call;
}

}  // namespace

std::string_view CopyLetters(CopyDirection direction) {
  switch (direction) {
    case CopyDirection::kHostToDevice:
      return "HtoD";
    case CopyDirection::kDeviceToHost:
      return "DtoH";
    case CopyDirection::kDeviceToDevice:
      return "DtoD";
    case CopyDirection::kHostToHost:
      return "HtoH";
    case CopyDirection::kPeerToPeer:
      return "PtoP";
    case CopyDirection::kUnknown:
      break;
  }
  return "?";
}

std::string OperationName(const Events& events, const OperationEvent& op) {
  switch (op.kind) {
    case OperationKind::kKernel:
      return events.shapes()[op.shape].short_name;
    case OperationKind::kCopy:
      return "Memcpy " + std::string(CopyLetters(op.copy)) + " (" +
             text::Capitalized(ToString(op.source)) + " -> " +
             text::Capitalized(ToString(op.destination)) + ")";
    case OperationKind::kMemset:
      return "Memset (" + text::Capitalized(ToString(op.destination)) + ")";
    case OperationKind::kGraph:
      break;
  }
  return "CUDA graph " + std::to_string(op.graph);
}

std::string TorchOpName(const Events& events, const TorchOpEvent& op) {
  std::string name = events.NameOf(op.path, op.thread, op.start_ns);
  return op.kind == TorchOpKind::kModule ? "nn.Module: " + name : name;
}

std::string_view TorchCategory(TorchOpKind kind) {
  switch (kind) {
    case TorchOpKind::kUser:
      return "user_annotation";
    case TorchOpKind::kModule:
      return "python_function";
    case TorchOpKind::kFunction:
    case TorchOpKind::kNode:
      break;
  }
  return "cpu_op";
}

std::string StreamLabel(const Events& events, uint32_t context, uint32_t stream) {
  std::string label = "Stream " + std::to_string(stream);
  for (const StreamInfo& info : events.streams()) {
    if (info.context == context && info.stream == stream && !info.name.empty()) {
      label += " (" + info.name + ")";
    }
  }
  return label;
}

std::string_view WithoutVersion(std::string_view call) {
  constexpr std::string_view kPerThread[] = {"_ptsz", "_ptds"};  // per-thread default streams
  call = WithoutNumber(call);
  for (const std::string_view suffix : kPerThread) {
    if (text::EndsWith(call, suffix)) call.remove_suffix(suffix.size());
  }
  return WithoutNumber(call);
}

bool IsDriverCall(std::string_view call) {
  return text::StartsWith(call, "cu") && !text::StartsWith(call, "cuda");
}

std::string Dimensions(const std::array<uint32_t, 3>& size) {
  return std::to_string(size[0]) + "x" + std::to_string(size[1]) + "x" + std::to_string(size[2]);
}

}  // namespace prof::exporting
