// SPDX-License-Identifier: Apache-2.0
#include "lib/export/writers/pprof.h"

#include <cstdint>
#include <ostream>
#include <string>
#include <string_view>
#include <vector>

#include "lib/export/base/deflate.h"
#include "lib/export/base/json_text.h"
#include "lib/export/base/proto_writer.h"
#include "lib/export/base/stacks.h"

namespace prof::exporting {
namespace {

// Fields of pprof's profile.proto.
constexpr uint32_t kSampleType = 1, kSample = 2, kLocation = 4, kFunction = 5, kStrings = 6,
                   kTimeNanos = 9, kDurationNanos = 10, kDefaultSampleType = 14;  // Profile
constexpr uint32_t kType = 1, kUnit = 2;                                          // ValueType
constexpr uint32_t kLocationIds = 1, kValues = 2;                                 // Sample
constexpr uint32_t kId = 1, kLine = 4;                                            // Location
constexpr uint32_t kFunctionId = 1;                                               // Line
constexpr uint32_t kFunctionName = 2, kSystemName = 3;                            // Function

// The strings of the profile: the first is empty, then these, then the frames.
enum Text : uint64_t { kEmpty, kOperations, kCount, kGpuTime, kNanoseconds, kFirstFrame };
constexpr std::string_view kTexts[] = {"", "operations", "count", "gpu_time", "nanoseconds"};

void AddValueType(uint64_t type, uint64_t unit, ProtoWriter* out) {
  const size_t begin = out->Begin(kSampleType);
  out->Integer(kType, type);
  out->Integer(kUnit, unit);
  out->End(begin);
}

// A location and a function for each frame, both with the frame's number plus 1.
void AddFrame(uint64_t frame, ProtoWriter* out) {
  const size_t location = out->Begin(kLocation);
  out->Integer(kId, frame + 1);
  const size_t line = out->Begin(kLine);
  out->Integer(kFunctionId, frame + 1);
  out->End(line);
  out->End(location);
  const size_t function = out->Begin(kFunction);
  out->Integer(kId, frame + 1);
  out->Integer(kFunctionName, kFirstFrame + frame);
  out->Integer(kSystemName, kFirstFrame + frame);
  out->End(function);
}

void AddSample(const Stack& stack, ProtoWriter* out) {
  const size_t begin = out->Begin(kSample);
  for (auto frame = stack.frames.rbegin(); frame != stack.frames.rend(); ++frame) {  // leaf first
    out->Integer(kLocationIds, *frame + uint64_t{1});
  }
  out->Integer(kValues, static_cast<uint64_t>(stack.operations));
  out->Integer(kValues, static_cast<uint64_t>(stack.time_ns));
  out->End(begin);
}

}  // namespace

void WritePprof(const Events& events, const Selection& selection, std::ostream& out) {
  const StackTable table = SumStacks(events, selection);
  const ProcessInfo& process = events.process();
  ProtoWriter profile;
  AddValueType(kOperations, kCount, &profile);
  AddValueType(kGpuTime, kNanoseconds, &profile);
  for (const Stack& stack : table.stacks) AddSample(stack, &profile);
  for (size_t frame = 0; frame < table.names.size(); ++frame) AddFrame(frame, &profile);
  for (const std::string_view text : kTexts) profile.Text(kStrings, text);
  for (const std::string& name : table.names) profile.Text(kStrings, ValidUtf8(name));
  profile.Integer(kTimeNanos, static_cast<uint64_t>(process.start_ns));
  if (process.end_ns > process.start_ns) {
    profile.Integer(kDurationNanos, static_cast<uint64_t>(process.end_ns - process.start_ns));
  }
  profile.Integer(kDefaultSampleType, kGpuTime);
  const std::string bytes = Deflate(profile.bytes(), Envelope::kGzip, 6);
  out.write(bytes.data(), static_cast<std::streamsize>(bytes.size()));
}

}  // namespace prof::exporting
