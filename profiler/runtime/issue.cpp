#include "issue.h"

namespace dse {

bool Issue::start(const Window *wanted, int count) {
  lanes = count;
  in_order = serial = waits = Counts{};
  any_in_order = any_serial = false;
  for (int lane = 0; lane < kLanes; ++lane) {
    rings[lane] = unused;
    masks[lane] = 0;
    dropped[lane] = false;
    if (lane >= count)
      continue;
    windows[lane] = wanted[lane];
    in_order[lane] = wanted[lane].in_order ? -1 : 0;
    any_in_order |= wanted[lane].in_order;
    serial[lane] = wanted[lane].serial ? -1 : 0;
    waits[lane] = wanted[lane].waits ? -1 : 0;
    any_serial |= wanted[lane].serial;
    if (!wanted[lane].size)
      continue;
    // A producer outside the pool is older than all of it, so no cycle is more than a window beyond the first.
    uint32_t size = 4;
    while (size <= 2 * wanted[lane].size)
      size *= 2;
    rings[lane] = static_cast<uint32_t *>(take(size * sizeof(uint32_t)));
    if (!rings[lane])
      return false;
    masks[lane] = size - 1;
  }
  empty();
  return true;
}

void Issue::empty() {
  memset(held, 0, sizeof held);
  memset(begin, 0, sizeof begin);
  memset(spans, 0, sizeof spans);
  memset(warm, 0, sizeof warm);
  least = control = Cycles{};
  for (Cycles &top : tops)
    top = all_lanes(-1);
  instructions = 0;
  sampled = false;
  issued = 0;
  until = ~uint64_t(0);
  for (int lane = 0; lane < lanes; ++lane)
    if (windows[lane].size && windows[lane].size < until)
      until = windows[lane].size;
}

// Where a pool is full its first cycles leave, until there is room.
void Issue::retire() {
  uint64_t next = ~uint64_t(0);
  for (int lane = 0; lane < lanes; ++lane) {
    const uint64_t size = windows[lane].size;
    if (!size)
      continue;
    held[lane] += issued;
    uint32_t *const ring = rings[lane];
    while (held[lane] >= size) {
      uint32_t &first = ring[begin[lane]++ & masks[lane]];
      held[lane] -= first;
      first = 0;
    }
    if (least[lane] < double(begin[lane]))
      least[lane] = double(begin[lane]);
    next = size - held[lane] < next ? size - held[lane] : next;
  }
  issued = 0;
  until = next;
}

uint64_t Issue::span(int lane) const {
  double last = -1;
  for (const Cycles &top : tops)
    last = top[lane] > last ? top[lane] : last;
  return uint64_t(last + 1);
}

Issued Issue::all(int lane) const {
  Issued found = {instructions, span(lane), {}};
  for (int type = 0; type < kNoType; ++type)
    found.of[type] = span_of(type, lane);
  return found;
}

Issued Issue::now(int lane) const {
  Issued found = all(lane);
  found.instructions -= warm[lane].instructions;
  found.span -= warm[lane].span;
  for (int type = 0; type < kNoType; ++type)
    found.of[type] -= warm[lane].of[type];
  return found;
}

void Issue::begin_warm_up() {
  for (int lane = 0; lane < lanes; ++lane)
    cold[lane] = all(lane);
}

void Issue::end_warm_up() {
  for (int lane = 0; lane < lanes; ++lane) {
    const Issued here = all(lane);
    warm[lane].instructions += here.instructions - cold[lane].instructions;
    warm[lane].span += here.span - cold[lane].span;
    for (int type = 0; type < kNoType; ++type)
      warm[lane].of[type] += here.of[type] - cold[lane].of[type];
  }
}

void Issue::begin_sample() {
  for (int lane = 0; lane < lanes && !sampled; ++lane)
    before[lane] = now(lane);
  sampled = true;
}

Cycles Issue::oldest() const {
  Cycles found = least;
  for (int lane = 0; lane < kLanes; ++lane)
    if (lane >= lanes || dropped[lane])
      found[lane] = 1e300;
  return found;
}

void Issue::forget() {
  for (int lane = 0; lane < kLanes; ++lane)
    if (rings[lane])
      memset(rings[lane], 0, (masks[lane] + 1) * sizeof(uint32_t));
  empty();
}

} // namespace dse
