/* The processor model of interacting events (dse.models.processor) in C, from the same formulas and tables.
 *
 * Designs are numbered as in dse: mixed radix, the last axis varies fastest. An odometer moves the inputs on; every
 * quantity is computed anew for every design, nothing is hoisted. What the program does depends on the width of the
 * vectors only and comes as a table, and so do the points of the reuse curve, between which lines are straight.
 *
 * For one more quantity: its inputs into `inputs`, its name into `quantities`, its formula into `evaluate`.
 */
#include <math.h>
#include <stdint.h>

enum inputs {
    CORES, THREADS, FREQUENCY, ISSUE_WIDTH, DISPATCH_WIDTH, INTEGER_UNITS, FLOAT_UNITS, MEMORY_UNITS, CONTROL_UNITS,
    VECTOR_UNITS, VECTOR_WIDTH, FRONT_END_STAGES, REORDER_BUFFER, ISSUE_QUEUE, MISS_REGISTERS, INTEGER_LATENCY,
    INTEGER_MULTIPLY_LATENCY, INTEGER_DIVIDE_LATENCY, FLOAT_LATENCY, FLOAT_MULTIPLY_LATENCY, FLOAT_DIVIDE_LATENCY,
    L1_SIZE, L2_SIZE, L3_SIZE, CACHE_LINE, L1_LATENCY_CYCLES, L2_LATENCY_CYCLES, L3_LATENCY, DRAM_LATENCY,
    L1_BANDWIDTH, L3_BANDWIDTH, DRAM_BANDWIDTH, L2_EXCLUSIVE, BRANCH_FACTOR, PROGRAM, INPUTS
};

/* What a mean instruction does, for one width of the vectors. */
typedef struct {
    double instructions, memory_fraction, address_fraction, integer_arithmetic_fraction, integer_multiply_fraction,
        integer_divide_fraction, float_fraction, float_multiply_fraction, float_divide_fraction, control_fraction,
        scalar_integer_fraction, scalar_float_fraction, vector_fraction, access_bytes, ilp, memory_ilp, integer_ilp,
        control_ilp, float_ilp, branch_miss_estimate;
} rates;

/* The order of the fields is the order in which `all_quantities` returns them. */
typedef struct {
    double running_threads, l3_share, dram_bandwidth_share, l1_hit_fraction, l2_hit_fraction, l3_hit_fraction,
        l2_accesses, l3_accesses, dram_accesses, l1_hits, l2_hits, l3_hits, l3_latency_cycles, dram_latency_cycles,
        miss_cycles, memory_cycles, integer_cycles, float_cycles, issue_bound, miss_register_bound, parallelism_bound,
        integer_parallelism_bound, memory_parallelism_bound, control_parallelism_bound, float_parallelism_bound,
        memory_unit_bound, integer_unit_bound, float_unit_bound, control_unit_bound, vector_unit_bound,
        full_window_cycles, issue_queue_stalls, reorder_buffer_stalls, stalled_cycles, dispatch_bound,
        l1_bandwidth_bound, l3_bandwidth_bound, dram_bandwidth_bound, steady_cycles, misprediction_rate, branch_cycles,
        throughput_limit_cycles, cycles_per_instruction, run_time, dram_traffic, time_per_run, node_budget;
} quantities;

enum { QUANTITIES = sizeof(quantities) / sizeof(double) };

/* Columns of axis a are first[a] to first[a + 1]: each goes to an input and has its values from a start on. */
typedef struct {
    int64_t axes, points;
    const int64_t *counts, *first, *input, *start;
    const double *values, *fixed;
    const rates *programs;
    const double *lines, *hits;
} space;

static inline double most(double a, double b) { return a > b ? a : b; }
static inline double least(double a, double b) { return a < b ? a : b; }
static inline double per_unit(double use, double limit) { return use == 0.0 ? 0.0 : use / limit; }
static inline double until_used_up(double limit, double use) { return use == 0.0 ? INFINITY : limit / use; }
static inline double by_parallelism(double cycles, double ilp) { return ilp != 0.0 ? cycles / ilp : 0.0; }

