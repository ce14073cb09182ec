#include "memory.h"
#include <string.h>
#include <sys/mman.h>

namespace dse {

void *take(size_t bytes) {
  void *place = mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  return place == MAP_FAILED ? nullptr : place;
}

void give_back(void *place, size_t bytes) { munmap(place, bytes); }

double log2_of(double value) {
  uint64_t bits;
  memcpy(&bits, &value, 8);
  double power = double(int64_t(bits >> 52) - 1023);
  bits = (bits & 0xfffffffffffffu) | uint64_t(1023) << 52;
  double rest;
  memcpy(&rest, &bits, 8);
  if (rest > 1.4142135623730951) {
    rest /= 2;
    power += 1;
  }
  const double ratio = (rest - 1) / (rest + 1), square = ratio * ratio;
  double sum = 0, term = ratio;
  for (int odd = 1; odd < 41; odd += 2, term *= square)
    sum += term / odd;
  return power + 2 * sum * 1.4426950408889634074;
}

uint64_t mixed(uint64_t key) {
  for (int round = 0; round < 2; ++round) {
    key ^= key >> 33;
    key *= 0xff51afd7ed558ccdu;
    key ^= key >> 33;
    key *= 0xc4ceb9fe1a85ec53u;
    key ^= key >> 33;
  }
  return key;
}

const uint64_t *Map::find(uint64_t key) const {
  if (!capacity)
    return nullptr;
  for (uint64_t slot = mixed(key);; ++slot) {
    slot &= capacity - 1;
    if (keys[slot] == key + 1)
      return &values[slot];
    if (!keys[slot])
      return nullptr;
  }
}

uint64_t &Map::at(uint64_t key) {
  if (size * 2 >= capacity) {
    const Map old = *this;
    capacity = old.capacity ? old.capacity * 2 : 1024;
    keys = static_cast<uint64_t *>(take(capacity * 16));
    if (!keys)
      __builtin_trap();
    values = keys + capacity;
    size = 0;
    for (uint64_t slot = 0; slot < old.capacity; ++slot)
      if (old.keys[slot])
        at(old.keys[slot] - 1) = old.values[slot];
    if (old.keys)
      give_back(old.keys, old.capacity * 16);
  }
  for (uint64_t slot = mixed(key);; ++slot) {
    slot &= capacity - 1;
    if (keys[slot] == key + 1)
      return values[slot];
    if (!keys[slot]) {
      keys[slot] = key + 1;
      ++size;
      return values[slot];
    }
  }
}

void Map::drop() {
  if (keys)
    give_back(keys, capacity * 16);
  *this = {};
}

} // namespace dse
