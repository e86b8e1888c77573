// SPDX-License-Identifier: Apache-2.0
#include "native_bridge/build_id.h"

#include <elf.h>

#include <cstring>

namespace prof::native {

size_t FindBuildId(const uint8_t* notes, size_t bytes, uint8_t* id) {
  const auto padded = [](size_t size) { return (size + 3) & ~size_t{3}; };
  while (bytes >= sizeof(Elf64_Nhdr)) {
    Elf64_Nhdr note;
    std::memcpy(&note, notes, sizeof(note));
    const size_t name = sizeof(note), text = name + padded(note.n_namesz);
    const size_t end = text + padded(note.n_descsz);
    if (end > bytes) return 0;
    if (note.n_type == NT_GNU_BUILD_ID && note.n_namesz == 4 &&
        std::memcmp(notes + name, "GNU", 4) == 0 && note.n_descsz <= kMostBuildId) {
      std::memcpy(id, notes + text, note.n_descsz);
      return note.n_descsz;
    }
    notes += end;
    bytes -= end;
  }
  return 0;
}

std::string HexOf(const uint8_t* bytes, size_t count) {
  constexpr char kDigits[] = "0123456789abcdef";
  std::string text;
  for (size_t i = 0; i < count; ++i) {
    text.push_back(kDigits[bytes[i] >> 4]);
    text.push_back(kDigits[bytes[i] & 15]);
  }
  return text;
}

}  // namespace prof::native
