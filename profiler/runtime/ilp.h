// Instruction-level parallelism on an ideal machine, of up to four windows at once.
#pragma once
#include "memory.h"
#include "segments.h"

namespace dse {

constexpr int kLanes = 4;
typedef double Cycles __attribute__((vector_size(32))); // one per lane; exact to 2^53
typedef int64_t Counts __attribute__((vector_size(32)));

struct Window {
  uint32_t size; // 0: unbounded
  bool in_order;
};

enum Type { kMemory, kInteger, kControlFlow, kFloating, kTypes, kNoType = kTypes };

// When each instruction issues: its producers' cycles and the least cycle of the lane.
class Issue {
public:
  bool start(const Window *windows, int count);
  Cycles issue(Cycles ready, int type, uint32_t times = 1);
  void forget();
  uint64_t instructions;
  Window windows[kLanes];
  int lanes;
  uint64_t span(int lane) const { return uint64_t(top[lane] + 1); }
  uint64_t span_of(int type, int lane) const { return uint64_t(type_spans[type][lane]); }

private:
  Cycles least, base, in_order, top, type_top[kTypes];
  Counts type_spans[kTypes];
  uint32_t *rings[kLanes], ring_mask[kLanes], held[kLanes];
  uint64_t begin[kLanes];
};

// Cycle of the last store to each byte: one per 8-byte word while all its stores have the same bytes, else eight.
class StoreCycles {
public:
  void store(uint64_t address, uint32_t bytes, Cycles cycle);
  Cycles load(uint64_t address, uint32_t bytes);
  void clear() { ++era; } // pages are emptied when they are written next

private:
  struct Page {
    uint64_t number, era;
    uint8_t bytes[512]; // that were stored to, of each word
    uint8_t split[512];
    uint32_t parts[512]; // 1 + where its eight cycles stand
    Cycles cycles[512];
  };
  struct Parts {
    Cycles of[8];
  };
  Map pages;
  Page *recent[256];
  Array<Parts> parts;
  uint64_t era;
  Page *page(uint64_t number, bool make);
};

class Ilp {
public:
  bool start(const Window *windows, int count, bool conversions_fp);
  void segment(const Segment &segment, const uint64_t *addresses); // analysed
  void follow(const Segment &segment, const uint64_t *addresses);  // only what calls and returns
  void next_burst() { memory.clear(); }
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
  int type_of(uint32_t word) const;
};

} // namespace dse
