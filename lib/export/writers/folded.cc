// SPDX-License-Identifier: Apache-2.0
#include "lib/export/writers/folded.h"

#include <algorithm>
#include <cstdint>
#include <map>
#include <ostream>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "lib/export/base/labels.h"

namespace prof::exporting {
namespace {

// A frame of the format has no semicolon and no end of line in it.
std::string Frame(std::string text) {
  for (char& byte : text) {
    if (byte == ';') byte = ',';
    if (static_cast<unsigned char>(byte) < 0x20) byte = ' ';
  }
  return text;
}

std::string FrameOf(const HostFrameInfo& frame) {
  std::string text(frame.function);
  const std::string_view file = frame.file.empty() ? frame.module : frame.file;
  if (file.empty()) return Frame(std::move(text));
  text.append(" (").append(file);
  if (frame.line != 0) text += ":" + std::to_string(frame.line);
  return Frame(text + ")");
}

// Its frames, the outermost first, each with a semicolon behind it.
std::string Frames(const Events& events, uint32_t stack) {
  if (stack == 0) return "(no stack);";
  std::vector<uint32_t> frames;
  for (; stack != 0; stack = events.host_stacks()[stack].parent) {
    frames.push_back(events.host_stacks()[stack].frame);
  }
  std::string text;
  for (auto frame = frames.rbegin(); frame != frames.rend(); ++frame) {
    text += FrameOf(events.host_frames()[*frame]) + ";";
  }
  return text;
}

}  // namespace

void WriteFolded(const Events& events, const Selection& selection, std::ostream& out) {
  std::unordered_map<uint64_t, int64_t> of_kernels;  // by stack and shape
  std::map<std::pair<uint32_t, std::string>, int64_t> sums;
  const EventTable<OperationEvent> operations = events.operations();
  for (size_t row = 0; row < operations.size(); ++row) {
    const OperationEvent op = operations[row];
    if (!selection.Has(op, row)) continue;
    const int64_t time_ns = op.end_ns - op.start_ns;
    if (op.kind == OperationKind::kKernel) {
      of_kernels[uint64_t{op.stack} << 32 | op.shape] += time_ns;
    } else {
      sums[{op.stack, OperationName(events, op)}] += time_ns;
    }
  }
  for (const auto& [key, time_ns] : of_kernels) {
    OperationEvent kernel;
    kernel.shape = static_cast<uint32_t>(key);
    sums[{static_cast<uint32_t>(key >> 32), OperationName(events, kernel)}] += time_ns;
  }
  uint32_t last = 0;
  std::string frames = Frames(events, last);
  for (const auto& [key, time_ns] : sums) {
    if (key.first != last) {
      last = key.first;
      frames = Frames(events, last);
    }
    out << frames << Frame(key.second) << ' ' << time_ns << '\n';
  }
}

}  // namespace prof::exporting
