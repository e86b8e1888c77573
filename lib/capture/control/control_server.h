// SPDX-License-Identifier: Apache-2.0
//
// The control server answers `prof ctl` on a thread of its own. A request of the process's user or
// of root is answered; any other connection is closed.
#ifndef PROF_LIB_CAPTURE_CONTROL_CONTROL_SERVER_H_
#define PROF_LIB_CAPTURE_CONTROL_CONTROL_SERVER_H_

#include <functional>
#include <string>

namespace prof::capture {

// Answers one request, without its line end. On the server's thread; what it uses is never freed.
using ControlAnswer = std::function<std::string(const std::string& request)>;

// Starts the server of this process, which runs until the process ends. One connection at a time; a
// client that says nothing is left after two seconds. In a forked child the socket is closed; a
// program that closes or replaces the descriptor ends the server. Returns why it could not start;
// empty: it has. Any thread, once.
[[nodiscard]] std::string StartControlServer(ControlAnswer answer);

}  // namespace prof::capture

#endif  // PROF_LIB_CAPTURE_CONTROL_CONTROL_SERVER_H_
