// SPDX-License-Identifier: Apache-2.0
//
// The function names are those of the symbol tables of the program and its libraries, as their
// files have them. So a recording has names where nobody has these files any more.
#ifndef PROF_NATIVE_BRIDGE_FUNCTION_NAMES_H_
#define PROF_NATIVE_BRIDGE_FUNCTION_NAMES_H_

#include <cstdint>
#include <deque>
#include <string>
#include <string_view>
#include <vector>

namespace prof::native {

// Used by one thread, which may read files.
class FunctionNames {
 public:
  // The linker's name of the function at `offset` of a file; empty: the file has none there (it is
  // stripped), is gone, or has another build id. Never throws but for lack of memory. Any file may
  // come: it is read, not mapped, because it may be cut off meanwhile.
  [[nodiscard]] std::string NameAt(const std::string& path, std::string_view build_id,
                                   uint64_t offset);

 private:
  struct Function {
    uint64_t begin = 0;
    uint32_t bytes = 0;  // 0: up to the next one
    uint32_t name = 0;   // place in the table of names
  };
  // A file that was replaced under its name is another one.
  struct Identity {
    uint64_t device = 0, inode = 0;
    int64_t changed_ns = 0;
    bool operator==(const Identity& other) const {
      return device == other.device && inode == other.inode && changed_ns == other.changed_ns;
    }
  };
  class OpenFile;
  struct File {
    std::string path, build_id;
    Identity identity;
    uint64_t names_begin = 0, names_bytes = 0;  // of the file
    std::vector<Function> functions;            // by begin
  };
  // That are kept. The stacks of a program go through a dozen of libraries, again and again.
  static constexpr size_t kFiles = 64, kMostFunctions = size_t{1} << 22;  // 64 MiB

  // nullptr: it cannot be opened now.
  const File* FileAt(const std::string& path, std::string_view build_id);
  static void Read(int file, File* to);

  std::deque<File> files_;  // the latest one first
  size_t functions_ = 0;    // of all files
};

}  // namespace prof::native

#endif  // PROF_NATIVE_BRIDGE_FUNCTION_NAMES_H_
