// SPDX-License-Identifier: Apache-2.0
#include "cupti_backend/calls/call_encoder.h"

#include <string>
#include <string_view>

#include "cupti_backend/calls/call_trace.h"

namespace prof::cupti {
namespace {

using capture::SyncKind;

constexpr uint32_t kNoStream = 0xffffffff;  // as in SyncColumns

// `name`: without "cuda" or "cu".
SyncKind SyncOf(std::string_view name) {
  name.remove_prefix(name.substr(0, 4) == "cuda" ? 4 : 2);
  if (name == "StreamSynchronize" || name == "StreamQuery") return SyncKind::kStream;
  if (name == "EventSynchronize" || name == "EventQuery") return SyncKind::kEvent;
  if (name == "StreamWaitEvent") return SyncKind::kStreamWaitEvent;
  if (name == "DeviceSynchronize" || name == "CtxSynchronize") return SyncKind::kContext;
  return SyncKind::kUnknown;
}

}  // namespace

CallEncoder::CallEncoder(const CuptiApi* api) : filter_(api) {
  for (CUpti_CallbackId id = 0; id < ApiFilter::kMaxCbid; ++id) {
    filter_.Name(CUPTI_CB_DOMAIN_RUNTIME_API, id);
    filter_.Name(CUPTI_CB_DOMAIN_DRIVER_API, id);
  }
}

void CallEncoder::Encode(const capture::CallEvent& call, capture::EventSink& sink) {
  const bool runtime = (call.call & kRuntimeCall) != 0;
  const CUpti_CallbackId id = call.call & ~kRuntimeCall;
  const std::string* name =
      filter_.Name(runtime ? CUPTI_CB_DOMAIN_RUNTIME_API : CUPTI_CB_DOMAIN_DRIVER_API, id);
  if (name == nullptr) return;
  uint32_t& name_id = (runtime ? runtime_names_ : driver_names_)[id];
  if (name_id == 0) name_id = sink.NameId(*name);
  const uint32_t correlation = call.correlation + first_correlation_;
  sink.Add(capture::ApiEvent{*name, call.tid, correlation, call.error, call.start_ns, call.end_ns,
                             name_id, call.stack});
  const SyncKind sync = SyncOf(*name);
  if (sync == SyncKind::kUnknown) return;
  const Waited waited = Waited::Unpacked(call.waited);
  sink.Add(capture::SyncEvent{sync, waited.context, waited.stream != 0 ? waited.stream : kNoStream,
                              correlation, call.start_ns, call.end_ns});
}

}  // namespace prof::cupti
