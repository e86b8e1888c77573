// SPDX-License-Identifier: Apache-2.0
#include "torch_bridge/self_test.h"

#include <array>
#include <cstring>

namespace prof::torch {
namespace {

constexpr char kName[] = "prof self-test";
constexpr int64_t kSequence = 0x5072'6f66'0102'0304;

// What the callbacks saw of the event that is tested. Other threads may have such events as well:
// they find another address here.
struct Seen {
  int starts = 0, ends = 0;
  bool right_name = false, async = false, right_context = false;
  std::optional<size_t> sequence_offset;
};

const Functions* tested = nullptr;
const Event* expected = nullptr;
Seen seen;

std::optional<size_t> FindSequence(const Event* event) {
  std::optional<size_t> found;
  for (size_t at = 0; at + sizeof(int64_t) <= kEventBytes; at += sizeof(int64_t)) {
    int64_t value = 0;
    std::memcpy(&value, static_cast<const char*>(event) + at, sizeof(value));
    if (value != kSequence) continue;
    if (found) return std::nullopt;
    found = at;
  }
  return found;
}

Context StartEvent(const Event* event) noexcept {
  if (event != expected) return {};
  ++seen.starts;
  const char* name = tested->name(event);
  seen.right_name = name != nullptr && std::strcmp(name, kName) == 0;
  seen.async = tested->is_async(event);
  seen.sequence_offset = FindSequence(event);
  return {};
}

void EndEvent(const Event* event, void* context) noexcept {
  if (event != expected) return;
  ++seen.ends;
  seen.right_context = context == nullptr;
}

void RunEvent(const Functions& functions) {
  alignas(64) static std::array<char, kEventBytes> memory;
  memory.fill(0);
  seen = {};
  expected = memory.data();
  functions.construct(memory.data(), Scope::kStaticRuntimeModel);
  if (functions.begin_descriptor != nullptr) {
    functions.begin_descriptor(memory.data(), {sizeof(kName) - 1, &kName[0], 0}, kSequence);
  } else {
    functions.begin_text(memory.data(), &kName[0], kSequence);
  }
  functions.destroy(memory.data());
  expected = nullptr;
}

}  // namespace

SelfTest RunSelfTest(const Functions& functions) {
  SelfTest result;
  tested = &functions;
  Callback callback;
  callback.start = &StartEvent;
  callback.end = &EndEvent;
  callback.scopes[static_cast<size_t>(Scope::kStaticRuntimeModel)] = true;
  const uint64_t handle = functions.add_global_callback(callback);
  if (handle == 0) {
    result.problem = "it took no callback";
    return result;
  }
  RunEvent(functions);
  const Seen with = seen;
  functions.remove_callback(handle);
  RunEvent(functions);
  const Seen without = seen;
  if (with.starts != 1 || with.ends != 1) {
    result.problem = "its callback did not run once at the begin and once at the end of an event";
  } else if (!with.right_name || with.async || !with.right_context) {
    result.problem = "an event did not have the name, the kind or the context that it was given";
  } else if (without.starts != 0 || without.ends != 0) {
    result.problem = "a callback that was removed still ran";
  }
  result.sequence_offset = with.sequence_offset;
  return result;
}

}  // namespace prof::torch
