// Reuse distances by an LRU stack, exact for bins with the upper ends 0, 1, 2, 4, 8, ...
#pragma once
#include "memory.h"
#include "strides.h"

namespace dse {

constexpr int kBins = 64;
constexpr int kMostLines = 4; // line sizes at once

inline uint64_t upper_end(int bin) { return bin == 0 ? 0 : uint64_t(1) << (bin - 1); }

// One marker per bin points to the last line of it: a reference moves one line per bin it jumps over (range lists).
class Stack {
public:
  uint32_t add();           // a new line, on top
  int touch(uint32_t line); // one that was added; the bin of its distance
  uint64_t counts[kBins];
  uint64_t lines() const { return nodes.size; }
  uint64_t touches(uint32_t line) const { return nodes.data[line].touches; }
  void fetch(uint32_t line) const { __builtin_prefetch(&nodes.data[line], 1); }
  void fetch_beside(uint32_t line) const; // what a touch of it reads, once it was fetched itself
  void keep(uint32_t *places);            // lines of place 0 leave; the others' new numbers are written there, plus 1
  uint64_t bytes() const { return nodes.size * sizeof(Node); }
  void forget();

private:
  struct Node {
    uint32_t nearer, farther;
    uint64_t touches : 56, bin : 8;
  };
  static_assert(sizeof(Node) == 16, "four share a line of the cache");
  Array<Node> nodes;
  uint32_t head, tail;
  uint32_t markers[kBins];
  int marked; // bins that are full
  void shift(int bins);
  void put_on_top(uint32_t line);
};

// References by bin, kBins being first touches: how many were looked at, and how many of these had a property.
struct Shares {
  uint64_t seen[kBins + 1], having[kBins + 1];
  void count(int bin, bool has) {
    ++seen[bin];
    having[bin] += has;
  }
  void halve(); // as many are looked at from now on, at half the distances
};

class DataReuse {
public:
  void start(const uint32_t *line_bytes, int count, double rate);
  void reference(uint64_t address, uint32_t bytes, uint32_t mark = 0); // mark: of Strides
  void block(uint64_t address, uint64_t bytes); // one reference per 64 bytes it touches
  void settle();                                // counts what waits; before anything is asked
  bool halve();                                 // the share of lines that are followed; false where so few are left
  void forget();
  uint64_t footprint() const;
  double entropy(int level) const; // -sum p log2 p over lines
  double share() const { return rate; }
  uint64_t bytes() const;
  uint64_t bytes_of_lines() const; // the part that halving gives back
  uint64_t references, split[kMostLines], sampled[kMostLines];
  uint32_t line_bytes[kMostLines];
  int levels;
  Stack stacks[kMostLines];
  double earlier[kMostLines][kBins]; // references by bin while more lines were followed
  Strides strides;
  Shares covered[kMostLines]; // by the strides of an access
  Shares dependent;           // loads of the first size of line, by the bin in which they miss together with one they wait for

private:
  struct Page {
    uint64_t number, touched[64];
    uint32_t lines[]; // 1 + line of the stack, of all levels
  };
  struct Reference {
    uint64_t address;
    Page *page;
    uint32_t bytes, mark;
  };
  struct Recent {
    uint64_t number; // plus 1
    Page *page;
  };
  static constexpr uint32_t kWaiting = 512, kRecent = 1024;
  Map pages;
  Array<Page *> all;
  Slab room;
  Recent recent[kRecent];
  Reference waiting[kWaiting];
  uint32_t *entries[kWaiting];
  uint32_t marks[kWaiting];
  uint32_t waiting_count, first[kMostLines], shifts[kMostLines]; // of a level in a page's lines; log2 of the line
  double rate;
  uint64_t threshold;
  Page *page(uint64_t number);
  void mark(Page *page, uint64_t address, uint32_t bytes);
  void touch_all(int level);
  void tally(int level, uint32_t mark, uint64_t number, int bin);
  bool followed(uint64_t line) const { return threshold == ~uint64_t(0) || mixed(line) < threshold; }
};

class InstructionReuse {
public:
  void lines(uint64_t first, uint64_t last, uint64_t instructions); // of a segment
  void forget();
  uint64_t bytes() const { return nodes.size * sizeof(uint32_t) + stack.bytes(); }
  uint64_t references;
  Stack stack;

private:
  Array<uint32_t> nodes; // 1 + line of the stack
};

} // namespace dse
