// SPDX-License-Identifier: Apache-2.0
//
// These are matrix products of cuBLAS, one for each type. Each has an NVTX range of its own,
// because cuBLAS chooses the kernels. On Hopper they use wgmma. With one column they only read the
// weights.
#include <cublasLt.h>
#include <cublas_v2.h>
#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <cuda_fp8.h>
#include <nvtx3/nvToolsExt.h>

#include <cstdint>

#include "device_array.h"
#include "known_kernels.h"
#include "metric_names.h"

namespace {

constexpr int kSize = 4096, kDoubleSize = 2048;
constexpr int kSizeStep = 128;  // of drawn sizes: what the tensor cores divide without a rest
constexpr int kRows = 8192, kDepth = 16384;  // 256 MiB of weights in fp16
constexpr size_t kWorkspaceBytes = 32 << 20;

void Check(cublasStatus_t status, const char* what) {
  if (status == CUBLAS_STATUS_SUCCESS) return;
  std::fprintf(stderr, "%s: %s\n", what, cublasGetStatusString(status));
  std::exit(1);
}

struct RandomInt8 {
  static __device__ int8_t At(size_t i) {
    return static_cast<int8_t>(254 * RandomValue<float>::At(i));
  }
};

struct Shape {
  int rows, columns, depth;
  double Operations() const { return 2.0 * rows * columns * depth; }
};

struct Types {
  cudaDataType input, output;
  cublasComputeType_t compute;
};

// One handle for all: it owns a workspace.
cublasHandle_t Blas() {
  static cublasHandle_t handle = [] {
    cublasHandle_t made = nullptr;
    Check(cublasCreate(&made), "cublasCreate");
    return made;
  }();
  return handle;
}

void Multiply(const Shape& shape, const Types& types, const void* a, const void* b, void* c) {
  static const float one = 1, zero = 0;
  static const double double_one = 1, double_zero = 0;
  static const int32_t int_one = 1, int_zero = 0;
  const void *alpha = &one, *beta = &zero;
  if (types.compute == CUBLAS_COMPUTE_64F) alpha = &double_one, beta = &double_zero;
  if (types.compute == CUBLAS_COMPUTE_32I) alpha = &int_one, beta = &int_zero;
  Check(cublasGemmEx(Blas(), CUBLAS_OP_T, CUBLAS_OP_N, shape.rows, shape.columns, shape.depth,
                     alpha, a, types.input, shape.depth, b, types.input, shape.depth, beta, c,
                     types.output, shape.rows, types.compute, CUBLAS_GEMM_DEFAULT),
        "cublasGemmEx");
}

// FP8 exists in cuBLASLt only. The plan is made once and kept.
class Float8Multiply {
 public:
  explicit Float8Multiply(int size) {
    Check(cublasLtCreate(&handle_), "cublasLtCreate");
    Check(cublasLtMatmulDescCreate(&operation_, CUBLAS_COMPUTE_32F, CUDA_R_32F), "descriptor");
    const cublasOperation_t transposed = CUBLAS_OP_T;
    Check(cublasLtMatmulDescSetAttribute(operation_, CUBLASLT_MATMUL_DESC_TRANSA, &transposed,
                                         sizeof(transposed)),
          "descriptor");
    Check(cublasLtMatrixLayoutCreate(&input_, CUDA_R_8F_E4M3, size, size, size), "layout");
    Check(cublasLtMatrixLayoutCreate(&output_, CUDA_R_16BF, size, size, size), "layout");
    cublasLtMatmulPreference_t preference = nullptr;
    Check(cublasLtMatmulPreferenceCreate(&preference), "preference");
    Check(cublasLtMatmulPreferenceSetAttribute(preference, CUBLASLT_MATMUL_PREF_MAX_WORKSPACE_BYTES,
                                               &kWorkspaceBytes, sizeof(kWorkspaceBytes)),
          "preference");
    int found = 0;
    Check(cublasLtMatmulAlgoGetHeuristic(handle_, operation_, input_, input_, output_, output_,
                                         preference, 1, &algorithm_, &found),
          "cublasLtMatmulAlgoGetHeuristic");
    if (found == 0) Check(CUBLAS_STATUS_NOT_SUPPORTED, "FP8");
    Check(cublasLtMatmulPreferenceDestroy(preference), "preference");
  }

