#include "strides.h"
#include <string.h>

namespace dse {

uint32_t Strides::foresee(uint32_t access, uint64_t address) {
  Access &entry = entries.data[access];
  const bool before = entry.known, resumed = before && entry.burst != burst;
  const int64_t stride = int64_t(address - entry.last);
  entry.last = address;
  entry.known = true;
  entry.burst = burst;
  if (resumed)
    return 0;
  bool covered = false;
  if (before && stride == entry.stride) {
    covered = stride && entry.confidence >= kSure;
    entry.confidence += entry.confidence < kMostSure;
  } else if (before) {
    if (entry.confidence)
      --entry.confidence;
    else
      entry.stride = stride;
  }
  return (access + 1) << 1 | uint32_t(covered);
}

int Strides::waits_for(uint32_t access, uint64_t number) const {
  const Access &entry = entries.data[access];
  int longest = -1;
  for (uint32_t index = 0; index < entry.parent_count; ++index) {
    const Access &parent = entries.data[entry.parents[index]];
    if (parent.known && parent.chain > longest && number - parent.chain_number <= kNear)
      longest = parent.chain;
  }
  return longest;
}

void Strides::found(uint32_t access, uint64_t number, int bin) {
  Access &entry = entries.data[access];
  uint64_t when = number;
  int longest = bin;
  for (uint32_t index = 0; index < entry.parent_count; ++index) {
    const Access &parent = entries.data[entry.parents[index]];
    if (parent.known && parent.chain > longest && number - parent.chain_number <= kNear) {
      longest = parent.chain;
      when = parent.chain_number;
    }
  }
  entry.chain = int16_t(longest);
  entry.chain_number = when;
}

uint32_t Strides::add(bool load, const uint32_t *parents, uint32_t count) {
  Access made = {};
  made.load = load;
  made.chain = -1;
  for (; made.parent_count < count && made.parent_count < kMostParents; ++made.parent_count)
    made.parents[made.parent_count] = parents[made.parent_count];
  return uint32_t(entries.push(made));
}

void Strides::forget() {
  entries.drop();
  firsts.drop();
  burst = 0;
}

} // namespace dse
