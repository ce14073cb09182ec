// What the runtime keeps of each thread, and of the process.
#pragma once
#include "branches.h"
#include "ilp.h"
#include "local_branches.h"
#include "modules.h"
#include "reuse.h"
#include "settings.h"

namespace dse {

struct Thread {
  Thread *next;
  Cursor *cursor; // null once the thread has ended
  uint64_t *buffers[2];
  uint64_t done; // address up to which the buffer was analysed
  uint64_t *counts; // of each segment
  uint64_t instructions, filled; // buffers
  uint64_t sampled_words;        // of its events, since parallelism is measured in bursts
  bool left_out;                 // the last of them
  uint64_t bytes, most_bytes;    // of memory, after the last buffer and ever
  bool limited, beyond;          // less is measured for the limit of memory; even so there is more
  int number, active, ends;
  bool busy, skipped; // a flush is under way; a buffer was left out of ILP
  bool branch_open;   // the next segment tells its outcome
  const Segment *branch;
  Ilp ilp;
  DataReuse data;
  InstructionReuse code;
  Branches branches;
  LocalBranches local;
};

struct Process {
  Settings settings;
  Thread *threads; // newest first
  int thread_count;
  uint64_t start_ns;
  int pid, parent;
  bool forked, closing, ilp_failed;
  volatile int signal; // that asks for a record
};

extern Process process;

void analyse(Thread &thread, const uint64_t *word, const uint64_t *end);
void write_record(const char *partial); // partial: null, or why it is

} // namespace dse
