// SPDX-License-Identifier: Apache-2.0
#include "lib/cli/base/output_check.h"

#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>
#include <system_error>

#include "lib/cli/base/recording_file.h"

namespace prof::cli {
namespace {

bool IsSameFile(const struct stat& file, const struct stat& other) {
  return file.st_dev == other.st_dev && file.st_ino == other.st_ino;
}

bool IsFileAt(const std::string& path, const struct stat& file) {
  struct stat state {};
  return stat(path.c_str(), &state) == 0 && IsSameFile(file, state);
}

// "a.prof", "standard input", "b/1.prof of the folder b"; empty: `input` is another file.
std::string NameAsInput(const std::string& input, const struct stat& file) {
  if (input == "-") {
    struct stat state {};
    return fstat(STDIN_FILENO, &state) == 0 && IsSameFile(file, state) ? "standard input" : "";
  }
  std::error_code failed;
  if (!std::filesystem::is_directory(input, failed)) return IsFileAt(input, file) ? input : "";
  for (std::filesystem::directory_iterator entry(input, failed), end; !failed && entry != end;
       entry.increment(failed)) {
    const std::filesystem::path& path = entry->path();
    if (path.extension() != ".prof" || !IsFileAt(path.string(), file)) continue;
    return path.string() + " of the folder " + input;
  }
  return "";
}

}  // namespace

std::string OutputProblem(const std::string& option, const std::string& output,
                          const std::vector<std::string>& inputs) {
  struct stat file {};
  if (output.empty() || IsStandardOutput(output) || stat(output.c_str(), &file) != 0) return "";
  const std::string start = option + " '" + output + "' is ";
  if (S_ISDIR(file.st_mode)) return start + "a folder. Name a file in it";
  if (!S_ISREG(file.st_mode)) return "";  // a pipe or a device keeps nothing
  for (const std::string& input : inputs) {
    const std::string name = NameAsInput(input, file);
    if (name.empty()) continue;
    return std::string(start)
        .append("a file that is read (")
        .append(name)
        .append("), and would be replaced. Name another file");
  }
  if (!IsRecording(output)) return "";
  return start + "a recording, and would be replaced. Name another file, or delete this one first";
}

}  // namespace prof::cli
