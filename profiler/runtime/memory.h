// Memory of the runtime: straight from the system, so that the program's malloc stays as it is.
#pragma once
#include <stddef.h>
#include <stdint.h>

namespace dse {

// Zeroed pages that become resident when they are written; null where the system has none.
void *take(size_t bytes);
// The same for what is read all over: from 2 MiB on in large pages, where the system has them.
void *take_dense(size_t bytes);
void give_back(void *place, size_t bytes);
double log2_of(double value); // without libm, which C programs need not link
double log2_of_count(uint64_t count); // the same
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
    T *moved = static_cast<T *>(take_dense(grown * sizeof(T)));
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

// Pieces of one size, zeroed when they are taken; those given back are taken again.
class Slab {
public:
  void start(size_t piece_bytes) { piece = (piece_bytes + 63) / 64 * 64; } // whole lines of the cache
  void *take_piece();
  void give_back_piece(void *place);
  void drop(); // all of them
  uint64_t bytes() const { return used * piece; }

private:
  struct Region {
    void *place;
    size_t bytes;
  };
  size_t piece, left; // bytes of the last region
  char *next;
  void *free; // list
  uint64_t used;
  Array<Region> regions;
};

// 64-bit keys to 64-bit values, 0 where a key is new.
struct Map {
  uint64_t *keys, *values, capacity, size;

  uint64_t &at(uint64_t key);
  const uint64_t *find(uint64_t key) const;
  void drop();
};

} // namespace dse
