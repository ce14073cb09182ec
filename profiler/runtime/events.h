// Layout of the event stream, shared by the pass that writes it and the runtime that reads it.
//
// A segment is a straight run of instructions of one block, ended by the block's terminator or by a call. The program
// writes one word per segment, the address of its descriptor, and behind it one word per address the segment touches.
// A change of anything here changes the name DSE_REGISTER: two layouts then do not link.
#pragma once
#include <stdint.h>

#define DSE_REGISTER "__dse_register_v2"

namespace dse {

constexpr uint32_t kNone = 0xffffffffu;       // no value, a constant, no name
constexpr uint32_t kBufferWords = 1u << 16;   // of one thread
constexpr uint32_t kMostAddresses = 1u << 10; // a segment with more is ended there

enum Flag : uint32_t {
  kFirst = 1,       // first segment of its block
  kEntry = 2,       // first of its function
  kRet = 4,         // ends with ret
  kCall = 8,        // ends with a call
  kIndirect = 16,   // of a function known only when it is called
  kCond = 32,       // ends with a branch of two ways
  kUncond = 64,     // ends with a branch of one way
  kSwitch = 128,    // ends with a switch
  kPad = 256,       // begins with a landing pad
  kToken = 512,     // its first address names the frame: on entry it is noted, elsewhere the stack is cut back to it
};

enum Class : uint32_t { kLoad = 1, kStore, kIntArith, kInt, kAddr, kFp, kControl, kVectorMove, kOther };

enum Kind : uint32_t {
  kPlain = 0,
  kMul,         // int_mul, fp_mul
  kDiv,         // int_div, fp_div
  kConvertFp,   // conversion whose operand is floating point
  kCallKind,    // the call that ends a segment: operands are the arguments, the size is their number
  kRetKind,     // its operand is what the function returns
  kCopy,        // memcpy, memmove: addresses are destination, source, length
  kFill,        // memset: addresses are destination, length
  kMany,        // gather, scatter: one address per element, 0 where it is masked out
  kCallCopy,    // a call by name of a function that copies: both a call and its addresses
  kCallFill,
};

// Element bits of a vector are stored as an index of this table.
constexpr uint32_t kElementBits[] = {0, 8, 16, 32, 64, 128};

// An instruction is {word, defined value, bytes, operand...}.
constexpr uint32_t instruction_word(uint32_t cls, uint32_t kind, uint32_t log_length, uint32_t bits, uint32_t operands) {
  return cls | kind << 4 | log_length << 8 | bits << 12 | operands << 16;
}
constexpr uint32_t class_of(uint32_t word) { return word & 15; }
constexpr uint32_t kind_of(uint32_t word) { return word >> 4 & 15; }
constexpr uint32_t log_length_of(uint32_t word) { return word >> 8 & 15; }
constexpr uint32_t bits_of(uint32_t word) { return kElementBits[(word >> 12 & 15) % 6]; }
constexpr uint32_t operands_of(uint32_t word) { return word >> 16; }

// Words of a segment's code before its phis and instructions.
enum Header : uint32_t {
  kInstructions,   // how many
  kValues,         // SSA values of the function, arguments included
  kArguments,      // of the function
  kStaticFirst,    // index of the first instruction in the module
  kFunction,       // index in the module's list of functions
  kCalleeName,     // offset in the module's names
  kCalleeLow,      // hash of the callee's symbol
  kCalleeHigh,
  kTaken,          // blocks a branch of two ways goes to
  kNotTaken,
  kPhis,           // how many: their values follow, then for each predecessor its block and as many sources
  kPredecessors,
  kHeaderWords
};

struct Descriptor {
  uint32_t id; // position among all segments of the process, written by the runtime
  uint32_t flags;
  uint32_t addresses;
  uint32_t block;
  uint64_t function; // hash of its symbol
  const uint32_t *code;
};
static_assert(sizeof(Descriptor) == 32, "the pass writes this layout");

struct FunctionEntry {
  uint64_t hash;
  uint64_t name; // offset in names
};

struct ModuleTable {
  Descriptor *segments;
  uint64_t segment_count;
  const FunctionEntry *functions;
  uint64_t function_count;
  const char *names;
  uint64_t static_instructions;
  const char *compiler;
  const char *flags; // of the compiler, those that the code depends on
};

// Where the thread writes: `cur` and `end` are addresses.
struct Cursor {
  uint64_t cur, end;
};

} // namespace dse
