// SPDX-License-Identifier: Apache-2.0
#include "lib/symbols/source_lines.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cstdlib>
#include <map>
#include <utility>

#include "lib/symbols/libdw.h"

namespace prof::symbols {

#if defined(PROF_WITH_LIBDW)
namespace {

constexpr size_t kMostUnits = 1 << 20;  // of one file

// Only a plain file: others may wait. -1: it cannot be opened.
int OpenPlain(const std::string& path) {
  const int file = open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
  struct stat about {};
  if (file >= 0 && fstat(file, &about) == 0 && S_ISREG(about.st_mode)) return file;
  if (file >= 0) close(file);
  return -1;
}

std::string HexText(const void* bytes, ssize_t count) {
  constexpr char kDigits[] = "0123456789abcdef";
  std::string text;
  for (ssize_t i = 0; i < count; ++i) {
    const auto byte = static_cast<const unsigned char*>(bytes)[i];
    text.push_back(kDigits[byte >> 4]);
    text.push_back(kDigits[byte & 15]);
  }
  return text;
}

}  // namespace

class SourceLines::Reader {
 public:
  Reader() : libdw_(LoadLibdw()) {
    if (libdw_ == nullptr) problem = "install elfutils' libdw (Debian: libdw1) to see source lines";
  }
  ~Reader() {
    for (auto& [key, file] : files_) Close(&file);
  }
  Reader(const Reader&) = delete;
  Reader& operator=(const Reader&) = delete;

  std::vector<SourcePlace> PlacesOf(const std::string& module, const std::string& build_id,
                                    uint64_t offset) {
    if (libdw_ == nullptr || build_id.empty()) return {};
    Dwarf* const dwarf = FileOf(module, build_id);
    Dwarf_Die unit;
    if (dwarf == nullptr || !FindUnit(dwarf, offset, &unit)) return {};
    return Describe(&unit, offset);
  }

  std::string problem;

 private:
  struct OpenFile {
    int file = -1;
    Dwarf* dwarf = nullptr;  // nullptr: it has none for us
  };

  void Close(OpenFile* open) const {
    if (open->dwarf != nullptr) libdw_->dwarf_end(open->dwarf);
    if (open->file >= 0) close(open->file);
    *open = {};
  }

  OpenFile Open(const std::string& path, const std::string& build_id) const {
    OpenFile open;
    open.file = OpenPlain(path);
    if (open.file < 0) return open;
    open.dwarf = libdw_->dwarf_begin(open.file, DWARF_C_READ);
    const void* id = nullptr;
    const ssize_t bytes = open.dwarf != nullptr ? libdw_->dwelf_elf_gnu_build_id(
                                                      libdw_->dwarf_getelf(open.dwarf), &id)
                                                : 0;
    if (bytes <= 0 || HexText(id, bytes) != build_id || !HasUnits(open.dwarf)) Close(&open);
    return open;
  }

  bool HasUnits(Dwarf* dwarf) const {
    Dwarf_Off next = 0;
    size_t header = 0;
    return libdw_->dwarf_nextcu(dwarf, 0, &next, &header, nullptr, nullptr, nullptr) == 0;
  }

  Dwarf* FileOf(const std::string& module, const std::string& build_id) {
    const auto [at, is_new] = files_.try_emplace({module, build_id});
    if (!is_new) return at->second.dwarf;
    at->second = Open(module, build_id);
    if (at->second.dwarf == nullptr && build_id.size() > 2) {
      at->second = Open(
          "/usr/lib/debug/.build-id/" + build_id.substr(0, 2) + "/" + build_id.substr(2) + ".debug",
          build_id);
    }
    return at->second.dwarf;
  }

  // By the file's index; compilers that write none (clang) need a look at each unit.
  bool FindUnit(Dwarf* dwarf, uint64_t offset, Dwarf_Die* unit) const {
    if (libdw_->dwarf_addrdie(dwarf, offset, unit) != nullptr) return true;
    Dwarf_Off at = 0, next = 0;
    size_t header = 0;
    for (size_t i = 0; i < kMostUnits; ++i, at = next) {
      if (libdw_->dwarf_nextcu(dwarf, at, &next, &header, nullptr, nullptr, nullptr) != 0) break;
      if (libdw_->dwarf_offdie(dwarf, at + header, unit) == nullptr) continue;
      if (libdw_->dwarf_haspc(unit, offset) == 1) return true;
    }
    return false;
  }

