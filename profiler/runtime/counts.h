// How often each 64-bit key came, in an open table that doubles; a key and its count share a line of the cache.
#pragma once
#include "memory.h"

namespace dse {

class CountTable {
public:
  struct Slot {
    uint64_t key, count; // count 0: free
  };
  Slot *slots;
  uint64_t capacity, size;

  bool full() const { return size * 2 >= capacity; }
  void start(uint64_t capacity); // a power of two
  void add(uint64_t key, uint64_t times);
  const Slot *find(uint64_t key) const; // null where it never came
  void fetch(uint64_t key) const { __builtin_prefetch(&slots[place(key)], 1); }
  void drop();
  // Into so many slots, each key as key(old one).
  template <class Key> void rebuild(uint64_t wanted, Key key) {
    CountTable old = *this;
    start(wanted);
    old.each([&](uint64_t before, uint64_t times) { add(key(before), times); });
    old.drop();
  }
  template <class Take> void each(Take take) const {
    for (uint64_t at = 0; at < capacity; ++at)
      if (slots[at].count)
        take(slots[at].key, slots[at].count);
  }

private:
  // By the upper half of the product: the lower bits of histories are alike.
  uint64_t place(uint64_t key) const {
    const uint64_t product = (key ^ key >> 32) * 0x9e3779b97f4a7c15u;
    return (product ^ product >> 29) * 0xbf58476d1ce4e5b9u >> 32 & (capacity - 1);
  }
};

// Keys that wait for their slots: fetched together, the slots come from memory at the same time.
class Waiting {
public:
  static constexpr uint32_t kMost = 64;
  bool push(uint64_t key) { // true: none must follow before they are counted
    keys[size++] = key;
    return size == kMost;
  }
  // count(key) for each, once the slots of key_of(key) were fetched.
  template <class Key, class Count> void each(const CountTable &table, Key key_of, Count count) {
    for (uint32_t index = 0; index < size && table.capacity; ++index)
      table.fetch(key_of(keys[index]));
    const uint32_t all = size;
    size = 0;
    for (uint32_t index = 0; index < all; ++index)
      count(keys[index]);
  }
  uint32_t size;

private:
  uint64_t keys[kMost];
};

// By heap: no recursion, no memory.
template <class T, class Less> void sort(T *rows, uint64_t size, Less less) {
  const auto sink = [&](uint64_t root, uint64_t end) {
    for (uint64_t child; (child = 2 * root + 1) < end; root = child) {
      if (child + 1 < end && less(rows[child], rows[child + 1]))
        ++child;
      if (!less(rows[root], rows[child]))
        return;
      const T swapped = rows[root];
      rows[root] = rows[child];
      rows[child] = swapped;
    }
  };
  for (uint64_t root = size / 2; root-- > 0;)
    sink(root, size);
  for (uint64_t end = size; end > 1;) {
    --end;
    const T swapped = rows[0];
    rows[0] = rows[end];
    rows[end] = swapped;
    sink(0, end);
  }
}

} // namespace dse
