// SPDX-License-Identifier: Apache-2.0
//
// The native source turns the walker of native stacks on and off, and gives their frames the names
// of their functions. It registers itself with the capture half when libprof.so is loaded.
#include <atomic>
#include <new>
#include <string>

#include "lib/capture/threads/host_stacks.h"
#include "native_bridge/function_names.h"
#include "native_bridge/native_walker.h"
#include "native_bridge/stack_bounds.h"

namespace prof::native {
namespace {

RuleTable rules;
// Never destroyed: threads of the program may be in it at any time.
std::atomic<NativeWalker*> walker{nullptr};

#if defined(__x86_64__)
uint32_t WalkNow(capture::StackCache* cache) {
  NativeWalker* const present = walker.load(std::memory_order_acquire);
  return present != nullptr ? present->Walk(cache) : capture::kNoStack;
}
#endif

class NativeSource final : public capture::StackSource {
 public:
  void Start([[maybe_unused]] bool at_calls) override {
#if defined(__x86_64__)
    if (!at_calls) return;
    if (walker.load(std::memory_order_acquire) == nullptr) {
      FindMainStack();
      walker.store(new NativeWalker(&rules, &capture::ProcessHostStacks()),
                   std::memory_order_release);
    }
    Refresh();
    capture::SetStackWalker(capture::StackKind::kNative, &WalkNow);
#endif
  }

  void Stop() override { capture::SetStackWalker(capture::StackKind::kNative, nullptr); }

  void Refresh() override {
    NativeWalker* const present = walker.load(std::memory_order_acquire);
    if (present != nullptr) present->Refresh();
  }

  std::string FunctionOf(const capture::HostFrameEvent& frame) override {
    return names_.NameAt(std::string(frame.module), frame.build_id, frame.offset);
  }

  std::string problem() const override {
#if defined(__x86_64__)
    const NativeWalker* const present = walker.load(std::memory_order_acquire);
    const std::string why = present != nullptr ? present->problem() : std::string();
    return why.empty() ? why : "Native stacks are not recorded: " + why;
#else
    return "Native stacks are not recorded: prof reads them on x86-64 only";
#endif
  }

  uint64_t dropped() const override {
    const NativeWalker* const present = walker.load(std::memory_order_acquire);
    return present != nullptr ? present->dropped() : 0;
  }

 private:
  FunctionNames names_;  // the collector's
};

// No destructor: the collector may ask it after main().
__attribute__((constructor)) void RegisterNative() {
  alignas(NativeSource) static char memory[sizeof(NativeSource)];
  capture::RegisterStackSource(capture::StackKind::kNative, new (memory) NativeSource);
}

}  // namespace
}  // namespace prof::native
