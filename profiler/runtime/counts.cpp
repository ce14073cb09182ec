#include "counts.h"

namespace dse {

void CountTable::start(uint64_t wanted) {
  slots = static_cast<Slot *>(take_dense(wanted * sizeof(Slot)));
  if (!slots)
    __builtin_trap();
  capacity = wanted;
  size = 0;
}

void CountTable::add(uint64_t key, uint64_t times) {
  for (uint64_t at = place(key);; at = (at + 1) & (capacity - 1)) {
    Slot &slot = slots[at];
    if (!slot.count) {
      slot = {key, times};
      ++size;
      return;
    }
    if (slot.key == key) {
      slot.count += times;
      return;
    }
  }
}

const CountTable::Slot *CountTable::find(uint64_t key) const {
  for (uint64_t at = capacity ? place(key) : 0; capacity && slots[at].count; at = (at + 1) & (capacity - 1))
    if (slots[at].key == key)
      return &slots[at];
  return nullptr;
}

void CountTable::drop() {
  if (slots)
    give_back(slots, capacity * sizeof(Slot));
  *this = {};
}

} // namespace dse
