// SPDX-License-Identifier: Apache-2.0
//
// The code reader reads the name, the file and the line of an instruction of a code object. It
// checks everything that it reads: it is also the test of a layout.
#ifndef PROF_PYTHON_BRIDGE_CODE_READER_H_
#define PROF_PYTHON_BRIDGE_CODE_READER_H_

#include <cstdint>
#include <string>

#include "python_bridge/python_layout.h"

namespace prof::python {

struct CodeLine {
  std::string function, file;
  uint32_t first_line = 0, line = 0;
};

class CodeReader {
 public:
  CodeReader(const PythonSymbols& python, const PythonLayout& layout)
      : python_(python), layout_(layout) {}

  // `instruction` as a frame has it. False: this is no code object of that layout. The code object
  // has to be alive: it is that of a frame of the calling thread. About 5 us; may allocate. A name
  // is cut at 256 characters, a file at 1,024.
  [[nodiscard]] bool Read(uintptr_t code, uintptr_t instruction, CodeLine* line) const;

 private:
  [[nodiscard]] bool HasType(uintptr_t object, uintptr_t type) const;
  [[nodiscard]] bool ReadText(uintptr_t text, size_t most, std::string* utf8) const;
  [[nodiscard]] bool ReadBytes(uintptr_t bytes, std::string* to) const;

  const PythonSymbols python_;
  const PythonLayout layout_;
};

}  // namespace prof::python

#endif  // PROF_PYTHON_BRIDGE_CODE_READER_H_
