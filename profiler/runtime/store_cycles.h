// Cycle of the last store to each byte: one per 8-byte word while all its stores have the same bytes, two while those of
// each half have, else eight.
#pragma once
#include "memory.h"
#include <string.h>

namespace dse {

constexpr int kLanes = 4;
typedef double Cycles __attribute__((vector_size(32))); // one per lane; exact to 2^53

inline Cycles most(Cycles left, Cycles right) { return left > right ? left : right; }
inline Cycles all_lanes(double value) { return Cycles{value, value, value, value}; }

class StoreCycles {
public:
  void start();
  void store(uint64_t address, uint32_t bytes, Cycles cycle);
  Cycles load(uint64_t address, uint32_t bytes);
  void fetch(uint64_t address) { // what a load or a store there will read
    const Page *place = page(address >> 12, false);
    if (!place)
      return;
    __builtin_prefetch(&place->states[address >> 3 & 511]);
    __builtin_prefetch(&place->cycles[address >> 3 & 511]);
    if (place->upper)
      __builtin_prefetch(&place->upper[address >> 3 & 511]);
  }
  void clear(); // pages are emptied when they are written next
  // Forgets the stores before a cycle: what depends on them issues then or later anyway.
  void forget_before(Cycles least);
  uint64_t bytes() const { return room.bytes() + upper_room.bytes() + parts.size * sizeof(Parts) + pages.capacity * 16; }

private:
  // Bytes that were stored to; each half has a cycle of its own; each byte has.
  enum State : uint16_t { kLower = 15, kUpper = 240, kStored = 255, kHalves = 256, kSplit = 512 };
  struct Page {
    uint64_t number, era;
    Cycles *upper; // of the upper halves; null while no word of the page is halved
    uint16_t states[512];
    Cycles cycles[512]; // of the word or its lower half; where it is split, the first lane holds the place of its eight cycles
  };
  struct Parts {
    Cycles of[8];
  };
  struct Recent {
    uint64_t number; // plus 1
    Page *page;      // null: nothing is stored there
  };
  static constexpr uint32_t kRecent = 1024;
  Map pages;
  Slab room, upper_room;
  Recent recent[kRecent];
  Array<Parts> parts;
  uint64_t first_spare, era; // 1 + place of parts no word uses, which name the next in the same way

  static uint16_t bytes_from(uint32_t offset, uint32_t bytes) { return uint16_t(((1u << bytes) - 1) << offset); }
  Page *page(uint64_t number, bool make) {
    const Recent &slot = recent[number % kRecent];
    return slot.number == number + 1 && (slot.page || !make) ? slot.page : look_up(number, make);
  }
  Parts &parts_of(const Page &place, uint32_t word) const { return parts.data[uint64_t(place.cycles[word][0])]; }
  Page *look_up(uint64_t number, bool make);
  static Cycles part_of(const Page &place, uint32_t word, uint32_t state) {
    const Cycles lower = state & kLower ? place.cycles[word] : all_lanes(-1);
    return state & kUpper ? most(lower, place.upper[word]) : lower;
  }
  Cycles load_any(uint64_t address, uint32_t bytes);
  void store_any(uint64_t address, uint32_t bytes, Cycles cycle);
  void store_part(Page &place, uint32_t word, uint16_t stored, Cycles cycle);
  bool store_half(Page &place, uint32_t word, uint16_t stored, Cycles cycle);
  void split(Page &place, uint32_t word);
  void spare(const Page &place, uint32_t word);
};

inline Cycles StoreCycles::load(uint64_t address, uint32_t bytes) {
  const uint32_t offset = address & 7;
  if (offset + bytes > 8)
    return load_any(address, bytes);
  const Page *place = page(address >> 12, false);
  if (!place)
    return all_lanes(-1);
  const uint32_t word = address >> 3 & 511, state = place->states[word], wanted = state & bytes_from(offset, bytes);
  if (state & kSplit)
    return load_any(address, bytes);
  if (state & kHalves)
    return part_of(*place, word, wanted);
  return wanted ? place->cycles[word] : all_lanes(-1);
}

inline void StoreCycles::store(uint64_t address, uint32_t bytes, Cycles cycle) {
  const uint32_t offset = address & 7;
  if (offset + bytes > 8)
    return store_any(address, bytes, cycle);
  Page &place = *page(address >> 12, true);
  const uint32_t word = address >> 3 & 511, state = place.states[word];
  const uint16_t stored = bytes_from(offset, bytes);
  if (state != stored && state)
    return store_part(place, word, stored, cycle);
  place.states[word] = stored;
  place.cycles[word] = cycle;
}

} // namespace dse
