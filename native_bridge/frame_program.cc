// SPDX-License-Identifier: Apache-2.0
#include "native_bridge/frame_program.h"

#include <cstring>

#include "native_bridge/byte_reader.h"

// libgcc_s has it since GCC 3.0, for the unwinder of exceptions. Any address may come.
extern "C" {
struct dwarf_eh_bases {
  void* text;
  void* data;
  void* function;
};
const void* _Unwind_Find_FDE(void* pc, dwarf_eh_bases* bases);
}

namespace prof::native {
namespace {

// DWARF's numbers of registers of x86-64.
constexpr uint64_t kFpRegister = 6, kSpRegister = 7, kReturnRegister = 16;

// How much a pointer of .eh_frame takes (the lower bits of its encoding); 0: it varies.
size_t EncodedBytes(uint8_t encoding) {
  switch (encoding & 0x0f) {
    case 0x00:  // an address
    case 0x04:
    case 0x0c:
      return 8;
    case 0x03:
    case 0x0b:
      return 4;
    case 0x02:
    case 0x0a:
      return 2;
    default:
      return 0;
  }
}

// The bytes of an entry behind its length.
bool EntryBytes(const uint8_t* entry, const uint8_t** begin, const uint8_t** end) {
  uint32_t length = 0;
  std::memcpy(&length, entry, sizeof(length));
  if (length == 0 || length == UINT32_MAX) return false;  // none, or an entry of 64-bit DWARF
  *begin = entry + sizeof(length);
  *end = *begin + length;
  return true;
}

// What a common information entry has for its functions.
bool ParseCommonEntry(const uint8_t* entry, FrameProgram* program, uint8_t* pointers,
                      bool* augmented) {
  const uint8_t *begin = nullptr, *end = nullptr;
  if (!EntryBytes(entry, &begin, &end)) return false;
  ByteReader bytes(begin, end);
  if (bytes.Take<uint32_t>() != 0) return false;  // no common entry
  const auto version = bytes.Take<uint8_t>();
  if (version != 1 && version != 3) return false;
  char augmentation[8] = {};
  for (size_t i = 0;; ++i) {
    const char letter = bytes.Take<char>();
    if (letter == '\0') break;
    if (i + 1 >= sizeof(augmentation)) return false;
    augmentation[i] = letter;
  }
  program->code_alignment = bytes.TakeUnsigned();
  program->data_alignment = bytes.TakeSigned();
  program->return_register = version == 1 ? bytes.Take<uint8_t>() : bytes.TakeUnsigned();
  *augmented = augmentation[0] == 'z';
  if (!*augmented && augmentation[0] != '\0') return false;
  if (*augmented) {
    const uint64_t size = bytes.TakeUnsigned();
    if (size > bytes.left()) return false;
    ByteReader data(bytes.at(), bytes.at() + size);
    bytes.Skip(size);
    for (const char* letter = augmentation + 1; *letter != '\0'; ++letter) {
      if (*letter == 'R') {
        *pointers = data.Take<uint8_t>();
      } else if (*letter == 'S') {
        program->signal = true;
      } else if (*letter == 'L') {
        data.Skip(1);
      } else if (*letter == 'P') {
        const size_t personality = EncodedBytes(data.Take<uint8_t>());
        if (personality == 0) return false;
        data.Skip(personality);
      } else if (*letter != 'B') {
        return false;
      }
    }
    if (!data.ok()) return false;
  }
  program->initial = bytes.at();
  program->initial_end = end;
  return bytes.ok();
}

// Where a register of the caller is, while a program runs.
struct Column {
  enum class Kind : uint8_t { kSame, kAtCfa, kUndefined, kExpression, kOther };
  Kind kind = Kind::kSame;
  int64_t offset = 0;                   // kAtCfa
  const uint8_t* expression = nullptr;  // kExpression: its address is what this computes
  const uint8_t* expression_end = nullptr;
};

// Of any bytes, so without an overflow that the language does not define.
int64_t Times(int64_t units, int64_t alignment) {
  return static_cast<int64_t>(static_cast<uint64_t>(units) * static_cast<uint64_t>(alignment));
}

struct Row {
  uint64_t cfa_register = UINT64_MAX;  // UINT64_MAX: an expression
  int64_t cfa_offset = 0;
  const uint8_t* cfa_expression = nullptr;
  const uint8_t* cfa_expression_end = nullptr;
  Column fp, returns;
};

// rbp or the stack pointer, plus an offset; `loads`: what the memory there has.
struct Simple {
  bool fp = false, loads = false;
  int64_t offset = 0;
};

bool ReadSimple(const uint8_t* begin, const uint8_t* end, Simple* simple) {
  constexpr uint8_t kBaseRegister = 0x70, kDereference = 0x06;  // DW_OP_breg0, DW_OP_deref
  ByteReader bytes(begin, end);
  const auto operation = bytes.Take<uint8_t>();
  if (operation != kBaseRegister + kFpRegister && operation != kBaseRegister + kSpRegister) {
    return false;
  }
  simple->fp = operation == kBaseRegister + kFpRegister;
  simple->offset = bytes.TakeSigned();
  simple->loads = bytes.left() == 1 && bytes.Take<uint8_t>() == kDereference;
  return bytes.ok() && bytes.left() == 0;
}

bool FitsOffset(int64_t offset) { return offset >= INT16_MIN && offset <= INT16_MAX; }

bool Locate(const Column& column, UnwindRule::Place* place, int16_t* offset) {
  using Kind = Column::Kind;
  if (column.kind == Kind::kSame) {
    *place = UnwindRule::Place::kSame;
    return true;
  }
  if (column.kind == Kind::kAtCfa) {
    *place = UnwindRule::Place::kAtCfa;
    *offset = static_cast<int16_t>(column.offset);
    return FitsOffset(column.offset);
  }
  Simple simple;
  if (column.kind != Kind::kExpression ||
      !ReadSimple(column.expression, column.expression_end, &simple) || simple.loads) {
    return false;
  }
  *place = simple.fp ? UnwindRule::Place::kAtFp : UnwindRule::Place::kAtSp;
  *offset = static_cast<int16_t>(simple.offset);
  return FitsOffset(simple.offset);
}

UnwindRule RuleOf(const Row& row, bool signal) {
  using Cfa = UnwindRule::Cfa;
  UnwindRule rule;
  rule.signal = signal;
  if (row.returns.kind == Column::Kind::kUndefined) {
    rule.cfa = Cfa::kOutermost;
    return rule;
  }
  int64_t offset = row.cfa_offset;
  Cfa cfa = row.cfa_register == kFpRegister ? Cfa::kFp : Cfa::kSp;
  if (row.cfa_register == UINT64_MAX) {
    Simple simple;
    if (row.cfa_expression == nullptr ||
        !ReadSimple(row.cfa_expression, row.cfa_expression_end, &simple)) {
      return {};
    }
    offset = simple.offset;
    if (simple.loads) {
      cfa = simple.fp ? Cfa::kAtFp : Cfa::kAtSp;
    } else {
      cfa = simple.fp ? Cfa::kFp : Cfa::kSp;
    }
  } else if (row.cfa_register != kFpRegister && row.cfa_register != kSpRegister) {
    return {};
  }
  // A caller's rbp that is gone stays as it is: only a rule that needs it would miss it.
  const bool fp_gone = row.fp.kind == Column::Kind::kUndefined;
  if (!Locate(row.returns, &rule.return_place, &rule.return_offset) ||
      rule.return_place == UnwindRule::Place::kSame || offset < INT32_MIN || offset > INT32_MAX ||
      (!fp_gone && !Locate(row.fp, &rule.fp_place, &rule.fp_offset))) {
    return {};
  }
  rule.cfa_offset = static_cast<int32_t>(offset);
  rule.cfa = cfa;
  return rule;
}

// Runs instructions up to the place `pc`.
class Machine {
 public:
  Machine(const FrameProgram& program, uintptr_t pc)
      : program_(program), pc_(pc), at_(program.function) {
    row_.returns.kind = Column::Kind::kAtCfa;
    row_.returns.offset = -8;
  }

