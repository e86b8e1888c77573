// SPDX-License-Identifier: Apache-2.0
//
// The source lines are those of native code: which function and which line a place of a program or
// library is in, by the debug information (DWARF) of its file. elfutils (libdw) reads it. It is
// loaded when it is needed, so that the program prof runs where it is not installed.
#ifndef PROF_LIB_SYMBOLS_SOURCE_LINES_H_
#define PROF_LIB_SYMBOLS_SOURCE_LINES_H_

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace prof::symbols {

struct SourcePlace {
  std::string function;     // the linker's name, or that of the source; empty: not known
  std::string file;         // as the compiler has it, with its folder
  uint32_t first_line = 0;  // of the function; 0: not known
  uint32_t line = 0;
};

// Used by one thread.
class SourceLines {
 public:
  SourceLines();
  ~SourceLines();
  SourceLines(const SourceLines&) = delete;
  SourceLines& operator=(const SourceLines&) = delete;

  // The functions that `offset` is in, from the innermost one that was inlined to the one that was
  // not; empty: nobody knows. `build_id`, in hexadecimal, has to be that of the file: it may be
  // another build by now. Debug information in /usr/lib/debug/.build-id is found, too. Any file may
  // come.
  [[nodiscard]] std::vector<SourcePlace> PlacesOf(const std::string& module,
                                                  const std::string& build_id, uint64_t offset);

  // Why no place is found at all; empty: it can be.
  [[nodiscard]] const std::string& problem() const;

 private:
  class Reader;
  const std::unique_ptr<Reader> reader_;
};

}  // namespace prof::symbols

#endif  // PROF_LIB_SYMBOLS_SOURCE_LINES_H_
