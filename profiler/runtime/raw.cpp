// The record of the process, as JSON of counts.
#include "mix.h"
#include "threads.h"
#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

// The communication of a thread, where the program is linked with the wrapper of MPI: a JSON object.
extern "C" __attribute__((weak)) const char *__dse_mpi_json(int thread);
// "rank": r, "size": n
extern "C" __attribute__((weak)) const char *__dse_mpi_world();

namespace dse {
namespace {

class Writer {
public:
  explicit Writer(int file) : file(file) {}
  bool failed = false;

  void raw(const char *text, size_t length) {
    if (filled + length > sizeof buffer)
      flush();
    if (length > sizeof buffer) {
      put(text, length);
      return;
    }
    memcpy(buffer + filled, text, length);
    filled += length;
  }
  void raw(const char *text) { raw(text, strlen(text)); }

  void format(const char *form, ...) __attribute__((format(printf, 2, 3))) {
    char text[512];
    va_list rest;
    va_start(rest, form);
    const int length = vsnprintf(text, sizeof text, form, rest);
    va_end(rest);
    if (length > 0)
      raw(text, size_t(length) < sizeof text ? size_t(length) : sizeof text - 1);
  }

  void string(const char *text) {
    raw("\"", 1);
    for (; *text; ++text) {
      const unsigned char letter = static_cast<unsigned char>(*text);
      if (letter == '"' || letter == '\\')
        format("\\%c", letter);
      else if (letter < 32 || letter > 126) // bytes as they are may be no UTF-8
        format("\\u%04x", letter);
      else
        raw(text, 1);
    }
    raw("\"", 1);
  }

  void flush() {
    put(buffer, filled);
    filled = 0;
  }

private:
  int file;
  size_t filled = 0;
  static inline char buffer[8192]; // not on the stack, which a program may have made small; written under one lock