  // False: there is an instruction that prof does not follow.
  bool Run(const uint8_t* begin, const uint8_t* end) {
    ByteReader bytes(begin, end);
    while (bytes.left() > 0 && at_ <= pc_) {
      if (!Step(&bytes) || !bytes.ok()) return false;
    }
    return true;
  }
  void KeepInitial() { initial_ = row_; }
  [[nodiscard]] const Row& row() const { return row_; }

 private:
  Column* ColumnOf(uint64_t number) {
    if (number == kFpRegister) return &row_.fp;
    return number == program_.return_register ? &row_.returns : &ignored_;
  }
  void Advance(uint64_t units) { at_ += units * program_.code_alignment; }
  void SetOffset(uint64_t number, int64_t units) {
    *ColumnOf(number) = {Column::Kind::kAtCfa, Times(units, program_.data_alignment), nullptr,
                         nullptr};
  }
  void SetKind(uint64_t number, Column::Kind kind) {
    *ColumnOf(number) = {kind, 0, nullptr, nullptr};
  }
  void Restore(uint64_t number) {
    if (number == kFpRegister) row_.fp = initial_.fp;
    if (number == program_.return_register) row_.returns = initial_.returns;
  }
  void SetCfa(uint64_t number, int64_t offset) {
    row_.cfa_register = number;
    row_.cfa_offset = offset;
  }
  static bool TakeBlock(ByteReader* bytes, const uint8_t** begin, const uint8_t** end) {
    const uint64_t size = bytes->TakeUnsigned();
    *begin = bytes->at();
    bytes->Skip(size);
    *end = bytes->at();
    return bytes->ok();
  }

