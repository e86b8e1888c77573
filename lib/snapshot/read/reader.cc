// SPDX-License-Identifier: Apache-2.0
#include "lib/snapshot/read/reader.h"

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <future>
#include <memory>
#include <new>
#include <stdexcept>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "google/protobuf/stubs/logging.h"
#include "lib/format/framing.h"
#include "lib/format/losses.h"
#include "lib/snapshot/decode/decoder.h"
#include "lib/snapshot/join/join.h"
#include "lib/snapshot/model/table_room.h"
#include "lib/snapshot/read/block_batch.h"
#include "lib/snapshot/read/native_frames.h"
#include "lib/snapshot/read/source.h"
#include "prof/snapshot.pb.h"

namespace prof {
namespace snapshot {
namespace {

absl::Status NewerVersion(uint32_t version, const std::string& writer) {
  return absl::FailedPreconditionError(absl::StrCat(
      "the recording has format version ", version, writer.empty() ? "" : ", written by prof ",
      writer, "; this program reads versions up to ", format::kFormatVersion,
      ". Use the prof that comes with the library that wrote it, or a newer one."));
}

absl::Status CheckFileHeader(Source* source) {
  const std::string_view header = source->Next(format::kFileHeaderSize);
  if (source->error() != 0) return ReadingFailed(source->error());
  const std::string_view magic = header.substr(0, format::kFileMagic.size());
  if (magic.empty()) {
    return absl::DataLossError(
        "the recording is empty: the program ended before anything was written. Record again.");
  }
  if (magic != format::kFileMagic.substr(0, magic.size())) {
    return absl::InvalidArgumentError(
        "this is not a recording of prof: it does not begin with \"PROFSNAP\". Give the .prof file "
        "that prof run or a session wrote.");
  }
  if (header.size() < format::kFileHeaderSize) {
    return absl::DataLossError(
        "the recording ends within its file header: the program ended before anything was "
        "written. Record again.");
  }
  const uint32_t version = format::GetU32(header.data() + format::kFileMagic.size());
  if (version > format::kFormatVersion) return NewerVersion(version, "");
  if (version == 0) {
    return absl::DataLossError(
        "the file header of the recording is damaged: format version 0. Copy the file "
        "again, or record again.");
  }
  return absl::OkStatus();
}

// "Block 3 at byte 4711 cannot be read: <why>."
std::string Unreadable(uint64_t block, uint64_t position, const absl::Status& status) {
  return absl::StrCat("Block ", block, " at byte ", position, " cannot be read: ", status.message(),
                      ".");
}

// The bytes that one thread parses while another decodes as many. Fewer are not worth a thread.
constexpr size_t kBatchBytes = 1 << 20;

// Adds blocks to a model in the order of the file.
class ModelBuilder {
 public:
  ModelBuilder(uint64_t file_size, model::RowStorage storage, Sources sources)
      : room_(file_size), decoder_(&model_), sources_(sources) {
    if (storage == model::RowStorage::kPacked) model_.PackRows();
  }

  // kOutOfRange: the file ends here, or the rest cannot be read, and Model::truncation has the
  // reason. After any other error there is no model.
  absl::Status Add(const BlockBatch& batch) {
    for (const ParsedBlock& block : batch) {
      if (absl::Status status = Add(block); !status.ok()) return status;
    }
    return absl::OkStatus();
  }

  // The memory that the blocks after the next batch are expected to fill.
  std::vector<model::LargePages> PagesAhead() { return room_.Ahead(kBatchBytes, &model_); }

  // Notes bytes behind the last block of a recording that ended in order.
  void CheckEnd(Source* source) {
    if (!model_.stopped_in_order || !model_.truncation.empty()) return;
    const uint64_t end = source->position();
    const std::string_view behind = source->Next(format::kFileMagic.size());
    if (behind.empty()) return;
    model_.after_end =
        absl::StrCat("The file goes on behind the end of the recording, at byte ", end, ", with ",
                     behind == format::kFileMagic ? "another recording" : "other bytes",
                     ": what is there was not read.",
                     behind == format::kFileMagic ? " Give each recording a file of its own." : "");
  }

  absl::StatusOr<model::Model> Finish() &&;

 private:
  absl::Status Add(const ParsedBlock& parsed) {
    const wire::Block& block = parsed.block;
    absl::Status status = parsed.status;
    if (absl::IsOutOfRange(status) || absl::IsUnavailable(status)) return status;
    if (status.ok() && block.header().format_version() > format::kFormatVersion) {
      return NewerVersion(block.header().format_version(), block.header().prof_version());
    }
    if (status.ok() && blocks_ == 0 && !block.has_header()) {
      status = absl::DataLossError("the first block has no header");
    }
    if (status.ok()) status = decoder_.Add(block, parsed.payload_bytes);
    if (!status.ok()) {
      model_.truncation = Unreadable(blocks_ + 1, parsed.begin, status);
      return absl::OutOfRangeError("damaged");
    }
    ++blocks_;
    room_.Follow(parsed.end, &model_);
    return model_.stopped_in_order ? absl::OutOfRangeError("end") : absl::OkStatus();
  }

