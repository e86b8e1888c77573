// SPDX-License-Identifier: Apache-2.0
//
// The other tool's NVTX library for chain_test.cc writes down each call, gives out ids and handles
// of its own, and leaves some slots alone.
#include <nvtx3/nvToolsExt.h>

#include <cstring>
#include <string>

namespace {

// Never destroyed: NVTX may be called until the very end.
std::string& Log() {
  static auto* log = new std::string;
  return *log;
}

void Write(const std::string& call) { Log() += call + "\n"; }

template <typename Handle>
std::string Number(Handle handle) {
  return std::to_string(reinterpret_cast<uintptr_t>(handle));
}

std::string Text(const nvtxEventAttributes_t* event) {
  if (event->messageType == NVTX_MESSAGE_TYPE_REGISTERED) {
    return "registered " + Number(event->message.registered);
  }
  return event->message.ascii;
}

template <typename Handle>
Handle Numbered(uintptr_t number) {
  Handle handle = nullptr;
  std::memcpy(&handle, &number, sizeof(number));
  return handle;
}

uintptr_t next_domain = 5000, next_string = 1;
nvtxRangeId_t next_range = 900;

void MarkA(const char* text) { Write(std::string("mark ") + text); }
int PushA(const char* text) {
  Write(std::string("push ") + text);
  return 70;
}
int Pop() {
  Write("pop");
  return 70;
}
nvtxRangeId_t StartA(const char* text) {
  Write(std::string("start ") + text);
  return next_range++;
}
void End(nvtxRangeId_t id) { Write("end " + std::to_string(id)); }
nvtxDomainHandle_t Create(const char* name) {
  Write(std::string("domain ") + name);
  return Numbered<nvtxDomainHandle_t>(next_domain++);
}
// The same handle in each domain: handles count within it.
nvtxStringHandle_t Register(nvtxDomainHandle_t domain, const char* text) {
  Write("register " + Number(domain) + " " + text);
  return Numbered<nvtxStringHandle_t>(next_string);
}
int DomainPush(nvtxDomainHandle_t domain, const nvtxEventAttributes_t* event) {
  Write("push " + Number(domain) + " " + Text(event));
  return 80;
}
int DomainPop(nvtxDomainHandle_t domain) {
  Write("pop " + Number(domain));
  return 80;
}
nvtxRangeId_t DomainStart(nvtxDomainHandle_t domain, const nvtxEventAttributes_t* event) {
  Write("start " + Number(domain) + " " + Text(event));
  return next_range++;
}
void DomainEnd(nvtxDomainHandle_t domain, nvtxRangeId_t id) {
  Write("end " + Number(domain) + " " + std::to_string(id));
}

template <typename Slot>
void Set(NvtxFunctionTable table, unsigned int id, Slot function) {
  *table[id] = reinterpret_cast<NvtxFunctionPointer>(function);
}

}  // namespace

extern "C" {
__attribute__((visibility("default"))) const char* OtherToolLog() { return Log().c_str(); }

__attribute__((visibility("default"))) int InitializeInjectionNvtx2(
    NvtxGetExportTableFunc_t get_export_table) {
  const auto* callbacks =
      static_cast<const NvtxExportTableCallbacks*>(get_export_table(NVTX_ETID_CALLBACKS));
  NvtxFunctionTable core = nullptr, core2 = nullptr;
  callbacks->GetModuleFunctionTable(NVTX_CB_MODULE_CORE, &core, nullptr);
  callbacks->GetModuleFunctionTable(NVTX_CB_MODULE_CORE2, &core2, nullptr);
  Set(core, NVTX_CBID_CORE_MarkA, &MarkA);
  Set(core, NVTX_CBID_CORE_RangePushA, &PushA);
  Set(core, NVTX_CBID_CORE_RangePop, &Pop);
  Set(core, NVTX_CBID_CORE_RangeStartA, &StartA);
  Set(core, NVTX_CBID_CORE_RangeEnd, &End);
  Set(core2, NVTX_CBID_CORE2_DomainCreateA, &Create);
  Set(core2, NVTX_CBID_CORE2_DomainRegisterStringA, &Register);
  Set(core2, NVTX_CBID_CORE2_DomainRangePushEx, &DomainPush);
  Set(core2, NVTX_CBID_CORE2_DomainRangePop, &DomainPop);
  Set(core2, NVTX_CBID_CORE2_DomainRangeStartEx, &DomainStart);
  Set(core2, NVTX_CBID_CORE2_DomainRangeEnd, &DomainEnd);
  return 1;
}
}
