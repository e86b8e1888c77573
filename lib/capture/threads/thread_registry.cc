// SPDX-License-Identifier: Apache-2.0
#include "lib/capture/threads/thread_registry.h"

#include <pthread.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <new>
#include <type_traits>

#include "lib/capture/process/fork_guard.h"
#include "lib/capture/process/thread_id.h"

namespace prof::capture {

ThreadRegistry thread_registry;
static_assert(std::is_trivially_destructible_v<ThreadRegistry>);

__thread ThreadState* calling_thread = nullptr;

namespace {

__thread bool calling_thread_ended = false;

// Thread-specific destructors run in rounds, and another library's may still open or close ranges
// after ours has run. So ours sits out all rounds but the last two; the last is the sanitizers'.
constexpr int kRoundsToSitOut = 2;  // of PTHREAD_DESTRUCTOR_ITERATIONS, 4

// What makes a thread's end known. Without a key (a process can have 1,024) states are not reused;
// all else works.
pthread_once_t end_key_once = PTHREAD_ONCE_INIT;
pthread_key_t end_key;
bool have_end_key = false;

void* MapZeroed(size_t bytes) {
  void* memory = mmap(nullptr, bytes, PROT_READ | PROT_WRITE,
                      MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  return memory == MAP_FAILED ? nullptr : memory;
}

// Whether this process has no thread `tid` any more. 0: a thread that has not said who it is.
bool IsGone(uint32_t tid) {
  if (tid == 0) return false;
  const int error = errno;
  const bool gone = syscall(SYS_tgkill, getpid(), tid, 0) != 0 && errno == ESRCH;
  errno = error;  // we are in a call of the program
  return gone;
}

}  // namespace

void ThreadRegistry::EndCallingThread(void* state) {
  auto* thread = static_cast<ThreadState*>(state);
  if (thread != calling_thread) return;  // the child of a fork
  if (thread->ends_to_sit_out > 0) {
    --thread->ends_to_sit_out;
    if (pthread_setspecific(end_key, thread) == 0) return;
  }
  thread_registry.at_end_.load(std::memory_order_relaxed)(*thread, /*gone=*/false);
  calling_thread = nullptr;
  calling_thread_ended = true;
  thread->life.store(ThreadLife::kEnded, std::memory_order_release);
}

// The state of a thread that has ended, once the collector has read everything from it.
ThreadState* ThreadRegistry::ReuseState(bool with_ring) {
  const uint32_t count = slots();
  for (uint32_t i = 0; i < count; ++i) {
    ThreadState* thread = threads_[i].load(std::memory_order_acquire);
    if (thread == nullptr || thread->ring.has_storage() != with_ring) continue;
    ThreadLife ended = ThreadLife::kEnded;
    if (thread->life.load(std::memory_order_acquire) == ended && thread->ring.empty() &&
        thread->life.compare_exchange_strong(ended, ThreadLife::kTaken,
                                             std::memory_order_acq_rel)) {
      return thread;
    }
  }
  return nullptr;
}

// A thread that makes its first call in its last round of thread-specific destructors never gets to
// its own end, and neither does one where the process has no key for us.
void ThreadRegistry::EndStatesOfGoneThreads() {
  ForEachThread([this](ThreadState& thread) {
    ThreadLife live = ThreadLife::kLive;
    if (thread.life.load(std::memory_order_acquire) != live || !thread.ring.has_storage()) return;
    if (!IsGone(thread.tid.load(std::memory_order_relaxed))) return;
    if (!thread.life.compare_exchange_strong(live, ThreadLife::kTaken, std::memory_order_acq_rel)) {
      return;
    }
    // Another thread may have done the same, and given the state to a third one since we looked.
    ThreadLife taken = ThreadLife::kTaken;
    const bool gone = IsGone(thread.tid.load(std::memory_order_relaxed));
    if (gone) at_end_.load(std::memory_order_relaxed)(thread, /*gone=*/true);
    thread.life.compare_exchange_strong(taken, gone ? ThreadLife::kEnded : ThreadLife::kLive,
                                        std::memory_order_acq_rel);
  });
}

void ThreadRegistry::KeepCallingThreadAlone() {
  for (uint32_t id = 1; id <= paths.last(); ++id) {
    if (paths.At(id).state.load(std::memory_order_relaxed) == NodeState::kNew) paths.GiveUp(id);
  }
  const AtEnd at_end = at_end_.load(std::memory_order_relaxed);
  ForEachThread([at_end](ThreadState& thread) {
    if (&thread == calling_thread) {
      thread.tid.store(CurrentThreadId(), std::memory_order_relaxed);
    } else if (thread.life.load(std::memory_order_relaxed) != ThreadLife::kEnded) {
      if (at_end != nullptr) at_end(thread, /*gone=*/true);
      thread.ring.ReadUpTo(thread.ring.head());
      thread.life.store(ThreadLife::kEnded, std::memory_order_release);
    }
  });
}

ThreadState* ThreadRegistry::NewState() {
  if (slots_.load(std::memory_order_relaxed) >= kMaxThreads) return nullptr;
  void* memory = MapZeroed(sizeof(ThreadState));
  if (memory == nullptr) return nullptr;
  const uint32_t slot = slots_.fetch_add(1, std::memory_order_relaxed);
  if (slot >= kMaxThreads) {
    munmap(memory, sizeof(ThreadState));
    return nullptr;
  }
  auto* thread = new (memory) ThreadState;
  const uint32_t ring = ring_count_.fetch_add(1, std::memory_order_relaxed);
  if (ring < kLargeRings + kSmallRings) {
    const uint64_t capacity = ring < kLargeRings ? kLargeRing : kSmallRing;
    thread->ring.SetStorage(static_cast<RingRecord*>(MapZeroed(capacity * sizeof(RingRecord))),
                            capacity);
  } else {
    ring_count_.fetch_sub(1, std::memory_order_relaxed);
  }
  threads_[slot].store(thread, std::memory_order_release);
  return thread;
}

ThreadState* ThreadRegistry::Register(AtEnd at_end) {
  if (calling_thread_ended || InForkedChild()) return nullptr;
  ThreadState* thread = ReuseState(true);
  if (thread == nullptr &&
      ring_count_.load(std::memory_order_relaxed) >= kLargeRings + kSmallRings) {
    EndStatesOfGoneThreads();
    thread = ReuseState(true);
    if (thread == nullptr) thread = ReuseState(false);
  }
  if (thread == nullptr) thread = NewState();
  if (thread == nullptr) return nullptr;
  at_end_.store(at_end, std::memory_order_relaxed);
  // Published by the first record in the ring, or by `current`.
  thread->last_call_ticks.store(0, std::memory_order_relaxed);
  thread->asked = {};
  thread->pthread.store(pthread_self(), std::memory_order_relaxed);
  thread->tid.store(CurrentThreadId(), std::memory_order_relaxed);
  thread->foreign_ends_seen = thread->foreign_ends.load(std::memory_order_relaxed);
  thread->ends_to_sit_out = kRoundsToSitOut;
  thread->life.store(ThreadLife::kLive, std::memory_order_release);
  calling_thread = thread;
  pthread_once(&end_key_once,
               [] { have_end_key = pthread_key_create(&end_key, &EndCallingThread) == 0; });
  if (have_end_key) pthread_setspecific(end_key, thread);
  return thread;
}

uint32_t ThreadRegistry::slots() const {
  return std::min(slots_.load(std::memory_order_acquire), kMaxThreads);
}

}  // namespace prof::capture
