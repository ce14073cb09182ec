// Reuse distances by an LRU stack, exact for bins with the upper ends 0, 1, 2, 4, 8, ...
#pragma once
#include "memory.h"

namespace dse {

constexpr int kBins = 64;
constexpr int kMostLines = 4; // line sizes at once

inline uint64_t upper_end(int bin) { return bin == 0 ? 0 : uint64_t(1) << (bin - 1); }

// One marker per bin points to the last line of it: a reference moves one line per bin it jumps over (range lists).
class Stack {
public:
  uint32_t add();           // a new line, on top
  void touch(uint32_t line); // one that was added
  uint64_t counts[kBins];
  uint64_t lines() const { return nodes.size; }
  uint64_t touches(uint32_t line) const { return nodes.data[line].touches; }
  void again() { ++counts[0], ++nodes.data[head].touches; } // the line on top
  bool on_top(uint32_t line) const { return line == head; }
  void forget();

private:
  struct Node {
    uint32_t nearer, farther, bin, unused;
    uint64_t touches;
  };
  Array<Node> nodes;
  uint32_t head, tail;
  uint32_t markers[kBins];
  int marked; // bins that are full
  void shift(int bins);
  void put_on_top(uint32_t line);
};

class DataReuse {
public:
  void start(const uint32_t *line_bytes, int count, double rate);
  void reference(uint64_t address, uint32_t bytes);
  void block(uint64_t address, uint64_t bytes); // one reference per 64 bytes it touches
  void forget();
  uint64_t footprint() const;
  double entropy(int level) const; // -sum p log2 p over lines
  double share() const { return rate; }
  uint64_t references, split[kMostLines], sampled[kMostLines];
  uint32_t line_bytes[kMostLines];
  int levels;
  Stack stacks[kMostLines];

private:
  struct Page {
    uint64_t number, touched[64];
    uint32_t *lines[kMostLines]; // 1 + line of the stack
  };
  Map pages;
  Array<Page *> all;
  Page *recent[256];
  double rate;
  uint64_t threshold;
  Page *page(uint64_t number);
  void mark(Page *page, uint64_t address, uint32_t bytes);
  void touch(int level, uint64_t address);
};

class InstructionReuse {
public:
  void lines(uint64_t first, uint64_t last, uint64_t instructions); // of a segment
  void forget();
  uint64_t references;
  Stack stack;

private:
  Array<uint32_t> nodes; // 1 + line of the stack
};

} // namespace dse
