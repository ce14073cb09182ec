#include "reuse.h"
#include <string.h>

namespace dse {
namespace {

constexpr double kLeastRate = 1.0 / 4096; // that halving comes to

int bin_of(uint64_t distance) { return distance < 2 ? int(distance) : 65 - __builtin_clzll(distance - 1); }

} // namespace

// The last line of each of the first bins slides into the next one.
void Stack::shift(int bins) {
  for (int bin = 0; bin < bins; ++bin) {
    Node &last = nodes.data[markers[bin]];
    last.bin = uint64_t(bin) + 1;
    markers[bin] = last.nearer;
    fetch(last.nearer); // the next one to slide out of this bin
  }
}

void Stack::put_on_top(uint32_t line) {
  Node &node = nodes.data[line];
  node.bin = 0;
  node.farther = head;
  nodes.data[head].nearer = line;
  head = markers[0] = line;
}

uint32_t Stack::add() {
  const uint32_t line = uint32_t(nodes.push({0, 0, 1, 0}));
  if (nodes.size == 1) {
    head = tail = markers[0] = line;
    marked = 1;
    return line;
  }
  shift(marked);
  put_on_top(line);
  if (nodes.size == upper_end(marked) + 1)
    markers[marked++] = tail;
  return line;
}

int Stack::touch(uint32_t line) {
  Node &node = nodes.data[line];
  ++node.touches;
  if (line == head) {
    ++counts[0];
    return 0;
  }
  const int bin = int(node.bin);
  ++counts[bin];
  const bool last = bin < marked && markers[bin] == line;
  shift(bin);
  if (last)
    markers[bin] = node.nearer;
  nodes.data[node.nearer].farther = node.farther;
  if (line == tail)
    tail = node.nearer;
  else
    nodes.data[node.farther].nearer = node.nearer;
  put_on_top(line);
  return bin;
}

void Stack::fetch_beside(uint32_t line) const {
  fetch(nodes.data[line].nearer);
  fetch(nodes.data[line].farther);
}

void Stack::keep(uint32_t *places) {
  Array<Node> kept = {};
  uint64_t count = 0;
  for (uint32_t line = 0; line < nodes.size; ++line)
    count += places[line] != 0;
  kept.reserve(count + 1);
  uint32_t line = head;
  for (uint64_t left = nodes.size; left; --left, line = nodes.data[line].farther)
    if (places[line]) {
      const uint32_t place = uint32_t(kept.size);
      places[line] = place + 1;
      kept.push({place - 1, place + 1, nodes.data[line].touches, uint64_t(bin_of(place))});
    }
  nodes.drop();
  nodes = kept;
  head = 0;
  tail = uint32_t(kept.size ? kept.size - 1 : 0);
  for (marked = 0; marked < kBins && upper_end(marked) < kept.size; ++marked)
    markers[marked] = uint32_t(upper_end(marked));
}

void Stack::forget() {
  nodes.drop();
  memset(static_cast<void *>(this), 0, sizeof *this);
}

void Shares::halve() {
  const auto each = [](uint64_t *counts) {
    for (int bin = 0; bin + 1 < kBins; ++bin)
      counts[bin] = counts[bin + 1] / 2;
    counts[kBins - 1] = 0;
    counts[kBins] /= 2;
  };
  each(seen);
  each(having);
}

void DataReuse::start(const uint32_t *sizes, int count, double share) {
  levels = count;
  uint32_t entries_of_page = 0;
  for (int level = 0; level < count; ++level) {
    line_bytes[level] = sizes[level];
    shifts[level] = uint32_t(__builtin_ctz(sizes[level]));
    first[level] = entries_of_page;
    entries_of_page += 4096 / sizes[level];
  }
  room.start(sizeof(Page) + entries_of_page * sizeof(uint32_t));
  rate = share;
  threshold = share >= 1 ? ~uint64_t(0) : uint64_t(share * 18446744073709551616.0);
}

DataReuse::Page *DataReuse::page(uint64_t number) {
  Recent &slot = recent[number % kRecent];
  if (slot.number == number + 1)
    return slot.page;
  uint64_t &known = pages.at(number);
  if (!known) {
    Page *made = static_cast<Page *>(room.take_piece());
    made->number = number;
    known = reinterpret_cast<uint64_t>(made);
    all.push(made);
  }
  slot = {number + 1, reinterpret_cast<Page *>(known)};
  return slot.page;
}

void DataReuse::mark(Page *place, uint64_t address, uint32_t bytes) {
  while (bytes) {
    const uint32_t offset = address & 63, here = bytes < 64 - offset ? bytes : 64 - offset;
    place->touched[address >> 6 & 63] |= (here == 64 ? ~uint64_t(0) : (uint64_t(1) << here) - 1) << offset;
    address += here;
    bytes -= here;
    if (bytes && !(address & 4095))
      place = page(address >> 12);
  }
}

// What a reference reads is fetched some references before its turn: lines of a large program are in memory, not in a cache.
void DataReuse::touch_all(int level) {
  constexpr uint32_t far = 16, near = 8;
  Stack &stack = stacks[level];
  uint32_t count = 0;
  for (uint32_t index = 0; index < waiting_count; ++index) {
    const Reference &one = waiting[index];
    if (!followed(one.address >> shifts[level]))
      continue;
    marks[count] = one.mark;
    entries[count++] = &one.page->lines[first[level] + ((one.address & 4095) >> shifts[level])];
  }
  sampled[level] += count;
  for (uint32_t index = 0; index < count; ++index) {
    if (index + far < count && *entries[index + far])
      stack.fetch(*entries[index + far] - 1);
    if (index + near < count && *entries[index + near])
      stack.fetch_beside(*entries[index + near] - 1);
    uint32_t &line = *entries[index];
    int bin = kBins;
    if (line)
      bin = stack.touch(line - 1);
    else
      line = stack.add() + 1;
    if (marks[index])
      tally(level, marks[index], references + index, bin);
  }
}

// Between followed lines others are left out, and with them what a load waits for.
void DataReuse::tally(int level, uint32_t mark, uint64_t number, int bin) {
  covered[level].count(bin, mark & 1);
  if (level || rate < 1)
    return;
  const uint32_t access = Strides::access_of(mark);
  if (!strides.loads(access))
    return;
  const int longest = strides.waits_for(access, number);
  ++dependent.seen[bin];
  if (longest >= 0)
    ++dependent.having[bin < longest ? bin : longest];
  strides.found(access, number, bin);
}

void DataReuse::settle() {
  for (uint32_t index = 0; index < waiting_count; ++index) {
    Reference &one = waiting[index];
    one.page = page(one.address >> 12);
    __builtin_prefetch(&one.page->touched[one.address >> 6 & 63], 1);
    for (int level = 0; level < levels; ++level)
      __builtin_prefetch(&one.page->lines[first[level] + ((one.address & 4095) >> shifts[level])], 1);
  }
  for (uint32_t index = 0; index < waiting_count; ++index) {
    const Reference &one = waiting[index];
    mark(one.page, one.address, one.bytes);
    for (int level = 0; level < levels; ++level)
      split[level] += (one.address & (line_bytes[level] - 1)) + one.bytes > line_bytes[level];
  }
  for (int level = 0; level < levels; ++level)
    touch_all(level);
  references += waiting_count;
  waiting_count = 0;
}

void DataReuse::reference(uint64_t address, uint32_t bytes, uint32_t mark) {
  waiting[waiting_count++] = {address, nullptr, bytes, mark};
  if (waiting_count == kWaiting)
    settle();
}

void DataReuse::block(uint64_t address, uint64_t bytes) {
  for (const uint64_t end = address + bytes; address < end;) {
    const uint64_t line_end = (address | 63) + 1, stop = line_end < end ? line_end : end;
    reference(address, uint32_t(stop - address));
    address = stop;
  }
}

// Of the lines that are followed every other one leaves. What was counted so far is kept as references of the program;
// between two lines that stay there are half as many as before, so each bin becomes the one below it.
bool DataReuse::halve() {
  if (!levels || rate / 2 < kLeastRate)
    return false;
  for (int level = 0; level < levels; ++level) {
    Stack &stack = stacks[level];
    for (int bin = 0; bin + 1 < kBins; ++bin)
      earlier[level][bin] = earlier[level][bin + 1] + double(stack.counts[bin + 1]) / rate;
    earlier[level][kBins - 1] = 0;
    memset(stack.counts, 0, sizeof stack.counts);
    covered[level].halve();
  }
  rate /= 2;
  threshold = uint64_t(rate * 18446744073709551616.0);
  for (int level = 0; level < levels; ++level) {
    const uint64_t old = stacks[level].lines(), of_page = 4096 >> shifts[level];
    uint32_t *const places = static_cast<uint32_t *>(take(old * sizeof(uint32_t) + 1));
    if (!places)
      return false;
    const auto each = [&](auto act) {
      for (uint64_t index = 0; index < all.size; ++index)
        for (uint64_t line = 0; line < of_page; ++line)
          if (uint32_t &entry = all.data[index]->lines[first[level] + line])
            act(entry, all.data[index]->number * of_page + line);
    };
    each([&](uint32_t entry, uint64_t line) { places[entry - 1] = followed(line); });
    stacks[level].keep(places);
    each([&](uint32_t &entry, uint64_t) { entry = places[entry - 1]; });
    give_back(places, old * sizeof(uint32_t) + 1);
  }
  return true;
}

uint64_t DataReuse::bytes() const { return room.bytes() + pages.capacity * 16 + all.size * sizeof(Page *) + bytes_of_lines(); }

uint64_t DataReuse::bytes_of_lines() const {
  uint64_t held = 0;
  for (int level = 0; level < levels; ++level)
    held += stacks[level].bytes();
  return held;
}

uint64_t DataReuse::footprint() const {
  uint64_t bytes = 0;
  for (uint64_t index = 0; index < all.size; ++index)
    for (const uint64_t touched : all.data[index]->touched)
      bytes += __builtin_popcountll(touched);
  return bytes;
}

double DataReuse::entropy(int level) const {
  double sum = 0;
  const Stack &stack = stacks[level];
  for (uint64_t line = 0; line < stack.lines(); ++line) {
    const uint64_t touches = stack.touches(uint32_t(line));
    sum += double(touches) * log2_of_count(touches);
  }
  return references ? log2_of(double(references)) - sum / double(references) : 0;
}

void DataReuse::forget() {
  room.drop();
  all.drop();
  pages.drop();
  for (Stack &stack : stacks)
    stack.forget();
  memset(recent, 0, sizeof recent);
  memset(split, 0, sizeof split);
  memset(sampled, 0, sizeof sampled);
  memset(earlier, 0, sizeof earlier);
  memset(covered, 0, sizeof covered);
  dependent = {};
  strides.forget();
  references = waiting_count = 0;
}

void InstructionReuse::lines(uint64_t first, uint64_t last, uint64_t instructions) {
  references += instructions;
  uint64_t looked_up = 0;
  for (uint64_t line = first; line <= last; ++line, ++looked_up) {
    nodes.reserve(line + 1);
    uint32_t &node = nodes.data[line];
    if (node)
      stack.touch(node - 1);
    else
      node = stack.add() + 1;
    if (nodes.size <= line)
      nodes.size = line + 1;
  }
  stack.counts[0] += instructions - looked_up;
}

void InstructionReuse::forget() {
  nodes.drop();
  stack.forget();
  references = 0;
}

} // namespace dse
