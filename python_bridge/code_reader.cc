// SPDX-License-Identifier: Apache-2.0
#include "python_bridge/code_reader.h"

#include <algorithm>
#include <string_view>

#include "lib/capture/process/own_memory.h"
#include "python_bridge/line_table.h"

namespace prof::python {
namespace {

constexpr size_t kMostName = 256, kMostFile = 1024;  // characters
constexpr size_t kMostLineTable = size_t{1} << 20;   // bytes
constexpr uint64_t kMostCode = uint64_t{1} << 28;    // bytes of instructions
constexpr int32_t kMostFirstLine = int32_t{1} << 30;

// The bits of a string's state (Include/cpython/unicodeobject.h), the same in all versions.
constexpr uint32_t KindOf(uint32_t state) { return state >> 2 & 7; }
constexpr uint32_t kCompact = 1U << 5, kAscii = 1U << 6;

void AppendUtf8(uint32_t character, std::string* utf8) {
  const auto byte = [&](uint32_t bits) { utf8->push_back(static_cast<char>(bits)); };
  if (character < 0x80) {
    byte(character);
  } else if (character < 0x800) {
    byte(0xc0 | character >> 6);
    byte(0x80 | (character & 0x3f));
  } else if (character < 0x10000) {
    byte(0xe0 | character >> 12);
    byte(0x80 | (character >> 6 & 0x3f));
    byte(0x80 | (character & 0x3f));
  } else {
    byte(0xf0 | (character >> 18 & 7));
    byte(0x80 | (character >> 12 & 0x3f));
    byte(0x80 | (character >> 6 & 0x3f));
    byte(0x80 | (character & 0x3f));
  }
}

// A surrogate without its partner (a file name that is no UTF-8) has no UTF-8.
uint32_t Writable(uint32_t character) {
  return (character >= 0xd800 && character < 0xe000) || character > 0x10ffff ? '?' : character;
}

}  // namespace

bool CodeReader::HasType(uintptr_t object, uintptr_t type) const {
  uintptr_t found = 0;
  return object != 0 && capture::ReadOwn(object + kObjectType, &found) && found == type;
}

bool CodeReader::ReadText(uintptr_t text, size_t most, std::string* utf8) const {
  int64_t length = 0;
  uint32_t state = 0;
  if (!HasType(text, python_.text_type) || !capture::ReadOwn(text + kTextLength, &length) ||
      !capture::ReadOwn(text + kTextState, &state) || length < 0) {
    return false;
  }
  const uint32_t kind = KindOf(state);  // bytes of a character
  if ((state & kCompact) == 0 || (kind != 1 && kind != 2 && kind != 4)) return false;
  const bool ascii = (state & kAscii) != 0;
  const size_t count = std::min(static_cast<size_t>(length), most);
  std::string raw(count * kind, '\0');
  const uintptr_t data = text + (ascii ? layout_.ascii_size : layout_.compact_size);
  if (!raw.empty() && !capture::ReadOwnMemory(data, raw.data(), raw.size())) return false;
  utf8->clear();
  for (size_t i = 0; i < raw.size(); i += kind) {
    uint32_t character = 0;
    for (uint32_t byte = 0; byte < kind; ++byte) {
      character |= uint32_t{static_cast<uint8_t>(raw[i + byte])} << 8 * byte;
    }
    if (ascii && character >= 0x80) return false;
    AppendUtf8(Writable(character), utf8);
  }
  return true;
}

bool CodeReader::ReadBytes(uintptr_t bytes, std::string* to) const {
  int64_t size = 0;
  if (!HasType(bytes, python_.bytes_type) || !capture::ReadOwn(bytes + kBytesSize, &size) ||
      size < 0 || size > static_cast<int64_t>(kMostLineTable)) {
    return false;
  }
  to->resize(static_cast<size_t>(size));
  return size == 0 || capture::ReadOwnMemory(bytes + kBytesData, to->data(), to->size());
}

bool CodeReader::Read(uintptr_t code, uintptr_t instruction, CodeLine* line) const {
  uintptr_t name = 0, file = 0, lines = 0;
  int32_t first_line = 0;
  if (!HasType(code, python_.code_type) || !capture::ReadOwn(code + layout_.code_name, &name) ||
      !capture::ReadOwn(code + layout_.code_file, &file) ||
      !capture::ReadOwn(code + layout_.code_lines, &lines) ||
      !capture::ReadOwn(code + layout_.code_first_line, &first_line) || first_line < 0 ||
      first_line > kMostFirstLine) {
    return false;
  }
  int64_t offset = 0;  // in bytes
  if (layout_.counts_units) {
    offset = int64_t{static_cast<int32_t>(instruction)} * 2;
  } else {
    offset = static_cast<int64_t>(instruction - (code + layout_.code_instructions));
    if (offset < -2 || offset > static_cast<int64_t>(kMostCode)) return false;
  }
  std::string table;
  if (!ReadText(name, kMostName, &line->function) || !ReadText(file, kMostFile, &line->file) ||
      !ReadBytes(lines, &table)) {
    return false;
  }
  line->first_line = static_cast<uint32_t>(first_line);
  line->line = LineAt(layout_.lines, table, line->first_line, offset);
  return true;
}

}  // namespace prof::python
