// SPDX-License-Identifier: Apache-2.0
//
// `prof noise` measures what equal runs differ by.
#ifndef PROF_LIB_CLI_COMPARE_NOISE_COMMAND_H_
#define PROF_LIB_CLI_COMPARE_NOISE_COMMAND_H_

#include "lib/cli/base/command.h"

namespace prof::cli {

Command AddNoiseCommand(CLI::App* app);

}  // namespace prof::cli

#endif  // PROF_LIB_CLI_COMPARE_NOISE_COMMAND_H_
