// SPDX-License-Identifier: Apache-2.0
#include "cupti_backend/code/cubin_reader.h"

#include <cstring>

namespace prof::cupti {
namespace {

constexpr uint16_t kCudaMachine = 190;  // EM_CUDA
constexpr std::string_view kCodePrefix = ".text.";
// The ABI version of a cubin. From 8 on (CUDA 13) the architecture is in another byte.
constexpr uint8_t kAbiOfCuda13 = 8;

template <typename Value>
bool Read(const uint8_t* data, size_t bytes, uint64_t at, Value* value) {
  if (at > bytes || sizeof(Value) > bytes - at) return false;
  std::memcpy(value, data + at, sizeof(Value));
  return true;
}

}  // namespace

CubinReader::CubinReader(const void* data, size_t bytes)
    : data_(static_cast<const uint8_t*>(data)), bytes_(data == nullptr ? 0 : bytes) {
  Elf64_Ehdr header;
  if (!Read(data_, bytes_, 0, &header)) return;
  const bool is_cubin =
      std::memcmp(header.e_ident, ELFMAG, SELFMAG) == 0 && header.e_ident[EI_CLASS] == ELFCLASS64 &&
      header.e_ident[EI_DATA] == ELFDATA2LSB && header.e_machine == kCudaMachine &&
      header.e_shentsize == sizeof(Elf64_Shdr);
  if (!is_cubin) return;
  sections_at_ = header.e_shoff;
  sections_ = header.e_shnum;
  uint32_t names = header.e_shstrndx;
  Elf64_Shdr section;
  // A file with many sections has their number, and the place of their names, in the first one.
  if ((sections_ == 0 || names == SHN_XINDEX) && ReadSection(0, &section)) {
    if (sections_ == 0) sections_ = static_cast<uint32_t>(section.sh_size);
    if (names == SHN_XINDEX) names = section.sh_link;
  }
  if (!ReadSection(names, &section)) return;
  if (section.sh_offset > bytes_ || section.sh_size > bytes_ - section.sh_offset) return;
  names_ = reinterpret_cast<const char*>(data_ + section.sh_offset);
  name_bytes_ = section.sh_size;
  const bool new_abi = header.e_ident[EI_ABIVERSION] >= kAbiOfCuda13;
  architecture_ = (new_abi ? header.e_flags >> 8U : header.e_flags) & 0xffU;
}

bool CubinReader::ReadSection(uint32_t index, Elf64_Shdr* section) const {
  const uint64_t offset = uint64_t{index} * sizeof(Elf64_Shdr);
  if (sections_at_ > bytes_ || offset > bytes_ - sections_at_) return false;
  return Read(data_, bytes_, sections_at_ + offset, section);
}

bool CubinReader::Next(CubinFunction* function) {
  if (architecture_ == 0) return false;
  Elf64_Shdr section;
  while (next_ < sections_ && ReadSection(next_, &section)) {
    ++next_;
    if (section.sh_type != SHT_PROGBITS || (section.sh_flags & SHF_EXECINSTR) == 0) continue;
    if (section.sh_offset > bytes_ || section.sh_size > bytes_ - section.sh_offset) continue;
    if (section.sh_name >= name_bytes_) continue;
    const char* const begin = names_ + section.sh_name;
    const std::string_view name(begin, strnlen(begin, name_bytes_ - section.sh_name));
    if (name.substr(0, kCodePrefix.size()) != kCodePrefix) continue;
    *function = {name.substr(kCodePrefix.size()), data_ + section.sh_offset, section.sh_size};
    return true;
  }
  return false;
}

}  // namespace prof::cupti
