// The instruction mix, from how often each segment ran.
#pragma once
#include "segments.h"

namespace dse {

enum Part { kPartLoad, kPartStore, kPartIntArith, kPartIntMul, kPartIntDiv, kPartInt, kPartAddr, kPartFp, kPartFpMul, kPartFpDiv,
            kPartControl, kPartVectorMove, kPartOther, kParts };
extern const char *const kPartNames[kParts];

struct Mix {
  uint64_t instructions, parts[kParts], calls, rets, reads, writes;
  uint64_t vectors[kParts][5][6]; // by log2 of the length and index of the element's bits
  void add(const Segment &segment, uint64_t times, bool conversions_fp);
};

} // namespace dse
