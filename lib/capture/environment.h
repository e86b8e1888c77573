// SPDX-License-Identifier: Apache-2.0
//
// These functions read the environment. Nothing else of libprof.so does, except
// nvtx_bridge/environment_hook.cc, which has to run before everything else.
#ifndef PROF_LIB_CAPTURE_ENVIRONMENT_H_
#define PROF_LIB_CAPTURE_ENVIRONMENT_H_

#include <cstdint>
#include <string>
#include <vector>

#include "prof/session.h"

namespace prof::capture {

// False in a program with more rights than the user who chose its environment (setuid,
// capabilities). There all functions below find nothing.
[[nodiscard]] bool EnvironmentIsTrusted();

// The variables of the option table over their defaults. A value that cannot be read keeps its
// default and gets a line in `complaints`.
[[nodiscard]] SessionOptions OptionsFromEnvironment(std::vector<std::string>* complaints);

// This process's rank among its peers, from Slurm, Open MPI, MPICH/PMI or torchrun; -1: none.
[[nodiscard]] int RankFromEnvironment();

// How many processes the job of this one has, from torchrun, Slurm, Open MPI or MPICH/PMI; 1: it is
// alone, or its launcher is unknown.
[[nodiscard]] int RanksFromEnvironment();

// What `prof run` leaves in PROF_RUN for the processes of one run: when it began, by the clock of
// the file system that recordings go to (0: nobody runs us), and the file that collects their
// names.
struct RunOfProf {
  int64_t start_ns = 0;
  std::string list;
};
[[nodiscard]] RunOfProf RunFromEnvironment();

// A folder for files that the processes of a user share: XDG_RUNTIME_DIR, else /tmp.
[[nodiscard]] std::string SharedFolderFromEnvironment();

// The folders that may hold libcupti, the most specific first: PROF_CUPTI (a file or a folder),
// CUDA_HOME, CUDA_PATH, then the toolkit's usual places.
[[nodiscard]] std::vector<std::string> CuptiSearchPath();

// Where a calibration leaves the ceilings of this machine's devices: prof/ceilings.csv in
// XDG_CACHE_HOME, else in .cache of HOME. Empty: neither is set.
[[nodiscard]] std::string CeilingsFromEnvironment();

// The folder of the pipes of CUDA's Multi-Process Service: CUDA_MPS_PIPE_DIRECTORY, else its own
// default.
[[nodiscard]] std::string MpsPipeFolder();

// The library that CUDA_INJECTION64_PATH named before libprof_inject.so took its place; empty:
// none.
[[nodiscard]] std::string CudaToolBeforeUs();

}  // namespace prof::capture

#endif  // PROF_LIB_CAPTURE_ENVIRONMENT_H_
