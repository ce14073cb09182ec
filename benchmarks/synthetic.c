/* The quantities of synthetic.py in C, written by hand from the same formulas: every quantity for every design.
 *
 * Designs are numbered as in dse: mixed radix, the last axis varies fastest. `values` holds the values of all axes one
 * after the other, `counts` how many each axis has. The three loops differ in how they turn numbers into values, and
 * return the sums of the objectives, so that nothing can be left out:
 *
 *     sum_divmod     a division and a remainder per axis and design
 *     sum_counters   an odometer: the last counter moves on, with a carry to the one before
 *     sum_batches    the odometer fills arrays of BATCH designs, over which the formulas are one loop (made for SIMD)
 */
#include <math.h>
#include <stdint.h>

enum { AXES = 12, QUANTITIES = 38, BATCH = 256 };
enum { NODES, RADIX, LINK, TAPER, INTERFACES, DIRECT, CORES, FREQUENCY, VECTOR, CACHE, CHANNELS, KIND };

static const double work = 1e21, traffic = 4e19, halo = 6e12, steps = 1e4;

/* The order of the fields is the order in which `all_quantities` returns them. */
typedef struct {
    double voltage, peak_rate, vector_efficiency, sustained_rate, miss_factor, channel_bandwidth, channel_power,
        channel_cost, memory_bandwidth, arithmetic_time, memory_time, one_node_time, dynamic_power, cache_power,
        leakage_power, memory_power, node_static_power, one_node_dynamic_energy, processor_area, processor_cost,
        node_cost, tree_levels, mean_hops, switches, injection_bandwidth, effective_bandwidth, message_latency,
        node_volume, transfer_time, latency_time, communication_time, switch_power, network_power, network_cost,
        compute_time, time, energy, cost;
} quantities;

static inline __attribute__((always_inline)) quantities evaluate(double nodes, double radix, double link_bandwidth,
    double taper, double interfaces, double direct_share, double cores, double frequency, double vector_width,
    double cache, double channels, double memory_kind)
{
    quantities q;
    q.voltage = 0.6 + 0.125e-9 * (frequency - 1e9);
    q.peak_rate = cores * frequency * vector_width * 2.0;
    q.vector_efficiency = 1.0 / (1.0 + 0.06 * sqrt(vector_width));
    q.sustained_rate = q.peak_rate * q.vector_efficiency;
    q.miss_factor = pow(cache / 1e6, -0.4);
    q.channel_bandwidth = 20e9 + 15e9 * memory_kind;
    q.channel_power = 3.0 + 2.0 * memory_kind;
    q.channel_cost = 80.0 * exp2(0.8 * memory_kind);
    q.memory_bandwidth = channels * q.channel_bandwidth;
    q.arithmetic_time = work / q.sustained_rate;
    q.memory_time = traffic * q.miss_factor / q.memory_bandwidth;
    q.one_node_time = fmax(q.arithmetic_time, q.memory_time) + 0.3 * fmin(q.arithmetic_time, q.memory_time);
    q.dynamic_power = 0.9e-9 * cores * (0.5 + 0.0625 * vector_width) * frequency * q.voltage * q.voltage;
    q.cache_power = 0.15 * cores * cache / 1e6;
    q.leakage_power = 0.4 * cores * q.voltage + q.cache_power;
    q.memory_power = channels * q.channel_power;
    q.node_static_power = 60.0 + q.leakage_power + q.memory_power;
    q.one_node_dynamic_energy = q.dynamic_power * q.arithmetic_time;
    q.processor_area = cores * (1.0 + 0.1 * vector_width) + 0.8 * cores * cache / 1e6;
    q.processor_cost = 200.0 + 6.0 * q.processor_area * sqrt(1.0 + q.processor_area / 60.0);
    q.node_cost = 500.0 + q.processor_cost + channels * q.channel_cost;
    double half = radix / 2.0;
    q.tree_levels = 1.0 + (nodes > half) + (nodes > half * half) + (nodes > half * half * half);
    q.mean_hops = (2.0 * q.tree_levels - 1.0) * (1.0 - 0.4 * direct_share);
    q.switches = ceil(nodes * interfaces * (2.0 * q.tree_levels - 1.0) / (radix * sqrt(taper)));
    q.injection_bandwidth = link_bandwidth * interfaces;
    q.effective_bandwidth = q.injection_bandwidth / (1.0 + 0.1 * (taper - 1.0) * q.mean_hops);
    q.message_latency = 0.9e-6 + 0.15e-6 * q.mean_hops;
    q.node_volume = halo / cbrt(nodes * nodes);
    q.transfer_time = q.node_volume / q.effective_bandwidth;
    q.latency_time = steps * q.message_latency;
    q.communication_time = q.transfer_time + q.latency_time;
    q.switch_power = 20.0 + radix * (0.4 + 0.06e-9 * link_bandwidth);
    q.network_power = q.switches * q.switch_power + 12.0 * nodes * interfaces;
    q.network_cost = q.switches * radix * (40.0 + 8e-9 * link_bandwidth) * (1.0 + direct_share)
        + 300.0 * nodes * interfaces;
    q.compute_time = q.one_node_time / nodes;
    q.time = fmax(q.compute_time, q.communication_time) + 0.2 * fmin(q.compute_time, q.communication_time);
    q.energy = (q.node_static_power * nodes + q.network_power) * q.time + q.one_node_dynamic_energy;
    q.cost = q.node_cost * nodes + q.network_cost;
    return q;
}

