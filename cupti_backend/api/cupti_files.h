// SPDX-License-Identifier: Apache-2.0
//
// The CUPTI files are where a libcupti may be: in the process already, beside the program's Python
// packages, where the loader looks, in a toolkit.
#ifndef PROF_CUPTI_BACKEND_API_CUPTI_FILES_H_
#define PROF_CUPTI_BACKEND_API_CUPTI_FILES_H_

#include <string>
#include <vector>

namespace prof::cupti {

// Files called libcupti.so* that the process has mapped, in the order of their names. Two copies
// see half of the work each, so one of these is used where there is any.
std::vector<std::string> MappedCupti();

// Opens the best libcupti of a process that has none; nullptr: there is none. PROF_CUPTI comes
// first, then packages beside those that the process uses, then CUDA 13's before CUDA 12's where
// the driver serves it. `cuda_driver` as for LoadCupti.
void* OpenCupti(int cuda_driver);

// Opens the libraries below CUPTI's profiler that lie beside it, once in a process. CUPTI asks the
// loader for them by name, which may give it those of another toolkit: CUPTI 12.8 with metrics of
// CUDA 13. Where there are none beside it, CUPTI looks for them itself.
void LoadCompanions(const std::string& cupti_path);

// The folders of pip's CUPTI packages, for libraries that the process has mapped from a folder
// "site-packages" or "dist-packages". Without duplicates.
std::vector<std::string> PackageFolders(const std::vector<std::string>& libraries);

}  // namespace prof::cupti

#endif  // PROF_CUPTI_BACKEND_API_CUPTI_FILES_H_
