// How well each branch is foretold from its own past outcomes.
#pragma once
#include "counts.h"

namespace dse {

// One table of the last 13 outcomes of each branch; when it is full its keys are shortened, exact for the lengths still held.
class LocalBranches {
public:
  static constexpr int kLongest = 12;
  void outcome(uint32_t branch, bool taken);
  void settle(); // counts what waits
  void forget();
  uint64_t bytes() const { return table.capacity * sizeof(CountTable::Slot); }
  // sum over (branch, history) of 2 min(not taken, taken) / all of them; `sure` outcomes more are always foretold.
  // False where the history is not held, or no branch has so long a past.
  bool linear_entropy(int history, uint64_t sure, double &result) const;

private:
  struct Past {
    uint16_t last, first; // outcomes, the newest lowest; the first twelve stay
    uint8_t seen;         // of the first
  };
  Array<Past> pasts; // by branch
  CountTable table;
  Waiting waiting;
  int dropped; // outcomes that keys were shortened by
  bool failed; // more branches than the table has room for
  void grow();
  template <class Take> void each_window(int length, Take take) const;
};

} // namespace dse
