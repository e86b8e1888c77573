// SPDX-License-Identifier: Apache-2.0
//
// DecoderLayers is a Llama-7B-like model in fp16: the projections of the attention block and the
// MLP, each inside its own NVTX range. The attention core is left out.
#ifndef PROF_EXAMPLES_TRANSFORMER_LAYER_LAYER_H_
#define PROF_EXAMPLES_TRANSFORMER_LAYER_LAYER_H_

#include <cublas_v2.h>
#include <cuda_fp16.h>
#include <cuda_runtime.h>

#include <cstdio>
#include <cstdlib>
#include <vector>

#define CUDA_CHECK(call)                                                 \
  do {                                                                   \
    const cudaError_t error = (call);                                    \
    if (error != cudaSuccess) {                                          \
      std::fprintf(stderr, "%s:%d: %s: %s\n", __FILE__, __LINE__, #call, \
                   cudaGetErrorString(error));                           \
      std::exit(1);                                                      \
    }                                                                    \
  } while (false)

#define CUBLAS_CHECK(call)                                               \
  do {                                                                   \
    const cublasStatus_t status = (call);                                \
    if (status != CUBLAS_STATUS_SUCCESS) {                               \
      std::fprintf(stderr, "%s:%d: %s: %s\n", __FILE__, __LINE__, #call, \
                   cublasGetStatusString(status));                       \
      std::exit(1);                                                      \
    }                                                                    \
  } while (false)

constexpr int kHidden = 4096;
constexpr int kIntermediate = 11008;

// `layers` decoder layers with random weights (405 MB each), for `tokens` tokens at a time.
// Every step starts from one random input, so every step computes equal values.
class DecoderLayers {
 public:
  DecoderLayers(int tokens, int layers);
  ~DecoderLayers();
  DecoderLayers(const DecoderLayers&) = delete;
  DecoderLayers& operator=(const DecoderLayers&) = delete;

  // Submits one step, all layers; does not wait for it.
  void Step();

  // Mean of |output| of the last step. Waits for the GPU.
  double OutputMagnitude() const;

 private:
  struct Weights {
    half *norm_1, *qkv, *o, *norm_2, *gate, *up, *down;
  };

  half* Random(size_t count, float scale);
  half* Buffer(size_t count);
  void Layer(const Weights& weights, const half* input, half* output);
  void Project(const half* weight, int out_features, int in_features, const half* input,
               int input_stride, half* output);

  int tokens_;
  std::vector<void*> allocations_;
  std::vector<Weights> layers_;
  cublasHandle_t cublas_ = nullptr;
  half *input_, *even_, *odd_;  // the hidden state
  half *normed_, *qkv_, *projected_, *residual_, *gate_, *up_, *activated_;
  const half* output_ = nullptr;
  unsigned seed_ = 0;
};

#endif  // PROF_EXAMPLES_TRANSFORMER_LAYER_LAYER_H_
