/* Breadth-first searches in a random graph of 2^scale vertices: generated, put into rows (CSR), then searched. */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

static uint64_t state = 88172645463325252u;

static uint32_t below(uint32_t mask) { /* xorshift64 (Marsaglia 2003), its upper half */
    state ^= state << 13;
    state ^= state >> 7;
    state ^= state << 17;
    return (uint32_t)(state >> 32) & mask;
}

int main(int argc, char **argv) {
    const long scale = argc > 1 ? atol(argv[1]) : 10, degree = argc > 2 ? atol(argv[2]) : 16, searches = argc > 3 ? atol(argv[3]) : 1;
    if (scale < 2 || scale > 24 || degree < 1 || degree > 64 || searches < 1) {
        fputs("usage: bfs SCALE [EDGES_PER_VERTEX [SEARCHES]], SCALE from 2 to 24\n", stderr);
        return 2;
    }
    const uint32_t vertices = (uint32_t)1 << scale, mask = vertices - 1;
    const uint64_t edges = (uint64_t)vertices * degree;
    uint32_t *from = malloc(edges * sizeof *from), *to = malloc(edges * sizeof *to), *ends = malloc(2 * edges * sizeof *ends);
    uint64_t *row = calloc((uint64_t)vertices + 2, sizeof *row);
    uint32_t *parent = malloc(vertices * sizeof *parent), *queue = malloc(vertices * sizeof *queue);
    if (!from || !to || !ends || !row || !parent || !queue) return 1;
    for (uint64_t e = 0; e < edges; e++) { /* both ways, so two entries each */
        from[e] = below(mask);
        to[e] = below(mask);
        row[from[e] + 2]++;
        row[to[e] + 2]++;
    }
    for (uint64_t v = 2; v < (uint64_t)vertices + 2; v++) row[v] += row[v - 1];
    for (uint64_t e = 0; e < edges; e++) {
        ends[row[from[e] + 1]++] = to[e];
        ends[row[to[e] + 1]++] = from[e];
    }
    uint64_t reached = 0, looked = 0;
    for (long search = 0; search < searches; search++) {
        for (uint32_t v = 0; v < vertices; v++) parent[v] = UINT32_MAX;
        const uint32_t root = below(mask);
        uint32_t head = 0, tail = 0;
        parent[root] = root;
        queue[tail++] = root;
        while (head < tail) {
            const uint32_t v = queue[head++];
            for (uint64_t e = row[v]; e < row[v + 1]; e++) {
                const uint32_t w = ends[e];
                looked++;
                if (parent[w] == UINT32_MAX) {
                    parent[w] = v;
                    queue[tail++] = w;
                }
            }
        }
        reached += tail;
    }
    printf("%llu %llu\n", (unsigned long long)reached, (unsigned long long)looked);
    return 0;
}
