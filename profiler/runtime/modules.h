// The modules of the process: what their descriptors mean.
#pragma once
#include "memory.h"
#include "segments.h"

namespace dse {

constexpr uint64_t kMostSegments = uint64_t(1) << 24;

void add_module(ModuleTable *table);
uint64_t segment_count();
Segment &segment_of(uint32_t id);
void look_up_callee(Segment &segment); // sets `outside`
const char *compiler();

} // namespace dse
