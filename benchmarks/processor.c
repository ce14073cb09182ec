/* The processor model of interacting events (dse.models.processor) and the power of the node (dse.models.node) in C,
 * from the same formulas and tables.
 *
 * Designs are numbered as in dse: mixed radix, the last axis varies fastest. An odometer moves the inputs on; every
 * quantity is computed anew for every design, nothing is hoisted. What is looked up comes as tables, found by the row
 * of an axis or two: what the program does for a width of the vectors, the power tables for a core and for the sizes of
 * the caches. So do the points of the reuse curve, between which lines are straight.
 *
 * For one more quantity: its inputs into `inputs`, its name into `quantities`, its formula into `evaluate`.
 */
#include <math.h>
#include <stdint.h>

enum inputs {
    CORES, FREQUENCY, ISSUE_WIDTH, DISPATCH_WIDTH, INTEGER_UNITS, FLOAT_UNITS, MEMORY_UNITS, CONTROL_UNITS,
    VECTOR_UNITS, VECTOR_WIDTH, FRONT_END_STAGES, REORDER_BUFFER, ISSUE_QUEUE, MISS_REGISTERS, INTEGER_LATENCY,
    INTEGER_MULTIPLY_LATENCY, INTEGER_DIVIDE_LATENCY, FLOAT_LATENCY, FLOAT_MULTIPLY_LATENCY, FLOAT_DIVIDE_LATENCY,
    L1_SIZE, L2_SIZE, L3_SIZE, CACHE_LINE, L1_LATENCY_CYCLES, CATALOGUE_L2_LATENCY_CYCLES, CATALOGUE_L3_LATENCY,
    L2_TIME_DIFFERENCE, L3_TIME_DIFFERENCE, DRAM_LATENCY, L3_BANDWIDTH, L2_EXCLUSIVE, BRANCH_FACTOR,
    BRANCH_MISS_ESTIMATE, VOLTAGE, NOMINAL_VOLTAGE, THRESHOLD_VOLTAGE, SPEED_EXPONENT, LEAKAGE_EXPONENT,
    INSTRUCTION_MISSES, ROUTER_AREA, ROUTER_STATIC_POWER, ROUTER_ACCESS_ENERGY, CONTROLLER_BANDWIDTH, CONTROLLER_AREA,
    CONTROLLER_STATIC_POWER, CONTROLLER_POWER, CONTROLLER_LINE_ENERGY, DRAM_UNITS, DRAM_UNIT_BANDWIDTH,
    DRAM_UNIT_CAPACITY, DRAM_ACTIVE_POWER, DRAM_PRECHARGED_POWER, DRAM_REFRESH_POWER, DRAM_ACTIVE_SHARE,
    DRAM_ACTIVATE_ENERGY, BYTES_PER_ACTIVATION, DRAM_READ_ENERGY, DRAM_READ_IO_ENERGY, DRAM_WRITE_ENERGY,
    DRAM_WRITE_IO_ENERGY, REMAINDER_POWER, UNLISTED_AREA_SHARE, PROGRAM, CORE_ROW, L2_ROW, L3_ROW, CORES_ROW, INPUTS
};

/* What a mean instruction does, for one width of the vectors. */
typedef struct {
    double instructions, memory_fraction, address_fraction, integer_fraction, integer_arithmetic_fraction,
        integer_multiply_fraction, integer_divide_fraction, float_fraction, float_multiply_fraction,
        float_divide_fraction, control_fraction, scalar_integer_fraction, scalar_float_fraction, vector_fraction,
        float_operations, store_share, access_bytes, ilp, memory_ilp, integer_ilp, control_ilp, float_ilp;
} rates;

/* A core with its first caches at the nominal supply, by core and width of the vectors. */
typedef struct {
    double core_area, core_leakage, core_gate_leakage, core_constant_power, pipeline_energy, integer_instruction_energy,
        multiply_instruction_energy, float_instruction_energy, load_instruction_energy, store_instruction_energy,
        branch_instruction_energy, mispredict_energy, instruction_miss_energy, write_miss_energy, l1_read_energy,
        l1_write_energy, float_lane_energy;
} core;

/* A level 2, by its size, or a slice of level 3, by the size of all and the number of cores. */
typedef struct {
    double area, leakage, gate_leakage, read_hit_energy, read_miss_energy, write_hit_energy, write_miss_energy;
} cache;

