// The modules of the process: what their descriptors mean.
#pragma once
#include "memory.h"
#include "segments.h"

namespace dse {

bool add_module(ModuleTable *table, const char *from); // whether there is room for it; from: the function to watch, or null
const Descriptor *known_descriptor(uint64_t word); // null: the word is none
uint64_t segment_count();
uint64_t most_segments(); // there can be
Segment &segment_of(uint32_t id);
void look_up_callee(Segment &segment); // sets `outside`
const char *compiler();
const char *compile_flags(); // of all modules, each once, with "; " between
void after_fork();           // in the child

} // namespace dse
