// Where a thread accesses memory, and when: exact counts in tables of a fixed size, whatever the program touches.
#pragma once
#include "memory.h"

namespace dse {

// Accesses by the bytes they begin at and by when they come. A row is an aligned run of 2^shift bytes that was touched,
// a column so many accesses; where either runs out, two neighbours become one, so every count stays exact.
class AddressMap {
public:
  static constexpr uint32_t kRows = 128, kColumns = 128, kFirstShift = 3, kFirstColumn = 64;

  bool start();
  void reference(uint64_t address);
  void forget();
  uint64_t bytes() const { return counts ? kRows * kColumns * sizeof(uint64_t) : 0; }
  uint64_t columns() const { return accesses ? column + 1 : 0; }
  uint64_t count(uint32_t row, uint32_t column) const { return counts[row * kColumns + column]; }
  uint64_t accesses, per_column;
  uint64_t keys[kRows]; // of the rows: address >> shift, in the order they were first touched
  uint32_t shift, rows;

private:
  static constexpr uint32_t kSlots = 512; // of a hash table, at most a quarter full
  uint64_t *counts;
  uint64_t left; // accesses that still fit into the column
  uint32_t column, last;
  uint16_t slots[kSlots]; // 1 + row
  uint32_t find(uint64_t key) const;
  uint32_t slot(uint64_t key) const;
  void merge_rows();
  void merge_columns();
  void clear();
};

// For accesses t apart, how many have a byte of the second s bytes from a byte of the first (Anghel 2017, Eq. 3.2, of
// ranges that overlap). An access of n bytes at a, and one of m bytes at b, do so for b - a - n < s < b - a + m: one is
// added where that begins and taken off where it ends, and sums give the counts.
class LocalityMap {
public:
  static constexpr int64_t kReach = 1024;                  // bytes, on both sides
  static constexpr uint64_t kAddresses = uint64_t(1) << 9; // a power of two, above the longest lag
  static constexpr uint16_t kLags[] = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 24, 32, 48, 64, 96, 128, 192, 256};
  static constexpr int kLagCount = sizeof kLags / sizeof *kLags;

  bool start();
  void reference(uint64_t address, uint32_t bytes);
  void forget();
  uint64_t bytes() const { return changes ? kLagCount * kPlaces * sizeof(int64_t) + sizeof past : 0; }
  void counts(int lag, int64_t step, uint64_t *out) const; // at offsets -kReach, -kReach + step, … kReach
  uint64_t accesses;

private:
  static constexpr uint64_t kPlaces = 2 * kReach + 2;
  struct Access {
    uint64_t address;
    uint32_t bytes;
  };
  int64_t *changes; // a row for each lag
  Access past[kAddresses];
};

} // namespace dse
