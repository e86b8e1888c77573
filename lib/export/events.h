// SPDX-License-Identifier: Apache-2.0
//
// The events reader makes Events of a snapshot. prof/events.h has the public part.
#ifndef PROF_LIB_EXPORT_EVENTS_H_
#define PROF_LIB_EXPORT_EVENTS_H_

#include "lib/snapshot/model/row_store.h"
#include "prof/events.h"

namespace prof::exporting {

class EventsReader {
 public:
  // ReadEvents() packs the rows. Plain ones give the same events in four times the memory.
  [[nodiscard]] static Events Read(const Snapshot& snapshot, model::RowStorage storage);
};

}  // namespace prof::exporting

#endif  // PROF_LIB_EXPORT_EVENTS_H_
