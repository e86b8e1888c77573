// SPDX-License-Identifier: Apache-2.0
//
// Training steps of a small network with PyTorch's C++ front end.
#include <torch/torch.h>

#include <cstdio>

int main() {
  if (!torch::cuda::is_available()) {
    std::printf("[skipped] no CUDA device\n");
    return 0;
  }
  torch::manual_seed(20);
  torch::nn::Sequential net(torch::nn::Linear(256, 1024), torch::nn::GELU(),
                            torch::nn::Linear(1024, 16));
  net->to(torch::kCUDA);
  torch::optim::Adam optimizer(net->parameters(), torch::optim::AdamOptions(1e-3));
  const torch::Tensor x = torch::randn({512, 256}, torch::kCUDA);
  const torch::Tensor labels = torch::randint(16, {512}, torch::kCUDA).to(torch::kLong);
  torch::Tensor loss;
  for (int step = 0; step < 200; ++step) {
    optimizer.zero_grad();
    loss = torch::nn::functional::cross_entropy(net->forward(x), labels);
    loss.backward();
    optimizer.step();
  }
  std::printf("[loss] %.4f\n", loss.item<double>());
  return 0;
}
