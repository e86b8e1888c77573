// SPDX-License-Identifier: Apache-2.0
//
// The waiting kernels are those whose names show that they wait for other kernels, other GPUs or
// the host.
#ifndef PROF_LIB_FORMAT_WAITING_KERNELS_H_
#define PROF_LIB_FORMAT_WAITING_KERNELS_H_

namespace prof::format {

// True for kernels named like one that waits for other kernels, other GPUs or the host. To hold up
// such a launch while its peers run can hang the program. `name` may be mangled. Some us; allocates
// for long names.
bool WaitsForOthers(const char* name);
// True for kernels of NCCL: the process is a rank of a job, or has several GPUs.
bool IsOfNccl(const char* name);

}  // namespace prof::format

#endif  // PROF_LIB_FORMAT_WAITING_KERNELS_H_
