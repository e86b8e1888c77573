// SPDX-License-Identifier: Apache-2.0
#include "lib/analyzer/base/own_frames.h"

#include <cctype>
#include <cstddef>
#include <string_view>

namespace prof::analyzer {
namespace {

bool StartsWith(std::string_view text, std::string_view start) {
  return text.substr(0, start.size()) == start;
}

}  // namespace

bool IsOwnFile(std::string_view file) {
  if (file.empty() || file.front() == '<') {
    // A cell of a notebook: "<ipython-input-3-...>".
    return StartsWith(file, "<ipython-input-");
  }
  for (const std::string_view folder : {"/site-packages/", "/dist-packages/"}) {
    if (file.find(folder) != std::string_view::npos) return false;
  }
  for (const std::string_view library : {"/lib/python3.", "/lib64/python3."}) {
    const size_t at = file.find(library);
    if (at == std::string_view::npos) continue;
    size_t end = at + library.size();
    while (end < file.size() && std::isdigit(static_cast<unsigned char>(file[end])) != 0) ++end;
    if (end < file.size() && (file[end] == '/' || file[end] == 't')) return false;
  }
  return true;
}

std::vector<uint32_t> OwnFrames(const model::Model& model) {
  std::vector<uint8_t> own_file(model.strings.size(), 2);  // 2: not looked at
  const auto is_own = [&](uint32_t frame) {
    const uint32_t file = model.host_frames[frame].file;
    if (own_file[file] == 2) own_file[file] = IsOwnFile(model.strings[file]) ? 1 : 0;
    return own_file[file] == 1;
  };
  std::vector<uint32_t> own(model.host_stacks.size(), model::kNone);  // kNone: it has none
  for (size_t stack = 1; stack < own.size(); ++stack) {
    const model::HostStack& node = model.host_stacks[stack];
    own[stack] = is_own(node.frame) ? node.frame : own[node.parent];
  }
  for (size_t stack = 1; stack < own.size(); ++stack) {
    if (own[stack] == model::kNone) own[stack] = model.host_stacks[stack].frame;
  }
  return own;
}

}  // namespace prof::analyzer
