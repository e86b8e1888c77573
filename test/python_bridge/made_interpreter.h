// SPDX-License-Identifier: Apache-2.0
//
// An interpreter that is made of bytes, laid out as CPython 3.11, so that all of it can be wrong.
#ifndef PROF_TEST_PYTHON_BRIDGE_MADE_INTERPRETER_H_
#define PROF_TEST_PYTHON_BRIDGE_MADE_INTERPRETER_H_

#include <cstdint>
#include <cstring>
#include <string>
#include <vector>

#include "lib/capture/threads/host_stacks.h"
#include "python_bridge/python_layout.h"
#include "test/support/catch.h"

namespace prof::python::test {

inline constexpr uint32_t kTid = 4711;  // of the only thread
alignas(8) inline char state[256];
inline void* ThreadState() { return state; }

inline int code_type, text_type, bytes_type;

template <typename Value>
void Put(char* object, uint32_t offset, const Value& value) {
  std::memcpy(object + offset, &value, sizeof(value));
}

struct Text {
  explicit Text(const std::string& text) {
    Put(bytes, kObjectType, &text_type);
    Put(bytes, kTextLength, static_cast<int64_t>(text.size()));
    Put(bytes, kTextState, uint32_t{1 << 2 | 1 << 5 | 1 << 6});
    std::memcpy(bytes + 48, text.data(), text.size());
  }
  alignas(8) char bytes[128] = {};
};

// A function of Python 3.11 whose instruction i is in line `first_line` + i.
struct Code {
  Code(const std::string& function, int32_t first_line) : name(function), file("/app.py") {
    Put(lines, kObjectType, &bytes_type);
    Put(lines, kBytesSize, int64_t{2 * kUnits});
    for (int i = 0; i < kUnits; ++i) {
      lines[kBytesData + 2 * i] = static_cast<char>(0x80 | (i == 0 ? 10 : 11) << 3);
    }
    Put(code, kObjectType, &code_type);
    Put(code, 72, first_line);
    Put(code, 112, &file);
    Put(code, 128, &name);
    Put(code, 136, &lines);
  }
  uintptr_t Instruction(int line) const {
    return reinterpret_cast<uintptr_t>(code) + 184 + static_cast<uintptr_t>(2 * line);
  }
  static constexpr int kUnits = 30;
  Text name, file;
  alignas(8) char lines[128] = {};
  alignas(8) char code[256] = {};
};

struct Frame {
  alignas(8) char bytes[80] = {};
  void Set(const Code& code, int line, const Frame* caller) {
    Put(bytes, 32, &code.code);
    Put(bytes, 48, caller != nullptr ? caller->bytes : nullptr);
    Put(bytes, 56, code.Instruction(line));
  }
};

struct Interpreter {
  Interpreter() {
    python.this_thread_state = reinterpret_cast<uintptr_t>(&ThreadState);
    python.code_type = reinterpret_cast<uintptr_t>(&code_type);
    python.text_type = reinterpret_cast<uintptr_t>(&text_type);
    python.bytes_type = reinterpret_cast<uintptr_t>(&bytes_type);
    python.major = 3;
    python.minor = 11;
    python.runtime = reinterpret_cast<uintptr_t>(runtime);
    REQUIRE(LayoutOf(python, &layout).empty());
    std::memset(state, 0, sizeof(state));
    Put(runtime, layout.runtime_interpreters, &interpreter);
    Put(interpreter, layout.interpreter_threads, &state);
    Put(state, kStateInterpreter, &interpreter);
    Put(state, layout.state_thread, uint64_t{kTid});
    Put(state, 56, &cframe);
    inner.Set(callee, 3, &outer);
    outer.Set(caller, 7, nullptr);
    Run(&inner);
  }
  void Run(const Frame* frame) { Put(cframe, 8, frame != nullptr ? frame->bytes : nullptr); }

  std::string Describe(capture::HostStacks* stacks, uint32_t id) const {
    std::vector<std::string> frames;
    std::vector<capture::HostStackEvent> nodes;
    capture::HostStacks::Seen seen;
    stacks->Read(
        &seen,
        [&](const capture::HostFrameEvent& frame) {
          frames.push_back(std::string(frame.function) + ":" + std::to_string(frame.line));
        },
        [&](const capture::HostStackEvent& stack) { nodes.push_back(stack); });
    std::string text;
    for (; id != 0; id = nodes[id - 1].parent) text += frames[nodes[id - 1].frame - 1] + " ";
    return text;
  }

  PythonSymbols python;
  PythonLayout layout;
  alignas(8) char runtime[64] = {}, interpreter[64] = {}, cframe[16] = {};
  Code caller{"main", 10}, callee{"step", 100};
  Frame inner, outer;
};

}  // namespace prof::python::test

#endif  // PROF_TEST_PYTHON_BRIDGE_MADE_INTERPRETER_H_
