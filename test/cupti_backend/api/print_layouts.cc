// SPDX-License-Identifier: Apache-2.0
//
// Prints the layouts of the headers that it is compiled with, a line each.
#include <cstdio>

#include "layouts.h"

int main() {
  for (const prof::cupti::test::Layout& layout : prof::cupti::test::Layouts()) {
    std::printf("%s %lld %lld\n", layout.name, layout.at, layout.size);
  }
}
