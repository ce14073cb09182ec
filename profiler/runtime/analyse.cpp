// Hands the segments of a buffer to the engines, one after the other.
#include "threads.h"

namespace dse {
namespace {

constexpr uint64_t kWholeBuffers = 20; // of a thread, before bursts begin

template <class Take> void each_segment(const uint64_t *word, const uint64_t *end, Take take) {
  while (word < end) {
    const Descriptor &descriptor = *reinterpret_cast<const Descriptor *>(*word);
    take(segment_of(descriptor.id), word + 1);
    word += 1 + descriptor.addresses;
  }
}

// What a load depends on is fetched well before its turn: the cycles of stores are four times what the program touches.
void parallelism(Ilp &ilp, const uint64_t *word, const uint64_t *end) {
  constexpr uint64_t kAhead = 64; // words
  const uint64_t *ahead = word;
  while (word < end) {
    const uint64_t *const until = end - word < int64_t(kAhead) ? end : word + kAhead;
    while (ahead < until) {
      const uint32_t addresses = reinterpret_cast<const Descriptor *>(*ahead++)->addresses;
      for (const uint64_t *const behind = ahead + addresses; ahead < behind; ++ahead)
        ilp.fetch(*ahead);
    }
    const Descriptor &descriptor = *reinterpret_cast<const Descriptor *>(*word);
    ilp.segment(segment_of(descriptor.id), word + 1);
    word += 1 + descriptor.addresses;
  }
}

// Bursts at even distances would see one part of a loop that lasts as long: each stands elsewhere in its turn.
uint64_t scattered(uint64_t number) {
  number = (number + 1) * 0x9e3779b97f4a7c15u;
  number = (number ^ number >> 30) * 0xbf58476d1ce4e5b9u;
  return number ^ number >> 31;
}

// One word in so many, in bursts that are long beside the windows. Before each a part is issued and not counted: at its
// beginning no producer is known, and chains through memory begin anew.
void bursts(Thread &thread, const uint64_t *word, const uint64_t *end) {
  uint64_t burst = 4096;
  for (int lane = 0; lane < thread.ilp.issue.lanes; ++lane)
    burst = burst < 32 * uint64_t(thread.ilp.issue.windows[lane].size) ? 32 * uint64_t(thread.ilp.issue.windows[lane].size) : burst;
  const uint64_t period = burst * process.settings.bursts, warm_up = burst / 4;
  while (word < end) {
    const uint64_t place = thread.sampled_words % period, begin = scattered(thread.sampled_words / period) % (period - burst - warm_up);
    const uint64_t first = begin + warm_up, last = first + burst;
    const bool counted = place >= first && place < last, warming = place >= begin && place < first, analysed = counted || warming;
    const uint64_t left = (place < begin ? begin : warming ? first : counted ? last : period) - place;
    const uint64_t *stop = word;
    while (stop < end && uint64_t(stop - word) < left)
      stop += 1 + reinterpret_cast<const Descriptor *>(*stop)->addresses;
    if (analysed && thread.left_out)
      thread.ilp.next_burst();
    if (warming)
      thread.ilp.issue.begin_warm_up();
    if (analysed) {
      parallelism(thread.ilp, word, stop);
      if (warming)
        thread.ilp.issue.end_warm_up();
    } else {
      thread.ilp.issue.begin_sample();
      each_segment(word, stop, [&](Segment &segment, const uint64_t *addresses) { thread.ilp.follow(segment, addresses); });
    }
    thread.left_out = !analysed;
    thread.skipped |= !analysed;
    thread.sampled_words += uint64_t(stop - word);
    word = stop;
  }
}

// Calls access_at(address, bytes, place) for each access of a segment, by its place among them, and block(address, bytes) for
// what is copied or filled, read before it is written.
template <class Access, class Block> void each_access(const Segment &segment, const uint64_t *address, Access access_at, Block block) {
  if (segment.descriptor->flags & kToken)
    ++address;
  uint32_t access = 0;
  const uint64_t *const end = address + segment.descriptor->addresses - ((segment.descriptor->flags & kToken) != 0);
  const uint32_t *code = segment.body();
  for (; address < end; code += 3 + operands_of(code[0])) {
    const uint32_t slots = addresses_of(code[0]);
    switch (kind_of(code[0])) {
    case kCopy:
    case kCallCopy:
      block(address[1], address[2]);
      block(address[0], address[2]);
      break;
    case kFill:
    case kCallFill:
      block(address[0], address[1]);
      break;
    default:
      for (uint32_t slot = 0; slot < slots; ++slot)
        if (address[slot])
          access_at(address[slot], code[2], access + slot);
    }
    address += slots;
    access += slots;
  }
}

void references(DataReuse &data, const Segment &segment, const uint64_t *addresses, bool copies, bool strides) {
  const uint32_t first = strides ? data.strides.first_of(segment) : 0;
  each_access(
      segment, addresses,
      [&](uint64_t address, uint32_t bytes, uint32_t place) {
        data.reference(address, bytes, strides ? data.strides.foresee(first + place, address) : 0);
      },
      [&](uint64_t address, uint64_t bytes) {
        if (copies)
          data.block(address, bytes);
      });
}

// The accesses that reuse distances are of, a block again as one for each line of 64 bytes.
void heat_maps(Thread &thread, const Segment &segment, const uint64_t *addresses) {
  const Settings &settings = process.settings;
  const auto access = [&](uint64_t address, uint32_t bytes, uint32_t) {
    if (settings.addresses)
      thread.addresses.reference(address);
    if (settings.locality)
      thread.locality.reference(address, bytes);
  };
  each_access(segment, addresses, access, [&](uint64_t address, uint64_t bytes) {
    for (const uint64_t end = address + bytes; settings.block_copies && address < end;) {
      const uint64_t line_end = (address | 63) + 1, stop = line_end < end ? line_end : end;
      access(address, uint32_t(stop - address), 0);
      address = stop;
    }
  });
}

// Strides and what loads wait for are looked at in whole buffers, as often as parallelism: the first ones, then one in
// so many, elsewhere in each turn.
bool looks_at_strides(Thread &thread) {
  const uint64_t period = process.settings.bursts, number = thread.filled;
  const bool looks = process.settings.reuse &&
                     (period == 1 || number < kWholeBuffers || scattered(number / period) % period == number % period);
  if (looks && thread.strides_left_out)
    thread.data.strides.next_burst();
  thread.strides_left_out = !looks;
  thread.strides_skipped |= !looks;
  return looks;
}

void outcomes(Thread &thread, Segment &segment, bool conditional_only) {
  Branches &branches = thread.branches;
  if (thread.branch_open) {
    const Segment &before = *thread.branch;
    const Descriptor &here = *segment.descriptor;
    thread.branch_open = false;
    if (here.function == before.descriptor->function && (here.flags & kFirst)) {
      const bool taken = here.block == before.head(kTaken);
      if (taken || here.block == before.head(kNotTaken)) {
        branches.outcome(taken);
        thread.local.outcome(before.descriptor->id, taken);
      }
    }
  }
  const uint32_t flags = segment.descriptor->flags;
  if (flags & kCond) {
    thread.branch = &segment;
    thread.branch_open = true;
  }
  if (conditional_only)
    return;
  if (flags & kUncond)
    branches.outcome(true);
  if (flags & kCall) {
    branches.outcome(true);
    if (segment.outside == 1) // its return
      branches.outcome(true);
  }
  if (flags & kRet)
    branches.outcome(true);
}

} // namespace

void analyse(Thread &thread, const uint64_t *word, const uint64_t *end) {
  const Settings &settings = process.settings;
  each_segment(word, end, [&](Segment &segment, const uint64_t *) {
    ++thread.counts[segment.descriptor->id];
    thread.instructions += segment.instructions;
    if (!segment.outside)
      look_up_callee(segment);
  });
  if (settings.ilp && !process.ilp_failed) {
    if (settings.bursts == 1 || thread.filled < kWholeBuffers)
      parallelism(thread.ilp, word, end);
    else
      bursts(thread, word, end);
  }
  if (settings.reuse) {
    each_segment(word, end, [&](Segment &segment, const uint64_t *) {
      if (segment.instructions)
        thread.code.lines(segment.first_line, segment.last_line, segment.head(kInstructions));
    });
  }
  if (settings.reuse || settings.footprint) {
    const bool strides = looks_at_strides(thread);
    each_segment(word, end, [&](Segment &segment, const uint64_t *addresses) {
      references(thread.data, segment, addresses, settings.block_copies, strides);
    });
    thread.data.settle();
  }
  if (settings.addresses || settings.locality)
    each_segment(word, end, [&](Segment &segment, const uint64_t *addresses) { heat_maps(thread, segment, addresses); });
  if (settings.branches) {
    each_segment(word, end, [&](Segment &segment, const uint64_t *) { outcomes(thread, segment, settings.conditional_only); });
    thread.branches.settle();
    thread.local.settle();
  }
}

} // namespace dse
