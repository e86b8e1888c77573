// SPDX-License-Identifier: Apache-2.0
#ifndef PROF_KERNEL_CODE_H_
#define PROF_KERNEL_CODE_H_

#include <array>
#include <cstdint>

namespace prof {

/// How many instructions of each kind the machine code of a kernel has. It is read when the driver
/// loads the code. How often an instruction is executed is not known; one that is not there is
/// never executed.
struct KernelCode {
  struct Count {
    int64_t all = 0;
    int64_t in_loops = 0;  ///< Of them: in a loop of the kernel, or in a function that one calls.
  };
  Count instructions;  ///< All of them, without padding.
  /// It calls functions of other code (by a pointer, or linked separately): these are not counted,
  /// so a count of 0 means nothing.
  bool calls_others = false;
  Count global_loads, global_stores;
  Count local_loads, local_stores;  ///< Spilled registers, and arrays that are indexed at run time.
  Count shared_loads, shared_stores;
  Count generic_accesses;  ///< Loads and stores to global, local or shared memory, by the address.
  Count global_atomics;    ///< Atomics and reductions; those of generic addresses, too.
  Count shared_atomics;
  Count async_copies;       ///< `cp.async`.
  Count bulk_copies;        ///< TMA, `cp.async.bulk`.
  Count warp_mma;           ///< `mma.sync`, `wmma`: matrix operations of a warp.
  Count double_mma;         ///< The same in double precision.
  Count group_mma;          ///< `wgmma`.
  Count tensor_memory_mma;  ///< `tcgen05.mma`.
  Count fp64;
  Count special;  ///< The special function unit: `MUFU`.

  /// One of the kinds above.
  struct Kind {
    const char* name;   ///< "global_loads", as the field.
    const char* words;  ///< "loads of global memory".
    Count count;
  };
  static constexpr int kKinds = 17;
  /// All of them, without `instructions`, in the order of the fields.
  [[nodiscard]] std::array<Kind, kKinds> kinds() const;
};

}  // namespace prof

#endif  // PROF_KERNEL_CODE_H_
