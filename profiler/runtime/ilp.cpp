#include "ilp.h"
#include "operations.h"
#include <string.h>

namespace dse {

bool Ilp::start(const Window *windows, int count, bool conversions) {
  conversions_fp = conversions;
  for (room = uint64_t(1) << 27; room > 1 << 16 && !values; room /= 2)
    values = static_cast<Cycles *>(take((room + 1) * sizeof(Cycles)));
  memory.start();
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
      values[frame.values + argument] = !called && caller.outside ? caller.call : called && argument < passed_count ? passed[argument] : all_lanes(-1);
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
    scratch[phi] = known && edge[1 + phi] != kNone ? mine[edge[1 + phi]] : all_lanes(-1);
  for (uint32_t phi = 0; phi < count && fits; ++phi)
    mine[defined[phi]] = scratch[phi];
}

// What is rare: calls, and accesses of several addresses.
Cycles Ilp::rare(const uint32_t *code, int type, const Segment &segment, Frame &frame, const uint64_t *addresses) {
  Cycles *const mine = values + frame.values;
  const uint32_t word = code[0], slots = addresses_of(word), kind = kind_of(word);
  Cycles ready = all_lanes(-1);
  for (uint32_t operand = 0; operand < operands_of(word); ++operand)
    if (code[3 + operand] != kNone)
      ready = most(ready, mine[code[3 + operand]]);
  if (class_of(word) == kLoad)
    for (uint32_t slot = 0; slot < slots; ++slot)
      if (addresses[slot])
        ready = most(ready, memory.load(addresses[slot], code[2]));
  const Cycles cycle = issue.issue(ready + 1, type);
  if (class_of(word) == kStore)
    for (uint32_t slot = 0; slot < slots; ++slot)
      if (addresses[slot])
        memory.store(addresses[slot], code[2], cycle);
  if (kind == kCallKind || kind == kCallCopy || kind == kCallFill) {
    passed_count = code[2] < 64 ? code[2] : 64;
    for (uint32_t argument = 0; argument < passed_count; ++argument)
      passed[argument] = code[3 + argument] != kNone ? mine[code[3 + argument]] : all_lanes(-1);
    frame.call_value = code[1];
    frame.call = cycle;
    frame.outside = segment.outside == 1;
    called = !frame.outside;
  }
  return cycle;
}

void Ilp::segment(Segment &segment, const uint64_t *addresses) {
  Frame &frame = enter(segment, addresses);
  const uint32_t flags = segment.descriptor->flags;
  if (flags & kFirst && !(flags & kEntry))
    phis(segment, frame);
  frame.block = segment.descriptor->block;
  called = false;
  addresses += (flags & kToken) != 0;
  const uint32_t *code = operations(segment, conversions_fp);
  if (!code)
    return;
  Cycles *const mine = values + frame.values;
  Cycles cycle = all_lanes(-1);
  issue.instructions += segment.instructions;
  for (uint32_t left = *code++; left; --left) {
    const uint32_t word = code[0], uses = uses_of(word);
    const uint32_t *const used = code + 3;
    const int type = int(type_of(word));
    Cycles ready = all_lanes(-1);
    switch (action_of(word)) {
    case kPlain0:
      cycle = issue.issue(ready + 1, type);
      break;
    case kPlain1:
      cycle = issue.issue(mine[used[0]] + 1, type);
      break;
    case kPlain2:
      cycle = issue.issue(most(mine[used[0]], mine[used[1]]) + 1, type);
      break;
    case kPlain3:
      cycle = issue.issue(most(most(mine[used[0]], mine[used[1]]), mine[used[2]]) + 1, type);
      break;
    case kLoad0:
      if (*addresses)
        ready = memory.load(*addresses, code[2]);
      ++addresses;
      cycle = issue.issue(ready + 1, type);
      break;
    case kLoad1:
      ready = mine[used[0]];
      if (*addresses)
        ready = most(ready, memory.load(*addresses, code[2]));
      ++addresses;
      cycle = issue.issue(ready + 1, type);
      break;
    case kStore0:
    case kStore1:
    case kStore2:
    case kStoreN:
      for (uint32_t use = 0; use < uses; ++use)
        ready = most(ready, mine[used[use]]);
      cycle = issue.issue(ready + 1, type);
      if (*addresses)
        memory.store(*addresses, code[2], cycle);
      ++addresses;
      break;
    case kRare:
      cycle = rare(segment.body() + code[2], type, segment, frame, addresses);
      addresses += addresses_of(segment.body()[code[2]]);
      break;
    default: // kPlainN, kLoadN
      for (uint32_t use = 0; use < uses; ++use)
        ready = most(ready, mine[used[use]]);
      if (action_of(word) == kLoadN) {
        if (*addresses)
          ready = most(ready, memory.load(*addresses, code[2]));
        ++addresses;
      }
      cycle = issue.issue(ready + 1, type);
    }
    mine[code[1]] = cycle;
    code += 3 + uses;
  }
  if (flags & kRet)
    leave(!(flags & kCall), cycle);
}

void Ilp::drop_unbounded() {
  issue.drop_unbounded();
  memory.forget_before(issue.oldest());
}

void Ilp::forget() {
  issue.forget();
  memory.clear();
  mismatches = 0;
}

} // namespace dse
