// SPDX-License-Identifier: Apache-2.0
//
// Block entries are the parts of a block that are serialized one by one, not column by column: what
// comes rarely, or has no time.
#ifndef PROF_LIB_CAPTURE_WIRE_BLOCK_ENTRIES_H_
#define PROF_LIB_CAPTURE_WIRE_BLOCK_ENTRIES_H_

#include <string>

#include "lib/capture/events/events.h"
#include "lib/capture/events/header_event.h"
#include "lib/capture/events/range_path.h"
#include "lib/capture/process/clock.h"
#include "lib/capture/wire/entry_tables.h"
#include "lib/capture/wire/kept_samples.h"
#include "lib/capture/wire/pm_columns.h"

namespace prof::capture {

// Each appends a field of wire.Block to `entries`, and what it names to `tables`.
void AppendEntry(const HeaderEvent& event, std::string* entries);
void AppendEntry(const DeviceEvent& event, EntryTables* tables, std::string* entries);
void AppendEntry(const RangePathInfo& path, EntryTables* tables, std::string* entries);
void AppendEntry(const HostFrameEvent& frame, EntryTables* tables, std::string* entries);
void AppendEntry(const HostStackEvent& stack, std::string* entries);
void AppendEntry(const PassGroupEvent& group, EntryTables* tables, std::string* entries);
void AppendEntry(const PmSeriesEvent& series, const PmLayout& layout, EntryTables* tables,
                 std::string* entries);
void AppendEntry(const NameEvent& event, EntryTables* tables, std::string* entries);
// `kernel`: of a sample that stays when its launch is dropped; nullptr: of any other one.
void AppendEntry(const CounterSampleEvent& event, const SampledKernel* kernel,
                 std::string* entries);
void AppendEntry(const ProfilerIntervalEvent& event, EntryTables* tables, std::string* entries);
void AppendEntry(const LaunchCountEvent& event, EntryTables* tables, std::string* entries);
void AppendEntry(const NoticeEvent& event, std::string* entries);
void AppendEntry(const ClockPair& clocks, std::string* entries);

}  // namespace prof::capture

#endif  // PROF_LIB_CAPTURE_WIRE_BLOCK_ENTRIES_H_
