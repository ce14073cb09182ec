#include "modules.h"
#include <pthread.h>
#include <string.h>

namespace dse {
namespace {

constexpr uint64_t kMostSegments = uint64_t(1) << 24, kFewestSegments = uint64_t(1) << 18;

Segment *segments; // room for all there may be: readers in other threads never see it moved
uint64_t room, count, instructions, lowest = ~uint64_t(0), highest; // addresses of descriptors
Map defined;
pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER; // of what is defined, which grows when a library is opened
const char *compiled_by = "";
char all_flags[2048];

// Each set of flags once; what has no room any more is left out, and said so.
void add_flags(const char *flags) {
  static const char more[] = "; and others";
  const size_t length = strlen(flags), held = strlen(all_flags);
  for (const char *at = all_flags; length && (at = strstr(at, flags)); ++at)
    if ((at == all_flags || !strncmp(at - 2, "; ", 2)) && (!at[length] || !strncmp(at + length, "; ", 2)))
      return;
  if (!length || strstr(all_flags, more))
    return;
  if (held + length + 2 + sizeof more > sizeof all_flags) {
    strcpy(all_flags + held, more);
    return;
  }
  strcpy(all_flags + held, held ? "; " : "");
  strcat(all_flags, flags);
}

} // namespace

uint64_t segment_count() { return count; }
const Descriptor *known_descriptor(uint64_t word) {
  if (word < lowest || word > highest || word % alignof(Descriptor))
    return nullptr;
  const Descriptor *descriptor = reinterpret_cast<const Descriptor *>(word);
  return descriptor->id < count && segments[descriptor->id].descriptor == descriptor ? descriptor : nullptr;
}
uint64_t most_segments() { return room; }
Segment &segment_of(uint32_t id) { return segments[id]; }
const char *compiler() { return compiled_by; }
const char *compile_flags() { return all_flags; }

// Threads that held it are gone.
void after_fork() { lock = PTHREAD_MUTEX_INITIALIZER; }

bool add_module(ModuleTable *table, const char *from) {
  for (uint64_t wanted = kMostSegments; !segments && wanted >= kFewestSegments; wanted /= 2) {
    segments = static_cast<Segment *>(take(wanted * sizeof(Segment)));
    room = wanted;
  }
  if (!segments || count + table->segment_count > room)
    return false;
  compiled_by = table->compiler;
  pthread_mutex_lock(&lock);
  add_flags(table->flags);
  for (uint64_t index = 0; index < table->function_count; ++index)
    defined.at(table->functions[index].hash) = 1;
  pthread_mutex_unlock(&lock);
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
    segment.watched = from && descriptor.flags & (kEntry | kRet) && !strcmp(segment.function, from);
    segment.calls_it = from && segment.callee && !strcmp(segment.callee, from);
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
  const uint64_t first = reinterpret_cast<uint64_t>(table->segments), last = first + (table->segment_count - 1) * sizeof(Descriptor);
  lowest = first < lowest ? first : lowest;
  highest = last > highest ? last : highest;
  return true;
}

void look_up_callee(Segment &segment) {
  pthread_mutex_lock(&lock);
  segment.outside = segment.callee && !defined.find(segment.callee_hash) ? 1 : 2;
  pthread_mutex_unlock(&lock);
}

} // namespace dse
