// SPDX-License-Identifier: Apache-2.0
#include "lib/capture/threads/thread_recorder.h"

#include <algorithm>

#include "lib/capture/process/fork_guard.h"
#include "lib/capture/process/mutex.h"
#include "lib/capture/process/thread_id.h"
#include "lib/capture/threads/thread_registry.h"
#include "lib/capture/threads/thread_writes.h"
#include "lib/capture/threads/tick_clock.h"
#include "lib/capture/threads/torch_ops.h"

namespace prof::capture {
namespace {

constexpr int kNoTracking = -2;  // NVTX_NO_PUSH_POP_TRACKING
constexpr int kUnbalanced = -1;

void CallListener(ThreadState& thread, OpenRange& range, bool entered) {
  const RangeListener listener = thread_registry.listener.load(std::memory_order_acquire);
  if (listener == nullptr) return;
  if (entered) range.token = ++thread.last_token;
  listener(range.path, range.token, entered);
}

// The two that may listen. The registry has the one that threads call, so that a range without a
// listener costs one load.
std::atomic<RangeListener> range_listener{nullptr}, window_listener{nullptr};
Mutex listener_mutex;  // of those who set one: two at a time could leave one that is gone

void CallBoth(uint32_t path, uint32_t token, bool entered) {
  const RangeListener window = window_listener.load(std::memory_order_acquire);
  const RangeListener range = range_listener.load(std::memory_order_acquire);
  if (entered && window != nullptr) window(path, token, entered);
  if (range != nullptr) range(path, token, entered);
  if (!entered && window != nullptr) window(path, token, entered);
}

void SetListener(std::atomic<RangeListener>& which, RangeListener listener) {
  const MutexLock lock(listener_mutex);
  which.store(listener, std::memory_order_release);
  const RangeListener window = window_listener.load(std::memory_order_acquire);
  const RangeListener range = range_listener.load(std::memory_order_acquire);
  thread_registry.listener.store(window == nullptr  ? range
                                 : range == nullptr ? window
                                                    : &CallBoth,
                                 std::memory_order_release);
}

// Some functions below are marked `inline`: otherwise the compiler calls them, which costs 3 to 4
// ns of a push and a pop.

// The thread is in `path` now. `current` is written first: ThreadReader::Start reads it, and later
// what was written to the ring since the recording began. It must not miss a change in both.
inline void SetCurrentAt(ThreadState& thread, uint32_t path, int64_t ticks) {
  thread.current.store(path, std::memory_order_release);
  thread.last_event_ticks = ticks;
  CheckWritten(thread.ring.Write(RingRecord::Step(ticks, path)));
}

inline void SetCurrent(ThreadState& thread, uint32_t path, const Payloads& payloads = {}) {
  if (path == thread.current.load(std::memory_order_relaxed)) return;
  if (Recording()) {
    const int64_t now = NowTicks();
    SetCurrentAt(thread, path, now);
    WritePayloads(thread, payloads, path, now);
  } else {
    thread.current.store(path, std::memory_order_release);
  }
}

uint32_t Innermost(const ThreadState& thread) {
  return thread.depth == 0 ? kNoPath : thread.open[thread.depth - 1].path;
}

inline const StoredString* DomainOf(ThreadState& thread, std::string_view domain) {
  if (domain.empty()) return nullptr;
  if (thread.last_domain == nullptr || !thread.last_domain->Is(domain)) {
    const StoredString* stored =
        thread_registry.strings.Intern(domain, RangeStrings::Room::kReserved);
    thread.last_domain = stored != nullptr ? stored : RangeStrings::Overflow();
  }
  return thread.last_domain;
}

// RangePaths::NodeOf with a cache in front, which saves hashing the name. The weak hash looks at
// the length of the name and both ends only. `thread.numbers` has the numbers of a name that was
// looked up.
uint32_t ChildOf(ThreadState& thread, uint32_t parent, const StoredString* domain,
                 const RangeName& range) {
  const size_t size = range.name.size();
  uint32_t weak = parent * 0x9E3779B1U + static_cast<uint32_t>(size);
  if (size > 0) {
    weak ^= static_cast<unsigned char>(range.name.front()) * 31U;
    weak ^= static_cast<unsigned char>(range.name.back());
  }
  uint32_t& cached = thread.children[(weak ^ weak >> 16U) % kChildCacheSize];
  if (cached != kNoPath) {
    const PathNode& node = thread_registry.paths.At(cached);
    if (node.parent == parent && node.domain == domain && node.name->Is(range.name)) return cached;
  }
  return LookUpChild(thread, {parent, domain, range.name, range.color, range.category}, &cached);
}

// The node of an open range that has another parent now.
uint32_t MovedChild(ThreadState& thread, uint32_t parent, const OpenRange& range) {
  const PathNode& node = thread_registry.paths.At(range.named_by);
  uint32_t unused = kNoPath;
  const uint32_t path = LookUpChild(
      thread, {parent, range.domain, node.name->view(), node.color, node.category}, &unused);
  // The name of a folded node has no numbers. Its span does.
  if (path != kNoPath && node.folded && range.span != 0 && Recording()) {
    WriteNumbers(thread, path, thread_registry.spans.NumbersOf(range.span));
  }
  return path;
}

// Takes one range off the stack; those above it become children of the one below it.
void RemoveOpen(ThreadState& thread, uint32_t index) {
  uint32_t parent = index == 0 ? kNoPath : thread.open[index - 1].path;
  for (uint32_t i = index + 1; i < thread.depth; ++i) {
    OpenRange range = thread.open[i];
    const uint32_t path = range.named_by != kNoPath ? MovedChild(thread, parent, range) : kNoPath;
    range.path = path != kNoPath ? path : parent;
    parent = range.path;
    thread.open[i - 1] = range;
  }
  --thread.depth;
}

// Takes the spans that other threads have ended off this thread's stack, in the order of time.
void RemoveEndedElsewhere(ThreadState& thread) {
  thread.foreign_ends_seen = thread.foreign_ends.load(std::memory_order_acquire);
  while (true) {
    uint32_t first = thread.depth;
    int64_t first_end = 0;
    for (uint32_t i = 0; i < thread.depth; ++i) {
      int64_t end = 0;
      const uint64_t span = thread.open[i].span;
      if (span == 0 || !thread_registry.spans.HasEnded(span, &end)) continue;
      if (first < thread.depth && end >= first_end) continue;
      first = i;
      first_end = end;
    }
    if (first == thread.depth) return;
    thread_registry.spans.ReleaseEnded(thread.open[first].span);
    RemoveOpen(thread, first);
    const uint32_t path = Innermost(thread);
    if (path == thread.current.load(std::memory_order_relaxed)) continue;
    if (Recording()) {
      // A thread's events are in order, also when the end came just before its last one.
      SetCurrentAt(thread, path,
                   std::min(std::max(first_end, thread.last_event_ticks), NowTicks()));
    } else {
      thread.current.store(path, std::memory_order_release);
    }
  }
}

// On the thread itself, or on another one when it is `gone`: then nobody closes what the listener
// has open for it.
void OnThreadEnd(ThreadState& thread, bool gone) {
  if (thread.has_foreign_ends()) RemoveEndedElsewhere(thread);
  for (uint32_t i = 0; i < thread.depth; ++i) {
    if (thread.open[i].span != 0) {
      thread_registry.spans.Disown(thread.open[i].span);
      continue;
    }
    if (!gone) CallListener(thread, thread.open[i], false);
    if (Recording()) Count(thread_registry.losses.left_open);
  }
  thread.depth = 0;
  thread.overflow = 0;
  SetCurrent(thread, kNoPath);
  EndTorchOps(thread);
}

// The calling thread's state, up to date; nullptr (counted) when it has none.
ThreadState* Enter() {
  ThreadState* thread = CallingThread();
  if (thread == nullptr) {
    if (Recording()) Count(thread_registry.losses.events_dropped);
    return nullptr;
  }
  if (thread->has_foreign_ends()) RemoveEndedElsewhere(*thread);
  return thread;
}

// Puts a range on the stack; false (counted) when it is too deep.
bool Open(ThreadState& thread, const RangeName& range, OpenRange** opened) {
  if (thread.depth == kMaxDepth) {
    if (Recording()) Count(thread_registry.losses.events_dropped);
    return false;
  }
  OpenRange& open = thread.open[thread.depth];
  const uint32_t parent = Innermost(thread);
  open.domain = DomainOf(thread, range.domain);
  open.named_by = ChildOf(thread, parent, open.domain, range);
  open.path = open.named_by != kNoPath ? open.named_by : parent;
  open.span = 0;
  open.token = 0;
  *opened = &open;
  return true;
}

// The innermost pushed range of `domain`; thread.depth when there is none.
uint32_t FindPushed(const ThreadState& thread, const StoredString* domain) {
  for (uint32_t i = thread.depth; i > 0; --i) {
    const OpenRange& open = thread.open[i - 1];
    if (open.domain == domain && open.span == 0) return i - 1;
  }
  return thread.depth;
}

void ResetRangesAfterFork() {
  if (!InForkedChild()) return thread_registry.KeepCallingThreadAlone();
  thread_registry.listener.store(nullptr, std::memory_order_relaxed);
  thread_registry.recording.store(false, std::memory_order_relaxed);
  calling_thread = nullptr;
}

}  // namespace

ThreadState* RegisterCallingThread() { return thread_registry.Register(&OnThreadEnd); }

int PushRange(const RangeName& name) {
  ThreadState* thread = Enter();
  if (thread == nullptr) return kNoTracking;
  OpenRange* open = nullptr;
  if (!Open(*thread, name, &open)) return static_cast<int>(kMaxDepth + thread->overflow++);
  const uint32_t below = FindPushed(*thread, open->domain);
  open->level = below == thread->depth ? 0 : thread->open[below].level + 1;
  ++thread->depth;
  SetCurrent(*thread, open->path, name.payloads);
  const int level = open->level;
  CallListener(*thread, *open, true);
  return level;
}

int PopRange(std::string_view domain) {
  ThreadState* thread = Enter();
  if (thread == nullptr) return kNoTracking;
  if (thread->overflow > 0) return static_cast<int>(kMaxDepth + --thread->overflow);
  const uint32_t index = FindPushed(*thread, DomainOf(*thread, domain));
  if (index == thread->depth) {
    Count(thread_registry.losses.unbalanced_pops);
    return kUnbalanced;
  }
  const int level = thread->open[index].level;
  CallListener(*thread, thread->open[index], false);
  RemoveOpen(*thread, index);
  SetCurrent(*thread, Innermost(*thread));
  return level;
}

void AddPayloads(std::string_view domain, const Payloads& payloads) {
  ThreadState* thread = Enter();
  if (payloads.count == 0 || thread == nullptr || thread->overflow > 0 || !Recording()) return;
  const uint32_t index = FindPushed(*thread, DomainOf(*thread, domain));
  if (index == thread->depth) return;
  WritePayloads(*thread, payloads, thread->open[index].path, NowTicks());
}

uint64_t StartRange(const RangeName& name) {
  ThreadState* thread = Enter();
  SpanStart start;
  start.ticks = NowTicks();
  start.tid = CurrentThreadId();
  OpenRange* open = nullptr;
  if (thread != nullptr) thread->numbers.count = 0;
  if (thread != nullptr && Open(*thread, name, &open)) {
    start.owner = thread;
    start.path = open->path;
    start.numbers = thread->numbers;
  }
  const uint64_t id = thread_registry.spans.Start(start);
  if (RangeSpans::IsUntracked(id)) {
    // It could never be taken off the stack again, so it does not go there.
    if (Recording()) Count(thread_registry.losses.events_dropped);
    return id;
  }
  if (open == nullptr) return id;
  open->span = id;
  ++thread->depth;
  SetCurrent(*thread, open->path);
  if (Recording()) WritePayloads(*thread, name.payloads, start.path, start.ticks);
  return id;
}

void EndRange(uint64_t id, const Payloads& payloads) {
  ThreadState* thread = Enter();
  if (RangeSpans::IsUntracked(id)) return;
  const int64_t now = NowTicks();
  SpanStart start;
  if (!thread_registry.spans.End(id, thread, now, &start)) {
    Count(thread_registry.losses.unbalanced_pops);
    return;
  }
  if (thread == nullptr) return;
  if (Recording() && start.path != kNoPath) {
    WriteNumbers(*thread, start.path, start.numbers);
    CheckWritten(thread->ring.Write(RingRecord::SpanStart(start.ticks, start.path, start.tid),
                                    RingRecord::SpanEnd(now, start.path, CurrentThreadId())));
    WritePayloads(*thread, payloads, start.path, now);
  }
  if (start.owner != thread) return;
  for (uint32_t i = thread->depth; i > 0; --i) {
    if (thread->open[i - 1].span != id) continue;
    RemoveOpen(*thread, i - 1);
    break;
  }
  SetCurrent(*thread, Innermost(*thread));
}

void Mark(const RangeName& name) {
  if (!Recording()) return;
  ThreadState* thread = Enter();
  if (thread == nullptr) return;
  const uint32_t parent = Innermost(*thread);
  const uint32_t path = ChildOf(*thread, parent, DomainOf(*thread, name.domain), name);
  const int64_t now = NowTicks();
  CheckWritten(thread->ring.Write(RingRecord::Mark(now, path != kNoPath ? path : parent)));
  WritePayloads(*thread, name.payloads, path, now);
}

void GiveName(const NameEvent& name) { thread_registry.names.Give(name, &thread_registry.strings); }

void CountUnreadPayload() {
  if (Recording()) Count(thread_registry.losses.payloads_not_read);
}

void CountDroppedRange() { Count(thread_registry.losses.events_dropped); }

void RecordCall(const CallRecord& call) {
  ThreadState* thread = CallingThread();
  if (thread == nullptr) {
    Count(thread_registry.losses.calls_dropped);
    return;
  }
  thread->last_call_ticks.store(call.end_ticks, std::memory_order_relaxed);
  static_assert(HostStacks::kMostStacks < 1U << RingRecord::kStackBits, "a stack's id fits");
  CheckWritten(
      thread->ring.Write(RingRecord::Call(call.begin_ticks, call.call, call.correlation),
                         RingRecord::CallEnd(call.end_ticks, call.waited, call.error, call.stack)),
      thread_registry.losses.calls_dropped);
}

uint32_t CurrentPath() {
  ThreadState* thread = calling_thread;
  if (thread == nullptr) return kNoPath;
  if (thread->has_foreign_ends()) RemoveEndedElsewhere(*thread);
  return thread->current.load(std::memory_order_relaxed);
}

void SetRangeWakeup(void (*wakeup)()) {
  thread_registry.wakeup.store(wakeup, std::memory_order_release);
}

void SetRangeListener(RangeListener listener) { SetListener(range_listener, listener); }

void SetWindowListener(RangeListener listener) { SetListener(window_listener, listener); }

void SetStreamResolver(void (*resolver)(NameEvent* name)) {
  thread_registry.names.SetStreamResolver(resolver);
}

void GuardRangesAgainstFork() { RunInForkedChild(ForkHook::kRanges, &ResetRangesAfterFork); }

uint32_t PathParent(uint32_t path) {
  return path == kNoPath ? kNoPath : thread_registry.paths.At(path).parent;
}

uint64_t PathFamily(uint32_t path) {
  return path == kNoPath ? 0 : thread_registry.paths.At(path).family;
}

}  // namespace prof::capture
