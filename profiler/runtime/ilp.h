// Instruction-level parallelism on an ideal machine, of up to four windows at once.
#pragma once
#include "issue.h"
#include "segments.h"

namespace dse {

class Ilp {
public:
  bool start(const Window *windows, int count, bool conversions_fp);
  void segment(Segment &segment, const uint64_t *addresses);       // analysed
  void follow(const Segment &segment, const uint64_t *addresses);  // only what calls and returns
  void fetch(uint64_t address) { memory.fetch(address); }          // that a segment will be given soon
  void next_burst() { memory.clear(); }
  void drop_unbounded(); // windows without an end, and the stores that only they depend on
  uint64_t bytes() const { return memory.bytes(); }
  void forget(); // counts; frames stay
  Issue issue;
  uint64_t mismatches;

private:
  struct Frame {
    uint64_t function, token, values, count; // where its values stand, and how many
    uint32_t block, call_value;
    bool outside; // the call is of a function that is not instrumented
    Cycles call;
  };
  StoreCycles memory;
  Cycles *values;
  Array<Frame> frames;
  uint64_t room;
  bool conversions_fp, called;
  Cycles passed[64];
  uint32_t passed_count;

  Frame &enter(const Segment &segment, const uint64_t *addresses);
  Frame &push(const Segment &segment);
  void leave(bool returns, Cycles cycle);
  void phis(const Segment &segment, Frame &frame);
  Cycles rare(const uint32_t *code, int type, const Segment &segment, Frame &frame, const uint64_t *addresses);
};

} // namespace dse
