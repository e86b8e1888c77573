// SPDX-License-Identifier: Apache-2.0
//
// The file output writes the blocks of a recording to a file while the program runs.
#ifndef PROF_LIB_CAPTURE_COLLECTOR_FILE_OUTPUT_H_
#define PROF_LIB_CAPTURE_COLLECTOR_FILE_OUTPUT_H_

#include <sys/types.h>

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>

#include "lib/capture/collector/output_claim.h"
#include "lib/capture/process/mutex.h"
#include "lib/capture/wire/block_sink.h"

namespace prof::capture {

class FileOutput : public BlockSink {
 public:
  explicit FileOutput(OutputName name) : name_(std::move(name)), path_(name_.path) {}
  explicit FileOutput(const std::string& path) : FileOutput(OutputName{path}) {}
  ~FileOutput() override;
  FileOutput(const FileOutput&) = delete;
  FileOutput& operator=(const FileOutput&) = delete;

  // Creates the file, once; the first Append does it as well. So a capture that saw nothing leaves
  // none.
  void Open();
  // After a failed write nothing more is written (what is in the file stays a valid prefix) and
  // bytes are counted. A file that is deleted, or whose descriptor the program has closed, is
  // noticed here.
  void Append(const EncodedBlock& block) override;
  uint64_t blocks() const override { return blocks_; }

  void Close();

  // Any thread: the file that is written. Until it is created, the one that is wanted.
  [[nodiscard]] std::string path() const;
  // Why that is not the file that was wanted; empty: it is.
  [[nodiscard]] const std::string& why_other() const { return why_other_; }
  // Another process of this run has the one that was wanted, and `prof run` names all of them.
  [[nodiscard]] bool other_is_expected() const { return other_is_expected_; }

  // Empty while all is well: "cannot write prof.prof: No space left on device".
  [[nodiscard]] const std::string& error() const { return error_; }
  [[nodiscard]] int error_code() const { return error_code_; }
  [[nodiscard]] uint64_t bytes_not_written() const { return bytes_not_written_; }

 private:
  void CheckStillThere();
  void Write(std::string_view bytes);
  void Fail(const char* action, int code);
  void CloseFile();

  const OutputName name_;
  mutable Mutex path_mutex_;
  std::string path_ PROF_GUARDED_BY(path_mutex_);
  std::string frame_;  // the last one, kept for its memory
  std::string error_, why_other_;
  int error_code_ = 0;
  int fd_ = -1;
  dev_t device_ = 0;  // of the open file, with its inode
  ino_t inode_ = 0;
  bool opened_ = false;
  bool other_is_expected_ = false;
  uint64_t blocks_ = 0;
  uint64_t bytes_written_ = 0;
  uint64_t bytes_not_written_ = 0;
};

}  // namespace prof::capture

#endif  // PROF_LIB_CAPTURE_COLLECTOR_FILE_OUTPUT_H_
