// SPDX-License-Identifier: Apache-2.0
//
// The timeline as the page has it: tracks of events, and tables of what their numbers mean.
#ifndef PROF_LIB_HTML_TIMELINE_DATA_H_
#define PROF_LIB_HTML_TIMELINE_DATA_H_

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace prof::html {

inline constexpr int32_t kNoRow = -1;

// What an event is. Events refer to names by their place in TimelineData::names.
struct Name {
  std::string label;
  const char* kind = "";    // "kernel", "copy", "memset", "graph", "range", "call", "prof"
  int32_t kernel = kNoRow;  // of Report::kernels
  int32_t range = kNoRow;   // of TimelineData::ranges
};

// A family of NVTX ranges, as RangeFamilies has it.
struct RangeNode {
  std::string label, name;  // the whole path, and its last part
  int32_t parent = kNoRow;
  int64_t instances = 0;
  int64_t host_ns = 0;  // sum of the instances' time on their threads
  int64_t gpu_ns = 0;   // exclusive GPU time of what was launched in it, without ranges below
  int64_t idle_ns = 0;  // GPU idle while a thread was in it, without ranges below
};

// A line of the timeline. Its events do not overlap.
struct Track {
  const char* kind = "";  // "stream", "range", "call", "prof", "pm", "memory"
  std::string group;      // "GPU 0", "thread 4242"
  std::string label;
  int lane = 0;  // 0: the first line of its kind and label; others hold what overlaps
  uint32_t device = 0;
  int64_t events = 0;
  int64_t left_out = 0;              // events that the page does not have
  std::vector<std::string> metrics;  // "pm": one column each
  std::vector<double> maxima;        // of the metrics
};

// Some rows of a track.
struct Block {
  size_t track = 0;
  int64_t rows = 0;
  std::vector<size_t> column_bytes;
  std::string packed;  // the columns, one after the other: packed.h
};

// Mean durations of a kernel's launches over equal parts of the span; 0: none began there.
struct Spark {
  size_t kernel = 0;  // of Report::kernels
  std::vector<double> mean_ns;
};

// A line of a Python function.
struct StackFrame {
  std::string function, file;
  uint32_t line = 0;  // 0: not known
  bool own = false;   // the program's own: analyzer::OwnershipOf()
};

// What was called from one stack, without the stacks inside of it.
struct StackNode {
  int32_t parent = kNoRow;  // of Stacks::nodes: the stack of the caller. Parents come first.
  uint32_t frame = 0;       // of Stacks::frames: the innermost one
  int64_t gpu_ns = 0;       // exclusive GPU time of what was launched
  int64_t idle_ns = 0;      // GPU idle that it is charged with, as LineReport::idle_ns
  int64_t host_ns = 0;      // of its CUDA calls on their threads
  int64_t operations = 0;
  std::vector<int32_t> kernels;  // of Report::kernels, ascending
};

struct Stacks {
  std::vector<StackFrame> frames;
  std::vector<StackNode> nodes;  // empty: nothing has a stack
};

struct TimelineData {
  int64_t start_ns = 0, end_ns = 0;  // all times in blocks are after start_ns
  double begun_ns = 0;  // after start_ns: the recording began. The report's moments are after it.
  std::vector<Name> names;
  std::vector<RangeNode> ranges;
  std::vector<Track> tracks;
  std::vector<Block> blocks;  // those of a track in the order of time
  std::vector<Spark> sparks;
  std::vector<std::string> owners;  // of memory: ranges as MemoryHolder has them
  // By place in TorchReport::ops: the kernels that were launched in the op, and in the ops that it
  // called; of Report::kernels, ascending.
  std::vector<std::vector<int32_t>> op_kernels;
  Stacks stacks;
};

}  // namespace prof::html

#endif  // PROF_LIB_HTML_TIMELINE_DATA_H_
