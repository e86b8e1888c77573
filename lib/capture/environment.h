// SPDX-License-Identifier: Apache-2.0
//
// The environment: read here and nowhere else.
#ifndef PROF_LIB_CAPTURE_ENVIRONMENT_H_
#define PROF_LIB_CAPTURE_ENVIRONMENT_H_

#include <string>
#include <vector>

#include "prof/session.h"

namespace prof::capture {

// The PROF_* variables of docs/options.md over the defaults. A value that cannot be read is left at
// its default and named in `complaints`.
SessionOptions OptionsFromEnvironment(std::vector<std::string>* complaints);

// This process's rank among its peers, from Slurm, Open MPI, MPICH/PMI or torchrun; -1: none.
int RankFromEnvironment();

// Folders to look for libcupti in, most specific first: PROF_CUPTI (a file or a folder),
// CUDA_HOME, CUDA_PATH, then the toolkit's usual places.
std::vector<std::string> CuptiSearchPath();

// The library that CUDA_INJECTION64_PATH named before libprof_inject.so took its place; empty:
// none.
std::string CudaToolBeforeUs();

}  // namespace prof::capture

#endif  // PROF_LIB_CAPTURE_ENVIRONMENT_H_
