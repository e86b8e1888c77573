// SPDX-License-Identifier: Apache-2.0
#include "lib/snapshot/model/api_class.h"

#include "lib/format/api_names.h"
#include "lib/text/strings.h"

namespace prof::model {
namespace {

// Not Abseil's: in Debian's build absl::string_view is a type of its own.
using text::EndsWith;
using text::StartsWith;

bool ConsumePrefix(std::string_view* text, std::string_view prefix) {
  if (!StartsWith(*text, prefix)) return false;
  text->remove_prefix(prefix.size());
  return true;
}

}  // namespace

ApiClass ClassifyApi(std::string_view name) {
  name = format::WithoutApiSuffix(name);
  // The runtime's and the driver's names differ in their prefix only, with few exceptions.
  if (!ConsumePrefix(&name, "cuda") && !ConsumePrefix(&name, "cu")) {
    return ApiClass::kOther;
  }
  if (name == "GraphLaunch") return ApiClass::kGraphLaunch;
  if (StartsWith(name, "LaunchHostFunc")) return ApiClass::kOther;
  if (StartsWith(name, "Launch")) return ApiClass::kLaunch;
  if (EndsWith(name, "Synchronize")) return ApiClass::kSync;
  // A recording has those that a thread asked until the answer was yes.
  if (name == "EventQuery" || name == "StreamQuery") return ApiClass::kSync;
  if (StartsWith(name, "Memcpy")) return ApiClass::kCopy;
  if (StartsWith(name, "Memset")) return ApiClass::kMemset;
  for (const std::string_view alloc :
       {"Malloc", "MemAlloc", "HostAlloc", "MemHostAlloc", "HostRegister", "MemHostRegister",
        "MemCreate", "ArrayCreate", "Array3DCreate", "MipmappedArrayCreate"}) {
    if (StartsWith(name, alloc)) return ApiClass::kAlloc;
  }
  for (const std::string_view free : {"Free", "MemFree", "HostUnregister", "MemHostUnregister",
                                      "MemRelease", "ArrayDestroy", "MipmappedArrayDestroy"}) {
    if (StartsWith(name, free)) return ApiClass::kFree;
  }
  return ApiClass::kOther;
}

bool BlocksHost(std::string_view name) {
  switch (ClassifyApi(name)) {
    case ApiClass::kSync:
      return true;
    case ApiClass::kCopy:
    case ApiClass::kAlloc:
    case ApiClass::kFree:
      return name.find("Async") == name.npos && name.find("FromPool") == name.npos;
    default:
      return false;
  }
}

}  // namespace prof::model
