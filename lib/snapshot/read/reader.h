// SPDX-License-Identifier: Apache-2.0
//
// The reader turns the bytes of a snapshot into a joined model. It takes any bytes: it stops where
// a file is damaged or ends early, Model::truncation has the reason, and what was read before stays
// valid.
#ifndef PROF_LIB_SNAPSHOT_READ_READER_H_
#define PROF_LIB_SNAPSHOT_READ_READER_H_

#include <cstdint>
#include <string>
#include <string_view>

#include "absl/status/statusor.h"
#include "lib/snapshot/model/model.h"
#include "prof/snapshot.h"

namespace prof {

// Whether the functions and lines of native stacks are looked for in the files of the program and
// its libraries. Bytes that nobody vouches for may name any file: those are opened, if they are
// plain files, and nothing of them is used unless they have the build id.
enum class Sources : uint8_t { kLeave, kFind };

// Errors, each with the way out in its message:
//   kInvalidArgument     not a snapshot
//   kFailedPrecondition  written by a newer version
//   kDataLoss            no complete block
//   kNotFound, kUnavailable  the file cannot be opened or read
//   kResourceExhausted   no memory
// The memory that they take is proportional to the bytes that they read, whatever the bytes claim,
// and so is their time. Packed rows take a fifth of the memory, and more time to read
// (lib/snapshot/model/row_store.h); the model is the same.
[[nodiscard]] absl::StatusOr<model::Model> ReadSnapshot(
    std::string_view bytes, model::RowStorage storage = model::RowStorage::kPlain,
    Sources sources = Sources::kLeave);
[[nodiscard]] absl::StatusOr<model::Model> ReadSnapshotFile(
    const std::string& path, model::RowStorage storage = model::RowStorage::kPlain,
    Sources sources = Sources::kLeave);

// Reads a snapshot from memory or from its file, finds the sources of its native stacks, and adds
// the losses of Snapshot::integrity() that the file cannot hold.
[[nodiscard]] absl::StatusOr<model::Model> ReadSnapshot(
    const Snapshot& snapshot, model::RowStorage storage = model::RowStorage::kPlain);

}  // namespace prof

#endif  // PROF_LIB_SNAPSHOT_READ_READER_H_
