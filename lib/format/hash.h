// SPDX-License-Identifier: Apache-2.0
//
// This file has the hash of the tables in both halves. It is fast and not safe against chosen keys.
#ifndef PROF_LIB_FORMAT_HASH_H_
#define PROF_LIB_FORMAT_HASH_H_

#include <cstdint>

namespace prof::format {

// Adds `value` to `hash`. The first hash is any number except 0.
[[nodiscard]] constexpr uint64_t Mix(uint64_t hash, uint64_t value) {
  hash = (hash ^ value) * 0xff51afd7ed558ccdu;
  return hash ^ (hash >> 32);
}

}  // namespace prof::format

#endif  // PROF_LIB_FORMAT_HASH_H_
