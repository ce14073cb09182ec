// The engines behind a plain C interface: tests feed them without a compiler for programs.
#include "branches.h"
#include "heat_maps.h"
#include "ilp.h"
#include "local_branches.h"
#include "reuse.h"
#include <string.h>

using namespace dse;

#define EXPORTED extern "C" __attribute__((visibility("default")))

template <class T> static T *made() { return static_cast<T *>(take(sizeof(T))); }

// producers: for each instruction `operands` of them, -1 for none. orders: 0 out of order, 1 in order, 2 BASE, 3 BASE
// where all wait. spans: span, memory, integer, control, floating per lane.
EXPORTED void dse_test_issue(const uint32_t *sizes, const uint8_t *orders, int lanes, const int64_t *producers, int operands,
                             const uint8_t *types, uint64_t count, uint64_t *spans) {
  Window windows[kLanes];
  for (int lane = 0; lane < lanes; ++lane)
    windows[lane] = {sizes[lane], orders[lane] == 1, orders[lane] >= 2, orders[lane] == 3};
  Issue &issue = *made<Issue>();
  issue.start(windows, lanes);
  Cycles *cycles = static_cast<Cycles *>(take((count + 1) * sizeof(Cycles)));
  for (uint64_t index = 0; index < count; ++index) {
    Cycles ready = Cycles{-1, -1, -1, -1};
    for (int operand = 0; operand < operands; ++operand) {
      const int64_t producer = producers[index * operands + operand];
      if (producer >= 0)
        ready = ready > cycles[producer] ? ready : cycles[producer];
    }
    cycles[index] = issue.issue(ready + 1, types[index]);
  }
  for (int lane = 0; lane < lanes; ++lane) {
    spans[lane * 5] = issue.span(lane);
    for (int type = 0; type < kNoType; ++type)
      spans[lane * 5 + 1 + type] = issue.span_of(type, lane);
  }
}

// kinds: 1 store (its cycle is its position + 1), 0 load. found: what each load depends on, -1 where nothing was stored.
EXPORTED void dse_test_stores(const uint8_t *kinds, const uint64_t *addresses, const uint32_t *bytes, uint64_t count, int64_t *found) {
  StoreCycles &cycles = *made<StoreCycles>();
  cycles.start();
  for (uint64_t index = 0; index < count; ++index) {
    const double now = double(index + 1);
    if (kinds[index])
      cycles.store(addresses[index], bytes[index], Cycles{now, now, now, now});
    else
      found[index] = int64_t(cycles.load(addresses[index], bytes[index])[0]);
  }
}

EXPORTED void dse_test_reuse(uint32_t line_bytes, double rate, const uint64_t *addresses, const uint32_t *bytes, uint64_t count,
                             uint64_t *bins, uint64_t *others, double *entropy) {
  DataReuse &data = *made<DataReuse>();
  data.start(&line_bytes, 1, rate);
  for (uint64_t index = 0; index < count; ++index)
    data.reference(addresses[index], bytes[index]);
  data.settle();
  memcpy(bins, data.stacks[0].counts, sizeof data.stacks[0].counts);
  others[0] = data.references;
  others[1] = data.stacks[0].lines();
  others[2] = data.split[0];
  others[3] = data.footprint();
  others[4] = data.sampled[0];
  *entropy = data.entropy(0);
}

EXPORTED int dse_test_branches(const uint8_t *outcomes, uint64_t count, double *entropy, int most) {
  Branches &branches = *made<Branches>();
  for (uint64_t index = 0; index < count; ++index)
    branches.outcome(outcomes[index] != 0);
  branches.settle();
  const int written = branches.conditional(entropy, most);
  branches.forget();
  return written;
}

// Of each history its misses with so many entries of the table (0: no limit), -1 where it is not known.
EXPORTED void dse_test_max_outcome(const uint8_t *outcomes, uint64_t count, const int *histories, const uint64_t *entries, int rows,
                                   double *misses) {
  Branches &branches = *made<Branches>();
  for (uint64_t index = 0; index < count; ++index)
    branches.outcome(outcomes[index] != 0);
  branches.settle();
  for (int row = 0; row < rows; ++row)
    if (!branches.max_outcome(histories[row], entries[row], misses[row]))
      misses[row] = -1;
  branches.forget();
}

EXPORTED void dse_test_local(const uint32_t *which, const uint8_t *outcomes, uint64_t count, uint64_t sure, const int *histories, int rows,
                             double *entropies) {
  LocalBranches &branches = *made<LocalBranches>();
  for (uint64_t index = 0; index < count; ++index)
    branches.outcome(which[index], outcomes[index] != 0);
  branches.settle();
  for (int row = 0; row < rows; ++row)
    if (!branches.linear_entropy(histories[row], sure, entropies[row]))
      entropies[row] = -1;
  branches.forget();
}

// Static accesses that take their addresses from others (four each, -1: none; all loads), then what each touched.
// counts: references looked at, those foreseen, loads, and loads that miss together with one they wait for, by bin.
EXPORTED void dse_test_strides(uint32_t line_bytes, const int32_t *parents, uint32_t accesses, const uint32_t *which,
                               const uint64_t *addresses, uint64_t count, uint64_t *counts) {
  DataReuse &data = *made<DataReuse>();
  data.start(&line_bytes, 1, 1);
  for (uint32_t access = 0; access < accesses; ++access) {
    uint32_t mine[4], size = 0;
    for (uint32_t index = 0; index < 4; ++index)
      if (parents[4 * access + index] >= 0)
        mine[size++] = uint32_t(parents[4 * access + index]);
    data.strides.add(true, mine, size);
  }
  for (uint64_t index = 0; index < count; ++index)
    data.reference(addresses[index], 8, data.strides.foresee(which[index], addresses[index]));
  data.settle();
  const uint64_t *const tables[] = {data.covered[0].seen, data.covered[0].having, data.dependent.seen, data.dependent.having};
  for (int table = 0; table < 4; ++table)
    memcpy(counts + table * (kBins + 1), tables[table], (kBins + 1) * sizeof(uint64_t));
}

// size: rows, columns, bytes of a row, accesses of a column. first: of each row; counts: rows of so many columns as there
// are at most.
EXPORTED void dse_test_address_map(const uint64_t *addresses, uint64_t count, uint64_t *size, uint64_t *first, uint64_t *counts) {
  AddressMap &map = *made<AddressMap>();
  map.start();
  for (uint64_t index = 0; index < count; ++index)
    map.reference(addresses[index]);
  size[0] = map.rows;
  size[1] = map.columns();
  size[2] = uint64_t(1) << map.shift;
  size[3] = map.per_column;
  for (uint32_t row = 0; row < map.rows; ++row) {
    first[row] = map.keys[row] << map.shift;
    for (uint32_t column = 0; column < AddressMap::kColumns; ++column)
      counts[row * AddressMap::kColumns + column] = map.count(row, column);
  }
  map.forget();
}

// lags: those of the map, their number is returned; counts: of each lag at the offsets from -1024 to 1024.
EXPORTED int dse_test_locality_map(const uint64_t *addresses, const uint32_t *bytes, uint64_t count, uint32_t *lags, uint64_t *counts) {
  LocalityMap &map = *made<LocalityMap>();
  map.start();
  for (uint64_t index = 0; index < count; ++index)
    map.reference(addresses[index], bytes[index]);
  for (int lag = 0; lag < LocalityMap::kLagCount; ++lag) {
    lags[lag] = LocalityMap::kLags[lag];
    map.counts(lag, 1, counts + lag * (2 * LocalityMap::kReach + 1));
  }
  map.forget();
  return LocalityMap::kLagCount;
}
