#include "branches.h"
#include <string.h>

namespace dse {
namespace {

uint64_t low(uint64_t value, int bits) { return bits >= 64 ? value : value & ((uint64_t(1) << bits) - 1); }

uint64_t reversed(uint64_t value) {
  value = __builtin_bswap64(value);
  value = (value & 0x0f0f0f0f0f0f0f0f) << 4 | (value >> 4 & 0x0f0f0f0f0f0f0f0f);
  value = (value & 0x3333333333333333) << 2 | (value >> 2 & 0x3333333333333333);
  return (value & 0x5555555555555555) << 1 | (value >> 1 & 0x5555555555555555);
}

struct Window {
  uint64_t key; // the newest outcome first
  uint64_t count : 56, length : 8; // how often; outcomes it holds
};

// By one byte of the keys after the other, from the last to the first; each pass moves the rows to the other array.
void sort_by_key(Window *&rows, Window *&other, uint64_t size) {
  for (int shift = 0; shift < 64; shift += 8) {
    uint64_t places[256] = {}, sum = 0;
    for (uint64_t row = 0; row < size; ++row)
      ++places[rows[row].key >> shift & 255];
    bool one_value = false;
    for (uint64_t &place : places) {
      one_value |= place == size;
      const uint64_t here = place;
      place = sum;
      sum += here;
    }
    if (one_value)
      continue;
    for (uint64_t row = 0; row < size; ++row)
      other[places[rows[row].key >> shift & 255]++] = rows[row];
    Window *const sorted = other;
    other = rows;
    rows = sorted;
  }
}

double entropy_of(const Window *windows, uint64_t size, int length, uint64_t total) {
  double sum = 0;
  uint64_t current = 0, same = 0;
  const auto close = [&] { sum += same > 1 ? double(same) * log2_of_count(same) : 0; };
  for (uint64_t index = 0; index < size; ++index) {
    if (int(windows[index].length) < length)
      continue;
    const uint64_t prefix = windows[index].key >> (64 - length);
    if (same && prefix == current) {
      same += windows[index].count;
      continue;
    }
    close();
    current = prefix;
    same = windows[index].count;
  }
  close();
  return log2_of(double(total)) - sum / double(total);
}

} // namespace

void Branches::grow() {
  const bool shorten = table.capacity / 2 >= kMostHistories;
  if (shorten)
    bits = held() > 32 ? held() - 8 : held() > 24 ? held() - 2 : held() - 1;
  table.rebuild(shorten ? table.capacity : table.capacity ? table.capacity * 2 : 4096, [&](uint64_t key) { return low(key, held()); });
}

void Branches::outcome(bool taken) {
  history = history << 1 | uint64_t(taken);
  if (++events < 64) {
    start = history; // its windows are shorter than a key and are added at the end
    return;
  }
  if (waiting.push(history))
    settle();
}

void Branches::settle() {
  const auto key_of = [&](uint64_t outcomes) { return low(outcomes, held()); };
  waiting.each(table, key_of, [&](uint64_t outcomes) {
    while (table.full())
      grow();
    table.add(key_of(outcomes), 1);
  });
}

int Branches::conditional(double *by_length, int most) const {
  const uint64_t first = events < 63 ? events : 63;
  const uint64_t room = (table.size + 64) * sizeof(Window);
  Window *windows = static_cast<Window *>(take_dense(room)), *other = static_cast<Window *>(take_dense(room));
  if (!windows || !other || !events)
    return 0;
  uint64_t filled = 0;
  table.each([&](uint64_t key, uint64_t times) { windows[filled++] = {reversed(key), times, uint64_t(held())}; });
  for (uint64_t length = 1; length <= first; ++length)
    windows[filled++] = {reversed(start >> (first - length)), 1, length};
  sort_by_key(windows, other, filled);
  int written = 0;
  double before = 0;
  for (int length = 1; length <= held() && length <= most + 1 && uint64_t(length) <= events; ++length) {
    const double now = entropy_of(windows, filled, length, events - uint64_t(length) + 1);
    if (length > 1)
      by_length[written++] = now > before ? now - before : 0;
    before = now;
  }
  give_back(windows, room);
  give_back(other, room);
  return written;
}

bool Branches::max_outcome(int history_length, uint64_t entries, double &misses) const {
  const int length = history_length + 1;
  if (history_length > kLongestTable || length > held() || events < uint64_t(length))
    return false;
  const uint64_t codes = uint64_t(1) << history_length;
  // Of each history: how often, and followed by what. The newest outcome is the lowest bit.
  struct Row {
    uint64_t code, followed[2];
    uint64_t times() const { return followed[0] + followed[1]; }
    double missed() const { return times() == 1 ? 0.5 : double(followed[0] < followed[1] ? followed[0] : followed[1]); }
  };
  Row *rows = static_cast<Row *>(take(codes * sizeof(Row)));
  if (!rows)
    return false;
  const auto add = [&](uint64_t window, uint64_t times) { rows[low(window, length) >> 1].followed[window & 1] += times; };
  table.each(add);
  const int first = events < 63 ? int(events) : 63;
  for (int end = length; end <= first; ++end)
    add(start >> (first - end), 1);
  uint64_t seen = 0;
  for (uint64_t code = 0; code < codes; ++code)
    if (rows[code].times()) {
      rows[seen] = rows[code];
      rows[seen++].code = code;
    }
  uint64_t own = seen;
  if (entries && seen > entries) {
    own = entries - 1;
    sort(rows, seen, [](const Row &one, const Row &other) {
      return one.times() != other.times() ? one.times() > other.times() : one.code < other.code;
    });
  }
  Row shared = {};
  double missed = 0;
  for (uint64_t row = 0; row < own; ++row)
    missed += rows[row].missed();
  for (uint64_t row = own; row < seen; ++row)
    for (int taken = 0; taken < 2; ++taken)
      shared.followed[taken] += rows[row].followed[taken];
  misses = (missed + shared.missed()) / double(events - uint64_t(history_length));
  give_back(rows, codes * sizeof(Row));
  return true;
}

void Branches::forget() {
  table.drop();
  memset(static_cast<void *>(this), 0, sizeof *this);
}

} // namespace dse
