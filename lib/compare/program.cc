// SPDX-License-Identifier: Apache-2.0
#include "lib/compare/program.h"

#include <algorithm>
#include <cstddef>
#include <iterator>
#include <optional>

#include "lib/text/strings.h"

namespace prof::compare {
namespace {

using Words = std::vector<std::string_view>;

// Programs that start the script of each rank; PyTorch's ones by their modules.
constexpr std::string_view kLaunchers[] = {"torchrun", "accelerate", "deepspeed",
                                           "torch.distributed.run", "torch.distributed.launch"};

Words SplitAtBlanks(std::string_view command) {
  Words words;
  for (size_t at = 0; at < command.size();) {
    const size_t end = std::min(command.find(' ', at), command.size());
    if (end > at) words.push_back(command.substr(at, end - at));
    at = end + 1;
  }
  return words;
}

std::string_view WithoutFolder(std::string_view path) {
  return path.substr(path.rfind('/') + 1);  // npos + 1 is 0
}

constexpr std::string_view kPython = "python";

// "python", "python3", "python3.11".
bool IsPython(std::string_view name) {
  return text::StartsWith(name, kPython) &&
         name.find_first_not_of("0123456789.", kPython.size()) == std::string_view::npos;
}

bool IsLauncher(std::string_view name) {
  return std::find(std::begin(kLaunchers), std::end(kLaunchers), name) != std::end(kLaunchers);
}

// The script or module that a launcher starts: its options may have values of their own.
std::string LaunchedBy(std::string_view launcher, const Words& words, size_t at) {
  for (; at < words.size(); ++at) {
    if (text::EndsWith(words[at], ".py")) return std::string(WithoutFolder(words[at]));
    const bool is_module = words[at] == "-m" || words[at] == "--module";
    if (is_module && at + 1 < words.size()) return std::string(words[at + 1]);
  }
  return std::string(launcher);
}

// What `name`, the script or module at `at - 1`, runs.
std::string Started(std::string_view name, const Words& words, size_t at) {
  return IsLauncher(name) ? LaunchedBy(name, words, at) : std::string(name);
}

// Options of Python stand before the script. -c and -m end them, -W and -X have a value; each may
// stand behind others, and before its value, in one word: "-um pkg", "-Wignore".
std::string ProgramOfPython(const Words& words) {
  for (size_t at = 1; at < words.size(); ++at) {
    const std::string_view word = words[at];
    if (word == "-") return std::string(kPython);
    if (word == "--check-hash-based-pycs") ++at;
    if (text::StartsWith(word, "--")) continue;
    if (word.front() != '-') return Started(WithoutFolder(word), words, at + 1);
    const size_t option = word.find_first_of("cmWX");
    if (option == std::string_view::npos) continue;
    if (word[option] == 'c') return std::string(kPython) + " -c";
    const bool has_value = option + 1 < word.size();
    if (word[option] != 'm') {
      if (!has_value) ++at;
      continue;
    }
    if (has_value) return Started(word.substr(option + 1), words, at + 1);
    return at + 1 < words.size() ? Started(words[at + 1], words, at + 2) : std::string(kPython);
  }
  return std::string(kPython);
}

// The first command whose program is known to be another one than that of the first known.
struct TwoPrograms {
  size_t one = 0, other = 0;
};

std::optional<TwoPrograms> FindTwoPrograms(const std::vector<std::string>& commands) {
  std::string first;
  size_t first_at = 0;
  for (size_t i = 0; i < commands.size(); ++i) {
    const std::string program = ProgramOf(commands[i]);
    if (program.empty() || program == first) continue;
    if (!first.empty()) return TwoPrograms{first_at, i};
    first = program;
    first_at = i;
  }
  return std::nullopt;
}

std::string Named(const std::vector<std::string>& commands, size_t at) {
  return "run " + std::to_string(at + 1) + " is '" + commands[at] + "'";
}

}  // namespace

std::string ProgramOf(std::string_view command) {
  const Words words = SplitAtBlanks(command);
  if (words.empty()) return "";
  const std::string_view name = WithoutFolder(words[0]);
  return IsPython(name) ? ProgramOfPython(words) : Started(name, words, 1);
}

std::string WhyOtherProgram(const std::vector<std::string>& commands) {
  const auto two = FindTwoPrograms(commands);
  if (!two) return "";
  return std::string(kSeveralPrograms) + ": " + Named(commands, two->one) + ", " +
         Named(commands, two->other) +
         ". Noise is what runs of one program differ by: name the recordings of one program, and "
         "take a baseline of its own for each";
}

std::string NoteOnCommands(const std::vector<std::string>& commands) {
  const auto two = FindTwoPrograms(commands);
  if (two) {
    return std::string(kSeveralPrograms) + ": " + Named(commands, two->one) + ", " +
           Named(commands, two->other) + ". They are no repeats of one";
  }
  const auto other =
      std::find_if(commands.begin(), commands.end(),
                   [&](const std::string& command) { return command != commands.front(); });
  if (other == commands.end()) return "";
  return std::string(kCommandsDiffer) + ": " + Named(commands, 0) + ", " +
         Named(commands, static_cast<size_t>(other - commands.begin())) +
         ". They are repeats only if they do the same work";
}

}  // namespace prof::compare