  void operator()(const void* a, const void* b, void* c, void* workspace) const {
    const float one = 1, zero = 0;
    Check(cublasLtMatmul(handle_, operation_, &one, a, input_, b, input_, &zero, c, output_, c,
                         output_, &algorithm_.algo, workspace, kWorkspaceBytes, nullptr),
          "cublasLtMatmul");
  }

 private:
  cublasLtHandle_t handle_ = nullptr;
  cublasLtMatmulDesc_t operation_ = nullptr;
  cublasLtMatrixLayout_t input_ = nullptr, output_ = nullptr;
  cublasLtMatmulHeuristicResult_t algorithm_{};
};

// `In`, `Out`: the types as the device holds them.
template <typename In, typename Out, typename Value = RandomValue<In>>
KnownKernel Gemm(const char* name, const char* bottleneck, Shape shape, Types types,
                 const char* operations, std::vector<std::string> limiters = {"tensor"}) {
  const DeviceArray<In, Value> a(static_cast<size_t>(shape.rows) * shape.depth);
  const DeviceArray<In, Value> b(static_cast<size_t>(shape.columns) * shape.depth);
  const DeviceArray<Out, Value> c(static_cast<size_t>(shape.rows) * shape.columns);
  KnownKernel kernel{name, bottleneck, {}, {}, std::move(limiters)};
  kernel.launch = [=] {
    void *const left = a.get(), *const right = b.get(), *const product = c.get();
    nvtxRangePushA(name);
    Multiply(shape, types, left, right, product);
    nvtxRangePop();
  };
  if (operations != nullptr) kernel.expected = {{operations, shape.Operations()}};
  return kernel;
}

KnownKernel Float8Gemm(int size) {
  const size_t values = static_cast<size_t>(size) * size;
  const DeviceArray<__nv_fp8_e4m3> a(values), b(values);
  const DeviceArray<__nv_bfloat16> c(values);
  const DeviceArray<float> workspace(kWorkspaceBytes / sizeof(float));
  const char* const name = "gemm_float8";
  return {name,
          "tensor cores, FP8 (e4m3)",
          [=] {
            static const Float8Multiply multiply(size);
            void *const left = a.get(), *const right = b.get(), *const product = c.get();
            void* const scratch = workspace.get();
            nvtxRangePushA(name);
            multiply(left, right, product, scratch);
            nvtxRangePop();
          },
          {{metric::kTensorFloat8, Shape{size, size, size}.Operations()}},
          {"tensor"}};
}

}  // namespace

// The names differ in more than digits: prof takes ranges that differ in digits alone for one.
std::vector<KnownKernel> MatrixKernels(Variation& vary) {
  const auto size = [&vary](int written) { return vary.Draw(written, kSizeStep); };
  const Shape square{size(kSize), size(kSize), size(kSize)};
  const Shape double_shape{size(kDoubleSize), size(kDoubleSize), size(kDoubleSize)};
  return {
      Gemm<half, half>("gemm_half", "tensor cores, FP16", square,
                       {CUDA_R_16F, CUDA_R_16F, CUBLAS_COMPUTE_32F}, metric::kWgmmaHalf),
      Gemm<__nv_bfloat16, __nv_bfloat16>("gemm_bfloat", "tensor cores, BF16", square,
                                         {CUDA_R_16BF, CUDA_R_16BF, CUBLAS_COMPUTE_32F},
                                         metric::kTensorBfloat16),
      Gemm<float, float>("gemm_tf", "tensor cores, TF32", square,
                         {CUDA_R_32F, CUDA_R_32F, CUBLAS_COMPUTE_32F_FAST_TF32},
                         metric::kTensorTf32),
      Gemm<int8_t, int32_t, RandomInt8>("gemm_int", "tensor cores, INT8", square,
                                        {CUDA_R_8I, CUDA_R_32I, CUBLAS_COMPUTE_32I},
                                        metric::kWgmmaInt8),
      Float8Gemm(size(kSize)),
      Gemm<double, double>("gemm_double", "tensor cores, FP64", double_shape,
                           {CUDA_R_64F, CUDA_R_64F, CUBLAS_COMPUTE_64F}, metric::kTensorDouble,
                           {"tensor", "fp64"}),
      Gemm<half, half>("gemm_one_column", "DRAM: weights are read once", {kRows, 1, size(kDepth)},
                       {CUDA_R_16F, CUDA_R_16F, CUBLAS_COMPUTE_32F}, nullptr, {"dram"}),
  };
}
