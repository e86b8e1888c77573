// SPDX-License-Identifier: Apache-2.0
#include "lib/capture/threads/given_names.h"

#include <algorithm>

#include "lib/capture/process/fork_guard.h"

namespace prof::capture {

// Whether the latest name of this thing is `name` already.
bool GivenNames::IsKnown(const NameEvent& event, const StoredString* domain,
                         const StoredString* name) const {
  for (uint32_t i = std::min(count_.load(std::memory_order_relaxed), kMaxNames); i > 0; --i) {
    const StoredName& given = names_[i - 1];
    const StoredString* stored = given.name.load(std::memory_order_acquire);
    if (stored == nullptr || given.kind != event.kind || given.id != event.id) continue;
    if (given.domain != domain || given.context != event.context) continue;
    return stored == name && given.stream == event.stream;
  }
  return false;
}

void GivenNames::Give(const NameEvent& given, RangeStrings* strings) {
  if (InForkedChild()) return;
  // Their text shares its memory with the names of ranges: what has no place here takes none there.
  if (count_.load(std::memory_order_relaxed) >= kMaxNames) return Drop();
  NameEvent event = given;
  auto* resolve = stream_resolver_.load(std::memory_order_acquire);
  if (event.kind == NameKind::kStream && resolve != nullptr) resolve(&event);
  const StoredString* name = strings->Intern(event.name);
  const StoredString* domain = event.domain.empty() ? nullptr : strings->Intern(event.domain);
  if (name == nullptr || (domain == nullptr && !event.domain.empty())) return Drop();
  if (IsKnown(event, domain, name)) return;
  const uint32_t index = count_.fetch_add(1, std::memory_order_relaxed);
  if (index >= kMaxNames) return Drop();
  StoredName& stored = names_[index];
  stored.kind = event.kind;
  stored.id = event.id;
  stored.domain = domain;
  stored.context = event.context;
  stored.stream = event.stream;
  stored.name.store(name, std::memory_order_release);
}

uint32_t GivenNames::Read(uint32_t from, const std::function<void(const NameEvent&)>& sink) const {
  for (; from < kMaxNames; ++from) {
    const StoredName& stored = names_[from];
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

}  // namespace prof::capture
