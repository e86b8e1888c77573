// SPDX-License-Identifier: Apache-2.0
#include "native_bridge/function_names.h"

#include <elf.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cstring>
#include <utility>

#include "native_bridge/build_id.h"

namespace prof::native {
namespace {

constexpr uint64_t kMostSymbols = 1 << 20;  // 24 MB while they are read
constexpr size_t kMostSections = 1 << 12, kMostNotes = 1 << 12;
constexpr size_t kMostName = 1024;       // bytes
constexpr uint64_t kMostUnsized = 4096;  // of a function that the table has no size of

// Copies `bytes` bytes at `from`. False: the file does not have them.
bool ReadAt(int file, uint64_t from, void* to, size_t bytes) {
  size_t done = 0;
  while (done < bytes) {
    const ssize_t read =
        pread(file, static_cast<char*>(to) + done, bytes - done, static_cast<off_t>(from + done));
    if (read <= 0) return false;
    done += static_cast<size_t>(read);
  }
  return true;
}

bool ReadSections(int file, std::vector<Elf64_Shdr>* sections) {
  Elf64_Ehdr header;
  if (!ReadAt(file, 0, &header, sizeof(header)) ||
      std::memcmp(header.e_ident, ELFMAG, SELFMAG) != 0 || header.e_ident[EI_CLASS] != ELFCLASS64 ||
      header.e_shentsize != sizeof(Elf64_Shdr) || header.e_shnum == 0 ||
      header.e_shnum > kMostSections) {
    return false;
  }
  sections->resize(header.e_shnum);
  return ReadAt(file, header.e_shoff, sections->data(), sections->size() * sizeof(Elf64_Shdr));
}

std::string BuildIdOf(int file, const std::vector<Elf64_Shdr>& sections) {
  for (const Elf64_Shdr& section : sections) {
    if (section.sh_type != SHT_NOTE || section.sh_size > kMostNotes) continue;
    std::vector<uint8_t> notes(section.sh_size);
    uint8_t id[kMostBuildId];
    if (!ReadAt(file, section.sh_offset, notes.data(), notes.size())) continue;
    const size_t bytes = FindBuildId(notes.data(), notes.size(), id);
    if (bytes != 0) return HexOf(id, bytes);
  }
  return {};
}

}  // namespace

// A file that is open; only a plain one, because others may wait.
class FunctionNames::OpenFile {
 public:
  explicit OpenFile(const std::string& path)
      : number_(open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY)) {
    struct stat about {};
    if (number_ < 0) return;
    if (fstat(number_, &about) != 0 || !S_ISREG(about.st_mode)) Close();
    identity_ = {about.st_dev, about.st_ino,
                 int64_t{about.st_mtim.tv_sec} * 1'000'000'000 + about.st_mtim.tv_nsec};
  }
  ~OpenFile() { Close(); }
  OpenFile(const OpenFile&) = delete;
  OpenFile& operator=(const OpenFile&) = delete;
  [[nodiscard]] int number() const { return number_; }
  [[nodiscard]] const Identity& identity() const { return identity_; }

 private:
  void Close() {
    if (number_ >= 0) close(number_);
    number_ = -1;
  }
  int number_;
  Identity identity_;
};

void FunctionNames::Read(int file, File* to) {
  std::vector<Elf64_Shdr> sections;
  if (!ReadSections(file, &sections) || BuildIdOf(file, sections) != to->build_id) return;
  const Elf64_Shdr* table = nullptr;
  for (const Elf64_Shdr& section : sections) {
    if (section.sh_type == SHT_SYMTAB) table = &section;
    if (section.sh_type == SHT_DYNSYM && table == nullptr) table = &section;
  }
  if (table == nullptr || table->sh_link >= sections.size()) return;
  const uint64_t count = table->sh_size / sizeof(Elf64_Sym);
  if (count > kMostSymbols) return;
  std::vector<Elf64_Sym> symbols(count);
  if (!ReadAt(file, table->sh_offset, symbols.data(), count * sizeof(Elf64_Sym))) return;
  for (const Elf64_Sym& symbol : symbols) {
    const unsigned type = ELF64_ST_TYPE(symbol.st_info);
    if ((type != STT_FUNC && type != STT_GNU_IFUNC) || symbol.st_shndx == SHN_UNDEF) continue;
    const auto bytes = static_cast<uint32_t>(std::min<uint64_t>(symbol.st_size, UINT32_MAX));
    to->functions.push_back({symbol.st_value, bytes, symbol.st_name});
  }
  std::stable_sort(to->functions.begin(), to->functions.end(),
                   [](const Function& a, const Function& b) { return a.begin < b.begin; });
  to->names_begin = sections[table->sh_link].sh_offset;
  to->names_bytes = sections[table->sh_link].sh_size;
}

const FunctionNames::File* FunctionNames::FileAt(const std::string& path,
                                                 std::string_view build_id) {
  const auto known = std::find_if(files_.begin(), files_.end(), [&](const File& file) {
    return file.path == path && file.build_id == build_id;
  });
  if (known != files_.end()) {
    std::rotate(files_.begin(), known, known + 1);
    return &files_.front();
  }
  const OpenFile open(path);
  if (open.number() < 0) return nullptr;
  File file;
  file.path = path;
  file.build_id = build_id;
  file.identity = open.identity();
  Read(open.number(), &file);
  functions_ += file.functions.size();
  files_.push_front(std::move(file));
  while (files_.size() > 1 && (files_.size() > kFiles || functions_ > kMostFunctions)) {
    functions_ -= files_.back().functions.size();
    files_.pop_back();
  }
  return &files_.front();
}

std::string FunctionNames::NameAt(const std::string& path, std::string_view build_id,
                                  uint64_t offset) {
  const File* const file = FileAt(path, build_id);
  if (file == nullptr) return {};
  auto at = std::upper_bound(file->functions.begin(), file->functions.end(), offset,
                             [](uint64_t value, const Function& f) { return value < f.begin; });
  if (at == file->functions.begin()) return {};
  --at;
  const uint64_t bytes = at->bytes != 0 ? at->bytes : kMostUnsized;
  if (offset - at->begin >= bytes || at->name >= file->names_bytes) return {};
  const OpenFile open(path);
  char name[kMostName];
  const size_t most = std::min<uint64_t>(sizeof(name), file->names_bytes - at->name);
  if (open.number() < 0 || !(open.identity() == file->identity) ||
      !ReadAt(open.number(), file->names_begin + at->name, name, most)) {
    return {};
  }
  return {name, strnlen(name, most)};
}

}  // namespace prof::native
