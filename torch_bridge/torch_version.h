// SPDX-License-Identifier: Apache-2.0
//
// The version of a PyTorch is in a file beside its libraries: no symbol has it.
#ifndef PROF_TORCH_BRIDGE_TORCH_VERSION_H_
#define PROF_TORCH_BRIDGE_TORCH_VERSION_H_

#include <string>

namespace prof::torch {

struct TorchVersion {
  int major = 0, minor = 0;  // 0.0: not known
  std::string text;          // "2.13.0+cpu"; empty: not known
};

// Of the installation that has `library`, ".../torch/lib/libtorch_cpu.so": from torch/version.py,
// or from libtorch's build-version. Reads one small file.
[[nodiscard]] TorchVersion ReadTorchVersion(const std::string& library);

// "2.5.1+cu124", or a line "__version__ = '2.5.1+cu124'". Not known: anything else.
[[nodiscard]] TorchVersion ParseTorchVersion(const std::string& line);

// Whether the types of torch_abi.h are those of this version: of 2.5 to 2.13. The first and the
// last one were tried; the header's declarations are equal in all of them.
[[nodiscard]] bool IsKnownVersion(const TorchVersion& version);
inline constexpr char kKnownVersions[] = "2.5 to 2.13";

}  // namespace prof::torch

#endif  // PROF_TORCH_BRIDGE_TORCH_VERSION_H_