  model::TableRoom room_;
  model::Model model_;
  Decoder decoder_;
  const Sources sources_;
  uint64_t blocks_ = 0;
};

absl::StatusOr<model::Model> ModelBuilder::Finish() && {
  if (blocks_ == 0) {
    return absl::DataLossError(absl::StrCat(
        "the recording has no complete block", model_.truncation.empty() ? "" : ": ",
        model_.truncation.empty() ? "." : model_.truncation,
        " The program ended before the first one was written, or the file is damaged: copy it "
        "again, or record again."));
  }
  if (!model_.truncation.empty()) {
    absl::StrAppend(&model_.truncation, " The ", blocks_, " before it ",
                    blocks_ == 1 ? "was" : "were",
                    " read; what was recorded later is missing. The program was killed, the disk "
                    "was full, or the file was damaged on its way.");
  } else if (model_.stopped_in_order && decoder_.trailer_blocks() != blocks_) {
    model_.truncation = absl::StrCat("The last block counts ", decoder_.trailer_blocks(),
                                     " blocks, but the file has ", blocks_, ": some are missing.");
  }
  decoder_.Finish();
  if (sources_ == Sources::kFind) FindNativeSources(&model_);
  Join(&model_);
  return std::move(model_);
}

absl::StatusOr<model::Model> ReadBlocks(Source* source, model::RowStorage storage,
                                        Sources sources) {
  absl::Status status = CheckFileHeader(source);
  if (!status.ok()) return status;
  // Messages about a damaged block belong in our status, not on the program's stderr.
  const google::protobuf::LogSilencer silencer;
  ModelBuilder builder(source->size(), storage, sources);
  BlockBatch blocks, next;
  blocks.Read(kBatchBytes, source);
  // Where the system has no thread to give, get() reads. A pipe is never read ahead.
  const auto when =
      source->size() == 0 ? std::launch::deferred : std::launch::async | std::launch::deferred;
  while (true) {
    std::future<void> read_ahead;  // its destructor waits
    if (!blocks.last()) {
      read_ahead = std::async(when, [source, &next, pages_ahead = builder.PagesAhead()] {
        next.Read(kBatchBytes, source);
        for (const model::LargePages& pages : pages_ahead) model::Touch(pages);
      });
    }
    status = builder.Add(blocks);
    if (!status.ok()) break;
    read_ahead.get();
    std::swap(blocks, next);
  }
  if (!absl::IsOutOfRange(status)) return status;
  builder.CheckEnd(source);
  return std::move(builder).Finish();
}

absl::StatusOr<model::Model> ReadWithinMemory(Source* source, model::RowStorage storage,
                                              Sources sources) {
  try {
    return ReadBlocks(source, storage, sources);
  } catch (const std::bad_alloc&) {
    return absl::ResourceExhaustedError(
        "there is not enough memory for a recording of this size. Read it on a machine with more "
        "memory, or record less");
  } catch (const std::length_error&) {
    return absl::ResourceExhaustedError(
        "the recording has more rows than a table can hold. Record less: a part of the run, or "
        "fewer launches");
  }
}

}  // namespace
}  // namespace snapshot

absl::StatusOr<model::Model> ReadSnapshot(std::string_view bytes, model::RowStorage storage,
                                          Sources sources) {
  snapshot::Source source(bytes);
  return snapshot::ReadWithinMemory(&source, storage, sources);
}

absl::StatusOr<model::Model> ReadSnapshotFile(const std::string& path, model::RowStorage storage,
                                              Sources sources) {
  errno = 0;
  const std::unique_ptr<std::FILE, int (*)(std::FILE*)> file(std::fopen(path.c_str(), "rb"),
                                                             &std::fclose);
  if (file == nullptr) {
    const std::string message = absl::StrCat(path, ": ", std::strerror(errno));
    return errno == ENOENT ? absl::NotFoundError(message) : absl::UnavailableError(message);
  }
  snapshot::Source source(file.get());
  absl::StatusOr<model::Model> model = snapshot::ReadWithinMemory(&source, storage, sources);
  if (model.ok()) return model;
  return absl::Status(model.status().code(), absl::StrCat(path, ": ", model.status().message()));
}

absl::StatusOr<model::Model> ReadSnapshot(const Snapshot& snapshot, model::RowStorage storage) {
  absl::StatusOr<model::Model> model =
      snapshot.path().empty() ? ReadSnapshot(snapshot.bytes(), storage, Sources::kFind)
                              : ReadSnapshotFile(snapshot.path(), storage, Sources::kFind);
  if (!model.ok()) return model;
  // The file has the counts up to its last block. The session may know of later losses, above all
  // of bytes that it could not write to the file.
  const Integrity& live = snapshot.integrity();
  Integrity& read = model->integrity;
  for (const format::IntegrityCount& row : format::kIntegrityCounts) {
    read.*row.count = std::max(read.*row.count, live.*row.count);
  }
  for (const format::IntegrityFlag& row : format::kIntegrityFlags) read.*row.flag |= live.*row.flag;
  return model;
}

}  // namespace prof