static inline double hit_fraction(const space *s, int64_t program, double bytes, double line)
{
    const double *lines = s->lines + program * s->points, *hits = s->hits + program * s->points;
    double held = floor(bytes / most(line, 1.0));
    int64_t low = 0, last = s->points - 1;
    if (held >= lines[last])
        return hits[last];
    if (held <= lines[0])
        return hits[0];
    for (int64_t left = last; left > 1;) { /* no branch on what is found: it cannot be predicted */
        int64_t half = left / 2;
        low = lines[low + half] <= held ? low + half : low;
        left -= half;
    }
    return hits[low] + (hits[low + 1] - hits[low]) / (lines[low + 1] - lines[low]) * (held - lines[low]);
}

/* Stalls of the accesses of one level that outlast the filling of the window. */
static inline double penalty(double accesses, double latency, double filled, double window, double overlap)
{
    double together = least(latency / window, overlap);
    return most(latency - filled, 0.0) * least(accesses, until_used_up(1.0, together));
}

static inline __attribute__((always_inline)) quantities evaluate(const space *s, const double *x)
{
    const int64_t program = (int64_t)x[PROGRAM];
    const rates p = s->programs[program];
    const double f = x[FREQUENCY], line = x[CACHE_LINE];
    quantities q;

    /* where the accesses end */
    q.running_threads = least(x[THREADS], x[CORES]);
    q.l3_share = x[L3_SIZE] / q.running_threads;
    q.dram_bandwidth_share = x[DRAM_BANDWIDTH] / q.running_threads;
    q.l1_hit_fraction = x[L1_SIZE] > 0.0 ? hit_fraction(s, program, x[L1_SIZE], line) : 0.0;
    q.l2_hit_fraction = q.l1_hit_fraction;
    if (x[L2_SIZE] > 0.0) {
        double reach = x[L2_SIZE] + x[L2_EXCLUSIVE] * x[L1_SIZE];
        q.l2_hit_fraction = most(hit_fraction(s, program, reach, line), q.l1_hit_fraction);
    }
    q.l3_hit_fraction = q.l2_hit_fraction;
    if (q.l3_share > 0.0)
        q.l3_hit_fraction = most(hit_fraction(s, program, q.l3_share, line), q.l2_hit_fraction);
    q.l2_accesses = p.memory_fraction * (1.0 - q.l1_hit_fraction);
    q.l3_accesses = p.memory_fraction * (1.0 - q.l2_hit_fraction);
    q.dram_accesses = p.memory_fraction * (1.0 - q.l3_hit_fraction);
    q.l1_hits = most(p.memory_fraction - q.l2_accesses, 0.0);
    q.l2_hits = most(q.l2_accesses - q.l3_accesses, 0.0);
    q.l3_hits = most(q.l3_accesses - q.dram_accesses, 0.0);
    q.l3_latency_cycles = x[L3_LATENCY] * f;
    q.dram_latency_cycles = x[DRAM_LATENCY] * f;

    /* sums of latencies */
    double l3_cycles = q.l3_hits * q.l3_latency_cycles, dram_cycles = q.dram_accesses * q.dram_latency_cycles;
    q.miss_cycles = q.l2_hits * x[L2_LATENCY_CYCLES] + l3_cycles + dram_cycles;
    q.memory_cycles = q.l1_hits * x[L1_LATENCY_CYCLES] + q.miss_cycles;
    q.integer_cycles = p.integer_multiply_fraction * x[INTEGER_MULTIPLY_LATENCY]
        + p.integer_divide_fraction * x[INTEGER_DIVIDE_LATENCY]
        + (p.integer_arithmetic_fraction - p.integer_multiply_fraction - p.integer_divide_fraction)
            * x[INTEGER_LATENCY];
    q.float_cycles = p.float_multiply_fraction * x[FLOAT_MULTIPLY_LATENCY]
        + p.float_divide_fraction * x[FLOAT_DIVIDE_LATENCY]
        + (p.float_fraction - p.float_multiply_fraction - p.float_divide_fraction) * x[FLOAT_LATENCY];
    double address_cycles = p.address_fraction * x[INTEGER_LATENCY];

    /* bounds of a full window */
    q.issue_bound = 1.0 / x[ISSUE_WIDTH];
    q.miss_register_bound = per_unit(q.miss_cycles, x[MISS_REGISTERS]);
    q.parallelism_bound = by_parallelism(q.memory_cycles + q.integer_cycles + address_cycles + q.float_cycles, p.ilp);
    q.integer_parallelism_bound = by_parallelism(q.integer_cycles, p.integer_ilp);
    q.memory_parallelism_bound = by_parallelism(q.memory_cycles, p.memory_ilp);
    q.control_parallelism_bound = by_parallelism(p.control_fraction, p.control_ilp);
    q.float_parallelism_bound = by_parallelism(q.float_cycles, p.float_ilp);
    q.memory_unit_bound = per_unit(p.memory_fraction, x[MEMORY_UNITS]);
    q.integer_unit_bound = per_unit(p.scalar_integer_fraction, x[INTEGER_UNITS]);
    q.float_unit_bound = per_unit(p.scalar_float_fraction, x[FLOAT_UNITS]);
    q.control_unit_bound = per_unit(p.control_fraction, x[CONTROL_UNITS]);
    q.vector_unit_bound = x[VECTOR_WIDTH] > 0.0 ? per_unit(p.vector_fraction, x[VECTOR_UNITS]) : 0.0;
    double window = most(most(most(q.issue_bound, q.miss_register_bound),
        most(q.parallelism_bound, q.integer_parallelism_bound)),
        most(most(q.memory_parallelism_bound, q.control_parallelism_bound),
        most(q.float_parallelism_bound, q.memory_unit_bound)));
    window = most(most(window, most(q.integer_unit_bound, q.float_unit_bound)),
        most(q.control_unit_bound, q.vector_unit_bound));
    q.full_window_cycles = window;

    /* stalls behind a full reorder buffer or issue queue */
    const double rob = x[REORDER_BUFFER];
    double in_flight = most(1.0, q.dram_accesses * least(q.dram_latency_cycles / window, rob));
    double entries = rob * (1.0 - 0.5 * in_flight / p.ilp);
    double buffer = most(entries * window, 0.0);
    double room = p.ilp * x[ISSUE_QUEUE];
    double behind_l3 = window
        * least(until_used_up(room, (l3_cycles + dram_cycles) / window), until_used_up(1.0, q.l3_hits));
    double behind_dram = window
        * least(until_used_up(room, dram_cycles / window), until_used_up(1.0, q.dram_accesses));
    double queue = behind_l3 <= q.l3_latency_cycles ? behind_l3
        : behind_dram <= q.dram_latency_cycles ? behind_dram : INFINITY;
    if (buffer <= queue) {
        q.issue_queue_stalls = 0.0;
        q.reorder_buffer_stalls = penalty(q.l3_hits, q.l3_latency_cycles, buffer, window, rob)
            + penalty(q.dram_accesses, q.dram_latency_cycles, buffer, window, rob);
    } else {
        q.issue_queue_stalls = penalty(q.l3_hits, q.l3_latency_cycles, queue, window, rob);
        double later = most(entries * (window + q.issue_queue_stalls), 0.0);
        q.reorder_buffer_stalls = penalty(q.dram_accesses, q.dram_latency_cycles, later, window, rob);
    }

    /* dispatch, bandwidth, branches */
    q.stalled_cycles = window + q.issue_queue_stalls + q.reorder_buffer_stalls;
    q.dispatch_bound = 1.0 / x[DISPATCH_WIDTH];
    q.l1_bandwidth_bound = per_unit(f * p.memory_fraction * p.access_bytes, x[L1_BANDWIDTH]);
    q.l3_bandwidth_bound = per_unit(f * q.l3_accesses * line, x[L3_BANDWIDTH]);
    q.dram_bandwidth_bound = per_unit(f * q.dram_accesses * line, q.dram_bandwidth_share);
    q.steady_cycles = most(most(most(q.stalled_cycles, q.dispatch_bound), q.l1_bandwidth_bound),
        most(q.l3_bandwidth_bound, q.dram_bandwidth_bound));
    q.misprediction_rate = least(p.branch_miss_estimate * x[BRANCH_FACTOR], 0.5);
    q.branch_cycles = p.control_fraction * q.misprediction_rate
        * (x[FRONT_END_STAGES] + x[ISSUE_QUEUE] * q.steady_cycles);
    q.throughput_limit_cycles = most(q.steady_cycles - q.stalled_cycles, 0.0);
    q.cycles_per_instruction = q.stalled_cycles + q.throughput_limit_cycles + q.branch_cycles;

    /* the node; the budget is that of processors.py */
    q.run_time = p.instructions * q.cycles_per_instruction / f;
    q.dram_traffic = q.running_threads * q.dram_accesses * line * f / q.cycles_per_instruction;
    q.time_per_run = q.run_time / q.running_threads;
    double core = 1.0 + 0.15 * x[ISSUE_WIDTH] + 0.004 * rob + 0.02 * x[MISS_REGISTERS] + 0.1 * x[MEMORY_UNITS]
        + x[VECTOR_WIDTH] / 256.0;
    q.node_budget = q.running_threads * (core * (f / 2e9) + (x[L1_SIZE] + x[L2_SIZE]) / 1e6) + x[L3_SIZE] / 4e6
        + x[DRAM_BANDWIDTH] / 20e9 + 100e-9 / x[DRAM_LATENCY];
    return q;
}

