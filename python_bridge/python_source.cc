// SPDX-License-Identifier: Apache-2.0
//
// The Python source finds the interpreter of the process and turns the walker of its stacks on
// and off. It registers itself with the capture half when libprof.so is loaded.
#include <atomic>
#include <string>

#include "lib/capture/process/mutex.h"
#include "lib/capture/threads/host_stacks.h"
#include "python_bridge/python_layout.h"
#include "python_bridge/stack_walker.h"

namespace prof::python {
namespace {

// Never destroyed: threads of the program may be in it at any time.
std::atomic<StackWalker*> walker{nullptr};

uint32_t Walk(capture::StackCache* cache) {
  StackWalker* const present = walker.load(std::memory_order_acquire);
  return present != nullptr ? present->Walk(cache) : capture::kNoStack;
}

class PythonSource final : public capture::StackSource {
 public:
  void Start() override {
    const capture::MutexLock lock(mutex_);
    if (walker.load(std::memory_order_acquire) == nullptr) Find();
    if (walker.load(std::memory_order_acquire) != nullptr) capture::SetStackWalker(&Walk);
  }

  void Stop() override { capture::SetStackWalker(nullptr); }

  std::string problem() const override {
    const StackWalker* const present = walker.load(std::memory_order_acquire);
    const std::string why = present != nullptr ? present->problem() : WhyNot();
    return why.empty() ? why : "Python stacks are not recorded: " + why;
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
    walker.store(new StackWalker(python, layout, &capture::ProcessHostStacks()),
                 std::memory_order_release);
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
  capture::RegisterStackSource(new (memory) PythonSource);
}

}  // namespace
}  // namespace prof::python
