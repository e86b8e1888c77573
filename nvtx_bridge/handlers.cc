// SPDX-License-Identifier: Apache-2.0
#include "nvtx_bridge/handlers.h"

#include <algorithm>
#include <cstddef>
#include <cstring>
#include <string_view>

#include "lib/capture/threads/name_families.h"
#include "lib/capture/threads/range_strings.h"
#include "lib/capture/threads/thread_recorder.h"
#include "lib/capture/threads/thread_registry.h"
#include "nvtx_bridge/payload_schemas.h"
#include "nvtx_bridge/text.h"

namespace prof::nvtx {
namespace {

using capture::NameKind;
using capture::RangeName;
using capture::StoredString;

// Handles of domains and of registered strings are addresses of stored strings.
const StoredString* Register(std::string_view text) {
  const StoredString* stored = capture::thread_registry.strings.Intern(text);
  return stored != nullptr ? stored : capture::RangeStrings::Overflow();
}

// A registered string is the name of ranges. Where the table has little room left, those that
// differ in numbers only get one handle; the numbers are lost.
const StoredString* RegisterName(std::string_view text) {
  constexpr uint32_t kHalf = 2;
  capture::RangeStrings& strings = capture::thread_registry.strings;
  if (strings.QuartersFull() < kHalf || !capture::HasDigit(text)) return Register(text);
  if (const StoredString* known = strings.Find(text)) return known;
  const capture::FoldedName folded(text);
  const StoredString* stored =
      strings.Intern(folded.view(), capture::RangeStrings::Room::kReserved);
  return stored != nullptr ? stored : capture::RangeStrings::Overflow();
}

const StoredString* RegisterDomain(std::string_view text) {
  const StoredString* stored =
      capture::thread_registry.strings.Intern(text, capture::RangeStrings::Room::kReserved);
  return stored != nullptr ? stored : capture::RangeStrings::Overflow();
}

template <typename Handle>
Handle HandleOf(const StoredString* stored) {
  return reinterpret_cast<Handle>(const_cast<StoredString*>(stored));
}

std::string_view TextOf(const void* handle) {
  const StoredString* stored = capture::thread_registry.strings.FromHandle(handle);
  return stored != nullptr ? stored->view() : std::string_view();
}

void Name(NameKind kind, uint64_t id, std::string_view name, std::string_view domain = {}) {
  capture::NameEvent event;
  event.kind = kind;
  event.id = id;
  event.domain = domain;
  event.name = name;
  capture::GiveName(event);
}

// Whether the caller's structure is long enough to hold `field`: older ones are shorter.
#define PROF_HAS_FIELD(attributes, field) \
  ((attributes)->size >=                  \
   offsetof(nvtxEventAttributes_t, field) + sizeof(nvtxEventAttributes_t::field))

capture::Payload PayloadOf(const nvtxEventAttributes_t& attributes) {
  const auto& value = attributes.payload;
  switch (attributes.payloadType) {
    case NVTX_PAYLOAD_TYPE_UNSIGNED_INT64:
    case NVTX_PAYLOAD_TYPE_INT64:
    case NVTX_PAYLOAD_TYPE_DOUBLE:
      return {static_cast<capture::PayloadType>(attributes.payloadType), value.ullValue};
    case NVTX_PAYLOAD_TYPE_UNSIGNED_INT32:
    case NVTX_PAYLOAD_TYPE_INT32:
    case NVTX_PAYLOAD_TYPE_FLOAT:
      return {static_cast<capture::PayloadType>(attributes.payloadType), value.uiValue};
    case NVTX_PAYLOAD_UNKNOWN:
      return {};
    default:
      capture::CountUnreadPayload();
      return {};
  }
}

// Calls `use` with the name in `attributes`.
template <typename Use>
auto WithName(RangeName range, const nvtxEventAttributes_t* attributes, Use use) {
  if (!PROF_HAS_FIELD(attributes, message)) return use(range);
  switch (attributes->messageType) {
    case NVTX_MESSAGE_TYPE_ASCII:
      range.name = FromNarrow(attributes->message.ascii);
      return use(range);
    case NVTX_MESSAGE_TYPE_UNICODE: {
      const WideText text(attributes->message.unicode);
      range.name = text.view();
      return use(range);
    }
    case NVTX_MESSAGE_TYPE_REGISTERED:
      range.name = TextOf(attributes->message.registered);
      return use(range);
    default:
      return use(range);
  }
}

// Calls `use` with what is in `attributes`: a name, payloads.
template <typename Use>
auto WithAttributes(nvtxDomainHandle_t domain, const nvtxEventAttributes_t* attributes, Use use) {
  RangeName range;
  range.domain = TextOf(domain);
  if (attributes == nullptr || !PROF_HAS_FIELD(attributes, category)) return use(range);
  range.category = attributes->category;
  if (PROF_HAS_FIELD(attributes, color) && attributes->colorType == NVTX_COLOR_ARGB) {
    range.color = attributes->color;
  }
  if (!PROF_HAS_FIELD(attributes, payload)) return WithName(range, attributes, use);
  if (attributes->payloadType == NVTX_PAYLOAD_TYPE_EXT) {
    const void* data = nullptr;
    std::memcpy(&data, &attributes->payload.ullValue, sizeof(data));
    const PayloadValues values(domain, static_cast<const nvtxPayloadData_t*>(data),
                               static_cast<size_t>(std::max(attributes->reserved0, 0)));
    range.payloads = values.values();
    return WithName(range, attributes, use);
  }
  const capture::Payload payload = PayloadOf(*attributes);
  range.payloads = {&payload, 1};
  return WithName(range, attributes, use);
}

#undef PROF_HAS_FIELD

}  // namespace

void MarkEx(const nvtxEventAttributes_t* attributes) noexcept { DomainMarkEx(nullptr, attributes); }
void MarkA(const char* message) noexcept { capture::Mark({FromNarrow(message), {}}); }
void MarkW(const wchar_t* message) noexcept { capture::Mark({WideText(message).view(), {}}); }

nvtxRangeId_t RangeStartEx(const nvtxEventAttributes_t* attributes) noexcept {
  return DomainRangeStartEx(nullptr, attributes);
}
nvtxRangeId_t RangeStartA(const char* message) noexcept {
  return capture::StartRange({FromNarrow(message), {}});
}
nvtxRangeId_t RangeStartW(const wchar_t* message) noexcept {
  return capture::StartRange({WideText(message).view(), {}});
}
void RangeEnd(nvtxRangeId_t id) noexcept { capture::EndRange(id); }

int RangePushEx(const nvtxEventAttributes_t* attributes) noexcept {
  return DomainRangePushEx(nullptr, attributes);
}
int RangePushA(const char* message) noexcept {
  return capture::PushRange({FromNarrow(message), {}});
}
int RangePushW(const wchar_t* message) noexcept {
  return capture::PushRange({WideText(message).view(), {}});
}
int RangePop() noexcept { return capture::PopRange({}); }

void NameOsThreadA(uint32_t tid, const char* name) noexcept {
  Name(NameKind::kThread, tid, FromNarrow(name));
}
void NameOsThreadW(uint32_t tid, const wchar_t* name) noexcept {
  Name(NameKind::kThread, tid, WideText(name).view());
}
void NameCategoryA(uint32_t category, const char* name) noexcept {
  Name(NameKind::kCategory, category, FromNarrow(name));
}
void NameCategoryW(uint32_t category, const wchar_t* name) noexcept {
  Name(NameKind::kCategory, category, WideText(name).view());
}
void NameStreamA(void* stream, const char* name) noexcept {
  Name(NameKind::kStream, reinterpret_cast<uintptr_t>(stream), FromNarrow(name));
}
void NameStreamW(void* stream, const wchar_t* name) noexcept {
  Name(NameKind::kStream, reinterpret_cast<uintptr_t>(stream), WideText(name).view());
}

void DomainMarkEx(nvtxDomainHandle_t domain, const nvtxEventAttributes_t* attributes) noexcept {
  WithAttributes(domain, attributes, &capture::Mark);
}
nvtxRangeId_t DomainRangeStartEx(nvtxDomainHandle_t domain,
                                 const nvtxEventAttributes_t* attributes) noexcept {
  return WithAttributes(domain, attributes, &capture::StartRange);
}
void DomainRangeEnd(nvtxDomainHandle_t /*domain*/, nvtxRangeId_t id) noexcept {
  capture::EndRange(id);
}
int DomainRangePushEx(nvtxDomainHandle_t domain, const nvtxEventAttributes_t* attributes) noexcept {
  return WithAttributes(domain, attributes, &capture::PushRange);
}
int DomainRangePop(nvtxDomainHandle_t domain) noexcept { return capture::PopRange(TextOf(domain)); }
int DomainRangePopWith(nvtxDomainHandle_t domain, const capture::Payloads& payloads) noexcept {
  capture::AddPayloads(TextOf(domain), payloads);
  return DomainRangePop(domain);
}

void DomainNameCategoryA(nvtxDomainHandle_t domain, uint32_t category, const char* name) noexcept {
  Name(NameKind::kCategory, category, FromNarrow(name), TextOf(domain));
}
void DomainNameCategoryW(nvtxDomainHandle_t domain, uint32_t category,
                         const wchar_t* name) noexcept {
  Name(NameKind::kCategory, category, WideText(name).view(), TextOf(domain));
}

nvtxStringHandle_t DomainRegisterStringA(nvtxDomainHandle_t /*domain*/, const char* text) noexcept {
  return HandleOf<nvtxStringHandle_t>(RegisterName(FromNarrow(text)));
}
nvtxStringHandle_t DomainRegisterStringW(nvtxDomainHandle_t /*domain*/,
                                         const wchar_t* text) noexcept {
  return HandleOf<nvtxStringHandle_t>(RegisterName(WideText(text).view()));
}
nvtxDomainHandle_t DomainCreateA(const char* name) noexcept {
  return HandleOf<nvtxDomainHandle_t>(RegisterDomain(FromNarrow(name)));
}
nvtxDomainHandle_t DomainCreateW(const wchar_t* name) noexcept {
  return HandleOf<nvtxDomainHandle_t>(RegisterDomain(WideText(name).view()));
}

}  // namespace prof::nvtx
