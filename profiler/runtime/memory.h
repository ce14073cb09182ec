// Memory of the runtime: straight from the system, so that the program's malloc stays as it is.
#pragma once
#include <stddef.h>
#include <stdint.h>

namespace dse {

// Zeroed pages that become resident when they are written; null where the system has none.
void *take(size_t bytes);
void give_back(void *place, size_t bytes);
double log2_of(double value); // without libm, which C programs need not link
uint64_t mixed(uint64_t key); // two full rounds: one multiplication is biased on strided keys

// Grows by doubling; what it holds is moved as bytes.
template <class T> struct Array {
  T *data;
  uint64_t size, capacity;

  void reserve(uint64_t wanted) {
    if (wanted <= capacity)
      return;
    uint64_t grown = capacity ? capacity : 4096 / sizeof(T) + 1;
    while (grown < wanted)
      grown *= 2;
    T *moved = static_cast<T *>(take(grown * sizeof(T)));
    if (!moved)
      __builtin_trap();
    for (uint64_t index = 0; index < size; ++index)
      moved[index] = data[index];
    if (data)
      give_back(data, capacity * sizeof(T));
    data = moved;
    capacity = grown;
  }

  uint64_t push(const T &value) {
    reserve(size + 1);
    data[size] = value;
    return size++;
  }

  void drop() {
    if (data)
      give_back(data, capacity * sizeof(T));
    data = nullptr;
    size = capacity = 0;
  }
};

// 64-bit keys to 64-bit values, 0 where a key is new.
struct Map {
  uint64_t *keys, *values, capacity, size;

  uint64_t &at(uint64_t key);
  const uint64_t *find(uint64_t key) const;
  void drop();
};

} // namespace dse
