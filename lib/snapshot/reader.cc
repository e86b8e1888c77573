// SPDX-License-Identifier: Apache-2.0
#include "lib/snapshot/reader.h"

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <memory>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "google/protobuf/stubs/logging.h"
#include "lib/format/framing.h"
#include "lib/snapshot/decoder.h"
#include "lib/snapshot/join.h"
#include "lib/snapshot/reserve.h"
#include "prof/snapshot.pb.h"

namespace prof {
namespace {

// Where the bytes come from: memory or a file, one piece after another.
class Source {
 public:
  explicit Source(std::string_view bytes) : rest_(bytes), size_(bytes.size()) {}
  explicit Source(std::FILE* file) : file_(file) {
    if (std::fseek(file, 0, SEEK_END) == 0) size_ = static_cast<uint64_t>(std::ftell(file));
    std::rewind(file);
    if (size_ > INT64_MAX) size_ = 0;
  }

  // The next `size` bytes, or fewer at the end; valid until the next call.
  std::string_view Next(size_t size) {
    std::string_view piece;
    if (file_ == nullptr) {
      piece = rest_.substr(0, size);
      rest_.remove_prefix(piece.size());
    } else {
      buffer_.resize(size);
      piece = std::string_view(buffer_).substr(0, std::fread(buffer_.data(), 1, size, file_));
    }
    position_ += piece.size();
    return piece;
  }
  uint64_t position() const { return position_; }
  uint64_t size() const { return size_; }  // 0: not known (a pipe)
  bool failed() const { return file_ != nullptr && std::ferror(file_) != 0; }

