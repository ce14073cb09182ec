// Which accesses a stride prefetcher would have asked for, and which loads wait for another one.
//
// Each static access has an entry of a table: its last address, its last stride, and how often that has come true (as
// in the reference prediction table of Chen and Baer, IEEE Transactions on Computers 44(5), 1995). An access is
// foreseen where its stride had come true at least twice and does so again.
#pragma once
#include "memory.h"
#include "segments.h"

namespace dse {

class Strides {
public:
  static constexpr uint32_t kSure = 2, kMostSure = 3; // confidence: foreseen from, and kept up to
  static constexpr uint64_t kNear = 128;              // accesses that a large reorder buffer holds

  void next_burst() { ++burst; } // what came between is not known
  uint32_t first_of(const Segment &segment);
  // Of an access: 0 where nothing is known of it, else its number and whether it was foreseen.
  uint32_t foresee(uint32_t access, uint64_t address);
  static uint32_t access_of(uint32_t mark) { return (mark >> 1) - 1; }
  // The longest distance, by bin, of a load that an access takes its address from, directly or through others; -1: none.
  int waits_for(uint32_t access, uint64_t number) const;
  void found(uint32_t access, uint64_t number, int bin);
  bool loads(uint32_t access) const { return entries.data[access].load; }
  // For tests: an access by itself, that takes its address from others.
  uint32_t add(bool load, const uint32_t *parents, uint32_t count);
  void forget();

private:
  static constexpr uint32_t kMostParents = 4, kMostValues = 64;
  struct Access {
    uint64_t last;
    int64_t stride;
    uint64_t chain_number; // when the load ran whose distance is the longest of the chain
    uint32_t burst, confidence;
    uint32_t parents[kMostParents], parent_count;
    int16_t chain;
    bool load, known;
  };
  struct Definition {
    const uint32_t *code;
    const Segment *phi_of; // null: code is an instruction, else a phi of this segment
    uint32_t access;       // of a load
  };
  uint32_t burst;
  Array<Access> entries;
  Array<uint32_t> firsts; // 1 + first access, by segment
  void learn(uint32_t id);
  void trace(uint32_t access, uint32_t value, const Definition *definitions, uint32_t *visited, uint32_t values);
};

} // namespace dse
