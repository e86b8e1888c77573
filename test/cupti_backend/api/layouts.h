// SPDX-License-Identifier: Apache-2.0
//
// Where the headers of one CUPTI have the fields that prof uses, and the values of its names. It
// needs nothing of prof, so that check_versions.py can compile it with the headers of any version.
#ifndef PROF_TEST_CUPTI_BACKEND_API_LAYOUTS_H_
#define PROF_TEST_CUPTI_BACKEND_API_LAYOUTS_H_

#include <cupti.h>
#include <cupti_profiler_target.h>
#include <cupti_target.h>
#if __has_include(<cupti_pmsampling.h>)
#include <cupti_pmsampling.h>
#include <cupti_profiler_host.h>
#endif
// CUPTI 12.6 has it from Update 2 on, with the same version number.
#if __has_include(<cupti_range_profiler.h>)
#include <cupti_range_profiler.h>
#define PROF_TEST_HAS_RANGES 1
#else
#define PROF_TEST_HAS_RANGES 0
#endif

#include <cstddef>
#include <utility>
#include <vector>

namespace prof::cupti::test {

// CUPTI fills the newest record of each kind that its own headers have.
#ifdef PROF_TEST_RECORDS
#include PROF_TEST_RECORDS
#else
using Kernel = CUpti_ActivityKernel10;
using Memcpy = CUpti_ActivityMemcpy6;
using MemcpyPtoP = CUpti_ActivityMemcpyPtoP4;
using Memset = CUpti_ActivityMemset4;
using API = CUpti_ActivityAPI;
using GraphTrace = CUpti_ActivityGraphTrace2;
using Stream = CUpti_ActivityStream;
using Overhead = CUpti_ActivityOverhead3;
using Memory = CUpti_ActivityMemory4;
using MemoryPool = CUpti_ActivityMemoryPool3;
using UnifiedMemoryCounter = CUpti_ActivityUnifiedMemoryCounter3;
#endif

struct Layout {
  const char* name;    // "Kernel.start", "CUPTI_ACTIVITY_KIND_MEMSET"
  long long at, size;  // of a field, in bytes; of a name: its value, and 0
};

inline std::vector<Layout> Layouts() {
  return {
#define PROF_TEST_FIELD(record, field) \
  {#record "." #field, __builtin_offsetof(record, field), sizeof(std::declval<record&>().field)},
#define PROF_TEST_VALUE(value) {#value, static_cast<long long>(value), 0},
#include "layout_fields.inc"
#undef PROF_TEST_VALUE
#undef PROF_TEST_FIELD
  };
}

}  // namespace prof::cupti::test

#endif  // PROF_TEST_CUPTI_BACKEND_API_LAYOUTS_H_
