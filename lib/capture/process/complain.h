// SPDX-License-Identifier: Apache-2.0
//
// A complaint is a line on stderr about a recording. It is a guest in the program: it never waits
// for who reads stderr, ends nobody with SIGPIPE, and takes no lock of the C library, which the
// thread that ends the process may hold.
#ifndef PROF_LIB_CAPTURE_PROCESS_COMPLAIN_H_
#define PROF_LIB_CAPTURE_PROCESS_COMPLAIN_H_

namespace prof::capture {

// As std::fprintf(stderr, ...). The line is dropped where stderr has no room for it at once or
// nobody reads it, and cut behind 4,095 bytes. Any thread; errno stays.
void Complain(const char* format, ...) noexcept __attribute__((format(printf, 1, 2)));

}  // namespace prof::capture

#endif  // PROF_LIB_CAPTURE_PROCESS_COMPLAIN_H_
