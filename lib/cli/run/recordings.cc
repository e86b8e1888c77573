// SPDX-License-Identifier: Apache-2.0
#include "lib/cli/run/recordings.h"

#include <fnmatch.h>
#include <glob.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <string_view>
#include <system_error>

#include "lib/cli/base/recording_file.h"
#include "lib/options/option_table.h"
#include "lib/text/strings.h"

namespace prof::cli {
namespace {

// The pattern in glob's language. It follows ExpandOutputPattern() of the capture library.
std::string GlobOf(std::string_view pattern) {
  std::string glob;
  for (size_t i = 0; i < pattern.size(); ++i) {
    const char next = i + 1 < pattern.size() ? pattern[i + 1] : '\0';
    if (pattern[i] == '%' && (next == 'p' || next == 'h' || next == 'r' || next == 'i')) {
      glob += '*';
      ++i;
    } else if (pattern[i] == '%' && next == '%') {
      glob += '%';
      ++i;
    } else {
      if (std::strchr("*?[]\\", pattern[i]) != nullptr) glob += '\\';
      glob += pattern[i];
    }
  }
  return glob;
}

// 0, or why no file can be made in the folder: root may write to /proc, but no file is made there.
int TryToMakeFile(const std::string& folder) {
  std::string path = folder + ".prof-XXXXXX";
  const int file = mkstemp(path.data());
  if (file < 0) return errno;
  close(file);
  unlink(path.c_str());
  return 0;
}

}  // namespace

std::string AbsolutePattern(const std::string& pattern) {
  if (!pattern.empty() && pattern[0] == '/') return pattern;
  std::error_code failed;
  const std::string folder = std::filesystem::current_path(failed).string();
  if (failed) return pattern;
  std::string absolute;
  for (const char c : folder) absolute += c == '%' ? std::string("%%") : std::string(1, c);
  return absolute + "/" + pattern;
}

namespace {

Files FilesOf(const std::string& expression) {
  Files files;
  glob_t found{};
  if (glob(expression.c_str(), 0, nullptr, &found) == 0) {
    for (size_t i = 0; i < found.gl_pathc; ++i) {
      struct stat state {};
      if (stat(found.gl_pathv[i], &state) != 0 || !S_ISREG(state.st_mode)) continue;
      files[found.gl_pathv[i]] = {
          state.st_ino, state.st_mtim.tv_sec * int64_t{1'000'000'000} + state.st_mtim.tv_nsec,
          static_cast<uint64_t>(state.st_size)};
    }
  }
  globfree(&found);
  return files;
}

}  // namespace

Files ListRecordings(const std::string& pattern) { return FilesOf(GlobOf(pattern)); }

// It follows OtherOutputPath() of the capture library.
Files ListOtherNames(const std::string& pattern) {
  constexpr std::string_view kExtension = ".prof";
  const bool has = pattern.size() > kExtension.size() && text::EndsWith(pattern, kExtension);
  const std::string stem = pattern.substr(0, pattern.size() - (has ? kExtension.size() : 0));
  return FilesOf(GlobOf(stem) + ".*" + std::string(has ? kExtension : ""));
}

bool MayBeRecordedTo(const std::string& pattern, const std::string& path) {
  std::error_code failed;
  const auto normal = [](const std::filesystem::path& any) {
    return any.lexically_normal().string();
  };
  const std::string file = normal(std::filesystem::absolute(path, failed));
  return !failed && fnmatch(GlobOf(normal(pattern)).c_str(), file.c_str(), FNM_PATHNAME) == 0;
}

std::vector<std::string> MadeSince(int64_t start_ns, const Files& before, const Files& after) {
  std::vector<std::string> paths;
  for (const auto& [path, state] : after) {
    const auto old = before.find(path);
    const bool is_new = old == before.end() || old->second.inode != state.inode;
    if (is_new && state.changed_ns >= start_ns && IsRecording(path)) paths.push_back(path);
  }
  return paths;
}

std::vector<std::string> NewRecordings(const Files& before, const Files& after) {
  std::vector<std::string> paths;
  for (const auto& [path, state] : after) {
    const auto old = before.find(path);
    if (old == before.end() || !(old->second == state)) paths.push_back(path);
  }
  return paths;
}

std::string PatternProblem(const std::string& pattern) {
  const size_t name = pattern.rfind('/') + 1;
  const std::string folder = pattern.substr(0, name);
  std::error_code failed;
  if (name == pattern.size() || std::filesystem::is_directory(pattern, failed)) {
    return "cannot write to '" + pattern + "': it is a folder. Name a file in it: -o " +
           (std::filesystem::path(pattern) / options::kDefaultOutput).string();
  }
  // A folder named after the process exists when the program has made it, not before.
  if (folder.empty() || folder.find('%') != std::string::npos) return "";
  const int error = TryToMakeFile(folder);
  if (error == 0) return "";
  const bool is_there = std::filesystem::is_directory(folder, failed);
  return "cannot write to " + folder + ": " +
         (is_there && error == ENOENT ? "no file can be made in it" : std::strerror(error)) +
         (is_there ? ". Choose another output with -o"
                   : ". Make the folder or choose another output with -o");
}

}  // namespace prof::cli