 private:
  std::string_view rest_;
  std::FILE* file_ = nullptr;
  std::string buffer_;
  uint64_t position_ = 0, size_ = 0;
};

absl::Status NewerVersion(uint32_t version, const std::string& writer) {
  return absl::FailedPreconditionError(absl::StrCat(
      "the snapshot has format version ", version, writer.empty() ? "" : ", written by prof ",
      writer, "; this program reads versions up to ", format::kFormatVersion,
      ". Use the prof that comes with the library that wrote it, or a newer one."));
}

absl::Status CheckFileHeader(Source* source) {
  const std::string_view header = source->Next(format::kFileHeaderSize);
  const std::string_view magic = header.substr(0, format::kFileMagic.size());
  if (magic.empty()) {
    return absl::DataLossError(
        "the snapshot is empty: the program ended before anything was written. Capture again.");
  }
  if (magic != format::kFileMagic.substr(0, magic.size())) {
    return absl::InvalidArgumentError(
        "this is not a prof snapshot: it does not begin with \"PROFSNAP\". Give the .prof file "
        "that the capture wrote.");
  }
  if (header.size() < format::kFileHeaderSize) {
    return absl::DataLossError(
        "the snapshot ends within its file header: the program ended before anything was "
        "written. Capture again.");
  }
  const uint32_t version = format::GetU32(header.data() + format::kFileMagic.size());
  if (version > format::kFormatVersion) return NewerVersion(version, "");
  if (version == 0) {
    return absl::DataLossError("the snapshot's file header is damaged: format version 0.");
  }
  return absl::OkStatus();
}

constexpr uint64_t kBlocksToJudgeBy = 16;
constexpr uint64_t kMostToReserveFor = uint64_t{256} << 20;  // bytes of a file

// The payload of the next frame; OutOfRange at the end of the file, DataLoss where it is damaged.
absl::StatusOr<std::string_view> NextPayload(Source* source) {
  const std::string_view header = source->Next(format::kFrameHeaderSize);
  if (header.empty()) return absl::OutOfRangeError("end");
  if (header.size() < format::kFrameHeaderSize) {
    return absl::DataLossError("the file ends within its header");
  }
  const uint32_t magic = format::GetU32(header.data());
  const uint32_t size = format::GetU32(header.data() + 4);
  const uint32_t crc = format::GetU32(header.data() + 8);
  if (magic != format::kFrameMagic) return absl::DataLossError("it does not begin with \"PBLK\"");
  if (size > format::kMaxPayload) {
    return absl::DataLossError(absl::StrCat("it claims ", size, " bytes, more than a block has"));
  }
  const std::string_view payload = source->Next(size);
  if (payload.size() < size) {
    return absl::DataLossError(
        absl::StrCat("the file ends after ", payload.size(), " of its ", size, " bytes"));
  }
  if (format::Crc32c(payload) != crc) return absl::DataLossError("its checksum does not match");
  return payload;
}

// "Block 3 at byte 4711 cannot be read: <why>."
std::string Unreadable(uint64_t block, uint64_t position, const absl::Status& status) {
  return absl::StrCat("Block ", block, " at byte ", position, " cannot be read: ", status.message(),
                      ".");
}

absl::Status ReadingFailed() {
  return absl::UnavailableError(absl::StrCat("reading failed: ", std::strerror(errno)));
}

// Room for the rest of the file, if it is as its beginning. No more than a row for each six bytes,
// and nothing for a file so large that the claim alone could fail.
void Reserve(const Source& source, model::Model* model) {
  if (source.size() <= source.position() || source.size() > kMostToReserveFor) return;
  const auto size = static_cast<double>(source.size());
  const double growth = 1.02 * size / static_cast<double>(source.position());
  const auto rows = [&](size_t now) {
    return static_cast<size_t>(std::min(static_cast<double>(now) * growth, size / 6));
  };
  model->ops.reserve(rows(model->ops.size()));
  model->api_calls.reserve(rows(model->api_calls.size()));
  internal::ReserveRows(rows(model->syncs.size()), &model->syncs);
  for (std::vector<model::RangeStep>& steps : model->steps) {
    internal::ReserveRows(rows(steps.size()), &steps);
  }
}

absl::StatusOr<model::Model> ReadBlocks(Source* source) {
  absl::Status header = CheckFileHeader(source);
  if (source->failed()) return ReadingFailed();
  if (!header.ok()) return header;
  // The messages of a damaged block belong into our status, not onto the program's stderr.
  const google::protobuf::LogSilencer silencer;
  model::Model model;
  internal::Decoder decoder(&model);
  wire::Block block;
  uint64_t blocks = 0;
  while (!model.stopped_in_order) {
    const uint64_t position = source->position();
    absl::StatusOr<std::string_view> payload = NextPayload(source);
    if (absl::IsOutOfRange(payload.status())) break;
    absl::Status status = payload.status();
    if (status.ok() && !block.ParseFromArray(payload->data(), static_cast<int>(payload->size()))) {
      status = absl::DataLossError("its content is not a valid block");
    }
    if (status.ok() && block.header().format_version() > format::kFormatVersion) {
      return NewerVersion(block.header().format_version(), block.header().prof_version());
    }
    if (status.ok() && blocks == 0 && !block.has_header()) {
      status = absl::DataLossError("the first block has no header");
    }
    if (status.ok()) status = decoder.Add(block, payload->size());
    if (!status.ok()) {
      model.truncation = Unreadable(blocks + 1, position, status);
      break;
    }
    ++blocks;
    if (blocks == kBlocksToJudgeBy) Reserve(*source, &model);
  }
  if (source->failed()) return ReadingFailed();
  if (blocks == 0) {
    return absl::DataLossError(absl::StrCat(
        "the snapshot has no complete block", model.truncation.empty() ? "" : ": ",
        model.truncation.empty() ? "." : model.truncation,
        " The program ended before the first one was written, or the file is damaged: copy it "
        "again, or capture again."));
  }
  if (!model.truncation.empty()) {
    absl::StrAppend(&model.truncation, " The ", blocks, " before it ", blocks == 1 ? "was" : "were",
                    " read; what was recorded later is missing. The program was killed, the disk "
                    "was full, or the file was damaged on its way.");
  } else if (model.stopped_in_order && decoder.trailer_blocks() != blocks) {
    model.truncation = absl::StrCat("The last block speaks of ", decoder.trailer_blocks(),
                                    " blocks, but the file has ", blocks, ": some are missing.");
  }
  decoder.NameThreads();
  internal::Join(&model);
  return model;
}

}  // namespace

absl::StatusOr<model::Model> ReadSnapshot(std::string_view bytes) {
  Source source(bytes);
  return ReadBlocks(&source);
}

absl::StatusOr<model::Model> ReadSnapshotFile(const std::string& path) {
  errno = 0;
  const std::unique_ptr<std::FILE, int (*)(std::FILE*)> file(std::fopen(path.c_str(), "rb"),
                                                             &std::fclose);
  if (file == nullptr) {
    const std::string message = absl::StrCat(path, ": ", std::strerror(errno));
    return errno == ENOENT ? absl::NotFoundError(message) : absl::UnavailableError(message);
  }
  Source source(file.get());
  absl::StatusOr<model::Model> model = ReadBlocks(&source);
  if (model.ok()) return model;
  return absl::Status(model.status().code(), absl::StrCat(path, ": ", model.status().message()));
}

absl::StatusOr<model::Model> ReadSnapshot(const Snapshot& snapshot) {
  absl::StatusOr<model::Model> model =
      snapshot.path().empty() ? ReadSnapshot(snapshot.bytes()) : ReadSnapshotFile(snapshot.path());
  if (!model.ok()) return model;
  // The counts in the file are those up to its last block; the session may know of later losses,
  // first of all of those of the file itself.
  const Integrity& live = snapshot.integrity();
  Integrity& read = model->integrity;
  for (uint64_t Integrity::*count : {&Integrity::kernels,
                                     &Integrity::launches,
                                     &Integrity::dropped_by_cupti,
                                     &Integrity::dropped_by_cap,
                                     &Integrity::buffers_refused,
                                     &Integrity::untimed,
                                     &Integrity::range_events_dropped,
                                     &Integrity::range_paths_dropped,
                                     &Integrity::unknown_records,
                                     &Integrity::signatures_dropped,
                                     &Integrity::samples_failed,
                                     &Integrity::bytes_not_written,
                                     &Integrity::counter_cost_ns,
                                     &Integrity::pm_samples_lost,
                                     &Integrity::pm_restarts,
                                     &Integrity::range_ends_unmatched,
                                     &Integrity::ranges_left_open,
                                     &Integrity::payloads_not_read,
                                     &Integrity::names_dropped,
                                     &Integrity::rows_not_kept,
                                     &Integrity::launches_missed,
                                     &Integrity::calls_dropped,

                                     &Integrity::graph_nodes_dropped}) {
    read.*count = std::max(read.*count, live.*count);
  }
  read.clock_stepped |= live.clock_stepped;
  read.incomplete |= live.incomplete;
  return model;
}

}  // namespace prof