  bool Step(ByteReader* bytes) {
    const auto code = bytes->Take<uint8_t>();
    const auto low = static_cast<uint8_t>(code & 0x3f);
    switch (code & 0xc0) {
      case 0x40:  // advance_loc
        Advance(low);
        return true;
      case 0x80:  // offset
        SetOffset(low, static_cast<int64_t>(bytes->TakeUnsigned()));
        return true;
      case 0xc0:  // restore
        Restore(low);
        return true;
      default:
        return StepLong(code, bytes);
    }
  }

  bool StepLong(uint8_t code, ByteReader* bytes) {
    switch (code) {
      case 0x00:  // nop
        return true;
      case 0x02:  // advance_loc1
        Advance(bytes->Take<uint8_t>());
        return true;
      case 0x03:  // advance_loc2
        Advance(bytes->Take<uint16_t>());
        return true;
      case 0x04:  // advance_loc4
        Advance(bytes->Take<uint32_t>());
        return true;
      case 0x05: {  // offset_extended
        const uint64_t number = bytes->TakeUnsigned();
        SetOffset(number, static_cast<int64_t>(bytes->TakeUnsigned()));
        return true;
      }
      case 0x11: {  // offset_extended_sf
        const uint64_t number = bytes->TakeUnsigned();
        SetOffset(number, bytes->TakeSigned());
        return true;
      }
      case 0x06:  // restore_extended
        Restore(bytes->TakeUnsigned());
        return true;
      case 0x07:  // undefined
        SetKind(bytes->TakeUnsigned(), Column::Kind::kUndefined);
        return true;
      case 0x08:  // same_value
        SetKind(bytes->TakeUnsigned(), Column::Kind::kSame);
        return true;
      case 0x09:    // register
      case 0x14:    // val_offset
      case 0x15: {  // val_offset_sf
        SetKind(bytes->TakeUnsigned(), Column::Kind::kOther);
        (void)bytes->TakeUnsigned();
        return true;
      }
      case 0x2e:  // GNU_args_size
        (void)bytes->TakeUnsigned();
        return true;
      default:
        return StepCfa(code, bytes);
    }
  }

