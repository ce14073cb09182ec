// Breadth-first searches of a random graph on threads, after the OpenMP code of Graph 500: the master makes the graph and
// its lists of neighbours by itself, all threads search. threads SCALE EDGES_PER_VERTEX SEARCHES
#include <omp.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

static uint64_t state = 88172645463325252u;

static uint64_t drawn(void) {
  state ^= state << 13;
  state ^= state >> 7;
  state ^= state << 17;
  return state;
}

// Another name for each vertex, so that those with many edges are everywhere: both steps can be undone.
static uint32_t renamed(uint32_t vertex, int scale) {
  const uint32_t mask = (1u << scale) - 1;
  for (int round = 0; round < 2; ++round) {
    vertex = vertex * 2654435761u & mask;
    vertex ^= vertex >> (scale / 2);
  }
  return vertex;
}

// Of an edge both ends, each bit by the probabilities 0.57, 0.19, 0.19, 0.05 of the four quarters.
static void edge(int scale, uint32_t *from, uint32_t *to) {
  *from = *to = 0;
  for (int bit = 0; bit < scale; ++bit) {
    const uint32_t place = drawn() % 100;
    *from = *from << 1 | (place >= 76);
    *to = *to << 1 | ((place >= 57 && place < 76) || place >= 95);
  }
  *from = renamed(*from, scale);
  *to = renamed(*to, scale);
}

int main(int count, char **words) {
  const int scale = count > 1 ? atoi(words[1]) : 10, degree = count > 2 ? atoi(words[2]) : 16;
  const int searches = count > 3 ? atoi(words[3]) : 4;
  const uint32_t vertices = 1u << scale, edges = vertices * (uint32_t)degree;
  uint32_t *ends = malloc(2 * sizeof *ends * edges), *starts = calloc(vertices + 1, sizeof *starts);
  uint32_t *neighbours = malloc(2 * sizeof *neighbours * edges), *places = malloc(sizeof *places * vertices);
  int32_t *level = malloc(sizeof *level * vertices), *next = malloc(sizeof *next * vertices);
  for (uint32_t index = 0; index < edges; ++index)
    edge(scale, &ends[2 * index], &ends[2 * index + 1]);
  for (uint32_t index = 0; index < 2 * edges; ++index)
    ++starts[ends[index] + 1];
  for (uint32_t vertex = 0; vertex < vertices; ++vertex) {
    starts[vertex + 1] += starts[vertex];
    places[vertex] = starts[vertex];
  }
  for (uint32_t index = 0; index < edges; ++index) {
    neighbours[places[ends[2 * index]]++] = ends[2 * index + 1];
    neighbours[places[ends[2 * index + 1]]++] = ends[2 * index];
  }
  uint64_t reached = 0;
  for (int search = 0; search < searches; ++search) {
    const uint32_t root = ends[drawn() % (2 * edges)];
    int more = 1;
    for (uint32_t vertex = 0; vertex < vertices; ++vertex)
      level[vertex] = next[vertex] = -1;
    level[root] = next[root] = 0;
    for (int32_t depth = 0; more; ++depth) {
      more = 0;
#pragma omp parallel for schedule(static, 64) reduction(| : more)
      for (uint32_t vertex = 0; vertex < vertices; ++vertex) {
        if (level[vertex] != -1)
          continue;
        // A neighbour of the level before.
        for (uint32_t index = starts[vertex]; index < starts[vertex + 1]; ++index)
          if (level[neighbours[index]] == depth) {
            next[vertex] = depth + 1;
            more = 1;
            break;
          }
      }
#pragma omp parallel for schedule(static, 64)
      for (uint32_t vertex = 0; vertex < vertices; ++vertex)
        level[vertex] = next[vertex];
    }
    for (uint32_t vertex = 0; vertex < vertices; ++vertex)
      reached += level[vertex] >= 0;
  }
  printf("%d threads reached %llu vertices\n", omp_get_max_threads(), (unsigned long long)reached);
  return 0;
}
