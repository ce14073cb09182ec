#include "operations.h"

namespace dse {
namespace {

int type_of_instruction(uint32_t word, bool conversions_fp) {
  switch (class_of(word)) {
  case kLoad:
  case kStore:
    return kMemory;
  case kInt:
    return kind_of(word) == kConvertFp && conversions_fp ? kFloating : kInteger;
  case kIntArith:
  case kAddr:
    return kInteger;
  case kControl:
    return kControlFlow;
  case kFp:
    return kFloating;
  default:
    return kNoType;
  }
}

uint32_t action_for(uint32_t word, uint32_t uses) {
  const uint32_t kind = kind_of(word);
  const bool access = class_of(word) == kLoad || class_of(word) == kStore;
  if (kind == kCallKind || addresses_of(word) != access)
    return kRare;
  if (class_of(word) == kLoad)
    return kLoad0 + (uses < 2 ? uses : 2);
  if (class_of(word) == kStore)
    return kStore0 + (uses < 3 ? uses : 3);
  return kPlain0 + (uses < 4 ? uses : 4);
}

// Pieces of mapped pages, shared by all threads.
uint32_t *words(uint64_t count) {
  static uint32_t *next;
  static uint64_t left;
  static bool busy;
  while (__atomic_test_and_set(&busy, __ATOMIC_ACQUIRE))
    ;
  if (left < count) {
    left = count > (1u << 16) ? count : 1u << 16;
    next = static_cast<uint32_t *>(take(left * sizeof(uint32_t)));
    left = next ? left : 0;
  }
  uint32_t *const found = next;
  next += next ? count : 0;
  left -= found ? count : 0;
  __atomic_clear(&busy, __ATOMIC_RELEASE);
  return found;
}

} // namespace

const uint32_t *operations(Segment &segment, bool conversions_fp) {
  if (const uint32_t *known = __atomic_load_n(&segment.operations, __ATOMIC_ACQUIRE))
    return known;
  const uint32_t count = segment.head(kInstructions), *const body = segment.body(), *code = body;
  for (uint32_t left = count; left; --left)
    code += 3 + operands_of(code[0]);
  uint32_t *const made = words(1 + uint64_t(code - body)), *next = made;
  if (!made)
    return nullptr;
  *next++ = count;
  code = body;
  for (uint32_t left = count; left; --left, code += 3 + operands_of(code[0])) {
    uint32_t uses = 0;
    for (uint32_t operand = 0; operand < operands_of(code[0]); ++operand)
      if (code[3 + operand] != kNone)
        next[3 + uses++] = code[3 + operand];
    const uint32_t action = action_for(code[0], uses);
    uses = action == kRare ? 0 : uses;
    next[0] = operation_word(action, uint32_t(type_of_instruction(code[0], conversions_fp)), uses);
    next[1] = code[1] == kNone ? segment.head(kValues) : code[1];
    next[2] = action == kRare ? uint32_t(code - body) : code[2];
    next += 3 + uses;
  }
  __atomic_store_n(&segment.operations, made, __ATOMIC_RELEASE); // two threads make the same
  return made;
}

} // namespace dse