/* The order of the fields is the order in which `all_quantities` returns them. */
typedef struct {
    double threads, running_threads, l3_share, l3_share_over_private, dram_bandwidth, dram_capacity,
        dram_bandwidth_share, l1_hit_fraction, l2_hit_fraction, l3_hit_fraction, l2_accesses, l3_accesses,
        dram_accesses, l1_hits, l2_hits, l3_hits, delay_factor, l2_latency_cycles, l3_latency, l3_latency_cycles,
        dram_latency_cycles, miss_cycles, memory_cycles, integer_cycles, float_cycles, issue_bound,
        miss_register_bound, parallelism_bound, integer_parallelism_bound, memory_parallelism_bound,
        control_parallelism_bound, float_parallelism_bound, memory_unit_bound, integer_unit_bound, float_unit_bound,
        control_unit_bound, vector_unit_bound, full_window_cycles, issue_queue_stalls, reorder_buffer_stalls,
        stalled_cycles, dispatch_bound, l1_bandwidth, l1_bandwidth_bound, l3_bandwidth_bound, dram_bandwidth_bound,
        steady_cycles, misprediction_rate, branch_cycles, throughput_limit_cycles, cycles_per_instruction, run_time,
        time_per_program, dram_traffic, dram_load, voltage_ratio, energy_factor, leakage_factor,
        gate_leakage_factor, further_lanes, wrong_path_instructions, instruction_energy, cores_static_power,
        cores_dynamic_energy, cores_power, l2_instruction_energy, l2_static_power, l2_dynamic_energy, l2_power,
        l3_slices, l3_slice_size, l3_instruction_energy, l3_static_power, l3_dynamic_energy, l3_power,
        routers_passed, on_chip_network_area, on_chip_network_static_power, on_chip_access_energy,
        on_chip_network_dynamic_energy, on_chip_network_power, memory_controllers, memory_interface_area,
        memory_interface_static_power, memory_interface_constant_power, memory_interface_line_energy,
        memory_interface_dynamic_energy, memory_interface_power, dram_static_power, dram_read_bytes,
        dram_written_bytes, dram_dynamic_energy, dram_power, node_power, chip_area;
} quantities;

enum { QUANTITIES = sizeof(quantities) / sizeof(double) };

