// SPDX-License-Identifier: Apache-2.0
//
// The Python source finds the interpreter of the process, turns the walker of its stacks on and
// off, and looks at threads from outside. It registers itself with the capture half when libprof.so
// is loaded.
#include <atomic>
#include <string>

#include "lib/capture/process/clock.h"
#include "lib/capture/process/mutex.h"
#include "lib/capture/threads/host_stacks.h"
#include "python_bridge/outside_walker.h"
#include "python_bridge/python_layout.h"
#include "python_bridge/stack_maker.h"
#include "python_bridge/stack_walker.h"

namespace prof::python {
namespace {

// Never destroyed: threads of the program may be in it at any time.
std::atomic<StackWalker*> walker{nullptr};
std::atomic<OutsideWalker*> outside{nullptr};

uint32_t Walk(capture::StackCache* cache) {
  StackWalker* const present = walker.load(std::memory_order_acquire);
  return present != nullptr ? present->Walk(cache) : capture::kNoStack;
}

class PythonSource final : public capture::StackSource {
 public:
  void Start(bool at_calls) override {
    const capture::MutexLock lock(mutex_);
    if (walker.load(std::memory_order_acquire) == nullptr) Find();
    if (at_calls && walker.load(std::memory_order_acquire) != nullptr) {
      capture::SetStackWalker(capture::StackKind::kPython, &Walk);
    }
  }

  void Stop() override { capture::SetStackWalker(capture::StackKind::kPython, nullptr); }

  capture::HostLook LookAt(const capture::ThreadNumbers& thread) override {
    OutsideWalker* const present = outside.load(std::memory_order_acquire);
    if (present != nullptr) return present->LookAt(thread);
    const capture::HostSampleKind kind =
        WhyNot().empty() ? capture::HostSampleKind::kNative : capture::HostSampleKind::kUnread;
    return {kind, capture::kNoStack, capture::RealtimeNs()};
  }

  std::string problem() const override {
    const StackWalker* const present = walker.load(std::memory_order_acquire);
    const OutsideWalker* const looking = outside.load(std::memory_order_acquire);
    std::string why = present != nullptr ? present->problem() : WhyNot();
    if (!why.empty()) return "Python stacks are not recorded: " + why;
    if (looking != nullptr) why = looking->problem();
    return why.empty() ? why : "The samples of the host have no Python stacks: " + why;
  }

  uint64_t dropped() const override {
    const StackWalker* const present = walker.load(std::memory_order_acquire);
    return present != nullptr ? present->dropped() : 0;
  }

 private:
  void Find() PROF_REQUIRES(mutex_) {
    const PythonSymbols python = FindPython();
    if (!python.any()) return;
    PythonLayout layout;
    why_not_ = LayoutOf(python, &layout);
    if (!why_not_.empty()) return;
    auto* const maker = new StackMaker(python, layout, &capture::ProcessHostStacks());
    outside.store(new OutsideWalker(python, layout, maker), std::memory_order_release);
    walker.store(new StackWalker(python, layout, maker), std::memory_order_release);
  }
  std::string WhyNot() const {
    const capture::MutexLock lock(mutex_);
    return why_not_;
  }

  mutable capture::Mutex mutex_;
  std::string why_not_ PROF_GUARDED_BY(mutex_);
};

// No destructor: the collector may ask it after main().
__attribute__((constructor)) void Register() {
  alignas(PythonSource) static char memory[sizeof(PythonSource)];
  capture::RegisterStackSource(capture::StackKind::kPython, new (memory) PythonSource);
}

}  // namespace
}  // namespace prof::python
