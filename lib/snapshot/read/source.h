// SPDX-License-Identifier: Apache-2.0
//
// A source gives the bytes of a snapshot, piece by piece, from memory or from a file.
#ifndef PROF_LIB_SNAPSHOT_READ_SOURCE_H_
#define PROF_LIB_SNAPSHOT_READ_SOURCE_H_

#include <cerrno>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <string>
#include <string_view>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"

namespace prof::snapshot {

class Source {
 public:
  explicit Source(std::string_view bytes) : rest_(bytes), size_(bytes.size()) {}
  explicit Source(std::FILE* file) : file_(file) {
    if (std::fseek(file, 0, SEEK_END) == 0) size_ = static_cast<uint64_t>(std::ftell(file));
    std::rewind(file);
    if (size_ > INT64_MAX) size_ = 0;
  }

  // The next `size` bytes, or fewer at the end; valid until the next call.
  [[nodiscard]] std::string_view Next(size_t size) {
    std::string_view piece;
    if (file_ == nullptr) {
      piece = rest_.substr(0, size);
      rest_.remove_prefix(piece.size());
    } else {
      buffer_.resize(size);
      piece = std::string_view(buffer_).substr(0, std::fread(buffer_.data(), 1, size, file_));
      if (std::ferror(file_) != 0) error_ = errno;
    }
    position_ += piece.size();
    return piece;
  }
  uint64_t position() const { return position_; }
  uint64_t size() const { return size_; }  // 0: not known (a pipe)
  int error() const { return error_; }     // the errno of the last call; 0: none

 private:
  std::string_view rest_;
  std::FILE* file_ = nullptr;
  std::string buffer_;
  uint64_t position_ = 0, size_ = 0;
  int error_ = 0;
};

[[nodiscard]] inline absl::Status ReadingFailed(int error) {
  return absl::UnavailableError(absl::StrCat("reading failed: ", std::strerror(error)));
}

}  // namespace prof::snapshot

#endif  // PROF_LIB_SNAPSHOT_READ_SOURCE_H_