  void put(const char *text, size_t length) {
    while (length && !failed) {
      const ssize_t written = write(file, text, length);
      if (written < 0 && errno == EINTR)
        continue;
      failed = written <= 0;
      text += written > 0 ? written : 0;
      length -= written > 0 ? size_t(written) : 0;
    }
  }
};

unsigned long long big(uint64_t value) { return value; }

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

void ilp(Writer &out, const Thread &thread) {
  const Issue &issue = thread.ilp.issue;
  out.raw("\"ilp\":[");
  for (int lane = 0; process.settings.ilp && !process.ilp_failed && lane < issue.lanes; ++lane) {
    const Window window = issue.windows[lane];
    out.raw(lane ? ",\n{\"window\":" : "{\"window\":");
    if (window.size)
      out.format("%u", window.size);
    else
      out.raw("\"inf\"");
    out.format(",\"order\":\"%s\",\"instructions\":%llu,\"span\":%llu,\"span_mem\":%llu,\"span_int\":%llu,\"span_control\":%llu,\"span_fp\":%llu}",
               window.in_order ? "in" : "out", big(issue.instructions), big(issue.span(lane)), big(issue.span_of(kMemory, lane)),
               big(issue.span_of(kInteger, lane)), big(issue.span_of(kControlFlow, lane)), big(issue.span_of(kFloating, lane)));
  }
  out.raw("],\n");
}

void bins(Writer &out, const uint64_t *counts) {
  bool first = true;
  for (int bin = 0; bin < kBins; ++bin)
    if (counts[bin]) {
      out.format("%s[%llu,%llu]", first ? "" : ",", big(upper_end(bin)), big(counts[bin]));
      first = false;
    }
}

// A sampled line stands for 1 / rate lines, its distance for 1 / rate as long a one. What the hash chose too few references
// of goes to distance 0: few hot lines carry most references (SHARDS with adjustment).
void sampled_bins(Writer &out, const Stack &stack, double rate, uint64_t references, uint64_t cold) {
  uint64_t left = references - cold;
  const double least = 2 / rate;
  uint64_t near = 0;
  uint64_t scaled[kBins] = {}, far = 0;
  for (int bin = 0; bin < kBins; ++bin) {
    const double upper = double(upper_end(bin)) / rate;
    uint64_t count = uint64_t(double(stack.counts[bin]) / rate + 0.5);
    if (upper <= least)
      continue; // not resolved: they are what is left
    count = count < left ? count : left;
    scaled[bin] = count;
    left -= count;
    far += count;
  }
  near = left;
  out.format("[%llu,%llu]", big(uint64_t(least)), big(near));
  for (int bin = 0; bin < kBins; ++bin)
    if (scaled[bin])
      out.format(",[%llu,%llu]", big(uint64_t(double(upper_end(bin)) / rate)), big(scaled[bin]));
}

void reuse(Writer &out, const Thread &thread) {
  const DataReuse &data = thread.data;
  out.raw("\"reuse\":[");
  for (int level = 0; level < data.levels; ++level) {
    const Stack &stack = data.stacks[level];
    const double rate = data.share();
    uint64_t cold = stack.lines();
    if (rate < 1) {
      cold = uint64_t(double(cold) / rate + 0.5);
      cold = cold < data.references ? cold : data.references;
    }
    out.format("{\"kind\":\"data\",\"line_bytes\":%u,\"references\":%llu,\"split_references\":%llu,\"cold\":%llu,\"bins\":[",
               data.line_bytes[level], big(data.references), big(data.split[level]), big(cold));
    if (rate < 1)
      sampled_bins(out, stack, rate, data.references, cold);
    else
      bins(out, stack.counts);
    out.raw("]},\n");
  }
  if (process.settings.reuse) {
    out.format("{\"kind\":\"instruction\",\"line_instructions\":%u,\"references\":%llu,\"cold\":%llu,\"bins\":[", kInstructionsPerLine,
               big(thread.code.references), big(thread.code.stack.lines()));
    bins(out, thread.code.stack.counts);
    out.raw("]}");
  }
  out.raw("],\n\"memory_entropy\":[");
  for (int level = 0; data.share() >= 1 && level < data.levels; ++level)
    out.format("%s[%u,%.12g]", level ? "," : "", data.line_bytes[level], data.entropy(level));
  out.raw("],");
  if (process.settings.footprint)
    out.format("\"footprint_bytes\":%llu,", big(data.footprint()));
  out.raw("\n");
}

void branches(Writer &out, const Thread &thread) {
  double bits[62];
  const int count = process.settings.branches ? thread.branches.conditional(bits, 62) : 0;
  out.format("\"branches\":{\"events\":%llu,\"conditional_only\":%s,\"entropy\":[", big(thread.branches.events),
             process.settings.conditional_only ? "true" : "false");
  bool first = true;
  for (int history = 1; history <= count; ++history) {
    const bool wanted = history <= 16 || history == 18 || history == 20 || history == 24 || history == 28 || history == 32 || history == 40 ||
                        history == 48 || history == 56 || history == 62;
    if (wanted)
      out.format("%s[%d,%.12g]", first ? "" : ",", history, bits[history - 1]);
    first = false;
  }
  out.raw("],\"local\":[],\"max_outcome\":[]}");
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
  uint64_t mismatches = 0;
  for (const Thread *thread = process.threads; thread; thread = thread->next)
    mismatches += thread->ilp.mismatches;
  out.raw(",\n\"notes\":[");
  if (mismatches)
    out.raw("\"the program switches stacks by itself: its instruction-level parallelism is approximate\"");
  if (process.ilp_failed)
    out.raw(mismatches ? ",\"no memory for instruction-level parallelism\"" : "\"no memory for instruction-level parallelism\"");
  bool skipped = false;
  for (const Thread *thread = process.threads; thread; thread = thread->next)
    skipped |= thread->skipped;
  out.format("],\n\"sampling\":{\"ilp_bursts\":%.12g,\"reuse_rate\":%.12g},\"depth_mismatches\":%llu,\n\"mpi\":", skipped ? 1.0 / settings.bursts : 1.0,
             settings.reuse_rate, big(mismatches));
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
        ilp(out, *thread);
        reuse(out, *thread);
        branches(out, *thread);
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
