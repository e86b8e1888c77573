// SPDX-License-Identifier: Apache-2.0
#include <optional>
#include <string>

#include "prof/memory_report.h"
#include "python/src/bindings.h"
#include "python/src/values.h"

namespace prof::python {
namespace {

template <typename Holder>
std::optional<SourcePlace> PlaceOf(const Holder& self) {
  return self.place.known() ? std::optional(self.place) : std::nullopt;
}

void BindHolders(nb::module_& module) {
  Struct<MemoryHolder>(module, "MemoryHolder", "What one NVTX range holds at a moment.")
      .Has("range", &MemoryHolder::range)
      .Has("blocks", &MemoryHolder::blocks)
      .Has("bytes", &MemoryHolder::bytes)
      .Shows({"range", "bytes"});
  Struct<SourcePlace>(module, "SourcePlace", "A line of the program from which it called CUDA.")
      .Has("file", &SourcePlace::file, "As Python or the compiler has it; empty: not known.")
      .Has("function", &SourcePlace::function)
      .Has("module", &SourcePlace::module, "Native code: its program or library. Empty: Python.")
      .Has("line", &SourcePlace::line, "0: not known.")
      .Shows({"file", "line", "function"});
  Struct<LineHolder>(module, "LineHolder", "What one line of the program holds at a moment.")
      .Derives("place", PlaceOf<LineHolder>, "None: the calls have no stack.")
      .Has("blocks", &LineHolder::blocks)
      .Has("bytes", &LineHolder::bytes)
      .Shows({"place", "bytes"});
  Struct<OpHolder>(module, "OpHolder", "What one op of PyTorch holds at a moment.")
      .Has("op", &OpHolder::op, "Empty: in no op.")
      .Has("blocks", &OpHolder::blocks)
      .Has("bytes", &OpHolder::bytes)
      .Shows({"op", "bytes"});
  Struct<BlocksOfSize>(module, "BlocksOfSize", "Blocks of one size at a moment.")
      .Has("bytes_each", &BlocksOfSize::bytes_each)
      .Has("blocks", &BlocksOfSize::blocks)
      .Shows({"bytes_each", "blocks"});
  Struct<MemoryPart>(module, "MemoryPart", "A part of the memory of a device.")
      .Has("part", &MemoryPart::part, "\"weights\", ..., \"unused by PyTorch\".")
      .Has("bytes", &MemoryPart::bytes)
      .Shows({"part", "bytes"});
  Struct<DeviceMemory>(module, "DeviceMemory",
                       "Memory of one device that was allocated while it was recorded.")
      .Has("device", &DeviceMemory::device)
      .Has("peak_bytes", &DeviceMemory::peak_bytes)
      .Has("peak_at_ns", &DeviceMemory::peak_at_ns, "After the recording began.")
      .Has("bytes_at_end", &DeviceMemory::bytes_at_end)
      .Has("holders", &DeviceMemory::holders, "At the peak; they sum to peak_bytes.")
      .Has("lines", &DeviceMemory::lines, "The same bytes by line; empty: no call has a stack.")
      .Has("ops", &DeviceMemory::ops, "The same bytes by op; empty: no call was in an op.")
      .Has("parts", &DeviceMemory::parts,
           "The same bytes by what they are used for; empty: no tensors were recorded.")
      .Has("sizes", &DeviceMemory::sizes, "At the peak; ten at most.")
      .Has("blocks_at_peak", &DeviceMemory::blocks_at_peak)
      .Shows({"device", "peak_bytes", "bytes_at_end"});
  Struct<GrowingHolder>(module, "GrowingHolder", "How much more one range holds after a growth.")
      .Has("range", &GrowingHolder::range)
      .Has("bytes", &GrowingHolder::bytes, "Negative: it holds less.")
      .Shows({"range", "bytes"});
  Struct<GrowingLine>(module, "GrowingLine", "How much more one line holds after a growth.")
      .Derives("place", PlaceOf<GrowingLine>, "None: the calls have no stack.")
      .Has("bytes", &GrowingLine::bytes, "Negative: it holds less.")
      .Shows({"place", "bytes"});
}

void BindAllocations(nb::module_& module) {
  Struct<AllocationSummary>(module, "Allocations", "Allocations of one kind of memory.")
      .Has("device", &AllocationSummary::device)
      .Has("memory", &AllocationSummary::memory, "\"device\", \"pinned\", \"managed\", ...")
      .Has("pooled", &AllocationSummary::pooled)
      .Has("allocations", &AllocationSummary::allocations)
      .Has("bytes", &AllocationSummary::bytes)
      .Has("frees", &AllocationSummary::frees)
      .Has("bytes_freed", &AllocationSummary::bytes_freed)
      .Has("frees_of_earlier", &AllocationSummary::frees_of_earlier)
      .Has("peak_bytes", &AllocationSummary::peak_bytes)
      .Has("peak_at_ns", &AllocationSummary::peak_at_ns)
      .Has("bytes_at_device_peak", &AllocationSummary::bytes_at_device_peak)
      .Has("at_end", &AllocationSummary::at_end, "Not freed when the recording ended.")
      .Has("bytes_at_end", &AllocationSummary::bytes_at_end)
      .Shows({"memory", "device", "bytes", "peak_bytes"});
  Struct<RangeAllocations>(module, "RangeAllocations", "Allocations made in one NVTX range.")
      .Has("range", &RangeAllocations::range)
      .Has("allocations", &RangeAllocations::allocations)
      .Has("bytes", &RangeAllocations::bytes)
      .Has("device_bytes", &RangeAllocations::device_bytes)
      .Has("bytes_at_end", &RangeAllocations::bytes_at_end)
      .Has("blocks_at_end", &RangeAllocations::blocks_at_end)
      .Has("instances", &RangeAllocations::instances, "Of the range, with allocations.")
      .Has("instances_left", &RangeAllocations::instances_left, "Of these: left some of it.")
      .Has("first_left_ns", &RangeAllocations::first_left_ns)
      .Has("last_left_ns", &RangeAllocations::last_left_ns)
      .Shows({"range", "bytes", "bytes_at_end"});
  Struct<AllocationFailure>(module, "AllocationFailure", "Calls that failed for lack of memory.")
      .Has("call", &AllocationFailure::call)
      .Has("range", &AllocationFailure::range)
      .Derives("place", PlaceOf<AllocationFailure>, "None: the calls have no stack.")
      .Has("op", &AllocationFailure::op, "Of PyTorch; empty: the calls were in none.")
      .Has("count", &AllocationFailure::count)
      .Has("first_at_ns", &AllocationFailure::first_at_ns)
      .Has("device", &AllocationFailure::device, "That had most. None: not known.")
      .Derives(
          "bytes",
          [](const AllocationFailure& self) {
            return self.device ? std::optional<uint64_t>(self.bytes) : std::nullopt;
          },
          "Allocated at that moment. None: not known.")
      .Has("holders", &AllocationFailure::holders, "They sum to `bytes`.")
      .Has("lines", &AllocationFailure::lines, "The same bytes by line.")
      .Has("unused_in_pools", &AllocationFailure::unused_in_pools)
      .Shows({"call", "range", "count"});
}

void BindTensors(nb::module_& module) {
  Struct<RoleHolder>(module, "RoleHolder", "Tensors of PyTorch of one role at a moment.")
      .Derives(
          "role", [](const RoleHolder& self) { return std::string(ToString(self.role)); },
          "\"weights\", \"gradients\", \"activations\", ...")
      .Has("blocks", &RoleHolder::blocks)
      .Has("bytes", &RoleHolder::bytes)
      .Shows({"role", "bytes"});
  Struct<TensorSegments>(module, "TensorSegments", "What PyTorch's allocator has from CUDA.")
      .Has("segments", &TensorSegments::segments)
      .Has("bytes", &TensorSegments::bytes)
      .Has("unused_bytes", &TensorSegments::unused_bytes, "Of these: in no tensor.")
      .Has("gaps", &TensorSegments::gaps, "In which the unused bytes are.")
      .Has("largest_gap", &TensorSegments::largest_gap)
      .Has("outside_bytes", &TensorSegments::outside_bytes, "Of tensors in no recorded segment.")
      .Shows({"bytes", "unused_bytes", "largest_gap"});
  Struct<TensorMemory>(module, "TensorMemory", "The memory of PyTorch's tensors on one device.")
      .Has("device", &TensorMemory::device)
      .Has("peak_bytes", &TensorMemory::peak_bytes)
      .Has("peak_at_ns", &TensorMemory::peak_at_ns, "After the recording began.")
      .Has("bytes_at_end", &TensorMemory::bytes_at_end)
      .Has("allocations", &TensorMemory::allocations, "In the whole recording.")
      .Has("blocks_at_peak", &TensorMemory::blocks_at_peak)
      .Has("roles", &TensorMemory::roles, "At the peak; they sum to peak_bytes.")
      .Has("holders", &TensorMemory::holders, "The same bytes by NVTX range.")
      .Has("lines", &TensorMemory::lines, "By line; empty: no allocation has a stack.")
      .Has("ops", &TensorMemory::ops, "By op; empty: no allocation was in an op.")
      .Has("segments", &TensorMemory::segments)
      .Has("roles_named", &TensorMemory::roles_named, "Python has named weights, or others.")
      .Shows({"device", "peak_bytes", "bytes_at_end"});
  Struct<TensorFailure>(module, "TensorFailure", "Tensors of one size that got no memory.")
      .Has("bytes", &TensorFailure::bytes, "That were wanted.")
      .Has("device", &TensorFailure::device)
      .Has("range", &TensorFailure::range)
      .Derives("place", PlaceOf<TensorFailure>, "None: they have no stack.")
      .Has("op", &TensorFailure::op, "Empty: in none.")
      .Has("count", &TensorFailure::count)
      .Has("first_at_ns", &TensorFailure::first_at_ns, "The rest is of that moment.")
      .Has("allocated", &TensorFailure::allocated, "In tensors of the device.")
      .Has("roles", &TensorFailure::roles)
      .Has("lines", &TensorFailure::lines)
      .Has("segments", &TensorFailure::segments)
      .Shows({"bytes", "op", "count"});
}

void BindPoolsAndGrowth(nb::module_& module) {
  Struct<MemoryGrowth>(module, "MemoryGrowth", "Whether memory grows from step to step.")
      .Has("memory", &MemoryGrowth::memory)
      .Has("device", &MemoryGrowth::device)
      .Has("step", &MemoryGrowth::step, "The range that repeats.")
      .Has("by_launches", &MemoryGrowth::by_launches, "No range repeats: turns of launches.")
      .Has("steps", &MemoryGrowth::steps)
      .Has("first_bytes", &MemoryGrowth::first_bytes)
      .Has("last_bytes", &MemoryGrowth::last_bytes)
      .Has("bytes_per_step", &MemoryGrowth::bytes_per_step)
      .Has("at_least", &MemoryGrowth::at_least, "Of the interval of 95 %.")
      .Has("at_most", &MemoryGrowth::at_most)
      .Has("grows", &MemoryGrowth::grows, "Steadily, and until the end.")
      .Has("why_not", &MemoryGrowth::why_not)
      .Has("holders", &MemoryGrowth::holders)
      .Has("lines", &MemoryGrowth::lines, "The same bytes by line; empty: no call has a stack.")
      .Shows({"memory", "step", "bytes_per_step", "grows"});
  Struct<PoolReport>(module, "Pool", "A memory pool, by its states at each operation.")
      .Has("device", &PoolReport::device)
      .Has("address", &PoolReport::address)
      .Has("imported", &PoolReport::imported, "Of another process: its sizes are not known.")
      .Has("managed", &PoolReport::managed)
      .Has("operations", &PoolReport::operations)
      .Has("trims", &PoolReport::trims)
      .Has("reserved_peak", &PoolReport::reserved_peak)
      .Has("used_peak", &PoolReport::used_peak)
      .Has("reserved_at_end", &PoolReport::reserved_at_end)
      .Has("used_at_end", &PoolReport::used_at_end)
      .Has("release_threshold", &PoolReport::release_threshold)
      .Has("unused_peak", &PoolReport::unused_peak)
      .Has("unused_when_grown", &PoolReport::unused_when_grown)
      .Shows({"device", "reserved_peak", "used_peak"});
  Struct<UnifiedMemorySummary>(module, "UnifiedMemory",
                               "Actions of the driver on managed memory, of one kind and cause.")
      .Has("kind", &UnifiedMemorySummary::kind)
      .Has("cause", &UnifiedMemorySummary::cause, "Empty: not known.")
      .Has("device", &UnifiedMemorySummary::device)
      .Has("count", &UnifiedMemorySummary::count)
      .Has("bytes", &UnifiedMemorySummary::bytes)
      .Has("fault_groups", &UnifiedMemorySummary::fault_groups)
      .Has("time_ns", &UnifiedMemorySummary::time_ns)
      .Shows({"kind", "cause", "count", "bytes"});
}

}  // namespace

void BindMemory(nb::module_& module) {
  BindHolders(module);
  BindAllocations(module);
  BindTensors(module);
  BindPoolsAndGrowth(module);
  Struct<MemoryReport>(module, "Memory", "Allocations, pools and unified memory of a run.")
      .Has("devices", &MemoryReport::devices)
      .Has("kinds", &MemoryReport::kinds, "By bytes, descending.")
      .Has("ranges", &MemoryReport::ranges, "By bytes, descending.")
      .Has("growth", &MemoryReport::growth)
      .Has("growth_missing", &MemoryReport::growth_missing, "Why `growth` is empty.")
      .Has("failures", &MemoryReport::failures, "By time.")
      .Has("pools", &MemoryReport::pools)
      .Has("tensors", &MemoryReport::tensors, "By device. Recorded on request only.")
      .Has("tensor_failures", &MemoryReport::tensor_failures, "By time.")
      .Has("unified", &MemoryReport::unified, "By time, descending. Recorded on request only.")
      .Has("frees_missing", &MemoryReport::frees_missing)
      .Has("records_lost", &MemoryReport::records_lost, "Each figure may be wrong.")
      .Shows({"devices", "records_lost"});
}

}  // namespace prof::python
