// SPDX-License-Identifier: Apache-2.0
#include "python_bridge/thread_list.h"

#include <cstring>

#include "lib/capture/process/own_memory.h"

namespace prof::python {
namespace {

// Beyond these a list goes in a circle, or belongs to a program that prof does not follow.
constexpr int kMostInterpreters = 64, kMostThreads = 4096;

}  // namespace

bool ThreadList::Read(uintptr_t address, State* state) const {
  char bytes[kMostPiece];
  if (!capture::ReadOwnMemory(address, bytes, layout_.state_thread + sizeof(state->thread)))
    return false;
  const auto at = [&bytes](uint32_t offset, auto* value) {
    std::memcpy(value, bytes + offset, sizeof(*value));
  };
  at(kStatePrevious, &state->previous);
  at(kStateNext, &state->next);
  at(kStateInterpreter, &state->interpreter);
  at(layout_.state_thread, &state->thread);
  return true;
}

// Whether the list leads to this state. A state that was freed is in no list, and the allocator
// writes over its links.
bool ThreadList::IsListed(uintptr_t address, const State& state) const {
  uintptr_t listed = 0;
  const uintptr_t from = state.previous != 0 ? state.previous + kStateNext
                                             : state.interpreter + layout_.interpreter_threads;
  return capture::ReadOwn(from, &listed) && listed == address;
}

std::optional<uintptr_t> ThreadList::SearchIn(uintptr_t interpreter, uint64_t thread) const {
  uintptr_t address = 0;
  if (!capture::ReadOwn(interpreter + layout_.interpreter_threads, &address)) return std::nullopt;
  for (int threads = 0; address != 0; ++threads) {
    State state;
    if (threads == kMostThreads || !Read(address, &state) || state.interpreter != interpreter) {
      return std::nullopt;
    }
    if (state.thread == thread) return address;
    address = state.next;
  }
  return 0;
}

std::optional<uintptr_t> ThreadList::Search(uint64_t thread) const {
  uintptr_t interpreter = 0;
  if (!capture::ReadOwn(runtime_ + layout_.runtime_interpreters, &interpreter)) return std::nullopt;
  for (int interpreters = 0; interpreter != 0; ++interpreters) {
    if (interpreters == kMostInterpreters) return std::nullopt;
    const std::optional<uintptr_t> found = SearchIn(interpreter, thread);
    if (!found || *found != 0) return found;
    if (!capture::ReadOwn(interpreter + layout_.interpreter_next, &interpreter))
      return std::nullopt;
  }
  return 0;
}

std::optional<uintptr_t> ThreadList::Find(const capture::ThreadNumbers& thread) {
  const uint64_t id = layout_.has_tid ? thread.tid : thread.pthread;
  Known& known = known_[thread.tid % kRemembered];
  if (known.thread == id && known.address != 0) {
    State state;
    if (Read(known.address, &state) && state.thread == id && IsListed(known.address, state)) {
      return known.address;
    }
  }
  const std::optional<uintptr_t> found = Search(id);
  known = {id, found.value_or(0)};
  return found;
}

}  // namespace prof::python
