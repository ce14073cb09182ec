#include "local_branches.h"
#include <string.h>

namespace dse {
namespace {

constexpr uint64_t kMostWindows = uint64_t(1) << 20;
constexpr int kKeyBits = 16; // of a key below the branch

uint64_t low(uint64_t value, int bits) { return value & ((uint64_t(1) << bits) - 1); }
uint64_t shortened(uint64_t key, int bits) { return key >> kKeyBits << kKeyBits | low(key, bits); }

} // namespace

void LocalBranches::grow() {
  const bool shorten = table.capacity / 2 >= kMostWindows;
  dropped += shorten ? 4 : 0;
  failed = dropped >= kLongest;
  if (failed)
    table.drop();
  else
    table.rebuild(shorten ? table.capacity : table.capacity ? table.capacity * 2 : 1024,
                  [&](uint64_t key) { return shortened(key, kLongest + 1 - dropped); });
}

void LocalBranches::outcome(uint32_t branch, bool taken) {
  if (branch >= pasts.size) {
    pasts.reserve(branch + 1);
    pasts.size = branch + 1; // what is new is zero
  }
  Past &past = pasts.data[branch];
  past.last = uint16_t(past.last << 1 | uint16_t(taken));
  if (past.seen < kLongest) {
    past.first = past.last;
    ++past.seen;
    return;
  }
  if (waiting.push(uint64_t(branch) << kKeyBits | low(past.last, kLongest + 1)))
    settle();
}

void LocalBranches::settle() {
  const auto key_of = [&](uint64_t key) { return shortened(key, kLongest + 1 - dropped); };
  waiting.each(table, key_of, [&](uint64_t key) {
    while (!failed && table.full())
      grow();
    if (!failed)
      table.add(key_of(key), 1);
  });
}

template <class Take> void LocalBranches::each_window(int length, Take take) const {
  table.each([&](uint64_t key, uint64_t times) { take(shortened(key, length), times); });
  for (uint64_t branch = 0; branch < pasts.size; ++branch)
    for (int end = length; end <= pasts.data[branch].seen; ++end)
      take(branch << kKeyBits | low(uint64_t(pasts.data[branch].first) >> (pasts.data[branch].seen - end), length), 1);
}

bool LocalBranches::linear_entropy(int history, uint64_t sure, double &result) const {
  if (failed || history > kLongest - dropped)
    return false;
  CountTable windows = {};
  uint64_t total = sure, missed = 0;
  windows.start(1024);
  each_window(history + 1, [&](uint64_t key, uint64_t times) {
    total += times;
    if (windows.full())
      windows.rebuild(windows.capacity * 2, [](uint64_t same) { return same; });
    windows.add(key, times);
  });
  windows.each([&](uint64_t key, uint64_t times) {
    const CountTable::Slot *other = key & 1 ? nullptr : windows.find(key | 1);
    missed += !other ? 0 : times < other->count ? times : other->count;
  });
  windows.drop();
  result = total ? 2.0 * double(missed) / double(total) : 0;
  return total != 0;
}

void LocalBranches::forget() {
  pasts.drop();
  table.drop();
  memset(static_cast<void *>(this), 0, sizeof *this);
}

} // namespace dse
