#include "ilp.h"
#include <string.h>

namespace dse {
namespace {

constexpr double kMagic = 4503599627370496.0; // 2^52: adding it leaves a small whole number in the low bits

Cycles most(Cycles left, Cycles right) { return left > right ? left : right; }
Cycles all(double value) { return Cycles{value, value, value, value}; }
uint8_t bytes_from(uint32_t offset, uint32_t bytes) { return uint8_t(((1u << bytes) - 1) << offset); }

} // namespace

bool Issue::start(const Window *wanted, int count) {
  lanes = count;
  least = base = Cycles{};
  top = all(-1);
  for (int type = 0; type < kTypes; ++type)
    type_top[type] = all(-1);
  in_order = Cycles{};
  for (int lane = 0; lane < count; ++lane) {
    windows[lane] = wanted[lane];
    uint32_t size = 4;
    while (size <= 2 * windows[lane].size)
      size *= 2;
    ring_mask[lane] = size - 1;
    rings[lane] = static_cast<uint32_t *>(take(size * sizeof(uint32_t)));
    if (!rings[lane])
      return false;
  }
  return true;
}

Cycles Issue::issue(Cycles ready, int type, uint32_t times) {
  const Cycles cycle = most(ready, least);
  top = most(top, cycle);
  if (type < kTypes) {
    type_spans[type] -= cycle > type_top[type];
    type_top[type] = most(type_top[type], cycle);
  }
  instructions += times;
  const Cycles offsets = cycle - base + kMagic;
  uint64_t offset[kLanes];
  memcpy(offset, &offsets, sizeof offset);
  for (int lane = 0; lane < lanes; ++lane) {
    if (windows[lane].in_order)
      least[lane] = cycle[lane];
    const uint32_t size = windows[lane].size;
    if (!size)
      continue;
    uint32_t *ring = rings[lane];
    const uint32_t mask = ring_mask[lane];
    ++ring[(begin[lane] + uint32_t(offset[lane])) & mask];
    if (++held[lane] < size)
      continue;
    while (held[lane] >= size) {
      held[lane] -= ring[begin[lane] & mask];
      ring[begin[lane] & mask] = 0;
      ++begin[lane];
    }
    base[lane] = double(begin[lane]);
    if (least[lane] < base[lane])
      least[lane] = base[lane];
  }
  return cycle;
}

void Issue::forget() {
  for (int lane = 0; lane < lanes; ++lane)
    memset(rings[lane], 0, (ring_mask[lane] + 1) * sizeof(uint32_t));
  memset(held, 0, sizeof held);
  memset(begin, 0, sizeof begin);
  memset(type_spans, 0, sizeof type_spans);
  least = base = Cycles{};
  top = all(-1);
  for (Cycles &cycles : type_top)
    cycles = all(-1);
  instructions = 0;
}

StoreCycles::Page *StoreCycles::page(uint64_t number, bool make) {
  Page *&slot = recent[number & 255];
  if (slot && slot->number == number)
    return make || slot->era == era ? slot : nullptr;
  Page *found;
  if (make) {
    uint64_t &known = pages.at(number);
    if (!known) {
      Page *made = static_cast<Page *>(take(sizeof(Page)));
      if (!made)
        __builtin_trap();
      made->number = number;
      made->era = era;
      known = reinterpret_cast<uint64_t>(made);
    }
    found = reinterpret_cast<Page *>(known);
  } else {
    const uint64_t *known = pages.find(number);
    if (!known)
      return nullptr;
    found = reinterpret_cast<Page *>(*known);
  }
  slot = found;
  return make || found->era == era ? found : nullptr;
}

void StoreCycles::store(uint64_t address, uint32_t bytes, Cycles cycle) {
  while (bytes) {
    Page *place = page(address >> 12, true);
    if (place->era != era) {
      memset(place->bytes, 0, sizeof place->bytes);
      memset(place->split, 0, sizeof place->split);
      place->era = era;
    }
    for (uint32_t word = address >> 3 & 511; bytes && word < 512; ++word) {
      const uint32_t offset = address & 7, here = bytes < 8 - offset ? bytes : 8 - offset;
      const uint8_t stored = bytes_from(offset, here);
      if (stored == 0xff || (!place->split[word] && (place->bytes[word] == stored || !place->bytes[word]))) {
        place->bytes[word] = stored;
        place->split[word] = 0;
        place->cycles[word] = cycle;
      } else {
        uint32_t &at = place->parts[word];
        if (!at)
          at = uint32_t(parts.push({})) + 1;
        Cycles *each = parts.data[at - 1].of;
        if (!place->split[word])
          for (uint32_t byte = 0; byte < 8; ++byte)
            each[byte] = place->bytes[word] >> byte & 1 ? place->cycles[word] : all(-1);
        place->split[word] = 1;
        place->bytes[word] |= stored;
        for (uint32_t byte = offset; byte < offset + here; ++byte)
          each[byte] = cycle;
      }
      address += here;
      bytes -= here;
    }
  }
}

Cycles StoreCycles::load(uint64_t address, uint32_t bytes) {
  Cycles cycle = all(-1);
  while (bytes) {
    const uint32_t in_page = uint32_t(4096 - (address & 4095)), part = bytes < in_page ? bytes : in_page;
    const Page *place = page(address >> 12, false);
    for (uint32_t left = place ? part : 0; left;) {
      const uint32_t word = address >> 3 & 511, offset = address & 7, here = left < 8 - offset ? left : 8 - offset;
      if (place->bytes[word] & bytes_from(offset, here)) {
        if (!place->split[word])
          cycle = most(cycle, place->cycles[word]);
        else
          for (uint32_t byte = offset; byte < offset + here; ++byte)
            cycle = most(cycle, parts.data[place->parts[word] - 1].of[byte]);
      }
      address += here;
      left -= here;
    }
    if (!place)
      address += part;
    bytes -= part;
  }
  return cycle;
}

bool Ilp::start(const Window *windows, int count, bool conversions) {
  conversions_fp = conversions;
  for (room = uint64_t(1) << 27; room > 1 << 16 && !values; room /= 2)
    values = static_cast<Cycles *>(take(room * sizeof(Cycles)));
  if (!values || !issue.start(windows, count))
    return false;
  frames.push({0, 0, 0, 0, 0, kNone, true, Cycles{}});
  return true;
}

Ilp::Frame &Ilp::push(const Segment &segment) {
  const Frame &below = frames.data[frames.size - 1];
  const uint64_t count = segment.head(kValues);
  // Where there is no room the values of older frames are overwritten: wrong cycles, no wild memory.
  uint64_t place = below.values + below.count;
  if (place + count > room)
    place = 0;
  frames.push({segment.descriptor->function, 0, place, count < room ? count : room, segment.descriptor->block, kNone, false, Cycles{}});
  return frames.data[frames.size - 1];
}

// The frame the segment runs in.
Ilp::Frame &Ilp::enter(const Segment &segment, const uint64_t *addresses) {
  const Descriptor &descriptor = *segment.descriptor;
  if (descriptor.flags & kEntry) {
    const Frame caller = frames.data[frames.size - 1];
    Frame &frame = push(segment);
    if (descriptor.flags & kToken)
      frame.token = addresses[0];
    for (uint32_t argument = 0; argument < segment.head(kArguments) && argument < frame.count; ++argument)
      values[frame.values + argument] = !called && caller.outside ? caller.call : called && argument < passed_count ? passed[argument] : all(-1);
    return frame;
  }
  if (descriptor.flags & kToken)
    while (frames.size > 1 && (frames.data[frames.size - 1].function != descriptor.function || frames.data[frames.size - 1].token != addresses[0]))
      --frames.size;
  if (frames.data[frames.size - 1].function == descriptor.function && frames.size > 1)
    return frames.data[frames.size - 1];
  ++mismatches;
  uint64_t known = frames.size;
  while (known > 1 && frames.data[known - 1].function != descriptor.function)
    --known;
  if (known > 1) {
    frames.size = known;
    return frames.data[known - 1];
  }
  return push(segment);
}

void Ilp::leave(bool returns, Cycles cycle) {
  if (frames.size > 1)
    --frames.size;
  const Frame &caller = frames.data[frames.size - 1];
  if (returns && caller.call_value != kNone && !caller.outside)
    values[caller.values + caller.call_value] = cycle;
}

void Ilp::follow(const Segment &segment, const uint64_t *addresses) {
  Frame &frame = enter(segment, addresses);
  const uint32_t flags = segment.descriptor->flags;
  frame.block = segment.descriptor->block;
  frame.call_value = kNone;
  called = false;
  if (flags & kCall)
    frame.outside = segment.outside == 1;
  if (flags & kRet)
    leave(false, Cycles{});
}

void Ilp::phis(const Segment &segment, Frame &frame) {
  const uint32_t count = segment.head(kPhis);
  if (!count)
    return;
  const uint32_t *defined = segment.code + kHeaderWords, *edge = defined + count;
  for (uint32_t index = segment.head(kPredecessors); index && *edge != frame.block; --index)
    edge += 1 + count;
  const bool known = edge < segment.body();
  Cycles *const mine = values + frame.values;
  // All at once: none reads what another wrote. In groups behind the frame's values, which no one reads yet.
  Cycles *const scratch = mine + frame.count;
  const bool fits = frame.values + frame.count + count < room;
  for (uint32_t phi = 0; phi < count && fits; ++phi)
    scratch[phi] = known && edge[1 + phi] != kNone ? mine[edge[1 + phi]] : all(-1);
  for (uint32_t phi = 0; phi < count && fits; ++phi)
    mine[defined[phi]] = scratch[phi];
}

int Ilp::type_of(uint32_t word) const {
  switch (class_of(word)) {
  case kLoad:
  case kStore:
    return kMemory;
  case kInt:
    return kind_of(word) == kConvertFp && conversions_fp ? kFloating : kInteger;
  case kIntArith:
  case kAddr:
    return kInteger;
  case kControl:
    return kControlFlow;
  case kFp:
    return kFloating;
  default:
    return kNoType;
  }
}

void Ilp::segment(const Segment &segment, const uint64_t *addresses) {
  Frame &frame = enter(segment, addresses);
  const uint32_t flags = segment.descriptor->flags;
  if (flags & kFirst && !(flags & kEntry))
    phis(segment, frame);
  frame.block = segment.descriptor->block;
  called = false;
  addresses += (flags & kToken) != 0;
  Cycles *const mine = values + frame.values;
  Cycles cycle = all(-1);
  const uint32_t *code = segment.body();
  for (uint32_t left = segment.head(kInstructions); left; --left) {
    const uint32_t word = code[0], defined = code[1], operands = operands_of(word);
    Cycles ready = all(-1);
    for (uint32_t operand = 0; operand < operands; ++operand)
      if (code[3 + operand] != kNone)
        ready = most(ready, mine[code[3 + operand]]);
    const uint32_t slots = addresses_of(word), kind = kind_of(word);
    const bool access = class_of(word) == kLoad || class_of(word) == kStore;
    if (class_of(word) == kLoad)
      for (uint32_t slot = 0; slot < slots; ++slot)
        if (addresses[slot])
          ready = most(ready, memory.load(addresses[slot], code[2]));
    if (kind == kCallKind || kind == kCallCopy || kind == kCallFill) {
      passed_count = code[2] < 64 ? code[2] : 64;
      for (uint32_t argument = 0; argument < passed_count; ++argument)
        passed[argument] = code[3 + argument] != kNone ? mine[code[3 + argument]] : all(-1);
    }
    cycle = issue.issue(ready + 1, type_of(word), times_of(word));
    if (access && class_of(word) == kStore)
      for (uint32_t slot = 0; slot < slots; ++slot)
        if (addresses[slot])
          memory.store(addresses[slot], code[2], cycle);
    if (defined != kNone)
      mine[defined] = cycle;
    if (kind == kCallKind || kind == kCallCopy || kind == kCallFill) {
      frame.call_value = defined;
      frame.call = cycle;
      frame.outside = segment.outside == 1;
      called = !frame.outside;
    }
    addresses += slots;
    code += 3 + operands;
  }
  if (flags & kRet)
    leave(!(flags & kCall), cycle);
}

void Ilp::forget() {
  issue.forget();
  memory.clear();
  mismatches = 0;
}

} // namespace dse
