// How well the outcomes of branches are foretold from those before, whatever branches they are of.
#pragma once
#include "counts.h"

namespace dse {

// One table of the last 64 outcomes; when it is full its keys are shortened, exact for the lengths still held.
class Branches {
public:
  void outcome(bool taken);
  void settle(); // counts what waits; before anything is asked
  void forget();
  int held() const { return bits ? bits : 64; }
  uint64_t bytes() const { return table.capacity * sizeof(CountTable::Slot); }
  uint64_t events;

  // entropy(n + 1) - entropy(n) for every n up to `most`, in one sort; how many were written
  int conditional(double *by_length, int most) const;

  // Misses per outcome where the more frequent outcome after each history is foretold, and half of what was seen once.
  // Of more histories than `entries` all but the `entries` - 1 most frequent share the last entry, the smaller number
  // before the larger among equals; 0 entries: no limit. False where the history is not held.
  bool max_outcome(int history, uint64_t entries, double &misses) const;

private:
  CountTable table;
  Waiting waiting;
  uint64_t history, start;
  int bits; // of a key, 0 before anything was shortened
  void grow();
};

constexpr uint64_t kMostHistories = uint64_t(1) << 20;
constexpr int kLongestTable = 20; // history of max_outcome

} // namespace dse
