// Which class of the mix an instruction of the intermediate representation belongs to.
#pragma once
#include "../runtime/events.h"
#include "compat.h"

namespace classify {

struct Classified {
  uint32_t cls = 0; // 0: not counted
  uint32_t kind = dse::kPlain;
  bool chained_add = false; // a product and a sum in one instruction, counted as two
};

Classified instruction(const llvm::Instruction &inst);

// The operand whose value an uncounted instruction passes on, or none: casts of pointers, GEP of zeros, freeze.
const llvm::Value *passed_on(const llvm::Instruction &inst);

// A call that ends its segment: of a function, not of an intrinsic and not of inline assembly.
bool ends_segment(const llvm::Instruction &inst);

// Intrinsics and functions that copy or fill a block: their kind, else kPlain.
uint32_t block_operation(const llvm::CallBase &call);

// The vector whose length and element count for the instruction, or null where it is a scalar.
const llvm::Type *shape(const llvm::Instruction &inst);
uint32_t log_length(const llvm::Type *type);
uint32_t bits_index(const llvm::Type *type);

} // namespace classify
