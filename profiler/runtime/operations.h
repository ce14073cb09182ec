// The instructions of a segment as the ILP engine runs them: no constants, no values that none defines, classes as types.
#pragma once
#include "issue.h"
#include "segments.h"

namespace dse {

// What is common comes with the number of its operands; all else is read from the segment's code.
enum Action : uint32_t { kPlain0, kPlain1, kPlain2, kPlain3, kPlainN, kLoad0, kLoad1, kLoadN, kStore0, kStore1, kStore2, kStoreN, kRare };

// An operation is {word, defined value, bytes, operand...}; one that is kRare has its place in the segment's body instead
// of bytes, and no operands. What defines no value defines the one behind the frame's, which none reads.
constexpr uint32_t operation_word(uint32_t action, uint32_t type, uint32_t uses) { return action | type << 4 | uses << 8; }
constexpr uint32_t action_of(uint32_t word) { return word & 15; }
constexpr uint32_t type_of(uint32_t word) { return word >> 4 & 15; }
constexpr uint32_t uses_of(uint32_t word) { return word >> 8; }

// The first word is how many operations follow. Null where there is no memory for them.
const uint32_t *operations(Segment &segment, bool conversions_fp);

} // namespace dse
