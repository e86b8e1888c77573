// SPDX-License-Identifier: Apache-2.0
//
// Where encoded blocks go: a file that is written as the program runs, or memory.
#ifndef PROF_LIB_CAPTURE_COLLECTOR_OUTPUT_H_
#define PROF_LIB_CAPTURE_COLLECTOR_OUTPUT_H_

#include <cstdint>
#include <string>
#include <string_view>

namespace prof::capture {

// Expands %p (pid), %h (host name), %r (rank; 0 when `rank` is negative) and %% in `pattern`. Any
// other character after % stays as it is.
std::string ExpandOutputPattern(std::string_view pattern, int rank);

// Used by the collector thread alone.
class Output {
 public:
  // An empty path: memory.
  explicit Output(std::string path) : path_(std::move(path)) {}
  ~Output();
  Output(const Output&) = delete;
  Output& operator=(const Output&) = delete;

  // Frames `payload` (a serialized wire.Block) and appends it. The file is created by the first
  // call, so a capture that saw nothing leaves none. After a failed write nothing more is written
  // (what is in the file stays a valid prefix) and bytes are counted.
  void Append(std::string_view payload);

  void Close();

  // Empty while all is well: "cannot write prof.prof: No space left on device".
  const std::string& error() const { return error_; }
  int error_code() const { return error_code_; }
  uint64_t bytes_not_written() const { return bytes_not_written_; }
  const std::string& path() const { return path_; }
  // Of a memory output: everything so far.
  std::string TakeBytes() { return std::move(memory_); }

 private:
  bool Open();
  bool Write(std::string_view bytes);
  void Fail(const char* action, int code);

  std::string path_;
  std::string memory_;
  std::string error_;
  int error_code_ = 0;
  int fd_ = -1;
  bool opened_ = false;
  uint64_t bytes_not_written_ = 0;
};

}  // namespace prof::capture

#endif  // PROF_LIB_CAPTURE_COLLECTOR_OUTPUT_H_
