// SPDX-License-Identifier: Apache-2.0
//
// Prints what environment_hook.cc made of the environment, for hook_test.cc.
#include <cstdio>
#include <cstdlib>

#include "nvtx_bridge/other_tool.h"

int main() {
  const char* variable = std::getenv("NVTX_INJECTION64_PATH");
  const char* other = prof::nvtx::OtherNvtxTool();
  std::printf("%s\n%s\n", variable != nullptr ? variable : "(none)",
              other != nullptr ? other : "(none)");
  return 0;
}
