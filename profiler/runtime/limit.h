// The engines below a limit of memory: rather than take more, they measure less.
#pragma once
#include "threads.h"

namespace dse {

// Buffers, tables of the engines and cycles of values of a thread.
uint64_t bytes_of(const Thread &thread);

// After each buffer: where the process is above its limit, the thread drops windows without an end, then follows half of
// its lines, as long as it holds more than its share of the limit.
void keep_below_limit(Thread &thread);

} // namespace dse
