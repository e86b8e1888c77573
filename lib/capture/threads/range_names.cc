// SPDX-License-Identifier: Apache-2.0
#include "lib/capture/threads/range_names.h"

#include <algorithm>
#include <atomic>

#include "lib/capture/process/fork_guard.h"
#include "lib/capture/threads/range_strings.h"

namespace prof::capture {
namespace {

constexpr uint32_t kMaxNames = 4096;

struct StoredName {
  NameKind kind = NameKind::kUnknown;
  uint64_t id = 0;
  const StoredString* domain = nullptr;
  uint32_t context = 0, stream = 0;
  std::atomic<const StoredString*> name{nullptr};  // set last
};

StoredName names[kMaxNames];
std::atomic<uint32_t> name_count{0};
std::atomic<uint64_t> dropped{0};
std::atomic<void (*)(NameEvent*)> stream_resolver{nullptr};

void Drop() { dropped.fetch_add(1, std::memory_order_relaxed); }

// Whether the latest name of this thing is `name` already.
bool Known(const NameEvent& event, const StoredString* domain, const StoredString* name) {
  for (uint32_t i = std::min(name_count.load(std::memory_order_relaxed), kMaxNames); i > 0; --i) {
    const StoredName& given = names[i - 1];
    const StoredString* stored = given.name.load(std::memory_order_acquire);
    if (stored == nullptr || given.kind != event.kind || given.id != event.id) continue;
    if (given.domain != domain || given.context != event.context) continue;
    return stored == name && given.stream == event.stream;
  }
  return false;
}

}  // namespace

void GiveName(const NameEvent& given) {
  if (InForkedChild()) return;
  // Their text shares its memory with the names of ranges: what has no place here takes none there.
  if (name_count.load(std::memory_order_relaxed) >= kMaxNames) return Drop();
  NameEvent event = given;
  auto* resolve = stream_resolver.load(std::memory_order_acquire);
  if (event.kind == NameKind::kStream && resolve != nullptr) resolve(&event);
  const StoredString* name = InternString(event.name);
  const StoredString* domain = event.domain.empty() ? nullptr : InternString(event.domain);
  if (name == nullptr || (domain == nullptr && !event.domain.empty())) return Drop();
  if (Known(event, domain, name)) return;
  const uint32_t index = name_count.fetch_add(1, std::memory_order_relaxed);
  if (index >= kMaxNames) return Drop();
  StoredName& stored = names[index];
  stored.kind = event.kind;
  stored.id = event.id;
  stored.domain = domain;
  stored.context = event.context;
  stored.stream = event.stream;
  stored.name.store(name, std::memory_order_release);
}

uint32_t ReadNames(uint32_t from, const std::function<void(const NameEvent&)>& sink) {
  for (; from < kMaxNames; ++from) {
    const StoredName& stored = names[from];
    const StoredString* name = stored.name.load(std::memory_order_acquire);
    if (name == nullptr) break;  // not there yet
    NameEvent event;
    event.kind = stored.kind;
    event.id = stored.id;
    if (stored.domain != nullptr) event.domain = stored.domain->view();
    event.name = name->view();
    event.context = stored.context;
    event.stream = stored.stream;
    sink(event);
  }
  return from;
}

uint64_t NamesDropped() { return dropped.load(std::memory_order_relaxed); }

void SetStreamResolver(void (*resolver)(NameEvent*)) { stream_resolver.store(resolver); }

}  // namespace prof::capture
