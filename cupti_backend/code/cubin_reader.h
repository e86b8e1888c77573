// SPDX-License-Identifier: Apache-2.0
//
// The cubin reader finds the functions of a cubin: the ELF file that the driver loads.
#ifndef PROF_CUPTI_BACKEND_CODE_CUBIN_READER_H_
#define PROF_CUPTI_BACKEND_CODE_CUBIN_READER_H_

#include <elf.h>

#include <cstddef>
#include <cstdint>
#include <string_view>

namespace prof::cupti {

// A kernel, with the device functions that the compiler put into its section.
struct CubinFunction {
  std::string_view name;  // mangled, as CUPTI's records have it
  const uint8_t* code = nullptr;
  size_t bytes = 0;
};

class CubinReader {
 public:
  // `data` must outlive the reader. Nothing outside of it is read, whatever is in it.
  CubinReader(const void* data, size_t bytes);

  // The architecture as in sm_90: 90. 0: this is no cubin whose layout is known.
  [[nodiscard]] uint32_t architecture() const { return architecture_; }

  // The next function in the file; false: there are no more.
  bool Next(CubinFunction* function);

 private:
  // False: it reaches beyond the file.
  bool ReadSection(uint32_t index, Elf64_Shdr* section) const;

  const uint8_t* const data_;
  const size_t bytes_;
  uint32_t architecture_ = 0;
  uint64_t sections_at_ = 0;
  uint32_t sections_ = 0, next_ = 0;
  const char* names_ = nullptr;
  size_t name_bytes_ = 0;
};

}  // namespace prof::cupti

#endif  // PROF_CUPTI_BACKEND_CODE_CUBIN_READER_H_
