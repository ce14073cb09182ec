// What is measured, and how, from the environment.
#pragma once
#include "ilp.h"
#include "reuse.h"

namespace dse {

struct Settings {
  const char *folder; // null: nothing is measured
  const char *from;   // the function whose calls alone are measured; null: all
  Window windows[kLanes];
  int window_count;
  uint32_t lines[kMostLines];
  int line_count;
  bool conditional_only, conversions_fp, block_copies;
  bool mix, ilp, reuse, branches, footprint;
  bool addresses, locality; // heat maps
  uint32_t bursts; // one buffer in so many is analysed for ILP
  double reuse_rate;
  uint64_t memory_limit; // of the process, in bytes
};

// Reads DSE_PROFILE_*; what cannot be read is told once on stderr, and the default is taken.
void read_settings(Settings &settings);

} // namespace dse
