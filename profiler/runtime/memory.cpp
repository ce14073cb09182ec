#include "memory.h"
#include <string.h>
#include <sys/mman.h>

namespace dse {

void *take(size_t bytes) {
  void *place = mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  return place == MAP_FAILED ? nullptr : place;
}

void *take_dense(size_t bytes) {
  constexpr size_t large = size_t(1) << 21;
  if (bytes < large)
    return take(bytes);
  char *place = static_cast<char *>(take(bytes + large));
  if (!place)
    return nullptr;
  char *const aligned = place + (large - reinterpret_cast<uintptr_t>(place) % large) % large;
  const auto pages = [](size_t size) { return (size + 4095) / 4096 * 4096; };
  const size_t before = size_t(aligned - place), whole = pages(bytes), behind = pages(bytes + large) - before - whole;
  if (before)
    munmap(place, before);
  if (behind)
    munmap(aligned + whole, behind);
  madvise(aligned, whole, MADV_HUGEPAGE); // where it is refused, it is slower
  return aligned;
}

void *Slab::take_piece() {
  ++used;
  if (free) {
    void *const place = free;
    free = *static_cast<void **>(place);
    memset(place, 0, piece);
    return place;
  }
  if (left < piece) {
    const uint64_t taken = regions.size ? regions.data[regions.size - 1].bytes * 2 : 16 * piece;
    const size_t bytes = size_t((taken > (uint64_t(1) << 24) ? uint64_t(1) << 24 : taken) + 4095) / 4096 * 4096;
    next = static_cast<char *>(take_dense(bytes));
    if (!next)
      __builtin_trap();
    regions.push({next, bytes});
    left = bytes;
  }
  left -= piece;
  next += piece;
  return next - piece;
}

void Slab::give_back_piece(void *place) {
  --used;
  *static_cast<void **>(place) = free;
  free = place;
}

void Slab::drop() {
  for (uint64_t index = 0; index < regions.size; ++index)
    give_back(regions.data[index].place, regions.data[index].bytes);
  regions.drop();
  left = 0;
  next = nullptr;
  free = nullptr;
  used = 0;
}

void give_back(void *place, size_t bytes) { munmap(place, bytes); }

double log2_of_count(uint64_t count) {
  static double known[4096]; // 0: not asked for yet; two threads write the same
  if (count >= 4096)
    return log2_of(double(count));
  if (count > 1 && known[count] == 0)
    known[count] = log2_of(double(count));
  return known[count];
}

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
