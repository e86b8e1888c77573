// SPDX-License-Identifier: Apache-2.0
//
// Names of operations and streams, as the readers of exports know them.
#ifndef PROF_LIB_EXPORT_BASE_LABELS_H_
#define PROF_LIB_EXPORT_BASE_LABELS_H_

#include <array>
#include <cstdint>
#include <string>
#include <string_view>

#include "prof/events.h"

namespace prof::exporting {

// A kernel's short name; "Memcpy HtoD (Pageable -> Device)", "Memset (Device)", "CUDA graph 3".
[[nodiscard]] std::string OperationName(const Events& events, const OperationEvent& op);

// "HtoD"; "?" where it is not known.
[[nodiscard]] std::string_view CopyLetters(CopyDirection direction);

// As PyTorch's profiler has them: "aten::mul", "nn.Module: Net.fc".
[[nodiscard]] std::string TorchOpName(const Events& events, const TorchOpEvent& op);
// "cpu_op", "user_annotation", "python_function".
[[nodiscard]] std::string_view TorchCategory(TorchOpKind kind);

// "Stream 7"; with the name that the program gave it: "Stream 7 (decode)".
[[nodiscard]] std::string StreamLabel(const Events& events, uint32_t context, uint32_t stream);

// "cudaLaunchKernel" for "cudaLaunchKernel_v7000", "cudaLaunchKernel_ptsz_v11060": readers compare
// names without versions. Versions of driver calls, "cuMemcpyHtoD_v2", are parts of their names,
// and go as well.
[[nodiscard]] std::string_view WithoutVersion(std::string_view call);

// Driver calls begin with "cu", those of the runtime with "cuda".
[[nodiscard]] bool IsDriverCall(std::string_view call);

// "16x8x1".
[[nodiscard]] std::string Dimensions(const std::array<uint32_t, 3>& size);

}  // namespace prof::exporting

#endif  // PROF_LIB_EXPORT_BASE_LABELS_H_
