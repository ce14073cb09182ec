// What the runtime keeps of each thread, and of the process.
#pragma once
#include "branches.h"
#include "heat_maps.h"
#include "ilp.h"
#include "local_branches.h"
#include "modules.h"
#include "reuse.h"
#include "settings.h"

namespace dse {

struct Thread {
  Thread *next;
  Cursor *cursor; // null once the thread has ended
  uint64_t *buffer;
  uint64_t done; // address up to which the buffer was analysed
  uint64_t *counts; // of each segment
  uint64_t instructions, filled; // buffers
  uint64_t sampled_words;        // of its events, since parallelism is measured in bursts
  uint64_t bytes, most_bytes;    // of memory, after the last buffer and ever
  uint64_t written; // where its last segment begins, while a function is watched
  uint64_t calls;   // of the watched function that it is in
  bool calling;     // its last segment called that function
  int number, ends;
  int held;             // by who analyses its buffer: itself, or who writes the record
  bool left_out;        // the last word of its events, since parallelism is measured in bursts
  bool limited, beyond; // less is measured for the limit of memory; even so there is more
  bool skipped;         // a buffer was left out of ILP
  bool strides_left_out, strides_skipped; // the last buffer, and any
  bool branch_open;   // the next segment tells its outcome
  const Segment *branch;
  Ilp ilp;
  DataReuse data;
  InstructionReuse code;
  AddressMap addresses;
  LocalityMap locality;
  Branches branches;
  LocalBranches local;
};

struct Process {
  Settings settings;
  Thread *threads; // newest first
  int thread_count;
  uint64_t start_ns;
  int pid, parent;
  bool forked, ilp_failed;
  bool outside, region_began; // of the calls of a function, or MPI_Pcontrol
  uint64_t regions;           // begun so far
  int inside;                 // threads that are in the watched function
  volatile bool closing; // nothing is taken any more
  volatile int signal;   // that asks for a record
};

extern Process process;

void analyse(Thread &thread, const uint64_t *word, const uint64_t *end);
void write_record(const char *partial); // partial: null, or why it is

// core.cpp
Thread *this_thread();   // null before its first event
void lock_threads();
void unlock_threads();
void take_own_events();  // of the calling thread, up to now
void write_all(const char *partial);
void forget_other_threads(); // in the child of a fork
void look_at_last_segment();  // of the calling thread: it may enter or leave the watched function

// life.cpp
void start();
void answer_signal(); // that came since the last time
void ask_at_thread_end(Thread *thread);
bool handles_signals(); // whether the program had a handler of its own, now or when this was asked before

} // namespace dse
