// Entropy of the outcomes of branches, given those before.
#pragma once
#include "memory.h"

namespace dse {

// One table of the last 64 outcomes; when it is full its keys are shortened, exact for the lengths still held.
class Branches {
public:
  void outcome(bool taken);
  void forget();
  int held() const { return bits ? bits : 64; }
  uint64_t events;

  // entropy(n + 1) - entropy(n) for every n up to `most`, in one sort; how many were written
  int conditional(double *by_length, int most) const;

private:
  uint64_t *keys, *counts, capacity, size, history, start;
  int bits; // of a key, 0 before anything was shortened
  void count(uint64_t key, uint64_t times);
  void grow();
};

constexpr uint64_t kMostHistories = uint64_t(1) << 20;

} // namespace dse
