// SPDX-License-Identifier: Apache-2.0
//
// Own frames are those of the program itself, not of its packages, of Python's library, of the
// system's libraries and of CUDA's.
#ifndef PROF_LIB_ANALYZER_BASE_OWN_FRAMES_H_
#define PROF_LIB_ANALYZER_BASE_OWN_FRAMES_H_

#include <cstdint>
#include <string_view>
#include <vector>

#include "lib/snapshot/model/model.h"

namespace prof::analyzer {

// Whether a frame of this file is the program's own. Installed packages ("/site-packages/",
// "/dist-packages/"), Python's library ("/lib/python3.11/") and files that are none ("<frozen
// runpy>", "<string>") are not.
[[nodiscard]] bool IsOwnFile(std::string_view file);

// Whether a native frame of this source file is the program's own: headers of the system, of CUDA
// and of compilers ("/usr/include/", "/usr/local/cuda-13.0/", "host_runtime.h"), and the files that
// nvcc makes ("tmpxft_..._stub.c") are not.
[[nodiscard]] bool IsOwnSource(std::string_view file);

// How much a frame is the program's own. kMaybe: a native frame without a line, in a program or
// library that is neither the system's nor CUDA's.
enum class Own : uint8_t { kNo, kMaybe, kYes };
[[nodiscard]] Own OwnershipOf(const model::Model& model, const model::HostFrame& frame);

// By stack id: its innermost own frame; where it has none, the innermost that may be; and without
// one its innermost frame.
[[nodiscard]] std::vector<uint32_t> OwnFrames(const model::Model& model);

}  // namespace prof::analyzer

#endif  // PROF_LIB_ANALYZER_BASE_OWN_FRAMES_H_
