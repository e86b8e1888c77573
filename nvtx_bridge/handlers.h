// SPDX-License-Identifier: Apache-2.0
//
// The handlers get the program's NVTX calls, once a library's NVTX has attached to us.
//
// Each runs on the program's thread, inside its call: no lock, no allocation, no CUDA call, nothing
// thrown. What does not fit is counted by lib/capture/threads/thread_recorder.h.
#ifndef PROF_NVTX_BRIDGE_HANDLERS_H_
#define PROF_NVTX_BRIDGE_HANDLERS_H_

#include <nvtx3/nvToolsExt.h>

#include "lib/capture/threads/thread_recorder.h"

namespace prof::nvtx {

// NVTX_CB_MODULE_CORE: the default domain.
void MarkEx(const nvtxEventAttributes_t* attributes) noexcept;
void MarkA(const char* message) noexcept;
void MarkW(const wchar_t* message) noexcept;
nvtxRangeId_t RangeStartEx(const nvtxEventAttributes_t* attributes) noexcept;
nvtxRangeId_t RangeStartA(const char* message) noexcept;
nvtxRangeId_t RangeStartW(const wchar_t* message) noexcept;
void RangeEnd(nvtxRangeId_t id) noexcept;
int RangePushEx(const nvtxEventAttributes_t* attributes) noexcept;
int RangePushA(const char* message) noexcept;
int RangePushW(const wchar_t* message) noexcept;
int RangePop() noexcept;
void NameOsThreadA(uint32_t tid, const char* name) noexcept;
void NameOsThreadW(uint32_t tid, const wchar_t* name) noexcept;
void NameCategoryA(uint32_t category, const char* name) noexcept;
void NameCategoryW(uint32_t category, const wchar_t* name) noexcept;

// NVTX_CB_MODULE_CUDA and NVTX_CB_MODULE_CUDART: the handle of a CUDA stream.
void NameStreamA(void* stream, const char* name) noexcept;
void NameStreamW(void* stream, const wchar_t* name) noexcept;

// NVTX_CB_MODULE_CORE2. A null domain is the default one. Handles of domains and strings stay valid
// for the life of the process: programs cache them, and use them after nvtxDomainDestroy.
void DomainMarkEx(nvtxDomainHandle_t domain, const nvtxEventAttributes_t* attributes) noexcept;
nvtxRangeId_t DomainRangeStartEx(nvtxDomainHandle_t domain,
                                 const nvtxEventAttributes_t* attributes) noexcept;
void DomainRangeEnd(nvtxDomainHandle_t domain, nvtxRangeId_t id) noexcept;
int DomainRangePushEx(nvtxDomainHandle_t domain, const nvtxEventAttributes_t* attributes) noexcept;
int DomainRangePop(nvtxDomainHandle_t domain) noexcept;
int DomainRangePopWith(nvtxDomainHandle_t domain, const capture::Payloads& payloads) noexcept;
void DomainNameCategoryA(nvtxDomainHandle_t domain, uint32_t category, const char* name) noexcept;
void DomainNameCategoryW(nvtxDomainHandle_t domain, uint32_t category,
                         const wchar_t* name) noexcept;
nvtxStringHandle_t DomainRegisterStringA(nvtxDomainHandle_t domain, const char* text) noexcept;
nvtxStringHandle_t DomainRegisterStringW(nvtxDomainHandle_t domain, const wchar_t* text) noexcept;
nvtxDomainHandle_t DomainCreateA(const char* name) noexcept;
nvtxDomainHandle_t DomainCreateW(const wchar_t* name) noexcept;

}  // namespace prof::nvtx

#endif  // PROF_NVTX_BRIDGE_HANDLERS_H_
