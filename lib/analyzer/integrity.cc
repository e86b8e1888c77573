// SPDX-License-Identifier: Apache-2.0
#include "lib/analyzer/integrity.h"

#include "lib/analyzer/base/number_text.h"

namespace prof::analyzer {
namespace {

struct Loss {
  uint64_t prof::Integrity::*count;
  const char* one;
  const char* many;
  const char* what;  // continues the sentence after the count
};

constexpr char kShares[] =
    "times, shares and idle time are of what was recorded, and findings about gaps are withheld.";

constexpr Loss kLosses[] = {
    {&prof::Integrity::dropped_by_cupti, "record was", "records were", "dropped by CUPTI: "},
    {&prof::Integrity::dropped_by_cap, "record was", "records were",
     "dropped at the memory cap (raise it, or capture less): "},
    {&prof::Integrity::buffers_refused, "CUPTI buffer request was", "CUPTI buffer requests were",
     "refused at the memory cap (raise it, or capture less), which loses records: "},
    {&prof::Integrity::launches_missed, "launch is", "launches are",
     "missing because another profiler in the process (torch.profiler does it) had taken CUPTI's "
     "records: "},
    {&prof::Integrity::unknown_records, "record is", "records are",
     "of a kind or layout that this version cannot read: "},
};

constexpr Loss kOtherLosses[] = {
    {&prof::Integrity::untimed, "record has", "records have",
     "no valid time: counted as launches, left out of all times."},
    {&prof::Integrity::range_events_dropped, "range event was", "range events were",
     "dropped: work after that may be listed under a wrong range."},
    {&prof::Integrity::calls_dropped, "CUDA API call was", "CUDA API calls were",
     "dropped: what they launched is in no range, and idle time after them may have no cause."},
    {&prof::Integrity::range_paths_dropped, "range was", "ranges were",
     "not told apart because the table of range names is full: they appear as their parent."},
    {&prof::Integrity::signatures_dropped, "launch was", "launches were",
     "never considered for counters because the table of kernel signatures is full."},
    {&prof::Integrity::samples_failed, "launch", "launches",
     "chosen for counters gave no values: metrics rest on the others."},
    {&prof::Integrity::bytes_not_written, "byte", "bytes",
     "could not be written to the output: what they held is missing."},
    {&prof::Integrity::pm_samples_lost, "PM sample was", "PM samples were",
     "lost: the speed of light over time has holes."},
    {&prof::Integrity::pm_restarts, "time", "times",
     "PM sampling ended by itself (its buffer was full) and was started again: what ran in between "
     "was not sampled."},
    {&prof::Integrity::range_ends_unmatched, "NVTX pop or end", "NVTX pops or ends",
     "of the program had no range to close: its ranges do not pair up."},
    {&prof::Integrity::ranges_left_open, "NVTX range was", "NVTX ranges were",
     "still open when their thread ended: they were closed there."},
    {&prof::Integrity::payloads_not_read, "NVTX payload", "NVTX payloads",
     "with a schema (extended payloads): their content was not recorded."},
    {&prof::Integrity::names_dropped, "NVTX name was", "NVTX names were",
     "not kept because the table of names of threads, categories and streams is full."},
    {&prof::Integrity::graph_nodes_dropped, "node of a CUDA graph", "nodes of CUDA graphs",
     "had no room in the table of where they were captured: their work is listed under the range "
     "of "
     "the graph's launch."},
};

std::string Sentence(uint64_t count, const Loss& loss) {
  return Plural(count, loss.one, loss.many) + ' ' + loss.what;
}

}  // namespace

std::vector<std::string> IntegritySentences(const model::Model& model,
                                            int64_t samples_without_kernel,
                                            int64_t samples_without_work) {
  const prof::Integrity& integrity = model.integrity;
  std::vector<std::string> sentences;
  if (!model.truncation.empty()) sentences.push_back(model.truncation);
  if (integrity.incomplete) {
    sentences.emplace_back(
        "The capture was stopped by a deadline: GPU work at its end may be missing.");
  } else if (!model.stopped_in_order && model.truncation.empty()) {
    sentences.emplace_back(
        "The capture was not stopped in order (the program was killed, or did not call Stop): work "
        "at its end may be missing.");
  }
  for (const Loss& loss : kLosses) {
    const uint64_t count = integrity.*loss.count;
    if (count != 0) sentences.push_back(Sentence(count, loss) + kShares);
  }
  for (const Loss& loss : kOtherLosses) {
    const uint64_t count = integrity.*loss.count;
    if (count != 0) sentences.push_back(Sentence(count, loss));
  }
  if (integrity.rows_not_kept != 0) {
    sentences.push_back(Plural(integrity.rows_not_kept, "older event was", "older events were") +
                        " dropped on purpose: the recording keeps its last seconds only.");
  }
  if (integrity.clock_stepped) {
    sentences.emplace_back(
        "The system clock was set during the capture: times before and after that do not fit "
        "together.");
  }
  if (samples_without_kernel != 0) {
    sentences.push_back(
        Plural(static_cast<uint64_t>(samples_without_kernel), "counter sample", "counter samples") +
        " could not be assigned to one kernel and are not used: the kernel's "
        "record is missing, or the launch was a graph of several.");
  }
  if (samples_without_work != 0) {
    sentences.push_back(
        Plural(static_cast<uint64_t>(samples_without_work), "counter sample", "counter samples") +
        " of CUDA graphs or ranges are not used: no operation of theirs was recorded.");
  }
  return sentences;
}

}  // namespace prof::analyzer
