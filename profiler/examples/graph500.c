/* The benchmark Graph 500 in small, written from its specification: edges of a Kronecker graph, rows (CSR) without
   repetitions, searches from random roots, and each search validated against the list of edges. */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

typedef struct {
    int64_t from, to;
} edge;

static uint64_t state = 0x9E3779B97F4A7C15u;

static uint64_t next(void) { /* splitmix64 (Steele, Lea, Flood 2014) */
    uint64_t z = (state += 0x9E3779B97F4A7C15u);
    z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9u;
    z = (z ^ (z >> 27)) * 0x94D049BB133111EBu;
    return z ^ (z >> 31);
}

static double share(void) { return (double)(next() >> 11) * 0x1p-53; }

static int64_t below(int64_t n) { return (int64_t)(next() % (uint64_t)n); }

static void generate(edge *edges, int64_t count, int scale) {
    const double a = 0.57, b = 0.19, c = 0.19;
    const int64_t vertices = (int64_t)1 << scale;
    int64_t *label = malloc(vertices * sizeof *label);
    if (!label) exit(1);
    for (int64_t v = 0; v < vertices; v++) label[v] = v;
    for (int64_t v = vertices - 1; v > 0; v--) {
        const int64_t w = below(v + 1), kept = label[v];
        label[v] = label[w];
        label[w] = kept;
    }
    for (int64_t e = 0; e < count; e++) {
        int64_t from = 0, to = 0;
        for (int bit = 0; bit < scale; bit++) {
            const int down = share() > a + b;
            const int right = share() > (down ? c / (1.0 - (a + b)) : a / (a + b));
            from |= (int64_t)down << bit;
            to |= (int64_t)right << bit;
        }
        edges[e].from = label[from];
        edges[e].to = label[to];
    }
    for (int64_t e = count - 1; e > 0; e--) {
        const int64_t f = below(e + 1);
        const edge kept = edges[e];
        edges[e] = edges[f];
        edges[f] = kept;
    }
    free(label);
}

static int rising(const void *one, const void *other) {
    const int64_t a = *(const int64_t *)one, b = *(const int64_t *)other;
    return (a > b) - (a < b);
}

/* Returns the ends; row[v] to last[v] are those of v. Loops and repetitions are left out. */
static int64_t *rows(const edge *edges, int64_t count, int64_t vertices, int64_t *row, int64_t *last) {
    int64_t *ends = malloc(2 * count * sizeof *ends);
    if (!ends) exit(1);
    for (int64_t v = 0; v <= vertices; v++) row[v] = 0;
    for (int64_t e = 0; e < count; e++)
        if (edges[e].from != edges[e].to) row[edges[e].from + 1]++, row[edges[e].to + 1]++;
    for (int64_t v = 0; v < vertices; v++) row[v + 1] += row[v];
    for (int64_t v = 0; v < vertices; v++) last[v] = row[v];
    for (int64_t e = 0; e < count; e++)
        if (edges[e].from != edges[e].to) {
            ends[last[edges[e].from]++] = edges[e].to;
            ends[last[edges[e].to]++] = edges[e].from;
        }
    for (int64_t v = 0; v < vertices; v++) {
        qsort(ends + row[v], last[v] - row[v], sizeof *ends, rising);
        int64_t kept = row[v];
        for (int64_t e = row[v]; e < last[v]; e++)
            if (e == row[v] || ends[e] != ends[e - 1]) ends[kept++] = ends[e];
        last[v] = kept;
    }
    return ends;
}

static int64_t search(int64_t root, int64_t vertices, const int64_t *row, const int64_t *last, const int64_t *ends,
                      int64_t *parent, int64_t *queue) {
    for (int64_t v = 0; v < vertices; v++) parent[v] = -1;
    int64_t head = 0, tail = 1;
    parent[root] = root;
    queue[0] = root;
    while (head < tail) {
        const int64_t v = queue[head++];
        for (int64_t e = row[v]; e < last[v]; e++) {
            const int64_t w = ends[e];
            if (parent[w] == -1) {
                parent[w] = v;
                queue[tail++] = w;
            }
        }
    }
    return tail;
}

/* Levels by the parents; both ends of every edge are reached or neither, a level apart at most; every parent is an edge. */
static int valid(int64_t root, int64_t vertices, const edge *edges, int64_t count, const int64_t *parent, int64_t *level,
                 int64_t *seen) {
    for (int64_t v = 0; v < vertices; v++) level[v] = seen[v] = -1;
    level[root] = 0;
    for (int64_t v = 0; v < vertices; v++) {
        int64_t steps = 0, w = v;
        if (parent[v] < 0) continue;
        while (level[w] < 0 && steps <= vertices) w = parent[w], steps++;
        if (steps > vertices) return 0;
        for (int64_t u = v, at = level[w] + steps; level[u] < 0; u = parent[u]) level[u] = at--;
    }
    for (int64_t e = 0; e < count; e++) {
        const int64_t a = edges[e].from, b = edges[e].to;
        if ((level[a] < 0) != (level[b] < 0)) return 0;
        if (level[a] < 0) continue;
        if (level[a] - level[b] > 1 || level[b] - level[a] > 1) return 0;
        if (parent[a] == b) seen[a] = 1;
        if (parent[b] == a) seen[b] = 1;
    }
    for (int64_t v = 0; v < vertices; v++)
        if (v != root && parent[v] >= 0 && seen[v] < 0) return 0;
    return 1;
}

int main(int argc, char **argv) {
    const int scale = argc > 1 ? atoi(argv[1]) : 10, searches = argc > 3 ? atoi(argv[3]) : 64;
    const int64_t factor = argc > 2 ? atol(argv[2]) : 16;
    if (scale < 2 || scale > 22 || factor < 1 || factor > 64 || searches < 1) {
        fputs("usage: graph500 SCALE [EDGES_PER_VERTEX [SEARCHES]], SCALE from 2 to 22\n", stderr);
        return 2;
    }
    const int64_t vertices = (int64_t)1 << scale, count = vertices * factor;
    edge *edges = malloc(count * sizeof *edges);
    int64_t *row = malloc((vertices + 1) * sizeof *row), *last = malloc(vertices * sizeof *last);
    int64_t *parent = malloc(vertices * sizeof *parent), *queue = malloc(vertices * sizeof *queue);
    int64_t *level = malloc(vertices * sizeof *level), *seen = malloc(vertices * sizeof *seen);
    if (!edges || !row || !last || !parent || !queue || !level || !seen) return 1;
    generate(edges, count, scale);
    int64_t *ends = rows(edges, count, vertices, row, last), reached = 0;
    for (int done = 0; done < searches; done++) {
        int64_t root = below(vertices);
        while (last[root] == row[root]) root = below(vertices);
        reached += search(root, vertices, row, last, ends, parent, queue);
        if (!valid(root, vertices, edges, count, parent, level, seen)) {
            fputs("a search is wrong\n", stderr);
            return 1;
        }
    }
    printf("%lld\n", (long long)reached);
    return 0;
}
