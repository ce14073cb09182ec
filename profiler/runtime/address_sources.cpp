// Which loads of its function an access takes its address from: through arithmetic and phis, up to the first loads.
#include "modules.h"
#include "strides.h"

namespace dse {

uint32_t Strides::first_of(const Segment &segment) {
  const uint32_t id = segment.descriptor->id;
  if (firsts.size <= id) {
    firsts.reserve(id + 1);
    for (uint64_t place = firsts.size; place <= id; ++place)
      firsts.data[place] = 0;
    firsts.size = id + 1;
  }
  if (!firsts.data[id])
    learn(id);
  return firsts.data[id] - 1;
}

// Whole functions at once: an address may come from a segment that has not run yet.
void Strides::learn(uint32_t id) {
  const uint64_t function = segment_of(id).descriptor->function;
  uint32_t from = id, to = id + 1;
  while (from && segment_of(from - 1).descriptor->function == function)
    --from;
  while (to < segment_count() && segment_of(to).descriptor->function == function)
    ++to;
  firsts.reserve(to);
  for (; firsts.size < to; ++firsts.size)
    firsts.data[firsts.size] = 0;
  const uint32_t values = segment_of(id).head(kValues);
  const size_t bytes = (size_t(values) + 1) * (sizeof(Definition) + sizeof(uint32_t));
  Definition *const definitions = static_cast<Definition *>(take(bytes));
  const auto each = [&](auto act) { // of the accesses: the segment's first, the instruction, its place among them
    for (uint32_t at = from; at < to; ++at) {
      const Segment &segment = segment_of(at);
      const uint32_t *code = segment.body();
      uint32_t access = firsts.data[at] - 1;
      for (uint32_t left = segment.head(kInstructions); left; --left, code += 3 + operands_of(code[0])) {
        act(code, access);
        access += addresses_of(code[0]);
      }
    }
  };
  for (uint32_t at = from; at < to; ++at) {
    const Segment &segment = segment_of(at);
    firsts.data[at] = uint32_t(entries.size) + 1;
    for (uint32_t place = 0; place < segment.descriptor->addresses; ++place)
      add(false, nullptr, 0);
    for (uint32_t phi = 0; definitions && phi < segment.head(kPhis); ++phi)
      if (const uint32_t defined = segment.code[kHeaderWords + phi]; defined < values)
        definitions[defined] = {segment.code + kHeaderWords + phi, &segment, kNone};
  }
  if (!definitions)
    return;
  each([&](const uint32_t *code, uint32_t access) {
    if (code[1] < values)
      definitions[code[1]] = {code, nullptr, class_of(code[0]) == kLoad ? access : kNone};
  });
  uint32_t *const visited = reinterpret_cast<uint32_t *>(definitions + values + 1);
  each([&](const uint32_t *code, uint32_t access) {
    if (class_of(code[0]) != kLoad || !operands_of(code[0]))
      return;
    for (uint32_t slot = 0; slot < addresses_of(code[0]); ++slot) {
      entries.data[access + slot].load = true;
      trace(access + slot, code[3], definitions, visited, values); // the address is the first operand
    }
  });
  give_back(definitions, bytes);
}

void Strides::trace(uint32_t access, uint32_t value, const Definition *definitions, uint32_t *visited, uint32_t values) {
  Access &entry = entries.data[access];
  uint32_t waiting[kMostValues], size = 0, seen = 0;
  const auto visit = [&](uint32_t next) {
    if (next < values && visited[next] != access + 1 && size < kMostValues && seen < kMostValues) {
      visited[next] = access + 1;
      waiting[size++] = next;
      ++seen;
    }
  };
  visit(value);
  while (size && entry.parent_count < kMostParents) {
    const Definition &made = definitions[waiting[--size]];
    if (made.phi_of) {
      const Segment &segment = *made.phi_of;
      const uint32_t count = segment.head(kPhis), phi = uint32_t(made.code - (segment.code + kHeaderWords));
      const uint32_t *edge = segment.code + kHeaderWords + count;
      for (uint32_t left = segment.head(kPredecessors); left; --left, edge += 1 + count)
        visit(edge[1 + phi]);
    } else if (made.code && made.access != kNone) {
      entry.parents[entry.parent_count++] = made.access;
    } else if (made.code && class_of(made.code[0]) != kControl) { // what a call returns is not known
      for (uint32_t operand = 0; operand < operands_of(made.code[0]); ++operand)
        visit(made.code[3 + operand]);
    }
  }
}

} // namespace dse
