// SPDX-License-Identifier: Apache-2.0
//
// From a call to its line: the stacks of a recording as a reader has them.
#include <dlfcn.h>

#include <algorithm>
#include <string>
#include <vector>

#include "lib/capture/collector/host_stack_writer.h"
#include "lib/capture/collector/memory_output.h"
#include "lib/snapshot/read/reader.h"
#include "lib/symbols/source_lines.h"
#include "test/native_bridge/made_program.h"
#include "test/support/catch.h"

namespace prof::native::test::recorded_lines_test {
namespace {

using Call = void (*)(MadeLaunch launch, void* context);

void TakeStack(void* context) {
  *static_cast<uint32_t*>(context) = capture::CurrentStack();
  asm volatile("" ::: "memory");  // no tail call
}

// A recording with a call from each of these functions.
model::Model Record(const std::vector<Call>& calls, Sources sources) {
  capture::MemoryOutput output;
  capture::Encoder encoder(&output);
  encoder.Add(capture::HeaderEvent{});
  capture::HostStackWriter writer({false, true, false}, &encoder);
  writer.Start();
  uint32_t correlation = 0;
  for (const Call call : calls) {
    uint32_t stack = 0;
    call(&TakeStack, &stack);
    CHECK(stack != 0);
    writer.WriteUpTo(stack);
    ++correlation;
    encoder.Add(capture::ApiEvent{"cuLaunchKernel", 7, correlation, 0, 100 * correlation,
                                  100 * correlation + 50, 0, stack});
  }
  writer.WriteProblem();
  writer.Stop();
  encoder.WriteLastBlock({}, 700);
  const std::string bytes = output.TakeBytes();
  absl::StatusOr<model::Model> model = ReadSnapshot(bytes, model::RowStorage::kPlain, sources);
  REQUIRE(model.ok());
  REQUIRE(model->api_calls.size() == calls.size());
  return *std::move(model);
}

// "function file:line": the frames of a call, the innermost first, up to `last`.
std::vector<std::string> Frames(const model::Model& model, size_t call, const std::string& last) {
  std::vector<std::string> frames;
  for (uint32_t at = model.api_calls.stack(call); at != 0; at = model.host_stacks[at].parent) {
    const model::HostFrame& frame = model.host_frames[model.host_stacks[at].frame];
    const std::string& file = model.strings[frame.file];
    frames.push_back(model.strings[frame.function]);
    if (frame.line != 0) {
      frames.back() += " " + file.substr(file.rfind('/') + 1) + ":" + std::to_string(frame.line);
    }
    if (model.strings[frame.function] == last) break;
  }
  return frames;
}

bool HasLines() { return symbols::SourceLines().problem().empty(); }

TEST_CASE("A call has the functions that its program names, without looking for sources") {
  const model::Model model = Record({&made_outer}, Sources::kLeave);
  const std::vector<std::string> frames = Frames(model, 0, "made_outer");
  REQUIRE(frames.size() >= 2);  // the test's own frames are before them
  CHECK(frames[frames.size() - 2] == "made_middle");
  CHECK(frames[frames.size() - 1] == "made_outer");
  CHECK(model.notices.empty());
}

TEST_CASE("A call has the line of each function, also of one that was inlined") {
  if (!HasLines()) {
    WARN("[skipped] there is no libdw: " << symbols::SourceLines().problem());
    return;
  }
  const model::Model model = Record({&made_outer, &made_inlined}, Sources::kFind);
  const std::vector<std::string> frames = Frames(model, 0, "made_outer");
  REQUIRE(frames.size() >= 3);
  // clang's debug information has its parameters, too.
  const auto inlined = [](const std::string& frame) {
    return frame.find("MadeInner") != std::string::npos &&
           frame.find(" made_program.cc:14") != std::string::npos;
  };
  const auto inner = std::find_if(frames.begin(), frames.end(), inlined);
  REQUIRE(inner != frames.end());
  CHECK(*(inner + 1) == "made_middle made_program.cc:23");
  const std::vector<std::string> other = Frames(model, 1, "none");
  REQUIRE(other.size() >= 3);
  const auto of = [&other](const std::string& frame) {
    return std::find(other.begin(), other.end(), frame) != other.end();
  };
  CHECK(std::any_of(other.begin(), other.end(), inlined));
  CHECK(of("made_inlined made_program.cc:48"));
}

TEST_CASE("A library that was unloaded before the end has its function, and its line where it is") {
  static void* library = nullptr;
  library = dlopen(PROF_TEST_LIBRARY_A, RTLD_NOW | RTLD_LOCAL);
  REQUIRE(library != nullptr);
  const auto function = reinterpret_cast<Call>(dlsym(library, "made_in_a"));
  REQUIRE(function != nullptr);
  capture::MemoryOutput output;
  capture::Encoder encoder(&output);
  encoder.Add(capture::HeaderEvent{});
  capture::HostStackWriter writer({false, true, false}, &encoder);
  writer.Start();
  uint32_t stack = 0;
  function(&TakeStack, &stack);
  dlclose(library);
  writer.WriteUpTo(stack);
  encoder.Add(capture::ApiEvent{"cuLaunchKernel", 7, 1, 0, 100, 200, 0, stack});
  writer.Stop();
  encoder.WriteLastBlock({}, 700);
  const absl::StatusOr<model::Model> model = ReadSnapshot(output.TakeBytes());
  REQUIRE(model.ok());
  const std::vector<std::string> frames = Frames(*model, 0, "made_in_a");
  REQUIRE(!frames.empty());
  CHECK(frames.back() == "made_in_a");
  const auto found = std::find_if(
      model->host_frames.begin(), model->host_frames.end(),
      [&](const model::HostFrame& one) { return model->strings[one.function] == "made_in_a"; });
  REQUIRE(found != model->host_frames.end());
  const model::HostFrame& frame = *found;
  CHECK(model->strings[frame.module] == PROF_TEST_LIBRARY_A);
  CHECK(model->strings[frame.build_id].size() == 40);
}

TEST_CASE("Places of files that are gone, of another build, or no files have no lines") {
  symbols::SourceLines lines;
  for (const char* const file : {"", "/nowhere", "/dev/zero", "/proc/self", PROF_TEST_LIBRARY_A}) {
    CHECK(lines.PlacesOf(file, "0123456789abcdef", 0x1000).empty());
    CHECK(lines.PlacesOf(file, "", 0x1000).empty());
    CHECK(lines.PlacesOf(file, "../../../../etc/x", UINT64_MAX).empty());
  }
}

}  // namespace
}  // namespace prof::native::test::recorded_lines_test
