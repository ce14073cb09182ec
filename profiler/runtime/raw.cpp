// The record of the process, as JSON of counts.
#include "limit.h"
#include "mix.h"
#include "writer.h"
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

// The communication of a thread, where the program is linked with the wrapper of MPI: a JSON object.
extern "C" __attribute__((weak)) const char *__dse_mpi_json(int thread);
// "rank": r, "size": n
extern "C" __attribute__((weak)) const char *__dse_mpi_world();

namespace dse {
namespace {

constexpr int kMostNames = 2000; // of functions, where one is asked for that is not there

// Runs of equal names are summed: static functions of two files and copies of one template have several rows.
struct Named {
  const char *name;
  uint64_t hash, instructions, parts[4], calls;
};

void functions(Writer &out) {
  Array<Named> rows = {};
  Map places = {};
  for (uint64_t id = 0; id < segment_count(); ++id) {
    const Segment &segment = segment_of(uint32_t(id));
    uint64_t times = 0, entries = 0;
    for (const Thread *thread = process.threads; thread; thread = thread->next)
      times += thread->counts[id];
    if (!times)
      continue;
    if (segment.descriptor->flags & kEntry)
      entries = times;
    uint64_t &place = places.at(segment.descriptor->function);
    if (!place)
      place = rows.push({segment.function, segment.descriptor->function, 0, {}, 0}) + 1;
    Named &row = rows.data[place - 1];
    Mix mix = {};
    mix.add(segment, times, process.settings.conversions_fp);
    row.instructions += mix.instructions;
    row.parts[0] += mix.parts[kPartLoad];
    row.parts[1] += mix.parts[kPartStore];
    row.parts[2] += mix.parts[kPartFp];
    row.parts[3] += mix.parts[kPartControl];
    row.calls += entries;
  }
  out.raw("\"functions\":[");
  for (uint64_t index = 0; index < rows.size; ++index) {
    const Named &row = rows.data[index];
    out.raw(index ? ",\n{\"name\":" : "\n{\"name\":");
    out.string(row.name);
    out.format(",\"instructions\":%llu,\"loads\":%llu,\"stores\":%llu,\"fp\":%llu,\"control\":%llu,\"calls\":%llu}", big(row.instructions),
               big(row.parts[0]), big(row.parts[1]), big(row.parts[2]), big(row.parts[3]), big(row.calls));
  }
  out.raw("],\n");
  rows.drop();
  places.drop();
}

bool is_openmp(const char *name) { return !strncmp(name, "__kmpc_", 7) || !strncmp(name, "omp_", 4); }

void calls(Writer &out, const Thread &thread, bool openmp) {
  struct Called {
    const char *name;
    uint64_t count;
  };
  Array<Called> rows = {};
  Map places = {};
  for (uint64_t id = 0; id < segment_count(); ++id) {
    const Segment &segment = segment_of(uint32_t(id));
    if (!thread.counts[id] || !segment.callee || segment.outside != 1 || is_openmp(segment.callee) != openmp)
      continue;
    uint64_t &place = places.at(segment.callee_hash);
    if (!place)
      place = rows.push({segment.callee, 0}) + 1;
    rows.data[place - 1].count += thread.counts[id];
  }
  out.raw(openmp ? "\"openmp_calls\":{" : "\"external_calls\":{");
  for (uint64_t index = 0; index < rows.size; ++index) {
    out.raw(index ? "," : "");
    out.string(rows.data[index].name);
    out.format(":%llu", big(rows.data[index].count));
  }
  out.raw("},\n");
  rows.drop();
  places.drop();
}

void mix(Writer &out, const Thread &thread) {
  Mix *sum = static_cast<Mix *>(take(sizeof(Mix)));
  if (!sum)
    return;
  for (uint64_t id = 0; id < segment_count(); ++id)
    if (thread.counts[id])
      sum->add(segment_of(uint32_t(id)), thread.counts[id], process.settings.conversions_fp);
  out.format("\"instructions\":%llu,\n\"mix\":{", big(sum->instructions));
  for (int part = 0; part < kParts; ++part)
    out.format("\"%s\":%llu,", kPartNames[part], big(sum->parts[part]));
  out.format("\"calls\":%llu,\"rets\":%llu,\"reads\":%llu,\"writes\":%llu},\n\"vectors\":[", big(sum->calls), big(sum->rets), big(sum->reads),
             big(sum->writes));
  bool first = true;
  for (int part = 0; part < kParts; ++part)
    for (int length = 1; length < 5; ++length)
      for (int bits = 0; bits < 6; ++bits)
        if (const uint64_t count = sum->vectors[part][length][bits]) {
          out.format("%s{\"class\":\"%s\",\"length\":%d,\"bits\":%u,\"count\":%llu}", first ? "" : ",", kPartNames[part], 1 << length,
                     kElementBits[bits], big(count));
          first = false;
        }
  out.raw("],\n");
  give_back(sum, sizeof(Mix));
}

// Which part of the run this is of. Where the function is not there, what the functions are called that are.
void region(Writer &out) {
  const Settings &settings = process.settings;
  if (!settings.from && !process.region_began)
    return;
  out.format("\"region\":{\"begun\":%llu", big(process.regions));
  if (settings.from) {
    out.raw(",\"function\":");
    out.string(settings.from);
    bool known = false;
    for (uint64_t id = 0; id < segment_count() && !known; ++id)
      known = !strcmp(segment_of(uint32_t(id)).function, settings.from);
    if (!known) {
      out.raw(",\"functions\":[");
      int told = 0;
      for (uint64_t id = 0; id < segment_count() && told < kMostNames; ++id)
        if (segment_of(uint32_t(id)).descriptor->flags & kEntry) {
          out.raw(told++ ? "," : "");
          out.string(segment_of(uint32_t(id)).function);
        }
      out.raw("]");
    }
  }
  out.raw("},");
}

// What was left out, of whichever thread.
void how(Writer &out) {
  const Settings &settings = process.settings;
  uint64_t mismatches = 0, bytes = 0;
  bool skipped = false, strides = true, limited = false, dropped = false, beyond = false, first = true;
  double rate = settings.reuse_rate;
  for (const Thread *thread = process.threads; thread; thread = thread->next) {
    const uint64_t now = bytes_of(*thread);
    mismatches += thread->ilp.mismatches;
    bytes += now > thread->most_bytes ? now : thread->most_bytes;
    skipped |= thread->skipped;
    strides &= !thread->strides_skipped;
    limited |= thread->limited;
    beyond |= thread->beyond;
    rate = settings.reuse && thread->data.share() < rate ? thread->data.share() : rate;
    for (const bool lane : thread->ilp.issue.dropped)
      dropped |= lane;
  }
  out.raw(",\n\"notes\":[");
  const auto note = [&](bool said, const char *text) {
    if (said)
      out.format("%s\"%s\"", first ? "" : ",", text);
    first &= !said;
  };
  note(mismatches, "the program switches stacks by itself: its instruction-level parallelism is approximate");
  note(process.ilp_failed, "no memory for instruction-level parallelism");
  note(limited && dropped, "the limit of memory was reached: parallelism without a window is left out");
  note(rate < settings.reuse_rate, "the limit of memory was reached: reuse distances are of a sample of the lines");
  note(beyond, "more memory than its limit was taken: what is left is needed");
  out.format("],\n\"sampling\":{\"ilp_bursts\":%.12g,\"reuse_rate\":%.12g,\"strides\":%.12g", skipped ? 1.0 / settings.bursts : 1.0, rate,
             strides ? 1.0 : 1.0 / settings.bursts);
  if (limited)
    out.format(",\"memory_limit\":%llu", big(settings.memory_limit));
  out.format("},\"memory_bytes\":%llu,\"depth_mismatches\":%llu,", big(bytes), big(mismatches));
  region(out);
}

void everything(Writer &out, const char *host, const char *partial) {
  const Settings &settings = process.settings;
  out.raw("{\"format\":\"dse-raw/1\",\n\"program\":");
  out.string(program_invocation_name);
  out.raw(",\"host\":");
  out.string(host);
  out.format(",\"pid\":%d,\"parent_pid\":%d,\"start_ns\":%llu,\"forked\":%s,\"clang\":", process.pid, process.parent, big(process.start_ns),
             process.forked ? "true" : "false");
  out.string(compiler());
  out.raw(",\"flags\":");
  out.string(compile_flags());
  out.format(",\"conversions\":\"%s\",\"partial\":", settings.conversions_fp ? "thesis" : "int");
  if (partial)
    out.string(partial);
  else
    out.raw("null");
  how(out);
  out.raw("\n\"mpi\":");
  const char *world = __dse_mpi_world ? __dse_mpi_world() : nullptr;
  if (world) {
    out.raw("{");
    out.raw(world);
    out.raw(",\"threads\":{");
    bool first = true;
    for (int number = 0; __dse_mpi_json && number < process.thread_count; ++number)
      if (const char *text = __dse_mpi_json(number)) {
        out.format("%s\"%d\":", first ? "" : ",", number);
        out.raw(text);
        first = false;
      }
    out.raw("}}");
  } else {
    out.raw("null");
  }
  out.raw(",\n");
  functions(out);
  out.raw("\"threads\":[");
  for (int number = 0; number < process.thread_count; ++number)
    for (const Thread *thread = process.threads; thread; thread = thread->next)
      if (thread->number == number) {
        out.format("%s\n{\"thread\":%d,", number ? "," : "", number);
        mix(out, *thread);
        calls(out, *thread, false);
        calls(out, *thread, true);
        write_ilp(out, *thread);
        write_reuse(out, *thread);
        write_heat_maps(out, *thread);
        write_branches(out, *thread);
        out.raw("}");
      }
  out.raw("],\n\"complete\":true}\n");
  out.flush();
}

} // namespace

void write_record(const char *partial) {
  if (!process.threads)
    return;
  static char host[256], path[4096], finished[4096];
  gethostname(host, sizeof host - 1);
  const int length = snprintf(finished, sizeof finished, "%s/%s-%d-%llu.dseprof", process.settings.folder, host, process.pid, big(process.start_ns));
  const int longer = snprintf(path, sizeof path, "%s.tmp", finished);
  const int file = length > 0 && longer < int(sizeof path) ? open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666) : -1;
  bool right = file >= 0;
  if (right) {
    Writer out(file);
    everything(out, host, partial);
    right = !out.failed;
    right = close(file) == 0 && right;
    right = right && rename(path, finished) == 0;
    if (!right)
      unlink(path);
  }
  if (!right)
    dprintf(2, "dse: the profile cannot be written to %s: %s\n", finished, strerror(errno));
}

} // namespace dse
