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

void references(DataReuse &data, const Segment &segment, const uint64_t *address, bool copies) {
  if (segment.descriptor->flags & kToken)
    ++address;
  const uint64_t *const end = address + segment.descriptor->addresses - ((segment.descriptor->flags & kToken) != 0);
  const uint32_t *code = segment.body();
  for (; address < end; code += 3 + operands_of(code[0])) {
    const uint32_t slots = addresses_of(code[0]);
    switch (kind_of(code[0])) {
    case kCopy:
    case kCallCopy:
      if (copies) {
        data.block(address[1], address[2]);
        data.block(address[0], address[2]);
      }
      break;
    case kFill:
    case kCallFill:
      if (copies)
        data.block(address[0], address[1]);
      break;
    default:
      for (uint32_t slot = 0; slot < slots; ++slot)
        if (address[slot])
          data.reference(address[slot], code[2]);
    }
    address += slots;
  }
}

void outcomes(Thread &thread, Segment &segment, bool conditional_only) {
  Branches &branches = thread.branches;
  if (thread.branch_open) {
    const Segment &before = *thread.branch;
    const Descriptor &here = *segment.descriptor;
    thread.branch_open = false;
    if (here.function == before.descriptor->function && (here.flags & kFirst)) {
      if (here.block == before.head(kTaken))
        branches.outcome(true);
      else if (here.block == before.head(kNotTaken))
        branches.outcome(false);
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
    const bool burst = settings.bursts == 1 || thread.filled < kWholeBuffers || thread.filled % settings.bursts == 0;
    if (burst && thread.skipped && thread.filled >= kWholeBuffers)
      thread.ilp.next_burst();
    if (burst)
      each_segment(word, end, [&](Segment &segment, const uint64_t *addresses) { thread.ilp.segment(segment, addresses); });
    else
      each_segment(word, end, [&](Segment &segment, const uint64_t *addresses) { thread.ilp.follow(segment, addresses); });
    thread.skipped |= !burst;
  }
  if (settings.reuse) {
    each_segment(word, end, [&](Segment &segment, const uint64_t *) {
      if (segment.instructions)
        thread.code.lines(segment.first_line, segment.last_line, segment.head(kInstructions));
    });
  }
  if (settings.reuse || settings.footprint)
    each_segment(word, end, [&](Segment &segment, const uint64_t *addresses) {
      references(thread.data, segment, addresses, settings.block_copies);
    });
  if (settings.branches)
    each_segment(word, end, [&](Segment &segment, const uint64_t *) { outcomes(thread, segment, settings.conditional_only); });
}

} // namespace dse
