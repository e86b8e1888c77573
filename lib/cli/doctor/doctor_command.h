// SPDX-License-Identifier: Apache-2.0
//
// `prof doctor` prints what of a recording will work on this machine, and how to get the rest.
#ifndef PROF_LIB_CLI_DOCTOR_DOCTOR_COMMAND_H_
#define PROF_LIB_CLI_DOCTOR_DOCTOR_COMMAND_H_

#include "lib/cli/base/command.h"

namespace prof::cli {

[[nodiscard]] Command AddDoctorCommand(CLI::App* app);

}  // namespace prof::cli

#endif  // PROF_LIB_CLI_DOCTOR_DOCTOR_COMMAND_H_
