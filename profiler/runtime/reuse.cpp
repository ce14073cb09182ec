#include "reuse.h"
#include <string.h>

namespace dse {

// The last line of each of the first bins slides into the next one.
void Stack::shift(int bins) {
  for (int bin = 0; bin < bins; ++bin) {
    Node &last = nodes.data[markers[bin]];
    last.bin = bin + 1;
    markers[bin] = last.nearer;
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
  const uint32_t line = uint32_t(nodes.push({0, 0, 0, 0, 1}));
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

void Stack::touch(uint32_t line) {
  if (line == head)
    return again();
  Node &node = nodes.data[line];
  const int bin = int(node.bin);
  ++counts[bin];
  ++node.touches;
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
}

void Stack::forget() {
  nodes.drop();
  memset(static_cast<void *>(this), 0, sizeof *this);
}

void DataReuse::start(const uint32_t *sizes, int count, double share) {
  levels = count;
  for (int level = 0; level < count; ++level)
    line_bytes[level] = sizes[level];
  rate = share;
  threshold = share >= 1 ? ~uint64_t(0) : uint64_t(share * 18446744073709551616.0);
}

DataReuse::Page *DataReuse::page(uint64_t number) {
  Page *&slot = recent[number & 255];
  if (slot && slot->number == number)
    return slot;
  uint64_t &known = pages.at(number);
  if (!known) {
    size_t bytes = sizeof(Page);
    for (int level = 0; level < levels; ++level)
      bytes += 4096 / line_bytes[level] * sizeof(uint32_t);
    Page *made = static_cast<Page *>(take(bytes));
    if (!made)
      __builtin_trap();
    made->number = number;
    uint32_t *next = reinterpret_cast<uint32_t *>(made + 1);
    for (int level = 0; level < levels; next += 4096 / line_bytes[level], ++level)
      made->lines[level] = next;
    known = reinterpret_cast<uint64_t>(made);
    all.push(made);
  }
  return slot = reinterpret_cast<Page *>(known);
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

void DataReuse::touch(int level, uint64_t address) {
  const uint32_t size = line_bytes[level];
  if (threshold != ~uint64_t(0) && mixed(address / size) >= threshold)
    return;
  ++sampled[level];
  uint32_t &line = page(address >> 12)->lines[level][(address & 4095) / size];
  if (line)
    stacks[level].touch(line - 1);
  else
    line = stacks[level].add() + 1;
}

void DataReuse::reference(uint64_t address, uint32_t bytes) {
  ++references;
  mark(page(address >> 12), address, bytes);
  for (int level = 0; level < levels; ++level) {
    split[level] += address % line_bytes[level] + bytes > line_bytes[level];
    touch(level, address);
  }
}

void DataReuse::block(uint64_t address, uint64_t bytes) {
  for (const uint64_t end = address + bytes; address < end;) {
    const uint64_t line_end = (address | 63) + 1, stop = line_end < end ? line_end : end;
    reference(address, uint32_t(stop - address));
    address = stop;
  }
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
    const double touches = double(stack.touches(uint32_t(line)));
    sum += touches * log2_of(touches);
  }
  return references ? log2_of(double(references)) - sum / double(references) : 0;
}

void DataReuse::forget() {
  size_t bytes = sizeof(Page);
  for (int level = 0; level < levels; ++level)
    bytes += 4096 / line_bytes[level] * sizeof(uint32_t);
  for (uint64_t index = 0; index < all.size; ++index)
    give_back(all.data[index], bytes);
  all.drop();
  pages.drop();
  for (Stack &stack : stacks)
    stack.forget();
  memset(recent, 0, sizeof recent);
  memset(split, 0, sizeof split);
  memset(sampled, 0, sizeof sampled);
  references = 0;
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