static void place(const space *s, int64_t axis, int64_t row, double *x)
{
    for (int64_t column = s->first[axis]; column < s->first[axis + 1]; column++)
        x[s->input[column]] = s->values[s->start[column] + row];
}

static void decode(const space *s, int64_t number, int64_t *rows, double *x)
{
    for (int i = 0; i < INPUTS; i++)
        x[i] = s->fixed[i];
    for (int64_t axis = s->axes - 1; axis >= 0; axis--) {
        rows[axis] = number % s->counts[axis];
        number /= s->counts[axis];
        place(s, axis, rows[axis], x);
    }
}

static inline void next(const space *s, int64_t *rows, double *x)
{
    for (int64_t axis = s->axes - 1; axis >= 0; axis--) {
        if (++rows[axis] == s->counts[axis])
            rows[axis] = 0;
        place(s, axis, rows[axis], x);
        if (rows[axis])
            return;
    }
}

/* Every quantity of listed designs, QUANTITIES numbers each: what is compared with NumPy. */
void all_quantities(const space *s, const int64_t *numbers, int64_t n, double *out)
{
    int64_t rows[64];
    double x[INPUTS];
    for (int64_t i = 0; i < n; i++) {
        decode(s, numbers[i], rows, x);
        *(quantities *)(out + i * QUANTITIES) = evaluate(s, x);
    }
}

/* The sums of the objectives over a range of designs, so that nothing can be left out. */
void sum_objectives(const space *s, int64_t first, int64_t n, double *sums)
{
    int64_t rows[64];
    double x[INPUTS], time = 0.0, budget = 0.0, traffic = 0.0;
    decode(s, first, rows, x);
    for (int64_t i = 0; i < n; i++) {
        quantities q = evaluate(s, x);
        time += q.time_per_run;
        budget += q.node_budget;
        traffic += q.dram_traffic;
        next(s, rows, x);
    }
    sums[0] = time, sums[1] = budget, sums[2] = traffic;
}
