#include "store_cycles.h"

namespace dse {

void StoreCycles::start() {
  room.start(sizeof(Page));
  upper_room.start(512 * sizeof(Cycles));
}

StoreCycles::Page *StoreCycles::look_up(uint64_t number, bool make) {
  Page *found = nullptr;
  if (make) {
    uint64_t &known = pages.at(number);
    if (!known) {
      Page *made = static_cast<Page *>(room.take_piece());
      made->number = number;
      made->era = era;
      known = reinterpret_cast<uint64_t>(made);
    }
    found = reinterpret_cast<Page *>(known);
    if (found->era != era) {
      memset(found->states, 0, sizeof found->states);
      found->era = era;
    }
  } else if (const uint64_t *known = pages.find(number)) {
    found = reinterpret_cast<Page *>(*known);
    found = found->era == era ? found : nullptr;
  }
  recent[number % kRecent] = {number + 1, found};
  return found;
}

Cycles StoreCycles::load_any(uint64_t address, uint32_t bytes) {
  Cycles cycle = all_lanes(-1);
  while (bytes) {
    const uint32_t offset = address & 7, here = bytes < 8 - offset ? bytes : 8 - offset, word = address >> 3 & 511;
    const Page *place = page(address >> 12, false);
    if (place && place->states[word] & kSplit)
      for (uint32_t byte = offset; byte < offset + here; ++byte)
        cycle = most(cycle, parts_of(*place, word).of[byte]);
    else if (place && place->states[word] & kHalves)
      cycle = most(cycle, part_of(*place, word, place->states[word] & bytes_from(offset, here)));
    else if (place && place->states[word] & bytes_from(offset, here))
      cycle = most(cycle, place->cycles[word]);
    address += here;
    bytes -= here;
  }
  return cycle;
}

void StoreCycles::store_any(uint64_t address, uint32_t bytes, Cycles cycle) {
  while (bytes) {
    const uint32_t offset = address & 7, here = bytes < 8 - offset ? bytes : 8 - offset;
    store_part(*page(address >> 12, true), address >> 3 & 511, bytes_from(offset, here), cycle);
    address += here;
    bytes -= here;
  }
}

void StoreCycles::store_part(Page &place, uint32_t word, uint16_t stored, Cycles cycle) {
  const uint16_t state = place.states[word];
  if (stored == kStored || state == stored || !state) {
    if (state & kSplit)
      spare(place, word);
    place.states[word] = stored;
    place.cycles[word] = cycle;
    return;
  }
  if (!(state & kSplit)) {
    if (store_half(place, word, stored, cycle))
      return;
    split(place, word);
  }
  place.states[word] |= stored;
  for (uint32_t byte = 0; byte < 8; ++byte)
    if (stored >> byte & 1)
      parts_of(place, word).of[byte] = cycle;
}

// True where all stores to that half of the word still have the same bytes.
bool StoreCycles::store_half(Page &place, uint32_t word, uint16_t stored, Cycles cycle) {
  const uint16_t half = stored & kLower ? kLower : kUpper, before = place.states[word] & half;
  if (stored & ~half || (stored != half && before && before != stored))
    return false;
  if (!place.upper)
    place.upper = static_cast<Cycles *>(upper_room.take_piece());
  if (!(place.states[word] & kHalves)) {
    const uint16_t state = place.states[word];
    place.upper[word] = state & kUpper ? place.cycles[word] : all_lanes(-1);
    place.cycles[word] = state & kLower ? place.cycles[word] : all_lanes(-1);
  }
  (half == kLower ? place.cycles : place.upper)[word] = cycle;
  place.states[word] = uint16_t((place.states[word] & ~half) | stored | kHalves);
  return true;
}

void StoreCycles::split(Page &place, uint32_t word) {
  const uint16_t state = place.states[word];
  Parts made;
  for (uint32_t byte = 0; byte < 8; ++byte) {
    const Cycles cycle = state & kHalves && byte > 3 ? place.upper[word] : place.cycles[word];
    made.of[byte] = state >> byte & 1 ? cycle : all_lanes(-1);
  }
  uint64_t at = first_spare - 1;
  if (first_spare) {
    first_spare = uint64_t(parts.data[at].of[0][0]);
    parts.data[at] = made;
  } else {
    at = parts.push(made);
  }
  place.cycles[word][0] = double(at);
  place.states[word] = uint16_t((state & kStored) | kSplit);
}

void StoreCycles::spare(const Page &place, uint32_t word) {
  parts_of(place, word).of[0][0] = double(first_spare);
  first_spare = uint64_t(place.cycles[word][0]) + 1;
}

void StoreCycles::clear() {
  ++era;
  memset(recent, 0, sizeof recent);
  parts.size = first_spare = 0;
}

void StoreCycles::forget_before(Cycles least) {
  const auto before = [&](Cycles cycle) {
    const auto later = cycle >= least;
    return !(later[0] | later[1] | later[2] | later[3]);
  };
  Map kept = {};
  Array<Parts> parts_kept = {};
  for (uint64_t slot = 0; slot < pages.capacity; ++slot) {
    if (!pages.keys[slot])
      continue;
    Page &place = *reinterpret_cast<Page *>(pages.values[slot]);
    bool used = false;
    for (uint32_t word = 0; word < 512 && place.era == era; ++word) {
      if (place.states[word] & kSplit) {
        const Parts &of = parts_of(place, word);
        bool gone = true;
        for (const Cycles &cycle : of.of)
          gone &= before(cycle);
        place.states[word] = gone ? 0 : place.states[word];
        if (!gone)
          place.cycles[word][0] = double(parts_kept.push(of));
      } else if (place.states[word] && before(place.cycles[word]) && (!(place.states[word] & kHalves) || before(place.upper[word]))) {
        place.states[word] = 0;
      }
      used |= place.states[word] != 0;
    }
    if (used) {
      kept.at(pages.keys[slot] - 1) = pages.values[slot];
      continue;
    }
    if (place.upper)
      upper_room.give_back_piece(place.upper);
    room.give_back_piece(&place);
  }
  pages.drop();
  parts.drop();
  pages = kept;
  parts = parts_kept;
  first_spare = 0;
  memset(recent, 0, sizeof recent);
}

} // namespace dse
