// SPDX-License-Identifier: Apache-2.0
#include "lib/export/writers/speedscope.h"

#include <cstdint>
#include <ostream>
#include <string>

#include "lib/export/base/json_text.h"
#include "lib/export/base/stacks.h"

namespace prof::exporting {
namespace {

constexpr const char* kSchema = "https://www.speedscope.app/file-format-schema.json";

template <typename Rows, typename Write>
void WriteList(std::ostream& out, const Rows& rows, Write write) {
  const char* comma = "";
  out << '[';
  for (const auto& row : rows) {
    out << comma;
    write(row);
    comma = ",";
  }
  out << ']';
}

}  // namespace

void WriteSpeedscope(const Events& events, const Selection& selection, std::ostream& out) {
  const StackTable table = SumStacks(events, selection);
  int64_t total_ns = 0;
  for (const Stack& stack : table.stacks) total_ns += stack.time_ns;
  const std::string name = JsonString(events.process().command);
  out << "{\"$schema\":\"" << kSchema << "\",\"name\":" << name
      << ",\"activeProfileIndex\":0,\"exporter\":\"prof\",\"shared\":{\"frames\":";
  WriteList(out, table.names,
            [&](const std::string& frame) { out << "{\"name\":" << JsonString(frame) << '}'; });
  out << "},\"profiles\":[{\"type\":\"sampled\",\"name\":\"GPU time by NVTX range and kernel\","
         "\"unit\":\"nanoseconds\",\"startValue\":0,\"endValue\":"
      << total_ns << ",\"samples\":";
  WriteList(out, table.stacks, [&](const Stack& stack) {
    WriteList(out, stack.frames, [&](uint32_t frame) { out << frame; });
  });
  out << ",\"weights\":";
  WriteList(out, table.stacks, [&](const Stack& stack) { out << stack.time_ns; });
  out << "}]}\n";
}

}  // namespace prof::exporting
