// When instructions issue on an ideal machine: after their producers, and in a window of those not yet issued.
#pragma once
#include "store_cycles.h"

namespace dse {

typedef int64_t Counts __attribute__((vector_size(32)));

struct Window {
  uint32_t size; // 0: unbounded
  bool in_order;
  bool serial; // control instructions issue in order, at most one in a cycle (BASE, Anghel 2017, figure 3.9a)
  bool waits;  // serial, and nothing issues before the control instruction ahead of it has (Lam and Wilson, ISCA 1992)
};

enum Type { kMemory, kInteger, kControlFlow, kFloating, kNoType, kTypes };

struct Issued {
  uint64_t instructions, span, of[kNoType]; // by type
};

class Issue {
public:
  bool start(const Window *windows, int count);
  Cycles issue(Cycles ready, int type);
  void forget();
  void drop_unbounded() { // what has no window needs all stores there ever were
    for (int lane = 0; lane < lanes; ++lane)
      dropped[lane] = !windows[lane].size && !windows[lane].in_order; // BASE too
  }
  Cycles oldest() const; // below it no producer delays an instruction
  uint64_t instructions;
  Window windows[kLanes];
  bool dropped[kLanes];
  int lanes;
  void begin_sample(); // what follows is not the whole run
  void begin_warm_up(); // issues, but counts in nothing
  void end_warm_up();
  bool sampled;
  Issued before[kLanes]; // the sample
  Issued now(int lane) const;
  uint64_t span(int lane) const;
  uint64_t span_of(int type, int lane) const { return uint64_t(spans[type][lane]); }

private:
  static constexpr double kMagic = 4503599627370496.0; // 2^52: adding it leaves a whole number in the low bits
  Cycles least, tops[kTypes];
  Cycles control;                         // the first one the next control instruction may issue in, where they are serial
  Counts spans[kTypes], in_order, serial, waits; // but for spans: all bits set
  Issued warm[kLanes], cold[kLanes]; // of all warm-ups; where the one that runs began
  Issued all(int lane) const; // warm-ups too
  uint32_t *rings[kLanes]; // of the pool, by the low bits of the cycle
  uint64_t masks[kLanes], held[kLanes], begin[kLanes];
  uint64_t issued, until; // since the pools were looked at, and when they are to be again
  bool any_in_order, any_serial;
  uint32_t unused[2]; // ring of the lanes without a window
  void retire();
  void empty();
};

inline Cycles Issue::issue(Cycles ready, int type) {
  Cycles cycle = most(ready, least);
  if (any_serial) {
    cycle = most(cycle, type == kControlFlow ? control : Cycles(Counts(control) & waits));
    if (type == kControlFlow)
      control = Cycles(Counts(cycle + 1) & serial);
  }
  spans[type] -= cycle > tops[type];
  tops[type] = most(tops[type], cycle);
  if (any_in_order)
    least = Cycles((Counts(cycle) & in_order) | (Counts(least) & ~in_order));
  const Counts places = Counts(cycle + kMagic);
  for (int lane = 0; lane < kLanes; ++lane)
    ++rings[lane][uint64_t(places[lane]) & masks[lane]];
  if (++issued == until)
    retire();
  return cycle;
}

} // namespace dse
