#include "branches.h"
#include <string.h>

namespace dse {
namespace {

uint64_t low(uint64_t value, int bits) { return bits >= 64 ? value : value & ((uint64_t(1) << bits) - 1); }

uint64_t reversed(uint64_t value) {
  value = __builtin_bswap64(value);
  value = (value & 0x0f0f0f0f0f0f0f0f) << 4 | (value >> 4 & 0x0f0f0f0f0f0f0f0f);
  value = (value & 0x3333333333333333) << 2 | (value >> 2 & 0x3333333333333333);
  return (value & 0x5555555555555555) << 1 | (value >> 1 & 0x5555555555555555);
}

struct Window {
  uint64_t key, count; // key: the newest outcome first
  int length;          // outcomes it holds
};

// By heap: no recursion, no memory.
void sort(Window *windows, uint64_t size) {
  const auto sink = [&](uint64_t root, uint64_t end) {
    for (uint64_t child; (child = 2 * root + 1) < end; root = child) {
      if (child + 1 < end && windows[child].key < windows[child + 1].key)
        ++child;
      if (windows[root].key >= windows[child].key)
        return;
      const Window swapped = windows[root];
      windows[root] = windows[child];
      windows[child] = swapped;
    }
  };
  for (uint64_t root = size / 2; root-- > 0;)
    sink(root, size);
  for (uint64_t end = size; end > 1;) {
    --end;
    const Window swapped = windows[0];
    windows[0] = windows[end];
    windows[end] = swapped;
    sink(0, end);
  }
}

double entropy_of(const Window *windows, uint64_t size, int length, uint64_t total) {
  double sum = 0;
  uint64_t current = 0, same = 0;
  const auto close = [&] { sum += same > 1 ? double(same) * log2_of(double(same)) : 0; };
  for (uint64_t index = 0; index < size; ++index) {
    if (windows[index].length < length)
      continue;
    const uint64_t prefix = windows[index].key >> (64 - length);
    if (same && prefix == current) {
      same += windows[index].count;
      continue;
    }
    close();
    current = prefix;
    same = windows[index].count;
  }
  close();
  return log2_of(double(total)) - sum / double(total);
}

} // namespace

void Branches::count(uint64_t key, uint64_t times) {
  for (uint64_t slot = mixed(key);; ++slot) {
    slot &= capacity - 1;
    if (!counts[slot]) {
      keys[slot] = key;
      counts[slot] = times;
      ++size;
      return;
    }
    if (keys[slot] == key) {
      counts[slot] += times;
      return;
    }
  }
}

void Branches::grow() {
  uint64_t *const old_keys = keys, *const old_counts = counts, old = capacity;
  if (capacity / 2 >= kMostHistories)
    bits = held() > 32 ? held() - 8 : held() > 24 ? held() - 2 : held() - 1;
  else
    capacity = capacity ? capacity * 2 : 4096;
  keys = static_cast<uint64_t *>(take(capacity * 16));
  if (!keys)
    __builtin_trap();
  counts = keys + capacity;
  size = 0;
  for (uint64_t slot = 0; slot < old; ++slot)
    if (old_counts[slot])
      count(low(old_keys[slot], held()), old_counts[slot]);
  if (old_keys)
    give_back(old_keys, old * 16);
}

void Branches::outcome(bool taken) {
  history = history << 1 | uint64_t(taken);
  if (++events < 64) {
    start = history; // its windows are shorter than a key and are added at the end
    return;
  }
  while (size * 2 >= capacity)
    grow();
  count(low(history, held()), 1);
}

int Branches::conditional(double *by_length, int most) const {
  const uint64_t first = events < 63 ? events : 63;
  Window *windows = static_cast<Window *>(take((size + 64) * sizeof(Window)));
  if (!windows || !events)
    return 0;
  uint64_t filled = 0;
  for (uint64_t slot = 0; slot < capacity; ++slot)
    if (counts[slot])
      windows[filled++] = {reversed(keys[slot]), counts[slot], held()};
  for (uint64_t length = 1; length <= first; ++length)
    windows[filled++] = {reversed(start >> (first - length)), 1, int(length)};
  sort(windows, filled);
  int written = 0;
  double before = 0;
  for (int length = 1; length <= held() && length <= most + 1 && uint64_t(length) <= events; ++length) {
    const double now = entropy_of(windows, filled, length, events - uint64_t(length) + 1);
    if (length > 1)
      by_length[written++] = now > before ? now - before : 0;
    before = now;
  }
  give_back(windows, (size + 64) * sizeof(Window));
  return written;
}

void Branches::forget() {
  if (keys)
    give_back(keys, capacity * 16);
  memset(static_cast<void *>(this), 0, sizeof *this);
}

} // namespace dse