static void starts_of(const int64_t *counts, const double *values, const double **starts)
{
    for (int axis = 0; axis < AXES; axis++) {
        starts[axis] = values;
        values += counts[axis];
    }
}

static void decode(int64_t number, const int64_t *counts, int64_t *rows)
{
    for (int axis = AXES - 1; axis >= 0; axis--) {
        rows[axis] = number % counts[axis];
        number /= counts[axis];
    }
}

static inline void next(const int64_t *counts, const double **starts, int64_t *rows, double *x)
{
    for (int axis = AXES - 1; axis >= 0; axis--) {
        if (++rows[axis] < counts[axis]) {
            x[axis] = starts[axis][rows[axis]];
            return;
        }
        rows[axis] = 0;
        x[axis] = starts[axis][0];
    }
}

static inline __attribute__((always_inline)) quantities of(const double *x)
{
    return evaluate(x[NODES], x[RADIX], x[LINK], x[TAPER], x[INTERFACES], x[DIRECT], x[CORES], x[FREQUENCY], x[VECTOR],
        x[CACHE], x[CHANNELS], x[KIND]);
}

/* Every quantity of listed designs, QUANTITIES numbers each: what is compared with NumPy. */
void all_quantities(const int64_t *counts, const double *values, const int64_t *numbers, int64_t n, double *out)
{
    const double *starts[AXES];
    int64_t rows[AXES];
    double x[AXES];
    starts_of(counts, values, starts);
    for (int64_t i = 0; i < n; i++) {
        decode(numbers[i], counts, rows);
        for (int axis = 0; axis < AXES; axis++)
            x[axis] = starts[axis][rows[axis]];
        *(quantities *)(out + i * QUANTITIES) = of(x);
    }
}

void sum_divmod(const int64_t *counts, const double *values, int64_t first, int64_t n, double *sums)
{
    const double *starts[AXES];
    int64_t rows[AXES];
    double x[AXES], time = 0.0, energy = 0.0, cost = 0.0;
    starts_of(counts, values, starts);
    for (int64_t i = first; i < first + n; i++) {
        decode(i, counts, rows);
        for (int axis = 0; axis < AXES; axis++)
            x[axis] = starts[axis][rows[axis]];
        quantities q = of(x);
        time += q.time;
        energy += q.energy;
        cost += q.cost;
    }
    sums[0] = time, sums[1] = energy, sums[2] = cost;
}

void sum_counters(const int64_t *counts, const double *values, int64_t first, int64_t n, double *sums)
{
    const double *starts[AXES];
    int64_t rows[AXES];
    double x[AXES], time = 0.0, energy = 0.0, cost = 0.0;
    starts_of(counts, values, starts);
    decode(first, counts, rows);
    for (int axis = 0; axis < AXES; axis++)
        x[axis] = starts[axis][rows[axis]];
    for (int64_t i = 0; i < n; i++) {
        quantities q = of(x);
        time += q.time;
        energy += q.energy;
        cost += q.cost;
        next(counts, starts, rows, x);
    }
    sums[0] = time, sums[1] = energy, sums[2] = cost;
}

void sum_batches(const int64_t *counts, const double *values, int64_t first, int64_t n, double *sums)
{
    const double *starts[AXES];
    int64_t rows[AXES];
    double x[AXES], time = 0.0, energy = 0.0, cost = 0.0;
    static __thread double in[AXES][BATCH];
    starts_of(counts, values, starts);
    decode(first, counts, rows);
    for (int axis = 0; axis < AXES; axis++)
        x[axis] = starts[axis][rows[axis]];
    while (n > 0) {
        int64_t size = n < BATCH ? n : BATCH;
        for (int64_t i = 0; i < size; i++) {
            for (int axis = 0; axis < AXES; axis++)
                in[axis][i] = x[axis];
            next(counts, starts, rows, x);
        }
        for (int64_t i = 0; i < size; i++) {
            quantities q = evaluate(in[NODES][i], in[RADIX][i], in[LINK][i], in[TAPER][i], in[INTERFACES][i],
                in[DIRECT][i], in[CORES][i], in[FREQUENCY][i], in[VECTOR][i], in[CACHE][i], in[CHANNELS][i],
                in[KIND][i]);
            time += q.time;
            energy += q.energy;
            cost += q.cost;
        }
        n -= size;
    }
    sums[0] = time, sums[1] = energy, sums[2] = cost;
}
