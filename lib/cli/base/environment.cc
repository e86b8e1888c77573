// SPDX-License-Identifier: Apache-2.0
#include "lib/cli/base/environment.h"

#include <unistd.h>

#include <algorithm>

namespace prof::cli {
namespace {

bool IsEntryOf(const std::string& entry, const std::string& name) {
  return entry.size() > name.size() && entry.compare(0, name.size(), name) == 0 &&
         entry[name.size()] == '=';
}

}  // namespace

Environment::Environment() {
  for (char** entry = environ; entry != nullptr && *entry != nullptr; ++entry) {
    entries_.emplace_back(*entry);
  }
}

std::optional<std::string> Environment::Get(const std::string& name) const {
  for (const std::string& entry : entries_) {
    if (IsEntryOf(entry, name)) return entry.substr(name.size() + 1);
  }
  return std::nullopt;
}

void Environment::Set(const std::string& name, const std::string& value) {
  entries_.erase(std::remove_if(entries_.begin(), entries_.end(),
                                [&](const std::string& entry) { return IsEntryOf(entry, name); }),
                 entries_.end());
  entries_.push_back(name + "=" + value);
}

void Environment::SetIfAbsent(const std::string& name, const std::string& value) {
  if (Get(name).value_or("").empty()) Set(name, value);
}

void Inject(const std::string& library, Environment* environment) {
  const std::string preloaded = environment->Get("LD_PRELOAD").value_or("");
  environment->Set("LD_PRELOAD", preloaded.empty() ? library : library + ":" + preloaded);
  environment->SetIfAbsent("CUDA_INJECTION64_PATH", library);
  environment->SetIfAbsent("NVTX_INJECTION64_PATH", library);
}

}  // namespace prof::cli
