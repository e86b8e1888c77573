// SPDX-License-Identifier: Apache-2.0
#include "lib/snapshot/model/api_class.h"

namespace prof {
namespace {

using model::ApiClass;

// Not Abseil's: in Debian's build absl::string_view is a type of its own.
bool StartsWith(std::string_view text, std::string_view prefix) {
  return text.substr(0, prefix.size()) == prefix;
}
bool EndsWith(std::string_view text, std::string_view suffix) {
  return text.size() >= suffix.size() && text.substr(text.size() - suffix.size()) == suffix;
}
bool ConsumePrefix(std::string_view* text, std::string_view prefix) {
  if (!StartsWith(*text, prefix)) return false;
  text->remove_prefix(prefix.size());
  return true;
}
bool ConsumeSuffix(std::string_view* text, std::string_view suffix) {
  if (!EndsWith(*text, suffix)) return false;
  text->remove_suffix(suffix.size());
  return true;
}

// "_v2", "_v11060": true when `name` ended in one, which is then removed.
bool StripVersion(std::string_view* name) {
  const size_t at = name->rfind("_v");
  if (at == name->npos || at + 2 == name->size()) return false;
  for (const char digit : name->substr(at + 2)) {
    if (digit < '0' || digit > '9') return false;
  }
  *name = name->substr(0, at);
  return true;
}

}  // namespace

std::string_view WithoutApiSuffix(std::string_view name) {
  while (ConsumeSuffix(&name, "_ptsz") || ConsumeSuffix(&name, "_ptds") || StripVersion(&name)) {
  }
  return name;
}

ApiClass ClassifyApi(std::string_view name) {
  name = WithoutApiSuffix(name);
  // The runtime's and the driver's names differ in their prefix only, with few exceptions.
  if (!ConsumePrefix(&name, "cuda") && !ConsumePrefix(&name, "cu")) {
    return ApiClass::kOther;
  }
  if (name == "GraphLaunch") return ApiClass::kGraphLaunch;
  if (StartsWith(name, "LaunchHostFunc")) return ApiClass::kOther;
  if (StartsWith(name, "Launch")) return ApiClass::kLaunch;
  if (EndsWith(name, "Synchronize")) return ApiClass::kSync;
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

}  // namespace prof