  std::string TextOf(Dwarf_Die* die, unsigned name) const {
    Dwarf_Attribute attribute;
    if (libdw_->dwarf_attr_integrate(die, name, &attribute) == nullptr) return {};
    const char* const text = libdw_->dwarf_formstring(&attribute);
    return text != nullptr ? text : "";
  }
  // 0: the entry has none.
  uint32_t NumberOf(Dwarf_Die* die, unsigned name, bool of_origin) const {
    Dwarf_Attribute attribute;
    Dwarf_Word value = 0;
    const auto* const found = of_origin ? libdw_->dwarf_attr_integrate(die, name, &attribute)
                                        : libdw_->dwarf_attr(die, name, &attribute);
    if (found == nullptr || libdw_->dwarf_formudata(&attribute, &value) != 0) return 0;
    return value <= UINT32_MAX ? static_cast<uint32_t>(value) : 0;
  }

  // From the innermost inlined function to the function itself: each has the line of the call that
  // was inlined into it, and the innermost one that of the instruction.
  std::vector<SourcePlace> Describe(Dwarf_Die* unit, uint64_t offset) const {
    std::vector<SourcePlace> places;
    SourcePlace place;
    if (Dwarf_Line* const line = libdw_->dwarf_getsrc_die(unit, offset); line != nullptr) {
      int number = 0;
      const char* const file = libdw_->dwarf_linesrc(line, nullptr, nullptr);
      if (file != nullptr) place.file = file;
      if (libdw_->dwarf_lineno(line, &number) == 0 && number > 0) {
        place.line = static_cast<uint32_t>(number);
      }
    }
    if (place.file.empty()) return {};
    Dwarf_Files* files = nullptr;
    size_t count = 0;
    if (libdw_->dwarf_getsrcfiles(unit, &files, &count) != 0) count = 0;
    // The entries around the innermost one: dwarf_getscopes() goes on from an inlined function to
    // what is around its definition, not to its caller.
    Dwarf_Die *innermost = nullptr, *scopes = nullptr;
    int found = libdw_->dwarf_getscopes(unit, offset, &innermost);
    if (found > 0) found = libdw_->dwarf_getscopes_die(innermost, &scopes);
    for (int i = 0; i < found; ++i) {
      const int tag = libdw_->dwarf_tag(&scopes[i]);
      if (tag != DW_TAG_inlined_subroutine && tag != DW_TAG_subprogram) continue;
      place.function = TextOf(&scopes[i], DW_AT_linkage_name);
      if (place.function.empty()) place.function = TextOf(&scopes[i], DW_AT_name);
      place.first_line = NumberOf(&scopes[i], DW_AT_decl_line, true);
      places.push_back(place);
      if (tag == DW_TAG_subprogram) break;
      place = {};
      place.line = NumberOf(&scopes[i], DW_AT_call_line, false);
      const uint32_t file = NumberOf(&scopes[i], DW_AT_call_file, false);
      const char* const name =
          file < count ? libdw_->dwarf_filesrc(files, file, nullptr, nullptr) : nullptr;
      if (name != nullptr) place.file = name;
    }
    std::free(innermost);  // NOLINT(cppcoreguidelines-no-malloc): libdw's own
    std::free(scopes);     // NOLINT(cppcoreguidelines-no-malloc)
    if (places.empty()) places.push_back(place);
    return places;
  }

  const Libdw* const libdw_;
  std::map<std::pair<std::string, std::string>, OpenFile> files_;
};

#else

class SourceLines::Reader {
 public:
  static std::vector<SourcePlace> PlacesOf(const std::string&, const std::string&, uint64_t) {
    return {};
  }
  std::string problem =
      "this prof was built without elfutils (libdw-dev), so it has no source lines";
};

#endif

SourceLines::SourceLines() : reader_(std::make_unique<Reader>()) {}
SourceLines::~SourceLines() = default;

std::vector<SourcePlace> SourceLines::PlacesOf(const std::string& module,
                                               const std::string& build_id, uint64_t offset) {
  return reader_->PlacesOf(module, build_id, offset);
}

const std::string& SourceLines::problem() const { return reader_->problem; }

}  // namespace prof::symbols
