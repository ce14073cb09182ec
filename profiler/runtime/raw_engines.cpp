// What the engines found in a thread, as JSON.
#include "threads.h"
#include "writer.h"

namespace dse {
namespace {

constexpr int64_t kOffsetStep = 4; // bytes between the offsets that are written of a locality map
constexpr int kLocalHistories[] = {4, 8, 12}, kTableHistories[] = {8, 12, 16};
constexpr uint64_t kTables[] = {0, 4096}; // entries, 0: as many as there are histories

void spans(Writer &out, const Issued &issued) {
  out.format("\"instructions\":%llu,\"span\":%llu,\"span_mem\":%llu,\"span_int\":%llu,\"span_control\":%llu,\"span_fp\":%llu",
             big(issued.instructions), big(issued.span), big(issued.of[kMemory]), big(issued.of[kInteger]), big(issued.of[kControlFlow]),
             big(issued.of[kFloating]));
}

void bins(Writer &out, const uint64_t *counts) {
  bool first = true;
  for (int bin = 0; bin < kBins; ++bin)
    if (counts[bin]) {
      out.format("%s[%llu,%llu]", first ? "" : ",", big(upper_end(bin)), big(counts[bin]));
      first = false;
    }
}

// A followed line stands for 1 / rate lines, its distance for 1 / rate as long a one; before that for those of its time.
// What the hash chose too few references of goes to distance 0: few hot lines carry most references (SHARDS with
// adjustment).
void sampled_bins(Writer &out, const DataReuse &data, int level, uint64_t cold) {
  const Stack &stack = data.stacks[level];
  const double rate = data.share(), least = 2 / rate;
  uint64_t left = data.references - cold;
  uint64_t scaled[kBins] = {};
  for (int bin = 0; bin < kBins; ++bin) {
    if (double(upper_end(bin)) / rate <= least)
      continue; // not resolved: they are what is left
    const uint64_t count = uint64_t(data.earlier[level][bin] + double(stack.counts[bin]) / rate + 0.5);
    scaled[bin] = count < left ? count : left;
    left -= scaled[bin];
  }
  out.format("[%llu,%llu]", big(uint64_t(least)), big(left));
  for (int bin = 0; bin < kBins; ++bin)
    if (scaled[bin])
      out.format(",[%llu,%llu]", big(uint64_t(double(upper_end(bin)) / rate)), big(scaled[bin]));
}

// [upper end, looked at, having it] of each bin, first touches apart.
void shares(Writer &out, const char *name, const Shares &counts, double rate) {
  out.format(",\"%s\":{\"bins\":[", name);
  bool first = true;
  for (int bin = 0; bin < kBins; ++bin)
    if (counts.seen[bin] || counts.having[bin]) {
      out.format("%s[%llu,%llu,%llu]", first ? "" : ",", big(uint64_t(double(upper_end(bin)) / rate)), big(counts.seen[bin]),
                 big(counts.having[bin]));
      first = false;
    }
  out.format("],\"first\":[%llu,%llu]}", big(counts.seen[kBins]), big(counts.having[kBins]));
}

// What always goes the same way is a branch of its own: no history fails to foretell it.
uint64_t sure_outcomes(const Thread &thread, uint64_t history) {
  uint64_t sure = 0;
  for (uint64_t id = 0; id < segment_count() && !process.settings.conditional_only; ++id) {
    const Segment &segment = segment_of(uint32_t(id));
    const uint32_t flags = segment.descriptor->flags;
    const uint64_t kinds = !!(flags & kUncond) + !!(flags & kCall) + (flags & kCall && segment.outside == 1) + !!(flags & kRet);
    if (thread.counts[id] > history)
      sure += kinds * (thread.counts[id] - history);
  }
  return sure;
}

void local_branches(Writer &out, const Thread &thread) {
  bool first = true;
  for (const int history : kLocalHistories) {
    double bits;
    if (!process.settings.branches || !thread.local.linear_entropy(history, sure_outcomes(thread, uint64_t(history)), bits))
      continue;
    out.format("%s[%d,%.12g]", first ? "" : ",", history, bits);
    first = false;
  }
}

} // namespace

void write_ilp(Writer &out, const Thread &thread) {
  const Issue &issue = thread.ilp.issue;
  out.raw("\"ilp\":[");
  bool first = true;
  for (int lane = 0; process.settings.ilp && !process.ilp_failed && lane < issue.lanes; ++lane) {
    const Window window = issue.windows[lane];
    if (issue.dropped[lane])
      continue;
    out.raw(first ? "{\"window\":" : ",\n{\"window\":");
    first = false;
    if (window.size)
      out.format("%u", window.size);
    else
      out.raw("\"inf\"");
    out.format(",\"order\":\"%s\",", window.waits ? "base-wait" : window.serial ? "base" : window.in_order ? "in" : "out");
    spans(out, issue.now(lane));
    if (issue.sampled) {
      out.raw(",\"whole\":{");
      spans(out, issue.before[lane]);
      out.raw("}");
    }
    out.raw("}");
  }
  out.raw("],\n");
}

void write_reuse(Writer &out, const Thread &thread) {
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
      sampled_bins(out, data, level, cold);
    else
      bins(out, stack.counts);
    out.raw("]");
    shares(out, "covered", data.covered[level], rate);
    if (level == 0 && rate >= 1)
      shares(out, "dependent", data.dependent, rate);
    out.raw("},\n");
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

// The keys are there where the maps were asked for: other records stay as they were.
void write_heat_maps(Writer &out, const Thread &thread) {
  const AddressMap &where = thread.addresses;
  if (process.settings.addresses && where.bytes()) {
    out.format("\"address_map\":{\"version\":1,\"accesses\":%llu,\"row_bytes\":%llu,\"column_accesses\":%llu,\"rows\":[", big(where.accesses),
               big(uint64_t(1) << where.shift), big(where.per_column));
    for (uint32_t row = 0; row < where.rows; ++row) {
      out.format("%s\n[%llu", row ? "," : "", big(where.keys[row] << where.shift));
      for (uint32_t column = 0; column < where.columns(); ++column)
        out.format(",%llu", big(where.count(row, column)));
      out.raw("]");
    }
    out.raw("]},\n");
  }
  const LocalityMap &locality = thread.locality;
  if (process.settings.locality && locality.bytes()) {
    static uint64_t counts[2 * LocalityMap::kReach / kOffsetStep + 1];
    out.format("\"locality_map\":{\"version\":1,\"accesses\":%llu,\"reach_bytes\":%lld,\"step_bytes\":%lld,\"rows\":[", big(locality.accesses),
               static_cast<long long>(LocalityMap::kReach), static_cast<long long>(kOffsetStep));
    for (int lag = 0; lag < LocalityMap::kLagCount && LocalityMap::kLags[lag] < locality.accesses; ++lag) {
      locality.counts(lag, kOffsetStep, counts);
      out.format("%s\n[%u", lag ? "," : "", LocalityMap::kLags[lag]);
      for (const uint64_t count : counts)
        out.format(",%llu", big(count));
      out.raw("]");
    }
    out.raw("]},\n");
  }
}

void write_branches(Writer &out, const Thread &thread) {
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
  out.raw("],\n\"local\":[");
  local_branches(out, thread);
  out.raw("],\n\"max_outcome\":[");
  first = true;
  for (const int history : kTableHistories)
    for (const uint64_t table : kTables) {
      double misses;
      if (!process.settings.branches || !thread.branches.max_outcome(history, table, misses))
        continue;
      out.format("%s{\"history\":%d,\"table\":", first ? "" : ",", history);
      if (table)
        out.format("%llu", big(table));
      else
        out.raw("null");
      out.format(",\"rule\":\"seen-once\",\"miss_rate\":%.12g}", misses);
      first = false;
    }
  out.raw("]}");
}

} // namespace dse
