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

bool IsOwnSource(std::string_view file) {
  for (const std::string_view folder :
       {"/usr/include/", "/usr/lib/", "/usr/src/", "/usr/local/cuda", "/tmp/tmpxft_", "../csu/",
        "../sysdeps/"}) {
    if (StartsWith(file, folder)) return false;
  }
  for (const std::string_view part : {"/include/c++/", "/cuda_runtime.h", "/host_runtime.h",
                                      "/targets/x86_64-linux/include/", ".cudafe1."}) {
    if (file.find(part) != std::string_view::npos) return false;
  }
  return IsOwnFile(file);
}

namespace {

// A library of the system, of CUDA, or of an installed package.
bool IsVendorModule(std::string_view path) {
  for (const std::string_view folder : {"/lib/", "/lib64/", "/usr/lib/", "/usr/lib64/"}) {
    if (StartsWith(path, folder)) return true;
  }
  for (const std::string_view folder : {"/site-packages/", "/dist-packages/"}) {
    if (path.find(folder) != std::string_view::npos) return true;
  }
  const std::string_view name = path.substr(path.rfind('/') + 1);  // npos + 1 is 0
  for (const std::string_view library :
       {"libcu", "libnv", "libnccl", "libpython", "libtorch", "libc10"}) {
    if (StartsWith(name, library)) return true;
  }
  return false;
}

// A function of CUDA's runtime, which may be linked into the program, or one that nvcc has made.
bool IsRuntimeFunction(std::string_view name) {
  for (const std::string_view start :
       {"cuda", "__cuda", "__device_stub_", "libcudart_static_", "__libc_", "_start"}) {
    if (StartsWith(name, start)) return true;
  }
  return false;
}

}  // namespace

Own OwnershipOf(const model::Model& model, const model::HostFrame& frame) {
  if (frame.module == 0) return IsOwnFile(model.strings[frame.file]) ? Own::kYes : Own::kNo;
  if (frame.line != 0) return IsOwnSource(model.strings[frame.file]) ? Own::kYes : Own::kNo;
  const bool other = IsVendorModule(model.strings[frame.module]) ||
                     IsRuntimeFunction(model.strings[frame.function]);
  return other ? Own::kNo : Own::kMaybe;
}

std::vector<uint32_t> OwnFrames(const model::Model& model) {
  std::vector<Own> own_frame(model.host_frames.size());
  for (size_t frame = 1; frame < own_frame.size(); ++frame) {
    own_frame[frame] = OwnershipOf(model, model.host_frames[frame]);
  }
  std::vector<uint32_t> own(model.host_stacks.size(), model::kNone);  // kNone: it has none
  std::vector<uint32_t> maybe = own;
  for (size_t stack = 1; stack < own.size(); ++stack) {
    const model::HostStack& node = model.host_stacks[stack];
    own[stack] = own_frame[node.frame] == Own::kYes ? node.frame : own[node.parent];
    maybe[stack] = own_frame[node.frame] == Own::kMaybe ? node.frame : maybe[node.parent];
  }
  for (size_t stack = 1; stack < own.size(); ++stack) {
    if (own[stack] == model::kNone) own[stack] = maybe[stack];
    if (own[stack] == model::kNone) own[stack] = model.host_stacks[stack].frame;
  }
  return own;
}

}  // namespace prof::analyzer
