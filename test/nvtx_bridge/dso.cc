// SPDX-License-Identifier: Apache-2.0
//
// This file is a library of the program with an NVTX of its own. It is built several times.
#include <nvtx3/nvToolsExt.h>

extern "C" {
__attribute__((visibility("default"))) int DsoPush(const char* name) {
  return nvtxRangePushA(name);
}
__attribute__((visibility("default"))) int DsoPop() { return nvtxRangePop(); }
__attribute__((visibility("default"))) int DsoPushInDomain(const char* domain, const char* name) {
  nvtxEventAttributes_t event{};
  event.version = NVTX_VERSION;
  event.size = NVTX_EVENT_ATTRIB_STRUCT_SIZE;
  event.messageType = NVTX_MESSAGE_TYPE_ASCII;
  event.message.ascii = name;
  return nvtxDomainRangePushEx(nvtxDomainCreateA(domain), &event);
}
__attribute__((visibility("default"))) int DsoPopInDomain(const char* domain) {
  return nvtxDomainRangePop(nvtxDomainCreateA(domain));
}
}
