// SPDX-License-Identifier: Apache-2.0
//
// The file output writes the blocks of a recording to a file while the program runs.
#ifndef PROF_LIB_CAPTURE_COLLECTOR_FILE_OUTPUT_H_
#define PROF_LIB_CAPTURE_COLLECTOR_FILE_OUTPUT_H_

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>

#include "lib/capture/wire/block_sink.h"

namespace prof::capture {

class FileOutput : public BlockSink {
 public:
  explicit FileOutput(std::string path) : path_(std::move(path)) {}
  ~FileOutput() override;
  FileOutput(const FileOutput&) = delete;
  FileOutput& operator=(const FileOutput&) = delete;

  // The first call creates the file, so a capture that saw nothing leaves none. After a failed
  // write nothing more is written (what is in the file stays a valid prefix) and bytes are counted.
  void Append(const EncodedBlock& block) override;
  uint64_t blocks() const override { return blocks_; }

  void Close();

  // Empty while all is well: "cannot write prof.prof: No space left on device".
  [[nodiscard]] const std::string& error() const { return error_; }
  [[nodiscard]] int error_code() const { return error_code_; }
  [[nodiscard]] uint64_t bytes_not_written() const { return bytes_not_written_; }

 private:
  void Open();
  void Write(std::string_view bytes);
  void Fail(const char* action, int code);

  const std::string path_;
  std::string frame_;  // the last one, kept for its memory
  std::string error_;
  int error_code_ = 0;
  int fd_ = -1;
  bool opened_ = false;
  uint64_t blocks_ = 0;
  uint64_t bytes_not_written_ = 0;
};

}  // namespace prof::capture

#endif  // PROF_LIB_CAPTURE_COLLECTOR_FILE_OUTPUT_H_
