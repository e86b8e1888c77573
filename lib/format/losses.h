// SPDX-License-Identifier: Apache-2.0
//
// The table of losses has one row for each count of Integrity. The writer, the reader, the report
// and `prof info` loop over it. A new loss is a member of Integrity, which complete() has to name,
// a field of snapshot.proto, and a row here.
#ifndef PROF_LIB_FORMAT_LOSSES_H_
#define PROF_LIB_FORMAT_LOSSES_H_

#include <cstdint>

#include "prof/snapshot.h"

namespace prof::format {

// What a count puts in doubt when it is not 0.
enum class Doubt : uint8_t {
  kNothing,     // It is no loss: a total, a cost, or what the program did by itself.
  kOther,       // Only what the sentence names.
  kOperations,  // Idle time may be work without a record: findings about gaps are withheld.
  kRanges,      // Work may be listed under a wrong NVTX range.
};

struct IntegrityCount {
  uint64_t Integrity::*count;
  const char* name;  // of the field in message Integrity of snapshot.proto
  uint32_t field;    // its number there
  Doubt doubt;
  const char* label = "";  // plural: "LOST  records dropped by CUPTI: 12"; "": not listed
  // The report's sentence: the count, then `one` or `many`, then `rest`. "": no sentence.
  const char* one = "";
  const char* many = "";
  const char* rest = "";
};

// The report lists losses in this order.
inline constexpr IntegrityCount kIntegrityCounts[] = {
    {&Integrity::kernels, "kernels", 1, Doubt::kNothing},
    {&Integrity::launches, "launches", 2, Doubt::kNothing},
    {&Integrity::counter_cost_ns, "counter_cost_ns", 15, Doubt::kNothing},

    {&Integrity::dropped_by_cupti, "dropped_by_cupti", 3, Doubt::kOperations,
     "records dropped by CUPTI", "record was", "records were", "dropped by CUPTI"},
    {&Integrity::dropped_by_cap, "dropped_by_cap", 4, Doubt::kOperations,
     "records dropped at the memory cap", "record was", "records were",
     "dropped at the memory cap (raise it, or capture less)"},
    {&Integrity::buffers_refused, "buffers_refused", 5, Doubt::kOperations,
     "CUPTI buffers refused at the memory cap", "CUPTI buffer request was",
     "CUPTI buffer requests were",
     "refused at the memory cap (raise it, or capture less), which loses records"},
    {&Integrity::launches_missed, "launches_missed", 23, Doubt::kOperations,
     "launches whose records another profiler took", "launch is", "launches are",
     "missing because another profiler in the process (torch.profiler does it) had taken CUPTI's "
     "records"},
    {&Integrity::subscriptions_lost, "subscriptions_lost", 34, Doubt::kOperations,
     "times that another profiler ended CUPTI", "time", "times",
     "another profiler in the process ended CUPTI (torch.profiler can do that): launches are "
     "missing until prof had it again"},
    {&Integrity::unknown_records, "unknown_records", 9, Doubt::kOperations,
     "records of an unknown kind", "record is", "records are",
     "of a kind or layout that this version cannot read"},
    {&Integrity::untimed, "untimed", 6, Doubt::kOperations, "records without a valid time",
     "record has", "records have", "no valid time (they count as launches only)"},
    {&Integrity::bytes_not_written, "bytes_not_written", 12, Doubt::kOperations,
     "bytes that could not be written", "byte", "bytes", "could not be written to the output"},

    {&Integrity::range_events_dropped, "range_events_dropped", 7, Doubt::kRanges,
     "range events dropped", "range event was", "range events were",
     "dropped: work after that may be listed under a wrong range."},
    {&Integrity::calls_dropped, "calls_dropped", 24, Doubt::kRanges, "CUDA API calls dropped",
     "CUDA API call was", "CUDA API calls were",
     "dropped: what they launched is in no range, and idle time after them may have no cause."},
    {&Integrity::range_paths_dropped, "range_paths_dropped", 8, Doubt::kRanges,
     "ranges listed as their parent", "range was", "ranges were",
     "listed as their parent because the table of range names is full."},

    {&Integrity::range_names_dropped, "range_names_dropped", 30, Doubt::kOther,
     "ranges listed as \"(other names)\"", "range is", "ranges are",
     "listed as \"(other names)\" because their parent has thousands of names that differ in more "
     "than numbers."},

    {&Integrity::graph_nodes_dropped, "graph_nodes_dropped", 26, Doubt::kOther,
     "CUDA graph nodes without their range", "node of a CUDA graph", "nodes of CUDA graphs",
     "had no room in the table of capture ranges: their work is listed under the range of the "
     "graph's launch."},
    {&Integrity::host_stacks_dropped, "host_stacks_dropped", 40, Doubt::kOther,
     "calls without their stack", "call", "calls",
     "without a stack because the table of stacks is full: their work is in no line."},
    {&Integrity::host_samples_missed, "host_samples_missed", 48, Doubt::kNothing, "",
     "host sample was", "host samples were",
     "left out because the sampler had used up its share of a core, or had no processor."},
    {&Integrity::torch_shapes_dropped, "torch_shapes_dropped", 56, Doubt::kOther,
     "ops of PyTorch without their input shapes", "op", "ops",
     "of PyTorch without input shapes because the table of shapes is full: they are in the rows "
     "without shapes."},
    {&Integrity::tensors_dropped, "tensors_dropped", 64, Doubt::kOther,
     "changes of tensors' memory dropped", "change", "changes",
     "of tensors' memory without a record because the ring of its thread was full: what tensors "
     "hold may be too much or too little."},
    {&Integrity::signatures_dropped, "signatures_dropped", 10, Doubt::kOther,
     "launches never considered for counters", "launch was", "launches were",
     "never considered for counters because the table of kernel signatures is full."},
    {&Integrity::samples_failed, "samples_failed", 11, Doubt::kOther,
     "launches whose counters gave no values", "launch", "launches",
     "chosen for counters gave no values: metrics rest on the others."},
    {&Integrity::pm_samples_lost, "pm_samples_lost", 16, Doubt::kOther, "PM samples",
     "PM sample was", "PM samples were", "lost: the speed of light over time has holes."},
    {&Integrity::pm_restarts, "pm_restarts", 17, Doubt::kOther, "restarts of PM sampling", "time",
     "times",
     "PM sampling ended by itself (its buffer was full) and was started again: what ran in "
     "between was not sampled."},
    {&Integrity::payloads_not_read, "payloads_not_read", 20, Doubt::kOther,
     "parts of NVTX payloads", "NVTX payload was", "NVTX payloads were",
     "not recorded as a whole: texts, arrays, structures, an unknown schema, more than 16 "
     "numbers."},
    {&Integrity::names_dropped, "names_dropped", 21, Doubt::kOther, "NVTX names", "NVTX name was",
     "NVTX names were",
     "not kept because the table of names of threads, categories and streams is full."},

    {&Integrity::range_ends_unmatched, "range_ends_unmatched", 18, Doubt::kNothing, "",
     "NVTX pop or end", "NVTX pops or ends",
     "of the program had no range to close: its ranges do not pair up."},
    {&Integrity::ranges_left_open, "ranges_left_open", 19, Doubt::kNothing, "", "NVTX range was",
     "NVTX ranges were", "still open when their thread ended: they were closed there."},
    {&Integrity::rows_not_kept, "rows_not_kept", 22, Doubt::kNothing, "", "older event was",
     "older events were", "dropped on purpose: the recording keeps its last seconds only."},
};

// What Integrity only knows as true or false. Each puts operations in doubt.
struct IntegrityFlag {
  bool Integrity::*flag;
  const char* name;  // as in IntegrityCount
  uint32_t field;
  bool loses_records;  // true: records of operations, allocations or frees may be missing
  const char* label;   // singular
  const char* sentence;
};

inline constexpr IntegrityFlag kIntegrityFlags[] = {
    {&Integrity::incomplete, "incomplete", 14, true, "a stop before the GPU had finished",
     "The capture was stopped by a deadline: GPU work at its end may be missing, and findings "
     "about gaps are withheld."},
    {&Integrity::clock_stepped, "clock_stepped", 13, false, "a step of the system clock",
     "The system clock was set during the capture: times before and after that do not fit "
     "together, and findings about gaps are withheld."},
};

}  // namespace prof::format

#endif  // PROF_LIB_FORMAT_LOSSES_H_
