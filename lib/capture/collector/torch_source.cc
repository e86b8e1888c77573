// SPDX-License-Identifier: Apache-2.0
#include "lib/capture/collector/torch_source.h"

#include <atomic>

namespace prof::capture {
namespace {

std::atomic<const TorchSource*> torch_source{nullptr};

}  // namespace

void SetTorchSource(const TorchSource* source) { torch_source.store(source); }

const TorchSource* GetTorchSource() { return torch_source.load(); }

}  // namespace prof::capture
