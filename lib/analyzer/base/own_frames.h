// SPDX-License-Identifier: Apache-2.0
//
// Own frames are those of the program itself, not of its packages and of Python's library.
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

// By stack id: its innermost own frame; where it has none, its innermost frame.
[[nodiscard]] std::vector<uint32_t> OwnFrames(const model::Model& model);

}  // namespace prof::analyzer

#endif  // PROF_LIB_ANALYZER_BASE_OWN_FRAMES_H_
