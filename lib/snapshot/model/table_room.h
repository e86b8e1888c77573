// SPDX-License-Identifier: Apache-2.0
//
// Memory for the tables that grow with the file. Most of what a row costs is its memory: the system
// clears each page when it is touched first, and a virtual machine may have to be given it before.
#ifndef PROF_LIB_SNAPSHOT_MODEL_TABLE_ROOM_H_
#define PROF_LIB_SNAPSHOT_MODEL_TABLE_ROOM_H_

#include <cstddef>
#include <cstdint>
#include <vector>

#include "lib/snapshot/model/model.h"
#include "lib/snapshot/model/reserve.h"

namespace prof::internal {

class TableRoom {
 public:
  explicit TableRoom(uint64_t file_size) : file_size_(file_size) {}

  // The model has the blocks before byte `position` of the file. After the first few of them makes
  // room for the others, if they are alike.
  void Follow(uint64_t position, model::Model* model);

  // Half of what `bytes` of the file will fill that lie as far behind the position: the half that
  // is to be touched by another thread.
  std::vector<LargePages> Ahead(uint64_t bytes, model::Model* model) const;

 private:
  uint64_t file_size_, position_ = 0;
  uint64_t blocks_ = 0;
};

}  // namespace prof::internal

#endif  // PROF_LIB_SNAPSHOT_MODEL_TABLE_ROOM_H_
