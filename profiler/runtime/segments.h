// A segment as the engines see it.
#pragma once
#include "events.h"

namespace dse {

constexpr uint32_t kInstructionsPerLine = 16; // of the reuse distance of instructions

struct Segment {
  const Descriptor *descriptor;
  const uint32_t *code;
  const char *callee;  // or null
  const char *function;
  const char *compiler;
  uint64_t callee_hash;
  uint64_t first_line, last_line; // of its instructions
  uint32_t instructions;
  const uint32_t *operations; // of the ILP engine, null before it ran
  bool watched;   // enters or leaves the function whose calls alone are measured, or
  bool calls_it;  // calls it
  int8_t outside; // the callee is not instrumented: 1, is: 2, not looked up yet: 0

  uint32_t head(Header word) const { return code[word]; }
  const uint32_t *body() const {
    return code + kHeaderWords + head(kPhis) + uint64_t(head(kPredecessors)) * (head(kPhis) ? 1 + head(kPhis) : 0);
  }
};

inline uint32_t times_of(uint32_t word) { return log_length_of(word) > 4 ? 1u << (log_length_of(word) - 4) : 1u; }

// Words an instruction wrote behind its segment's first.
inline uint32_t addresses_of(uint32_t word) {
  switch (kind_of(word)) {
  case kCopy:
  case kCallCopy:
    return 3;
  case kFill:
  case kCallFill:
    return 2;
  case kMany:
    return 1u << log_length_of(word);
  default:
    return class_of(word) == kLoad || class_of(word) == kStore;
  }
}

} // namespace dse