  bool StepCfa(uint8_t code, ByteReader* bytes) {
    switch (code) {
      case 0x0a:  // remember_state
        if (remembered_ == kMostRemembered) return false;
        stack_[remembered_++] = row_;
        return true;
      case 0x0b:  // restore_state
        if (remembered_ == 0) return false;
        row_ = stack_[--remembered_];
        return true;
      case 0x0c: {  // def_cfa
        const uint64_t number = bytes->TakeUnsigned();
        SetCfa(number, static_cast<int64_t>(bytes->TakeUnsigned()));
        return true;
      }
      case 0x12: {  // def_cfa_sf
        const uint64_t number = bytes->TakeUnsigned();
        SetCfa(number, Times(bytes->TakeSigned(), program_.data_alignment));
        return true;
      }
      case 0x0d:  // def_cfa_register
        row_.cfa_register = bytes->TakeUnsigned();
        return true;
      case 0x0e:  // def_cfa_offset
        row_.cfa_offset = static_cast<int64_t>(bytes->TakeUnsigned());
        return true;
      case 0x13:  // def_cfa_offset_sf
        row_.cfa_offset = Times(bytes->TakeSigned(), program_.data_alignment);
        return true;
      case 0x0f:  // def_cfa_expression
        row_.cfa_register = UINT64_MAX;
        return TakeBlock(bytes, &row_.cfa_expression, &row_.cfa_expression_end);
      case 0x10: {  // expression
        Column column;
        column.kind = Column::Kind::kExpression;
        Column* const to = ColumnOf(bytes->TakeUnsigned());
        if (!TakeBlock(bytes, &column.expression, &column.expression_end)) return false;
        *to = column;
        return true;
      }
      case 0x16: {  // val_expression
        const uint8_t *begin = nullptr, *end = nullptr;
        SetKind(bytes->TakeUnsigned(), Column::Kind::kOther);
        return TakeBlock(bytes, &begin, &end);
      }
      default:
        return false;
    }
  }

  static constexpr int kMostRemembered = 8;
  const FrameProgram& program_;
  const uintptr_t pc_;
  uintptr_t at_;
  Row row_, initial_;
  Column ignored_;
  Row stack_[kMostRemembered];
  int remembered_ = 0;
};

}  // namespace

bool ParseFrameEntry(const uint8_t* entry, FrameProgram* program) {
  const uint8_t *begin = nullptr, *end = nullptr;
  if (!EntryBytes(entry, &begin, &end)) return false;
  ByteReader bytes(begin, end);
  const auto to_common = bytes.Take<uint32_t>();  // backwards, from here
  uint8_t pointers = 0;
  bool augmented = false;
  if (to_common == 0 || !ParseCommonEntry(begin - to_common, program, &pointers, &augmented)) {
    return false;
  }
  const size_t pointer = EncodedBytes(pointers);
  if (pointer == 0) return false;
  bytes.Skip(2 * pointer);  // where the function begins, and how long it is
  if (augmented) bytes.Skip(bytes.TakeUnsigned());
  program->instructions = bytes.at();
  program->instructions_end = end;
  return bytes.ok() && program->return_register == kReturnRegister;
}

bool FindFrameProgram(uintptr_t pc, FrameProgram* program) {
  dwarf_eh_bases bases{};
  // NOLINTNEXTLINE(performance-no-int-to-ptr): it may be no pointer; it is looked up only
  const void* const entry = _Unwind_Find_FDE(reinterpret_cast<void*>(pc), &bases);
  if (entry == nullptr) return false;
  program->function = reinterpret_cast<uintptr_t>(bases.function);
  return ParseFrameEntry(static_cast<const uint8_t*>(entry), program);
}

UnwindRule RunFrameProgram(const FrameProgram& program, uintptr_t pc) {
  Machine machine(program, pc);
  if (!machine.Run(program.initial, program.initial_end)) return {};
  machine.KeepInitial();
  if (!machine.Run(program.instructions, program.instructions_end)) return {};
  return RuleOf(machine.row(), program.signal);
}

}  // namespace prof::native
