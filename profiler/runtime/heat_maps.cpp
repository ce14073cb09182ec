#include "heat_maps.h"
#include <string.h>

namespace dse {

bool AddressMap::start() {
  counts = static_cast<uint64_t *>(take(kRows * kColumns * sizeof(uint64_t)));
  clear();
  return counts;
}

void AddressMap::clear() {
  accesses = 0;
  per_column = left = kFirstColumn;
  shift = kFirstShift;
  rows = column = last = 0;
  memset(slots, 0, sizeof slots);
}

void AddressMap::forget() {
  if (counts)
    memset(counts, 0, kRows * kColumns * sizeof(uint64_t));
  clear();
}

// Where a key stands in the hash table, or where it would.
uint32_t AddressMap::slot(uint64_t key) const {
  uint32_t place = uint32_t(mixed(key)) % kSlots;
  while (slots[place] && keys[slots[place] - 1] != key)
    place = (place + 1) % kSlots;
  return place;
}

uint32_t AddressMap::find(uint64_t key) const { return slots[slot(key)]; }

void AddressMap::merge_rows() {
  memset(slots, 0, sizeof slots);
  const uint32_t before = rows;
  rows = 0;
  ++shift;
  for (uint32_t row = 0; row < before; ++row) {
    const uint64_t key = keys[row] >> 1;
    const uint32_t place = slot(key);
    uint64_t *const from = counts + row * kColumns;
    if (slots[place]) {
      uint64_t *const to = counts + (slots[place] - 1) * kColumns;
      for (uint32_t index = 0; index < kColumns; ++index)
        to[index] += from[index];
    } else {
      keys[rows] = key;
      if (rows != row)
        memcpy(counts + rows * kColumns, from, kColumns * sizeof(uint64_t));
      slots[place] = uint16_t(++rows);
    }
  }
  memset(counts + rows * kColumns, 0, (before - rows) * kColumns * sizeof(uint64_t));
  last = 0;
}

void AddressMap::merge_columns() {
  for (uint32_t row = 0; row < rows; ++row) {
    uint64_t *const cells = counts + row * kColumns;
    for (uint32_t index = 0; index < kColumns / 2; ++index)
      cells[index] = cells[2 * index] + cells[2 * index + 1];
    memset(cells + kColumns / 2, 0, kColumns / 2 * sizeof(uint64_t));
  }
  per_column *= 2;
}

void AddressMap::reference(uint64_t address) {
  if (!left) {
    if (++column == kColumns) {
      merge_columns();
      column = kColumns / 2;
    }
    left = per_column;
  }
  --left;
  ++accesses;
  uint64_t key = address >> shift;
  if (!rows || keys[last] != key) {
    uint32_t row = find(key);
    while (!row && rows == kRows) {
      merge_rows();
      key = address >> shift;
      row = find(key);
    }
    if (!row) {
      keys[rows] = key;
      row = ++rows;
      slots[slot(key)] = uint16_t(row); // the key that is there now ends the search, or none
    }
    last = row - 1;
  }
  ++counts[last * kColumns + column];
}

bool LocalityMap::start() {
  changes = static_cast<int64_t *>(take(kLagCount * kPlaces * sizeof(int64_t)));
  return changes;
}

void LocalityMap::forget() {
  accesses = 0;
  if (changes)
    memset(changes, 0, kLagCount * kPlaces * sizeof(int64_t));
}

void LocalityMap::reference(uint64_t address, uint32_t bytes) {
  for (int lag = 0; lag < kLagCount && kLags[lag] <= accesses; ++lag) {
    const Access &first = past[(accesses - kLags[lag]) % kAddresses];
    const int64_t apart = int64_t(address - first.address);
    int64_t begin = apart - int64_t(first.bytes) + 1, end = apart + int64_t(bytes); // offsets from begin to before end
    if (begin > kReach || end <= -kReach)
      continue;
    begin = begin < -kReach ? -kReach : begin;
    end = end > kReach + 1 ? kReach + 1 : end;
    int64_t *const row = changes + uint64_t(lag) * kPlaces + kReach;
    ++row[begin];
    --row[end];
  }
  past[accesses++ % kAddresses] = {address, bytes};
}

void LocalityMap::counts(int lag, int64_t step, uint64_t *out) const {
  const int64_t *const row = changes + uint64_t(lag) * kPlaces + kReach;
  int64_t sum = 0;
  for (int64_t offset = -kReach; offset <= kReach; ++offset) {
    sum += row[offset];
    if ((offset + kReach) % step == 0)
      *out++ = uint64_t(sum);
  }
}

} // namespace dse
