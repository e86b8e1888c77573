// SPDX-License-Identifier: Apache-2.0
//
// Tests with another tool that was there first: it and we see every call.
#include <dlfcn.h>
#include <nvtx3/nvToolsExt.h>
#include <nvtx3/nvToolsExtPayload.h>

#include <cstdlib>
#include <string>
#include <vector>

#include "nvtx_bridge/handle_map.h"
#include "nvtx_bridge/injection.h"
#include "nvtx_bridge/other_tool.h"
#include "nvtx_bridge/payload_extension.h"
#include "test/capture/threads/recording.h"
#include "test/support/catch.h"

namespace prof::capture::chain_test {
namespace {

using Paths = std::vector<std::string>;

// Keeps the linker from dropping the functions that forward.cc looks up.
const auto keep = &InitializeInjectionNvtx2;
const auto keep_extension = &InitializeInjectionNvtxExtension;

// Before environment_hook.cc looks at the environment.
__attribute__((constructor(101))) void NameTheOtherTool() {
  setenv("NVTX_INJECTION64_PATH", PROF_TEST_OTHER_TOOL, 1);
}

// The other tool's log since the last call, when our side is attached.
std::string NewLog() {
  static size_t seen = 0;
  void* tool = dlopen(PROF_TEST_OTHER_TOOL, RTLD_NOW | RTLD_NOLOAD);
  if (tool == nullptr) return "(not loaded)";
  const std::string log = reinterpret_cast<const char* (*)()>(dlsym(tool, "OtherToolLog"))();
  std::string fresh = log.substr(seen);
  seen = log.size();
  return fresh;
}

nvtxEventAttributes_t Event() {
  nvtxEventAttributes_t event{};
  event.version = NVTX_VERSION;
  event.size = NVTX_EVENT_ATTRIB_STRUCT_SIZE;
  return event;
}

nvtxEventAttributes_t Registered(nvtxStringHandle_t handle) {
  nvtxEventAttributes_t event = Event();
  event.messageType = NVTX_MESSAGE_TYPE_REGISTERED;
  event.message.registered = handle;
  return event;
}

struct Attached {
  Attached() {
    REQUIRE(keep != nullptr);
    REQUIRE(keep_extension != nullptr);
    // Our library is this program, which NVTX cannot open: forward.cc stands for it.
    setenv("NVTX_INJECTION64_PATH", PROF_TEST_FORWARD, 1);
    nvtxInitialize(nullptr);
    NewLog();
  }
};

TEST_CASE("The variable names us, the tool that it named is behind us") {
  REQUIRE(nvtx::OtherNvtxTool() != nullptr);
  CHECK(std::string(nvtx::OtherNvtxTool()) == PROF_TEST_OTHER_TOOL);
  const char* next = std::getenv("PROF_NVTX_NEXT");
  REQUIRE(next != nullptr);
  CHECK(std::string(next) == PROF_TEST_OTHER_TOOL);
}

TEST_CASE("Both see pushes, pops and marks; the depth is the other tool's") {
  const Attached attached;
  Recording recording;
  CHECK(nvtxRangePushA("outer") == 70);
  nvtxMarkA("here");
  CHECK(nvtxRangePop() == 70);
  CHECK(NewLog() == "push outer\nmark here\npop\n");
  CHECK(recording.MyPaths() == Paths{"outer", ""});
  REQUIRE(recording.marks.size() == 1);
  CHECK(recording.marks[0].path == "outer/here");
  CHECK(!nvtx::NvtxCallsBypassUs());
}

TEST_CASE("Slots that the other tool leaves alone are ours") {
  const Attached attached;
  Recording recording;
  CHECK(nvtxRangePushW(L"wide") == 0);
  CHECK(nvtxRangePop() == 70);
  CHECK(NewLog() == "pop\n");
  CHECK(recording.MyPaths() == Paths{"wide", ""});
}

TEST_CASE("Ids of started ranges are the other tool's, and it gets them back") {
  const Attached attached;
  Recording recording;
  const nvtxRangeId_t one = nvtxRangeStartA("one");
  const nvtxRangeId_t two = nvtxRangeStartA("two");
  CHECK(one == 900);
  CHECK(two == 901);
  nvtxRangeEnd(one);
  nvtxRangeEnd(two);
  CHECK(NewLog() == "start one\nstart two\nend 900\nend 901\n");
  recording.Drain();
  REQUIRE(recording.spans.size() == 2);
  CHECK(recording.spans[0].path == "one");
  CHECK(recording.spans[1].path == "one/two");
  CHECK(recording.reader.unbalanced_pops() == 0);
  nvtxRangeEnd(one);  // again: unknown to us, passed on
  CHECK(NewLog() == "end 900\n");
  CHECK(recording.reader.unbalanced_pops() == 1);
}

TEST_CASE("Handles of domains and strings are the other tool's, and name our ranges too") {
  const Attached attached;
  Recording recording;
  nvtxDomainHandle_t lib = nvtxDomainCreateA("lib");
  nvtxDomainHandle_t other = nvtxDomainCreateA("other");
  const auto id = std::to_string(reinterpret_cast<uintptr_t>(lib));
  const auto other_id = std::to_string(reinterpret_cast<uintptr_t>(other));
  nvtxStringHandle_t text = nvtxDomainRegisterStringA(lib, "in lib");
  nvtxStringHandle_t other_text = nvtxDomainRegisterStringA(other, "in other");
  REQUIRE(text == other_text);  // the tool counts them in each domain
  const nvtxEventAttributes_t event = Registered(text);
  CHECK(nvtxDomainRangePushEx(lib, &event) == 80);
  CHECK(nvtxDomainRangePushEx(other, &event) == 80);
  const nvtxRangeId_t span = nvtxDomainRangeStartEx(lib, &event);
  nvtxDomainRangeEnd(lib, span);
  CHECK(nvtxDomainRangePop(other) == 80);
  CHECK(nvtxDomainRangePop(lib) == 80);
  CHECK(NewLog() == "domain lib\ndomain other\nregister " + id + " in lib\nregister " + other_id +
                        " in other\npush " + id + " registered 1\npush " + other_id +
                        " registered 1\nstart " + id + " registered 1\nend " + id + " " +
                        std::to_string(span) + "\npop " + other_id + "\npop " + id + "\n");
  CHECK(recording.MyPaths() == Paths{"lib:in lib", "lib:in lib/other:in other",
                                     "lib:in lib/other:in other/lib:in lib",
                                     "lib:in lib/other:in other", "lib:in lib", ""});
}

TEST_CASE("Ranges of the payload extension keep the stack in order, and their numbers arrive") {
  const Attached attached;
  Recording recording;
  CHECK(nvtxRangePushPayload(nullptr, nullptr, 0) == 0);
  nvtxMarkPayload(nullptr, nullptr, 0);
  CHECK(nvtxRangePopPayload(nullptr, nullptr, 0) == 0);
  const nvtxRangeId_t id = nvtxRangeStartPayload(nullptr, nullptr, 0);
  nvtxRangeEndPayload(nullptr, id, nullptr, 0);
  CHECK(recording.MyPaths() == Paths{"(payload)", "", "(payload)", ""});
  CHECK(recording.marks.size() == 1);
  CHECK(recording.reader.payloads_not_read() == 0);  // there were none
  CHECK(recording.reader.unbalanced_pops() == 0);

  nvtxDomainHandle_t domain = nvtxDomainCreateA("lib");
  nvtxPayloadSchemaEntry_t entry{};
  entry.type = NVTX_PAYLOAD_ENTRY_TYPE_INT32;
  entry.name = "rank";
  nvtxPayloadSchemaAttr_t schema{};
  schema.fieldMask = NVTX_PAYLOAD_SCHEMA_ATTR_FIELD_TYPE | NVTX_PAYLOAD_SCHEMA_ATTR_FIELD_ENTRIES |
                     NVTX_PAYLOAD_SCHEMA_ATTR_FIELD_NUM_ENTRIES;
  schema.type = NVTX_PAYLOAD_SCHEMA_TYPE_STATIC;
  schema.entries = &entry;
  schema.numEntries = 1;
  const int32_t rank = 3;
  const nvtxPayloadData_t data = {nvtxPayloadSchemaRegister(domain, &schema), sizeof(rank), &rank};
  nvtxRangePushPayload(domain, &data, 1);
  nvtxRangePopPayload(domain, &data, 1);
  nvtxMarkPayload(domain, &data, 1);
  nvtxRangeEndPayload(domain, nvtxRangeStartPayload(domain, &data, 1), &data, 1);
  recording.Drain();
  REQUIRE(recording.payloads.size() == 5);
  for (const Recording::PayloadText& payload : recording.payloads) {
    CHECK(payload.path == "lib:(payload)");
    CHECK(payload.event.field == "rank");
    CHECK(payload.event.payload.bits == 3);
  }
  CHECK(recording.reader.payloads_not_read() == 0);
}

TEST_CASE("A handle map keeps what it is given until it is taken") {
  static nvtx::HandleMap<256> map;
  for (uint64_t key = 1; key < 32; ++key) REQUIRE(map.Add(key, key + 100));
  CHECK(map.Find(7) == 107);
  CHECK(map.Take(7) == 107);
  CHECK(map.Take(7) == 0);
  CHECK(map.Set(8, 1));
  CHECK(map.Find(8) == 1);
  CHECK(map.Add(9, 200));  // twice
  CHECK(map.Take(9) + map.Take(9) == 309);
  CHECK(map.Find(~uint64_t{0}) == 0);
  CHECK(map.Add(~uint64_t{0}, 5));
  CHECK(map.Find(~uint64_t{0}) == 5);
  uint64_t added = 0;
  while (added < 300 && map.Add(1000 + added, 1)) ++added;
  CHECK(added < 300);  // full: said, not waited for
}

}  // namespace
}  // namespace prof::capture::chain_test
