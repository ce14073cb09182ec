#include "modules.h"

namespace dse {
namespace {

Segment *segments; // room for all there may be: readers in other threads never see it moved
uint64_t count, instructions;
Map defined;
const char *compiled_by = "";

} // namespace

uint64_t segment_count() { return count; }
Segment &segment_of(uint32_t id) { return segments[id]; }
const char *compiler() { return compiled_by; }

void add_module(ModuleTable *table) {
  if (!segments)
    segments = static_cast<Segment *>(take(kMostSegments * sizeof(Segment)));
  if (!segments || count + table->segment_count > kMostSegments)
    __builtin_trap();
  compiled_by = table->compiler;
  for (uint64_t index = 0; index < table->function_count; ++index)
    defined.at(table->functions[index].hash) = 1;
  for (uint64_t index = 0; index < table->segment_count; ++index) {
    Descriptor &descriptor = table->segments[index];
    Segment &segment = segments[count + index];
    const uint32_t *code = descriptor.code;
    segment.descriptor = &descriptor;
    segment.code = code;
    segment.callee = code[kCalleeName] == kNone ? nullptr : table->names + code[kCalleeName];
    segment.function = table->names + table->functions[code[kFunction]].name;
    segment.compiler = table->compiler;
    segment.callee_hash = code[kCalleeLow] | uint64_t(code[kCalleeHigh]) << 32;
    segment.instructions = 0;
    const uint32_t *body = segment.body();
    for (uint32_t left = code[kInstructions]; left; --left, body += 3 + operands_of(body[0]))
      segment.instructions += times_of(body[0]);
    const uint64_t first = instructions + code[kStaticFirst];
    segment.first_line = first / kInstructionsPerLine;
    segment.last_line = (first + (code[kInstructions] ? code[kInstructions] - 1 : 0)) / kInstructionsPerLine;
    descriptor.id = uint32_t(count + index);
  }
  instructions += (table->static_instructions + kInstructionsPerLine - 1) / kInstructionsPerLine * kInstructionsPerLine;
  count += table->segment_count;
}

void look_up_callee(Segment &segment) { segment.outside = segment.callee && !defined.find(segment.callee_hash) ? 1 : 2; }

} // namespace dse
