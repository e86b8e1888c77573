// SPDX-License-Identifier: Apache-2.0
//
// The dump signal asks for a dump of what is kept. Its handler sets a flag and wakes the collector.
#ifndef PROF_LIB_CAPTURE_COLLECTOR_DUMP_SIGNAL_H_
#define PROF_LIB_CAPTURE_COLLECTOR_DUMP_SIGNAL_H_

#include <string>

namespace prof::capture {

// Installs the handler. `wake` must be async-signal-safe. Returns what is wrong; empty when nothing
// is. A signal that the program handles or ignores is left alone. The handler stays when the
// recording has ended: the default action, which a late signal would find, ends the program. In a
// forked child, which has nothing to dump, the signal ends the process, as it would without us.
[[nodiscard]] std::string CatchDumpSignal(int signal, void (*wake)());

// Whether a signal came since the last call.
[[nodiscard]] bool TakeDumpSignal();

}  // namespace prof::capture

#endif  // PROF_LIB_CAPTURE_COLLECTOR_DUMP_SIGNAL_H_