/* Columns of axis a are first[a] to first[a + 1]: each goes to an input and has its values from a start on. */
typedef struct {
    int64_t axes, points, widths, core_counts;
    const int64_t *counts, *first, *input, *start;
    const double *values, *fixed;
    const rates *programs;
    const core *cores;
    const cache *l2, *l3;
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

/* Energy per instruction of a cache from the accesses that come to it and those that go on; fills are writes. */
static inline double cache_energy(const cache *c, double store_share, double reaching, double leaving)
{
    double loads = 1.0 - store_share;
    return (reaching - leaving) * loads * c->read_hit_energy
        + leaving * loads * (c->read_miss_energy + c->write_hit_energy)
        + (reaching - leaving) * store_share * c->write_hit_energy + leaving * store_share * c->write_miss_energy;
}

static inline __attribute__((always_inline)) quantities evaluate(const space *s, const double *x)
{
    const int64_t program = (int64_t)x[PROGRAM];
    const rates p = s->programs[program];
    const core *c = s->cores + (int64_t)x[CORE_ROW] * s->widths + program;
    const cache *l2 = s->l2 + (int64_t)x[L2_ROW];
    const cache *l3 = s->l3 + (int64_t)x[L3_ROW] * s->core_counts + (int64_t)x[CORES_ROW];
    const double f = x[FREQUENCY], line = x[CACHE_LINE];
    quantities q;

    /* where the accesses end */
    q.threads = x[CORES];
    q.running_threads = least(q.threads, x[CORES]);
    q.l3_share = x[L3_SIZE] / q.running_threads;
    q.l3_share_over_private = q.l3_share > 0.0 ? q.l3_share / (x[L1_SIZE] + x[L2_SIZE]) : 1.0;
    q.dram_bandwidth = x[DRAM_UNITS] * x[DRAM_UNIT_BANDWIDTH];
    q.dram_capacity = x[DRAM_UNITS] * x[DRAM_UNIT_CAPACITY];
    q.dram_bandwidth_share = q.dram_bandwidth / q.running_threads;
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
    double drive = (x[VOLTAGE] - x[THRESHOLD_VOLTAGE]) / (x[NOMINAL_VOLTAGE] - x[THRESHOLD_VOLTAGE]);
    q.delay_factor = 1.0 / (x[NOMINAL_VOLTAGE] / x[VOLTAGE] * pow(drive, x[SPEED_EXPONENT]));
    double private = x[L2_TIME_DIFFERENCE] * q.delay_factor;
    q.l2_latency_cycles = x[CATALOGUE_L2_LATENCY_CYCLES] + private * f;
    q.l3_latency = x[CATALOGUE_L3_LATENCY] + private + x[L3_TIME_DIFFERENCE];
    q.l3_latency_cycles = q.l3_latency * f;
    q.dram_latency_cycles = x[DRAM_LATENCY] * f;

    /* sums of latencies */
    double l3_cycles = q.l3_hits * q.l3_latency_cycles, dram_cycles = q.dram_accesses * q.dram_latency_cycles;
    q.miss_cycles = q.l2_hits * q.l2_latency_cycles + l3_cycles + dram_cycles;
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
    q.l1_bandwidth = 64.0 * f;
    q.l1_bandwidth_bound = per_unit(f * p.memory_fraction * p.access_bytes, q.l1_bandwidth);
    q.l3_bandwidth_bound = per_unit(f * q.l3_accesses * line, x[L3_BANDWIDTH]);
    q.dram_bandwidth_bound = per_unit(f * q.dram_accesses * line, q.dram_bandwidth_share);
    q.steady_cycles = most(most(most(q.stalled_cycles, q.dispatch_bound), q.l1_bandwidth_bound),
        most(q.l3_bandwidth_bound, q.dram_bandwidth_bound));
    q.misprediction_rate = least(x[BRANCH_MISS_ESTIMATE] * x[BRANCH_FACTOR], 0.5);
    q.branch_cycles = p.control_fraction * q.misprediction_rate
        * (x[FRONT_END_STAGES] + x[ISSUE_QUEUE] * q.steady_cycles);
    q.throughput_limit_cycles = most(q.steady_cycles - q.stalled_cycles, 0.0);
    q.cycles_per_instruction = q.stalled_cycles + q.throughput_limit_cycles + q.branch_cycles;

    /* time and traffic of the node */
    const double threads = q.running_threads, cores = x[CORES];
    q.run_time = p.instructions * q.cycles_per_instruction / f;
    q.time_per_program = q.run_time / threads;
    q.dram_traffic = threads * q.dram_accesses * line * f / q.cycles_per_instruction;
    q.dram_load = q.dram_traffic / q.dram_bandwidth;

    /* cores with their first caches */
    q.voltage_ratio = x[VOLTAGE] / x[NOMINAL_VOLTAGE];
    q.energy_factor = q.voltage_ratio * q.voltage_ratio;
    q.leakage_factor = pow(q.voltage_ratio, x[LEAKAGE_EXPONENT] + 1.0);
    q.gate_leakage_factor = q.voltage_ratio;
    q.further_lanes = x[VECTOR_UNITS] * most(x[VECTOR_WIDTH] / 64.0 - 1.0, 0.0);
    q.wrong_path_instructions = x[DISPATCH_WIDTH] * x[FRONT_END_STAGES];
    double load = p.memory_fraction * (1.0 - p.store_share), store = p.memory_fraction * p.store_share;
    double named = p.memory_fraction + p.integer_fraction + p.address_fraction + p.float_fraction + p.control_fraction;
    double multiply = p.integer_multiply_fraction + p.integer_divide_fraction;
    double integer = p.integer_fraction + p.address_fraction + most(1.0 - named, 0.0) - multiply;
    double wider = most(p.access_bytes / 16.0 - 1.0, 0.0), misses = 1.0 - q.l1_hit_fraction;
    double mispredicts = p.control_fraction * q.misprediction_rate;
    double mix = integer * c->integer_instruction_energy + multiply * c->multiply_instruction_energy
        + p.float_fraction * c->float_instruction_energy + load * c->load_instruction_energy
        + store * c->store_instruction_energy + p.control_fraction * c->branch_instruction_energy;
    q.instruction_energy = mix * (1.0 + mispredicts * q.wrong_path_instructions)
        + most(p.float_operations - p.float_fraction, 0.0) * c->float_lane_energy + mispredicts * c->mispredict_energy
        + x[INSTRUCTION_MISSES] * c->instruction_miss_energy + (load * misses + store * wider) * c->l1_write_energy
        + load * wider * c->l1_read_energy + store * misses * c->write_miss_energy;
    q.cores_static_power = cores
        * (c->core_leakage * q.leakage_factor + c->core_gate_leakage * q.gate_leakage_factor);
    double work = p.instructions * (q.instruction_energy + c->pipeline_energy / x[DISPATCH_WIDTH]);
    q.cores_dynamic_energy = threads * q.energy_factor * (work + c->core_constant_power * q.run_time);
    q.cores_power = q.cores_static_power + q.cores_dynamic_energy / q.run_time;

    /* levels 2 and 3 */
    q.l2_instruction_energy = cache_energy(l2, p.store_share, q.l2_accesses, q.l3_accesses);
    q.l2_static_power = cores * (l2->leakage * q.leakage_factor + l2->gate_leakage * q.gate_leakage_factor);
    q.l2_dynamic_energy = p.instructions * threads * q.l2_instruction_energy * q.energy_factor;
    q.l2_power = q.l2_static_power + q.l2_dynamic_energy / q.run_time;
    q.l3_slices = cores;
    q.l3_slice_size = x[L3_SIZE] / q.l3_slices;
    q.l3_instruction_energy = cache_energy(l3, p.store_share, q.l3_accesses, q.dram_accesses);
    q.l3_static_power = q.l3_slices * (l3->leakage + l3->gate_leakage);
    q.l3_dynamic_energy = p.instructions * threads * q.l3_instruction_energy;
    q.l3_power = q.l3_static_power + q.l3_dynamic_energy / q.run_time;

    /* on-chip network, interface to the memory */
    q.routers_passed = 1.0 + 2.0 / 3.0 * sqrt(cores);
    q.on_chip_network_area = cores * x[ROUTER_AREA];
    q.on_chip_network_static_power = cores * x[ROUTER_STATIC_POWER];
    q.on_chip_access_energy = q.routers_passed * x[ROUTER_ACCESS_ENERGY];
    double passing = (x[L3_SIZE] > 0.0 ? q.l3_accesses : 0.0) + q.dram_accesses;
    q.on_chip_network_dynamic_energy = p.instructions * threads * passing * q.on_chip_access_energy;
    q.on_chip_network_power = q.on_chip_network_static_power + q.on_chip_network_dynamic_energy / q.run_time;
    q.memory_controllers = ceil(q.dram_bandwidth / x[CONTROLLER_BANDWIDTH] * (1.0 - 1e-12));
    q.memory_interface_area = q.memory_controllers * x[CONTROLLER_AREA];
    q.memory_interface_static_power = q.memory_controllers * x[CONTROLLER_STATIC_POWER];
    q.memory_interface_constant_power = q.memory_controllers * x[CONTROLLER_POWER];
    q.memory_interface_line_energy = x[CONTROLLER_LINE_ENERGY];
    q.memory_interface_dynamic_energy = p.instructions * threads * q.dram_accesses * q.memory_interface_line_energy
        + q.memory_interface_constant_power * q.run_time;
    q.memory_interface_power = q.memory_interface_static_power + q.memory_interface_dynamic_energy / q.run_time;

    /* the memory */
    double background = x[DRAM_ACTIVE_SHARE] * x[DRAM_ACTIVE_POWER]
        + (1.0 - x[DRAM_ACTIVE_SHARE]) * x[DRAM_PRECHARGED_POWER];
    q.dram_static_power = q.dram_capacity * (background + x[DRAM_REFRESH_POWER]);
    double moved = p.instructions * threads * q.dram_accesses * line;
    q.dram_read_bytes = moved * (1.0 - p.store_share);
    q.dram_written_bytes = moved * p.store_share;
    double opened = x[DRAM_ACTIVATE_ENERGY] / x[BYTES_PER_ACTIVATION];
    q.dram_dynamic_energy = q.dram_read_bytes * (opened + x[DRAM_READ_ENERGY] + x[DRAM_READ_IO_ENERGY])
        + q.dram_written_bytes * (opened + x[DRAM_WRITE_ENERGY] + x[DRAM_WRITE_IO_ENERGY]);
    q.dram_power = q.dram_static_power + q.dram_dynamic_energy / q.run_time;

    q.node_power = q.cores_power + q.l2_power + q.l3_power + q.on_chip_network_power + q.memory_interface_power
        + q.dram_power + x[REMAINDER_POWER];
    q.chip_area = ((c->core_area + l2->area) * cores + l3->area * q.l3_slices + q.on_chip_network_area
        + q.memory_interface_area) / (1.0 - x[UNLISTED_AREA_SHARE]);
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
    double x[INPUTS], time = 0.0, power = 0.0, area = 0.0;
    decode(s, first, rows, x);
    for (int64_t i = 0; i < n; i++) {
        quantities q = evaluate(s, x);
        time += q.time_per_program;
        power += q.node_power;
        area += q.chip_area;
        next(s, rows, x);
    }
    sums[0] = time, sums[1] = power, sums[2] = area;
}
