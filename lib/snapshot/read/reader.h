// SPDX-License-Identifier: Apache-2.0
//
// Bytes of a snapshot in, a joined model out. Takes any bytes: what is damaged or cut off ends the
// reading there, and Model::truncation says so; what was read before it stays valid.
#ifndef PROF_LIB_SNAPSHOT_READ_READER_H_
#define PROF_LIB_SNAPSHOT_READ_READER_H_

#include <string>
#include <string_view>

#include "absl/status/statusor.h"
#include "lib/snapshot/model/model.h"
#include "prof/snapshot.h"

namespace prof {

// Errors, each with the way out in its message:
//   kInvalidArgument     not a snapshot
//   kFailedPrecondition  written by a newer version
//   kDataLoss            no complete block
//   kNotFound, kUnavailable  the file cannot be opened or read
// Memory is proportional to the bytes that were read, whatever they claim.
absl::StatusOr<model::Model> ReadSnapshot(std::string_view bytes);
absl::StatusOr<model::Model> ReadSnapshotFile(const std::string& path);

// From memory or from its file; Snapshot::integrity() adds losses that the file cannot hold.
absl::StatusOr<model::Model> ReadSnapshot(const Snapshot& snapshot);

}  // namespace prof

#endif  // PROF_LIB_SNAPSHOT_READ_READER_H_
