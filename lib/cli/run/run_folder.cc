// SPDX-License-Identifier: Apache-2.0
#include "lib/cli/run/run_folder.h"

#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cctype>
#include <cerrno>
#include <cstdint>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <optional>
#include <sstream>
#include <string_view>
#include <system_error>

#include "lib/cli/base/message.h"
#include "lib/options/option_table.h"
#include "lib/snapshot/read/reader.h"

namespace prof::cli {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kExtension = ".prof";
constexpr size_t kMostLabel = 40;
constexpr int kMostFolders = 1000;

// The first block has the name of the process. Blocks have at most 16 MiB.
constexpr size_t kFirstBytes[] = {size_t{64} << 10, size_t{17} << 20};

struct Process {
  int rank = -1;
  uint32_t pid = 0;
  std::string program;
};

std::string Begin(const std::string& path, size_t bytes) {
  std::string text(bytes, '\0');
  std::ifstream file(path, std::ios::binary);
  file.read(text.data(), static_cast<std::streamsize>(bytes));
  text.resize(static_cast<size_t>(file.gcount()));
  return text;
}

// Nothing for a file that cannot be read, which keeps its name.
std::optional<Process> ProcessOf(const std::string& path) {
  for (const size_t bytes : kFirstBytes) {
    const absl::StatusOr<model::Model> model = ReadSnapshot(Begin(path, bytes));
    if (!model.ok() || model->process.pid == 0) continue;
    return Process{model->process.rank, model->process.pid, ProgramLabel(model->process.command)};
  }
  return std::nullopt;
}

struct Highest {
  int64_t rank = 0, pid = 0;
};

// With zeros in front, so that names sort by number.
std::string PadLeft(int64_t number, int64_t highest) {
  std::string text = std::to_string(number);
  return text.insert(0, std::to_string(highest).size() - text.size(), '0');
}

std::string FileName(const Process& process, const Highest& highest) {
  std::string name;
  if (process.rank >= 0) name = "rank" + PadLeft(process.rank, highest.rank) + "-";
  name += "pid" + PadLeft(process.pid, highest.pid);
  return process.program.empty() ? name : name + "-" + process.program;
}

bool IsDump(const std::string& path) {
  const size_t at = path.rfind(".dump");
  return at != std::string::npos && at >= path.rfind('/') + 1 && at + 5 < path.size() &&
         std::isdigit(static_cast<unsigned char>(path[at + 5])) != 0;
}

// "name", or "name.1" where that is taken; empty after a message.
std::string MakeFolder(const std::string& name) {
  for (int i = 0; i < kMostFolders; ++i) {
    std::string folder = i == 0 ? name : name + "." + std::to_string(i);
    if (mkdir(folder.c_str(), 0777) == 0) return folder;
    if (errno != EEXIST) break;
  }
  Fail("cannot make the folder '" + name + "': " + std::strerror(errno) +
       ". The recordings stay where they are");
  return "";
}

// A path in `folder` that nothing has: two recordings of one process have the same name.
std::string FreePath(const std::string& folder, const std::string& name) {
  const std::string stem = folder + "/" + name;
  std::string path = stem + std::string(kExtension);
  for (int i = 2; access(path.c_str(), F_OK) == 0; ++i) {
    path = stem;
    path.append("-").append(std::to_string(i)).append(kExtension);
  }
  return path;
}

}  // namespace

std::string ProgramLabel(const std::string& command) {
  std::istringstream words(command);
  std::string first, word, script;
  words >> first;
  while (script.empty() && words >> word) {
    if (fs::path(word).extension() == ".py") script = fs::path(word).stem().string();
  }
  std::string label;
  for (const char c : script.empty() ? fs::path(first).filename().string() : script) {
    const bool plain = std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_' || c == '.';
    label += plain ? c : '_';
  }
  return label.substr(0, kMostLabel);
}

bool WantsFolder(const std::string& pattern, const std::vector<std::string>& files) {
  const auto recordings =
      std::count_if(files.begin(), files.end(), [](const auto& path) { return !IsDump(path); });
  if (recordings < 2) return false;
  const std::string name = pattern.substr(pattern.rfind('/') + 1);
  if (name == options::kDefaultOutput) return true;
  for (size_t i = 0; i + 1 < pattern.size(); ++i) {
    if (pattern[i] != '%') continue;
    ++i;
    if (std::strchr("phri", pattern[i]) != nullptr) return false;
  }
  return true;
}

std::string FolderName(const std::string& pattern) {
  std::string name;
  for (size_t i = 0; i < pattern.size(); ++i) {
    const char next = pattern[i] == '%' && i + 1 < pattern.size() ? pattern[i + 1] : '\0';
    char host[256] = "host";
    if (next == 'h' && gethostname(host, sizeof(host) - 1) == 0) name += host;
    if (next == 'i') name += std::to_string(getpid());
    if (next == '%') name += '%';
    if (next == 'h' || next == 'i' || next == '%') {
      ++i;
    } else {
      name += pattern[i];
    }
  }
  const bool has =
      name.size() > kExtension.size() &&
      name.compare(name.size() - kExtension.size(), kExtension.size(), kExtension) == 0;
  return has ? name.substr(0, name.size() - kExtension.size()) : name + ".processes";
}

std::vector<std::string> MoveToFolder(const std::string& name,
                                      const std::vector<std::string>& files) {
  const std::string folder = MakeFolder(name);
  if (folder.empty()) return {};
  std::vector<std::optional<Process>> processes;
  Highest highest;
  for (const std::string& file : files) {
    processes.push_back(ProcessOf(file));
    if (!processes.back()) continue;
    highest.rank = std::max<int64_t>(highest.rank, processes.back()->rank);
    highest.pid = std::max<int64_t>(highest.pid, processes.back()->pid);
  }
  std::vector<std::string> moved;
  for (size_t i = 0; i < files.size(); ++i) {
    const std::string own = fs::path(files[i]).stem().string();
    const bool keeps_name = !processes[i] || IsDump(files[i]);
    const std::string to = FreePath(folder, keeps_name ? own : FileName(*processes[i], highest));
    std::error_code failed;
    fs::rename(files[i], to, failed);
    if (failed) Fail("cannot move " + files[i] + " to " + folder + ": " + failed.message());
    moved.push_back(failed ? files[i] : to);
  }
  std::sort(moved.begin(), moved.end());
  return moved;
}

}  // namespace prof::cli
