#include "mix.h"

namespace dse {

const char *const kPartNames[kParts] = {"load", "store", "int_arith", "int_mul", "int_div", "int", "addr",
                                        "fp", "fp_mul", "fp_div", "control", "vector_move", "other"};

namespace {

// The parts an instruction counts in, ended by kParts.
void parts_of(uint32_t word, bool conversions_fp, int (&parts)[4]) {
  int filled = 0;
  const uint32_t kind = kind_of(word);
  switch (class_of(word)) {
  case kLoad: parts[filled++] = kPartLoad; break;
  case kStore: parts[filled++] = kPartStore; break;
  case kIntArith:
    parts[filled++] = kPartInt;
    parts[filled++] = kPartIntArith;
    if (kind == kMul || kind == kDiv)
      parts[filled++] = kind == kMul ? kPartIntMul : kPartIntDiv;
    break;
  case kInt: parts[filled++] = kind == kConvertFp && conversions_fp ? kPartFp : kPartInt; break;
  case kAddr: parts[filled++] = kPartAddr; break;
  case kFp:
    parts[filled++] = kPartFp;
    if (kind == kMul || kind == kDiv)
      parts[filled++] = kind == kMul ? kPartFpMul : kPartFpDiv;
    break;
  case kControl: parts[filled++] = kPartControl; break;
  case kVectorMove: parts[filled++] = kPartVectorMove; break;
  default: parts[filled++] = kPartOther;
  }
  parts[filled] = kParts;
}

} // namespace

void Mix::add(const Segment &segment, uint64_t times, bool conversions_fp) {
  const uint32_t *code = segment.body();
  for (uint32_t left = segment.head(kInstructions); left; --left, code += 3 + operands_of(code[0])) {
    const uint32_t word = code[0];
    const uint64_t count = times * times_of(word);
    instructions += count;
    int parts_here[4];
    parts_of(word, conversions_fp, parts_here);
    const uint32_t length = log_length_of(word) < 4 ? log_length_of(word) : 4;
    for (const int *part = parts_here; *part != kParts; ++part) {
      parts[*part] += count;
      vectors[*part][length][(word >> 12 & 15) % 6] += count;
    }
    const uint32_t kind = kind_of(word);
    calls += kind == kCallKind || kind == kCallCopy || kind == kCallFill ? times : 0;
    rets += kind == kRetKind ? times : 0;
    writes += code[1] != kNone ? times : 0;
    for (uint32_t operand = 0; operand < operands_of(word); ++operand)
      reads += code[3 + operand] != kNone ? times : 0;
  }
}

} // namespace dse
