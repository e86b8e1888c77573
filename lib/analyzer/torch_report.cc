// SPDX-License-Identifier: Apache-2.0
#include "prof/torch_report.h"

namespace prof {

const char* ToString(TorchOp::Kind kind) {
  switch (kind) {
    case TorchOp::Kind::kFunction:
      return "function";
    case TorchOp::Kind::kNode:
      return "node";
    case TorchOp::Kind::kUser:
      return "user";
  }
  return "?";
}

}  // namespace prof
