// SPDX-License-Identifier: Apache-2.0
#include "torch_bridge/bridge.h"

#include <array>
#include <atomic>
#include <chrono>
#include <cstdio>
#include <cstring>
#include <exception>
#include <string>
#include <thread>
#include <utility>

#include "lib/capture/collector/torch_source.h"
#include "lib/capture/process/end_request.h"
#include "lib/capture/process/exit_guard.h"
#include "lib/capture/process/mutex.h"
#include "lib/capture/process/quiet_thread.h"
#include "lib/capture/threads/tensor_memory.h"
#include "lib/capture/threads/torch_ops.h"
#include "lib/capture/threads/torch_shapes.h"
#include "torch_bridge/input_shapes.h"
#include "torch_bridge/input_test.h"
#include "torch_bridge/modules.h"
#include "torch_bridge/self_test.h"
#include "torch_bridge/tensors.h"
#include "torch_bridge/torch_abi.h"
#include "torch_bridge/torch_library.h"
#include "torch_bridge/torch_version.h"

namespace prof::torch {
namespace {

constexpr std::chrono::seconds kEndTimeout(1);
constexpr char kNotRecorded[] = "the ops of PyTorch are not recorded";
constexpr char kNoShapes[] = "the shapes of inputs of PyTorch's ops are not recorded";
constexpr char kNoModules[] =
    "the modules of PyTorch are not recorded: no Python interpreter has reported them";
constexpr char kNoTensors[] =
    "the memory of PyTorch's tensors is not recorded: its allocator has told of none";

// What the callbacks use. Written before the first of them is registered, then never again.
struct Known {
  Functions functions;
  InputFunctions input_functions;
  std::optional<size_t> sequence_offset;
};
Known known;
// What the callbacks that read shapes use: written before the first of these, then never again.
// By address, as the notice below.
InputTest* input_test = nullptr;
// By the one thread that attaches: `known` is filled.
bool verified = false;

capture::Mutex mutex;  // never held while somebody waits for a library
bool wanted PROF_GUARDED_BY(mutex) = false;
capture::TorchWish wish PROF_GUARDED_BY(mutex);
std::array<uint64_t, 3> handles PROF_GUARDED_BY(mutex) = {};
// By address: nothing of ours is destroyed at exit, while that thread may still run.
capture::NoticeEvent* notice PROF_GUARDED_BY(mutex) = nullptr;
std::atomic<bool> listening{false};
std::atomic<bool> attaching{false};

// The collector's alone.
unsigned long long loads_seen = 0;
bool done = false;

int64_t SequenceOf(const Event* event) {
  if (!known.sequence_offset) return -1;
  int64_t sequence = -1;
  std::memcpy(&sequence, static_cast<const char*>(event) + *known.sequence_offset,
              sizeof(sequence));
  return sequence;
}

// --- The program's threads, inside PyTorch -------------------------------------------------------

template <bool kShapes>
void Push(capture::TorchScope scope, const Event* event, int64_t sequence) {
  capture::TorchOpStart op{scope, known.functions.name(event), event, sequence};
  if constexpr (kShapes) {
    capture::InputShapes shapes;
    ReadShapes(event, input_test->layout, &shapes);
    op.inputs = &shapes;
    capture::PushTorchOp(op);
  } else {
    capture::PushTorchOp(op);
  }
}

template <bool kShapes>
Context StartFunction(const Event* event) noexcept {
  Push<kShapes>(capture::TorchScope::kFunction, event,
                static_cast<int64_t>(known.functions.next_sequence()));
  return {};
}

template <bool kShapes>
Context StartBackward(const Event* event) noexcept {
  Push<kShapes>(capture::TorchScope::kBackward, event, SequenceOf(event));
  return {};
}

// An asynchronous event (a collective) ends when its work is done, maybe on another thread: what
// its thread does meanwhile is not a part of it.
template <bool kShapes>
Context StartUser(const Event* event) noexcept {
  if (!known.functions.is_async(event)) Push<kShapes>(capture::TorchScope::kUser, event, -1);
  return {};
}

void EndAny(const Event* event, void* /*context*/) noexcept { capture::PopTorchOp(event); }

// -------------------------------------------------------------------------------------------------

// A callback for each scope, so that nobody has to ask an event for its scope.
template <bool kShapes>
void Register() PROF_REQUIRES(mutex) {
  const std::pair<Scope, Context (*)(const Event*)> starts[] = {
      {Scope::kFunction, &StartFunction<kShapes>},
      {Scope::kBackwardFunction, &StartBackward<kShapes>},
      {Scope::kUserScope, &StartUser<kShapes>}};
  for (size_t i = 0; i < handles.size(); ++i) {
    Callback callback;
    callback.start = starts[i].second;
    callback.end = &EndAny;
    callback.needs_inputs = kShapes;
    callback.scopes[static_cast<size_t>(starts[i].first)] = true;
    handles[i] = known.functions.add_global_callback(callback);
  }
  listening.store(true);
}

void Say(capture::Severity severity, std::string what, std::string fix) PROF_REQUIRES(mutex) {
  delete std::exchange(notice, new capture::NoticeEvent{severity, capture::Subsystem::kRanges, 0,
                                                        std::move(what), std::move(fix)});
}

// Why the PyTorch of `library` cannot be listened to; empty: `known` is filled.
std::string Verify(const std::string& library) {
  const TorchVersion version = ReadTorchVersion(library);
  if (!IsKnownVersion(version)) {
    return (version.text.empty() ? "its version is not known" : "it is " + version.text) +
           ", and prof knows " + kKnownVersions;
  }
  const TorchLibrary torch = Hold(library);
  if (!torch.functions.complete()) {
    Release(torch);
    return version.text + " lacks a function that prof needs";
  }
  const SelfTest test = RunSelfTest(torch.functions);
  if (!test.problem.empty()) {
    Release(torch);
    return version.text + " does not pass prof's test: " + test.problem;
  }
  // Held for good: it may call us, and we call it.
  known.functions = torch.functions;
  known.input_functions = torch.input_functions;
  known.sequence_offset = test.sequence_offset;
  return {};
}

bool ShapesWanted() {
  const capture::MutexLock lock(mutex);
  return wish.shapes;
}

// Whether this recording has shapes. They are tested when the first one wants them.
bool CanReadShapes() {
  if (!verified || !ShapesWanted()) return false;
  if (input_test == nullptr) {
    input_test =
        new InputTest(RunInputTest(known.functions, known.input_functions, known.sequence_offset));
  }
  if (input_test->problem.empty()) return true;
  std::fprintf(stderr, "prof: %s: %s\n", kNoShapes, input_test->problem.c_str());
  return false;
}

bool Ending() { return capture::Exiting() || capture::EndRequested(); }

void Attach(const std::string& library) {
  if (Ending()) return;
  const std::string problem = verified ? "" : Verify(library);
  verified = problem.empty();
  if (!verified) {
    std::fprintf(stderr, "prof: %s: %s\n", kNotRecorded, problem.c_str());
  }
  const bool shapes = CanReadShapes();
  const capture::MutexLock lock(mutex);
  if (!wanted || Ending()) return;
  if (!verified) {
    return Say(capture::Severity::kWarning, std::string(kNotRecorded) + ": " + problem,
               "name the parts of the program with NVTX or torch.autograd.profiler.emit_nvtx()");
  }
  if (wish.shapes && !shapes && input_test != nullptr) {
    Say(capture::Severity::kWarning, std::string(kNoShapes) + ": " + input_test->problem, "");
  } else if (!known.sequence_offset) {
    Say(capture::Severity::kInfo,
        "the work of PyTorch's backward pass is not joined with its forward ops: this version "
        "keeps the numbers of nodes at an unknown place",
        "");
  }
  if (shapes) {
    capture::PrepareTorchShapes();
    Register<true>();
  } else {
    Register<false>();
  }
}

capture::NoticeEvent Missing(const char* what, const char* fix) {
  std::fprintf(stderr, "prof: %s\n", what);
  return {capture::Severity::kWarning, capture::Subsystem::kRanges, 0, what, fix};
}

__attribute__((constructor)) void OfferTorch() {
  static constexpr capture::TorchSource kSource{&Begin, &Look, &End};
  capture::SetTorchSource(&kSource);
}

}  // namespace

void Begin(const capture::TorchWish& what) {
  const capture::MutexLock lock(mutex);
  wanted = true;
  wish = what;
  delete std::exchange(notice, nullptr);
  loads_seen = 0;
  done = false;
  capture::WantTensors(what.memory);
}

std::optional<capture::NoticeEvent> Look() {
  if (!done && !attaching.load()) {
    std::string library = FindTorchLibrary(&loads_seen);
    if (!library.empty()) {
      done = true;
      attaching.store(true);
      try {
        capture::StartQuietThread("prof-torch", [library = std::move(library)] {
          Attach(library);
          attaching.store(false);
        }).detach();
      } catch (const std::exception&) {  // no thread, no ops
        attaching.store(false);
      }
    }
  }
  if (!mutex.TryLock()) return std::nullopt;
  const capture::MutexLock lock(mutex, std::adopt_lock);
  if (notice == nullptr) return std::nullopt;
  std::optional<capture::NoticeEvent> said = std::move(*notice);
  delete std::exchange(notice, nullptr);
  return said;
}

// At an exit PyTorch's own table of callbacks may be gone already: it stays as it is then.
std::optional<capture::NoticeEvent> End() {
  if (!mutex.LockBefore(std::chrono::steady_clock::now() + kEndTimeout)) return std::nullopt;
  const capture::MutexLock lock(mutex, std::adopt_lock);
  wanted = false;
  capture::WantTensors(false);
  if (!listening.exchange(false)) return std::nullopt;
  if (!Ending()) {
    for (uint64_t& handle : handles) known.functions.remove_callback(std::exchange(handle, 0));
  }
  if (wish.memory && !KnowsTensors() && HasCudaAllocator()) {
    return Missing(kNoTensors, "start the program with prof run --torch-memory");
  }
  if (wish.modules && !KnowsModules()) {
    return Missing(
        kNoModules,
        "start the program with prof run --torch modules, and Python without -S, -E and -I");
  }
  return std::nullopt;
}

bool Listening() { return listening.load(); }

}  // namespace prof::torch
