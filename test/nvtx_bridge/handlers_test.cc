// SPDX-License-Identifier: Apache-2.0
//
// Tests of the program's side: NVTX's own C API, attached to our handlers.
#include "nvtx_bridge/handlers.h"

#include <nvtx3/nvToolsExt.h>

#include <algorithm>
#include <cstddef>
#include <cstring>
#include <string>
#include <vector>

#include "lib/capture/threads/thread_recorder.h"
#include "lib/capture/threads/thread_registry.h"
#include "nvtx_bridge/injection.h"
#include "test/capture/threads/recording.h"
#include "test/support/catch.h"

namespace prof::capture::handlers_test {
namespace {

using Paths = std::vector<std::string>;

// NVTX's way to attach a tool that is linked into the program; read at the first NVTX call.
const bool injected = [] {
  InitializeInjectionNvtx2_fnptr = &InitializeInjectionNvtx2;
  return true;
}();

nvtxEventAttributes_t Attributes() {
  nvtxEventAttributes_t attributes{};
  attributes.version = NVTX_VERSION;
  attributes.size = NVTX_EVENT_ATTRIB_STRUCT_SIZE;
  return attributes;
}

nvtxEventAttributes_t Ascii(const char* message) {
  nvtxEventAttributes_t attributes = Attributes();
  attributes.messageType = NVTX_MESSAGE_TYPE_ASCII;
  attributes.message.ascii = message;
  return attributes;
}

nvtxEventAttributes_t Registered(nvtxStringHandle_t handle) {
  nvtxEventAttributes_t attributes = Attributes();
  attributes.messageType = NVTX_MESSAGE_TYPE_REGISTERED;
  attributes.message.registered = handle;
  return attributes;
}

TEST_CASE("NVTX attaches at its first call, and push and pop return depths") {
  REQUIRE(injected);
  Recording recording;
  CHECK(nvtxRangePushA("outer") == 0);
  CHECK(nvtxRangePushA("inner") == 1);
  CHECK(nvtxRangePop() == 1);
  CHECK(nvtxRangePop() == 0);
  CHECK(nvtxRangePop() == -1);
  CHECK(nvtx::NvtxAttached());
  CHECK(recording.MyPaths() == Paths{"outer", "outer/inner", "outer", ""});
}

TEST_CASE("Every kind of message names a range") {
  Recording recording;
  nvtxDomainHandle_t domain = nvtxDomainCreateA("lib");
  nvtxEventAttributes_t event = Ascii("ascii");
  nvtxRangePushEx(&event);
  event.messageType = NVTX_MESSAGE_TYPE_UNICODE;
  event.message.unicode = L"wide \u00e4\u20ac\U0001F600";
  nvtxRangePushEx(&event);
  event = Registered(nvtxDomainRegisterStringA(domain, "registered"));
  nvtxRangePushEx(&event);
  event = Registered(nvtxDomainRegisterStringW(domain, L"registered \u00e4"));
  nvtxRangePushEx(&event);
  nvtxRangePushW(L"pushed wide");
  event = Attributes();
  nvtxRangePushEx(&event);
  const Paths paths = recording.MyPaths();
  REQUIRE(paths.size() == 6);
  CHECK(paths.back() ==
        "ascii/wide \xC3\xA4\xE2\x82\xAC\xF0\x9F\x98\x80/registered/registered \xC3\xA4/"
        "pushed wide/");
  for (int depth = 5; depth >= 0; --depth) CHECK(nvtxRangePop() == depth);
}

TEST_CASE("Domains keep their own depth, and a null domain is the default one") {
  Recording recording;
  nvtxDomainHandle_t domain = nvtxDomainCreateW(L"NCCL");
  const nvtxEventAttributes_t event = Ascii("AllReduce");
  CHECK(nvtxDomainRangePushEx(nullptr, &event) == 0);
  CHECK(nvtxDomainRangePushEx(domain, &event) == 0);
  CHECK(nvtxRangePushA("inner") == 1);
  CHECK(nvtxDomainRangePop(domain) == 0);
  CHECK(nvtxDomainRangePop(domain) == -1);
  CHECK(nvtxDomainRangePop(nullptr) == 1);
  CHECK(nvtxRangePop() == 0);
  CHECK(recording.MyPaths() == Paths{"AllReduce", "AllReduce/NCCL:AllReduce",
                                     "AllReduce/NCCL:AllReduce/inner", "AllReduce/inner",
                                     "AllReduce", ""});
}

TEST_CASE("Handles outlive their domain and stay the same for the same name") {
  Recording recording;
  nvtxDomainHandle_t domain = nvtxDomainCreateA("short lived");
  nvtxStringHandle_t name = nvtxDomainRegisterStringA(domain, "cached");
  REQUIRE(domain != nullptr);
  REQUIRE(name != nullptr);
  CHECK(nvtxDomainCreateA("short lived") == domain);
  CHECK(nvtxDomainRegisterStringA(domain, "cached") == name);
  CHECK(nvtxDomainRegisterStringA(domain, "other") != name);
  nvtxDomainDestroy(domain);
  const nvtxEventAttributes_t event = Registered(name);
  CHECK(nvtxDomainRangePushEx(domain, &event) == 0);
  CHECK(nvtxDomainRangePop(domain) == 0);
  CHECK(recording.MyPaths() == Paths{"short lived:cached", ""});
}

TEST_CASE("Spans may start and end in any order, in any domain") {
  Recording recording;
  nvtxDomainHandle_t domain = nvtxDomainCreateA("spans");
  const nvtxEventAttributes_t event = Ascii("ex");
  const nvtxRangeId_t a = nvtxRangeStartA("a");
  const nvtxRangeId_t w = nvtxRangeStartW(L"w");
  const nvtxRangeId_t ex = nvtxRangeStartEx(&event);
  const nvtxRangeId_t in_domain = nvtxDomainRangeStartEx(domain, &event);
  nvtxRangeEnd(a);
  nvtxDomainRangeEnd(domain, in_domain);
  nvtxRangeEnd(w);
  nvtxRangeEnd(ex);
  CHECK(recording.MyPaths() ==
        Paths{"a", "a/w", "a/w/ex", "a/w/ex/spans:ex", "w/ex/spans:ex", "w/ex", "ex", ""});
  CHECK(recording.spans.size() == 4);
}

TEST_CASE("Marks of all kinds are recorded") {
  Recording recording;
  nvtxDomainHandle_t domain = nvtxDomainCreateA("marks");
  const nvtxEventAttributes_t event = Ascii("ex");
  nvtxMarkA("a");
  nvtxMarkW(L"w");
  nvtxMarkEx(&event);
  nvtxDomainMarkEx(domain, &event);
  recording.Drain();
  Paths marks;
  for (const Recording::MarkText& mark : recording.marks) marks.push_back(mark.path);
  CHECK(marks == Paths{"a", "w", "ex", "marks:ex"});
}

TEST_CASE("Colour, category and payload are taken as given") {
  Recording recording;
  nvtxEventAttributes_t event = Ascii("attributed");
  event.colorType = NVTX_COLOR_ARGB;
  event.color = 0xFF112233;
  event.category = 42;
  event.payloadType = NVTX_PAYLOAD_TYPE_DOUBLE;
  event.payload.dValue = 1.5;
  nvtxRangePushEx(&event);
  nvtxRangePop();
  recording.Drain();
  const auto at = std::find(recording.texts.begin(), recording.texts.end(), "attributed");
  REQUIRE(at != recording.texts.end());
  CHECK(recording.infos[at - recording.texts.begin()].color == 0xFF112233);
  CHECK(recording.infos[at - recording.texts.begin()].category == 42);
}

TEST_CASE("Nothing beyond the size of the caller's structure is read") {
  Recording recording;
  // What lies behind a structure of `size` bytes is a message that must not be seen.
  nvtxEventAttributes_t event = Ascii("must not be read");
  event.colorType = NVTX_COLOR_ARGB;
  event.color = 0xFF112233;
  event.category = 42;
  for (const size_t size : {size_t{0}, offsetof(nvtxEventAttributes_t, category),
                            offsetof(nvtxEventAttributes_t, message)}) {
    event.size = static_cast<uint16_t>(size);
    CHECK(nvtxRangePushEx(&event) == 0);
    nvtxRangePop();
  }
  CHECK(recording.MyPaths() == Paths{"", "", "", "", "", ""});
}

TEST_CASE("Null and foreign pointers do no harm") {
  Recording recording;
  CHECK(nvtxRangePushEx(nullptr) == 0);
  CHECK(nvtxRangePushA(nullptr) == 1);
  CHECK(nvtxRangePushW(nullptr) == 2);
  int foreign = 0;
  const nvtxEventAttributes_t event = Registered(reinterpret_cast<nvtxStringHandle_t>(&foreign));
  CHECK(nvtxDomainRangePushEx(reinterpret_cast<nvtxDomainHandle_t>(&foreign), &event) == 3);
  for (int depth = 3; depth >= 0; --depth) CHECK(nvtxRangePop() == depth);
  nvtxMarkEx(nullptr);
  nvtxNameOsThreadA(1, nullptr);
  CHECK(nvtxDomainRegisterStringA(nullptr, nullptr) != nullptr);
  CHECK(nvtxDomainCreateA(nullptr) != nullptr);
  nvtxDomainDestroy(nullptr);
  nvtxInitialize(nullptr);
  nvtxNameCategoryA(1, "category");
}

TEST_CASE("The program's names of its threads are kept") {
  const uint32_t seen = thread_registry.names.Read(0, [](const NameEvent&) {});
  nvtxNameOsThreadA(4711, "reader");
  nvtxNameOsThreadW(4712, L"wri\u00e4ter");
  Paths names;
  thread_registry.names.Read(seen, [&](const NameEvent& event) {
    CHECK(event.kind == NameKind::kThread);
    names.push_back(std::to_string(event.id) + " " + std::string(event.name));
  });
  CHECK(names == Paths{"4711 reader", "4712 wri\xC3\xA4ter"});
}

TEST_CASE("The program's names of its categories and streams are kept") {
  const uint32_t seen = thread_registry.names.Read(0, [](const NameEvent&) {});
  nvtxDomainHandle_t domain = nvtxDomainCreateA("NCCL");
  nvtxNameCategoryA(1, "forward");
  nvtxNameCategoryW(2, L"backward");
  nvtxDomainNameCategoryA(domain, 1, "ring");
  nvtxDomainNameCategoryW(domain, 2, L"tree");
  SetStreamResolver([](NameEvent* event) {
    event->context = 3;
    event->stream = static_cast<uint32_t>(event->id) + 1;
  });
  nvtx::NameStreamA(reinterpret_cast<void*>(0x40), "copies");
  SetStreamResolver(nullptr);
  nvtx::NameStreamW(reinterpret_cast<void*>(0x50), L"compute");
  Paths names;
  thread_registry.names.Read(seen, [&](const NameEvent& event) {
    names.push_back(std::to_string(static_cast<int>(event.kind)) + " " + std::string(event.domain) +
                    " " + std::to_string(event.id) + " " + std::string(event.name) + " " +
                    std::to_string(event.context) + "/" + std::to_string(event.stream));
  });
  CHECK(names == Paths{"2  1 forward 0/0", "2  2 backward 0/0", "2 NCCL 1 ring 0/0",
                       "2 NCCL 2 tree 0/0", "3  64 copies 3/65", "3  80 compute 0/0"});
}

TEST_CASE("Payloads of every plain type arrive; others are counted") {
  Recording recording;
  nvtxEventAttributes_t event = Ascii("mark");
  event.payloadType = NVTX_PAYLOAD_TYPE_UNSIGNED_INT64;
  event.payload.ullValue = ~uint64_t{0};
  nvtxMarkEx(&event);
  event.payloadType = NVTX_PAYLOAD_TYPE_INT64;
  event.payload.llValue = -5;
  nvtxMarkEx(&event);
  event.payloadType = NVTX_PAYLOAD_TYPE_DOUBLE;
  event.payload.dValue = 0.5;
  nvtxMarkEx(&event);
  event.payload.ullValue = ~uint64_t{0};
  event.payloadType = NVTX_PAYLOAD_TYPE_UNSIGNED_INT32;
  event.payload.uiValue = 17;
  nvtxMarkEx(&event);
  event.payloadType = NVTX_PAYLOAD_TYPE_INT32;
  event.payload.iValue = -6;
  nvtxMarkEx(&event);
  event.payloadType = NVTX_PAYLOAD_TYPE_FLOAT;
  event.payload.fValue = 2;
  nvtxMarkEx(&event);
  event.payloadType = 77;
  nvtxMarkEx(&event);
  recording.Drain();
  std::vector<uint64_t> bits;
  for (const Recording::PayloadText& payload : recording.payloads) {
    CHECK(static_cast<size_t>(payload.event.payload.type) == bits.size() + 1);
    bits.push_back(payload.event.payload.bits);
  }
  CHECK(bits == std::vector<uint64_t>{~uint64_t{0}, static_cast<uint64_t>(-5), 0x3fe0000000000000,
                                      17, 0xfffffffa, 0x40000000});
  CHECK(recording.marks.size() == 7);
  CHECK(recording.reader.payloads_not_read() == 1);
}

// --- Export tables that are not those of our headers ---

NvtxFunctionPointer small_slots[4];
NvtxFunctionPointer* small_table[] = {nullptr, &small_slots[1], nullptr, &small_slots[3]};

TEST_CASE("A shorter function table is filled as far as it goes") {
  static const NvtxExportTableCallbacks callbacks = {
      sizeof(NvtxExportTableCallbacks),
      [](NvtxCallbackModule module, NvtxFunctionTable* table, unsigned int* size) {
        if (module != NVTX_CB_MODULE_CORE) return 0;
        *table = small_table;
        *size = 3;  // slot 3 is beyond the end
        return 1;
      }};
  const auto get = [](uint32_t) -> const void* { return &callbacks; };
  CHECK(InitializeInjectionNvtx(get) == 1);
  CHECK(small_slots[1] != nullptr);
  CHECK(small_slots[3] == nullptr);
}

TEST_CASE("An export table that we do not know is refused") {
  static const NvtxExportTableCallbacks short_one = {sizeof(size_t), nullptr};
  CHECK(InitializeInjectionNvtx2(nullptr) == 0);
  CHECK(InitializeInjectionNvtx2([](uint32_t) -> const void* { return nullptr; }) == 0);
  CHECK(InitializeInjectionNvtx2([](uint32_t) -> const void* { return &short_one; }) == 0);
}

}  // namespace
}  // namespace prof::capture::handlers_test
