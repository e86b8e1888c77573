// SPDX-License-Identifier: Apache-2.0
//
// Work whose counts are known, behind functions that a C++ test can call.
#ifndef PROF_TEST_GPU_KERNELS_H_
#define PROF_TEST_GPU_KERNELS_H_

#include <cstddef>
#include <vector>

namespace prof::test {

bool HasGpu();

// Device memory for the kernels below; null without a GPU.
class Vectors {
 public:
  explicit Vectors(size_t elements);
  ~Vectors();
  Vectors(const Vectors&) = delete;
  Vectors& operator=(const Vectors&) = delete;

  // y = a * x + y over all elements, 256 threads a block: reads 8 and writes 4 bytes an element.
  void Saxpy();
  // Half a wave of blocks that multiply and add in registers for about `rounds` x 4 cycles.
  void Spin(int rounds);
  // `count` empty kernels.
  static void Empty(int count);
  // `count` of them by cudaLaunchKernelEx, as libraries launch clusters.
  static void EmptyWithAttributes(int count);
  // The same in a CUDA graph of `nodes` nodes, launched `launches` times.
  static void EmptyGraph(int nodes, int launches);
  // Captures on a stream in the global mode, 5 ms each, for `seconds`, while another thread
  // launches on a stream of its own. When captures failed: seconds after the begin; one of -1 when
  // there was no capture. A capture fails when any thread makes a call that may synchronize.
  static std::vector<double> CaptureBesideLaunches(double seconds);
  // Asks with cudaEventQuery until a spin of `rounds` is over, `turns` times.
  void SpinAndAsk(int rounds, int turns);
  static void Synchronize();
  // cudaMemcpy from pageable host memory; bytes copied.
  size_t CopyIn();

 private:
  size_t elements_;
  float *x_ = nullptr, *y_ = nullptr;
};

}  // namespace prof::test

#endif  // PROF_TEST_GPU_KERNELS_H_
