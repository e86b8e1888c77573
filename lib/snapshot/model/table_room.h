// SPDX-License-Identifier: Apache-2.0
//
// TableRoom reserves memory for the tables that grow with the file. Most of the cost of a row is
// its memory: the system clears each page at its first use, and a virtual machine may first have to
// get the page from its host.
#ifndef PROF_LIB_SNAPSHOT_MODEL_TABLE_ROOM_H_
#define PROF_LIB_SNAPSHOT_MODEL_TABLE_ROOM_H_

#include <cstddef>
#include <cstdint>
#include <vector>

#include "lib/snapshot/model/model.h"
#include "lib/snapshot/model/reserve.h"

namespace prof::model {

class TableRoom {
 public:
  explicit TableRoom(uint64_t file_size) : file_size_(file_size) {}

  // Call it when the model has the blocks before byte `position` of the file. After the first few
  // blocks it reserves memory for the others, as if they were alike.
  void Follow(uint64_t position, model::Model* model);

  // The pages that another thread should touch: half of the memory that the `bytes` of the file
  // after the next `bytes` are expected to fill.
  std::vector<LargePages> Ahead(uint64_t bytes, model::Model* model) const;

 private:
  uint64_t file_size_, position_ = 0;
  uint64_t blocks_ = 0;
};

}  // namespace prof::model

#endif  // PROF_LIB_SNAPSHOT_MODEL_TABLE_ROOM_H_
