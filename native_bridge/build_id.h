// SPDX-License-Identifier: Apache-2.0
//
// The build id is the mark that a linker gives each program and library: a file with the same one
// has the same code.
#ifndef PROF_NATIVE_BRIDGE_BUILD_ID_H_
#define PROF_NATIVE_BRIDGE_BUILD_ID_H_

#include <cstddef>
#include <cstdint>
#include <string>

namespace prof::native {

constexpr size_t kMostBuildId = 64;  // bytes; linkers make 8 to 20

// Copies the build id from the notes of a module to `id`, and returns how long it is; 0: there is
// none. Any bytes may come.
[[nodiscard]] size_t FindBuildId(const uint8_t* notes, size_t bytes, uint8_t* id);

[[nodiscard]] std::string HexOf(const uint8_t* bytes, size_t count);

}  // namespace prof::native

#endif  // PROF_NATIVE_BRIDGE_BUILD_ID_H_
