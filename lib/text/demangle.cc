// SPDX-License-Identifier: Apache-2.0
#include "lib/text/demangle.h"

#include <cxxabi.h>

#include <cstdlib>
#include <memory>

namespace prof::text {
namespace {

// The longest kernel names in use have a few thousand characters. Demangling a longer one, which
// can only be damage, could take any amount of memory.
constexpr size_t kMaxMangled = 16 << 10;

}  // namespace

std::string Demangle(const std::string& name) {
  if (name.substr(0, 2) != "_Z" || name.size() > kMaxMangled) return name;
  int status = 0;
  const std::unique_ptr<char, void (*)(void*)> demangled(
      abi::__cxa_demangle(name.c_str(), nullptr, nullptr, &status), &std::free);
  return status == 0 && demangled != nullptr ? std::string(demangled.get()) : name;
}

}  // namespace prof::text
