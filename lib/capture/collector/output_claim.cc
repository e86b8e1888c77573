// SPDX-License-Identifier: Apache-2.0
#include "lib/capture/collector/output_claim.h"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <map>
#include <utility>

#include "lib/capture/collector/output_path.h"
#include "lib/capture/process/mutex.h"
#include "lib/capture/process/own_files.h"
#include "lib/format/framing.h"

namespace prof::capture {
namespace {

constexpr int kTries = 16;        // two processes may undo each other's files, but not for ever
constexpr int kMostNames = 1000;  // beside the one that was wanted
// The owner and the group: a recording has the command line, and some command lines have secrets.
constexpr mode_t kMode = 0640;

using FileId = std::pair<dev_t, ino_t>;

Mutex own_mutex;

// The files that this process has made, by path: a file system uses an inode again. Never
// destroyed: a recording may end at exit.
std::map<std::string, FileId>& OwnFiles() PROF_REQUIRES(own_mutex) {
  static auto* const files = new std::map<std::string, FileId>;
  return *files;
}

FileId IdOf(const struct stat& file) { return {file.st_dev, file.st_ino}; }

bool IsOwn(const std::string& path, const struct stat& file) {
  const MutexLock lock(own_mutex);
  const auto own = OwnFiles().find(path);
  return own != OwnFiles().end() && own->second == IdOf(file);
}

void RememberOwn(const std::string& path, int fd) {
  struct stat file {};
  if (fstat(fd, &file) != 0) return;
  const MutexLock lock(own_mutex);
  OwnFiles()[path] = IdOf(file);
}

// Whether `path` still names the open file: who unlinks a file holds its lock and has checked this.
bool Names(const std::string& path, int fd) {
  struct stat named {
  }, open_file{};
  return fstat(fd, &open_file) == 0 && lstat(path.c_str(), &named) == 0 &&
         IdOf(named) == IdOf(open_file);
}

// False when another process holds the lock. A file system without locks refuses nobody.
bool Lock(int fd) { return flock(fd, LOCK_EX | LOCK_NB) == 0 || errno != EWOULDBLOCK; }

// Why a path is not to be had.
enum class Refusal {
  kNone,
  kChanged,  // meanwhile: try again
  kExists,
  kBeingWritten,
  kOfThisRun,
  kNoRecording,
  kError  // errno has the reason
};

int OpenNew(const std::string& path, Refusal* refusal) {
  const int fd =
      OpenOwnFile(path.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, kMode);
  if (fd < 0) {
    *refusal = errno == EEXIST ? Refusal::kExists : Refusal::kError;
    return -1;
  }
  // Until it is locked it is an empty file, which another process may replace.
  if (Lock(fd) && Names(path, fd)) return fd;
  CloseOwnFile(fd);
  *refusal = Refusal::kChanged;
  return -1;
}

bool BeginsAsRecording(int fd) {
  char begin[format::kFileMagic.size()] = {};
  const ssize_t bytes = pread(fd, begin, sizeof(begin), 0);
  return bytes == static_cast<ssize_t>(sizeof(begin)) &&
         std::string_view(begin, sizeof(begin)) == format::kFileMagic;
}

int64_t ChangedNs(const struct stat& file) {
  return file.st_mtim.tv_sec * int64_t{1'000'000'000} + file.st_mtim.tv_nsec;
}

// Removes the open file that `path` named.
Refusal RemoveOpenFile(const OutputName& name, int fd) {
  struct stat file {};
  if (!Lock(fd)) return Refusal::kBeingWritten;
  if (fstat(fd, &file) != 0 || !Names(name.path, fd)) return Refusal::kChanged;
  if (file.st_size > 0 && !BeginsAsRecording(fd)) return Refusal::kNoRecording;
  if (file.st_size > 0 && !IsOwn(name.path, file)) {
    if (!name.replaces) return Refusal::kExists;
    if (ChangedNs(file) >= name.run_start_ns) return Refusal::kOfThisRun;
  }
  return unlink(name.path.c_str()) == 0 || errno == ENOENT ? Refusal::kNone : Refusal::kError;
}

Refusal RemoveFile(const OutputName& name) {
  const int flags = O_NOFOLLOW | O_CLOEXEC | O_NONBLOCK | O_NOCTTY;
  int fd = OpenOwnFile(name.path.c_str(), O_RDWR | flags);  // NFS locks what is open for writing
  if (fd < 0) fd = OpenOwnFile(name.path.c_str(), O_RDONLY | flags);
  if (fd < 0) return errno == ENOENT ? Refusal::kChanged : Refusal::kNoRecording;
  const Refusal refusal = RemoveOpenFile(name, fd);
  const int error = errno;
  CloseOwnFile(fd);
  errno = error;
  return refusal;
}

// Removes what is at the path: a recording, or a link to a file or to nothing. Anything else is not
// ours to remove: a pipe, a folder, the link /dev/stdout.
Refusal Remove(const OutputName& name) {
  struct stat info {
  }, target{};
  if (lstat(name.path.c_str(), &info) != 0) return Refusal::kChanged;
  if (S_ISREG(info.st_mode)) return RemoveFile(name);
  const bool replaceable =
      S_ISLNK(info.st_mode) && (stat(name.path.c_str(), &target) != 0 || S_ISREG(target.st_mode));
  if (!replaceable) {
    errno = S_ISDIR(info.st_mode) ? EISDIR : EEXIST;
    return Refusal::kError;
  }
  return unlink(name.path.c_str()) == 0 || errno == ENOENT ? Refusal::kNone : Refusal::kError;
}

// The file at the path that is wanted. O_NOFOLLOW and the unlink before O_EXCL: in a shared folder
// nobody can make us write through a link of theirs.
int ClaimPath(const OutputName& name, Refusal* refusal, const char** action) {
  for (int i = 0; i < kTries; ++i) {
    *refusal = Refusal::kNone;
    *action = "create";
    const int fd = OpenNew(name.path, refusal);
    if (fd >= 0) return fd;
    if (*refusal == Refusal::kChanged) continue;
    if (*refusal != Refusal::kExists) return -1;
    *action = "replace";
    *refusal = Remove(name);
    if (*refusal != Refusal::kNone && *refusal != Refusal::kChanged) return -1;
  }
  *refusal = Refusal::kBeingWritten;
  return -1;
}

// A device is not replaced, because root could. It may be a terminal without a line, or by now a
// pipe: opening waits for neither.
bool OpenDevice(const std::string& path, ClaimedFile* claimed) {
  struct stat info {};
  if (lstat(path.c_str(), &info) != 0 || !S_ISCHR(info.st_mode)) return false;
  claimed->fd =
      OpenOwnFile(path.c_str(), O_WRONLY | O_NONBLOCK | O_NOCTTY | O_NOFOLLOW | O_CLOEXEC);
  claimed->error = errno;
  return true;
}

const char* TextOf(Refusal refusal) {
  switch (refusal) {
    case Refusal::kBeingWritten:
      return " is being written by another recording";
    case Refusal::kOfThisRun:
      return " has the recording of another process of this run";
    case Refusal::kNoRecording:
      return " is no recording of prof, and stays";
    default:
      return " has the recording of an earlier process";
  }
}

// A name that nothing has yet, beside the one that was wanted.
void ClaimOtherName(const OutputName& name, ClaimedFile* claimed) {
  for (int i = name.process.empty() ? 1 : 0; i < kMostNames; ++i) {
    const std::string path = OtherOutputPath(name.path, name.process, i);
    Refusal refusal = Refusal::kNone;
    claimed->fd = OpenNew(path, &refusal);
    claimed->error = errno;
    claimed->path = path;
    if (claimed->fd >= 0 || refusal == Refusal::kError) return;
  }
}

void AddToList(const OutputName& name, const std::string& path) {
  if (name.list.empty()) return;
  const int list = open(name.list.c_str(), O_WRONLY | O_APPEND | O_NOFOLLOW | O_CLOEXEC);
  if (list < 0) return;
  const std::string line = path + '\n';
  // One piece. Where it fails, `prof run` finds the file by its name.
  [[maybe_unused]] const ssize_t written = write(list, line.data(), line.size());
  close(list);
}

}  // namespace

ClaimedFile ClaimOutput(const OutputName& name) {
  ClaimedFile claimed;
  claimed.path = name.path;
  if (OpenDevice(name.path, &claimed)) return claimed;
  Refusal refusal = Refusal::kNone;
  claimed.fd = ClaimPath(name, &refusal, &claimed.action);
  claimed.error = errno;
  if (claimed.fd < 0 && refusal != Refusal::kError) {
    claimed.action = "create";
    ClaimOtherName(name, &claimed);
    claimed.why_other = name.path + TextOf(refusal);
    claimed.of_this_run = refusal == Refusal::kOfThisRun || refusal == Refusal::kBeingWritten;
  }
  if (claimed.fd < 0) return claimed;
  RememberOwn(claimed.path, claimed.fd);
  AddToList(name, claimed.path);
  return claimed;
}

}  // namespace prof::capture
