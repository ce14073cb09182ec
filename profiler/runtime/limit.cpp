#include "limit.h"

namespace dse {

uint64_t bytes_of(const Thread &thread) {
  return kBufferWords * 8 + thread.ilp.bytes() + thread.data.bytes() + thread.code.bytes() + thread.branches.bytes() +
         thread.local.bytes() + thread.addresses.bytes() + thread.locality.bytes();
}

void keep_below_limit(Thread &thread) {
  const uint64_t limit = process.settings.memory_limit;
  __atomic_store_n(&thread.bytes, bytes_of(thread), __ATOMIC_RELAXED);
  uint64_t all = 0, threads = 0;
  for (const Thread *one = __atomic_load_n(&process.threads, __ATOMIC_ACQUIRE); one; one = one->next, ++threads)
    all += __atomic_load_n(&one->bytes, __ATOMIC_RELAXED);
  thread.most_bytes = thread.bytes > thread.most_bytes ? thread.bytes : thread.most_bytes;
  const uint64_t share = limit / threads;
  if (all <= limit || thread.bytes <= share)
    return;
  thread.limited = true;
  const uint64_t before = thread.bytes;
  if (process.settings.ilp)
    thread.ilp.drop_unbounded();
  // Some room is left, so that not every buffer comes here. Lines that hold little stay.
  while (bytes_of(thread) > share - share / 4 && thread.data.bytes_of_lines() > share / 16)
    if (!thread.data.halve())
      break;
  __atomic_store_n(&thread.bytes, bytes_of(thread), __ATOMIC_RELAXED);
  thread.beyond |= all - before + thread.bytes > limit;
}

} // namespace dse
