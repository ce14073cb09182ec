/* Packets through a network of switches: credits, virtual cut-through, input queues by output and virtual channel.

   Links 0..nodes-1 go from a node to its switch, the next `nodes` from the switch to the node, the rest between switches.
   A packet that is wholly or partly in the buffer of an input waits in a queue of that input (link and channel) for its
   output; an output serves the queues that hold something in turn, or the oldest packet first. It starts when its link is free and the buffer after
   it has room for the whole packet, so a blocked packet stays whole in one buffer. plain.py does the same, line by line. */
#include <stdint.h>
#include <stdlib.h>

enum { FREE, CREDIT, ARRIVE };
enum { RULE_NONE, RULE_HOP, RULE_DATELINE };

typedef struct {
    int32_t nodes, switches, links, channels, per_phase, rule, layers, buffer;
    int32_t valiant, stops, random, per_flow, oldest;
    double head, warm, horizon;
    uint64_t seed;
} settings;

typedef struct {
    int32_t destination, goal, stop, link, channel, next_channel, hop, bent, after;
    double tail, born;
} packet;

typedef struct {
    double time;
    uint64_t order;
    int32_t kind, of;
} event;

typedef struct {
    const settings *set;
    const int32_t *from, *to, *port, *ports, *dimension, *wrap, *attached, *choices, *stops, *flow_first, *flow_to;
    const int64_t *choice_first;
    const double *period, *latency, *choice_upto;
    int64_t *base;
    int32_t *head, *tail, *follows, *active, *last, *room, *freed, *turn, *left, *sent;
    char *busy;
    packet *pool;
    int32_t pool_size, pool_free;
    event *heap;
    int64_t heap_size, heap_room;
    uint64_t order, state;
    double now, *finish;
    int64_t *delivered, in_flight, made, hops;
    int failed;
} world;

static double drawn(world *w) {
    uint64_t z = (w->state += 0x9e3779b97f4a7c15ULL);
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9ULL;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebULL;
    return (double)((z ^ (z >> 31)) >> 11) * 0x1p-53;
}

static int sooner(const event *a, const event *b) {
    return a->time < b->time || (a->time == b->time && a->order < b->order);
}

static void push(world *w, double time, int kind, int of) {
    if (w->heap_size == w->heap_room) {
        event *larger = realloc(w->heap, sizeof(event) * 2 * w->heap_room);
        if (!larger) { w->failed = 1; return; }
        w->heap = larger;
        w->heap_room *= 2;
    }
    event e = {time, w->order++, kind, of};
    int64_t at = w->heap_size++;
    while (at && sooner(&e, &w->heap[(at - 1) / 4])) {
        w->heap[at] = w->heap[(at - 1) / 4];
        at = (at - 1) / 4;
    }
    w->heap[at] = e;
}

static event pop(world *w) {
    event first = w->heap[0], e = w->heap[--w->heap_size];
    int64_t at = 0;
    for (;;) {
        int64_t least = 4 * at + 1, end = least + 4 < w->heap_size ? least + 4 : w->heap_size;
        if (least >= w->heap_size) break;
        for (int64_t other = least + 1; other < end; other++)
            if (sooner(&w->heap[other], &w->heap[least])) least = other;
        if (!sooner(&w->heap[least], &e)) break;
        w->heap[at] = w->heap[least];
        at = least;
    }
    w->heap[at] = e;
    return first;
}

static int new_packet(world *w) {
    if (w->pool_free < 0) {
        int32_t before = w->pool_size;
        packet *larger = realloc(w->pool, sizeof(packet) * 2 * before);
        if (!larger) { w->failed = 1; return -1; }
        w->pool = larger;
        w->pool_size = 2 * before;
        for (int32_t i = before; i < 2 * before; i++) larger[i].after = i + 1 < 2 * before ? i + 1 : -1;
        w->pool_free = before;
    }
    int32_t i = w->pool_free;
    w->pool_free = w->pool[i].after;
    return i;
}

/* The next packet of a node, or -1: to a random other node, or of its flows in turn. */
static int made(world *w, int node) {
    const settings *s = w->set;
    int32_t to;
    if (s->random) {
        if (s->nodes < 2) return -1;
        to = (int32_t)(drawn(w) * (s->nodes - 1));
        if (to >= node) to++;
    } else {
        int32_t first = w->flow_first[node], flows = w->flow_first[node + 1] - first;
        if (w->left[node] == 0) return -1;
        while (w->sent[first + w->turn[node]] == s->per_flow) w->turn[node] = (w->turn[node] + 1) % flows;
        to = w->flow_to[first + w->turn[node]];
        w->sent[first + w->turn[node]]++;
        w->turn[node] = (w->turn[node] + 1) % flows;
        w->left[node]--;
    }
    int i = new_packet(w);
    if (i < 0) return -1;
    packet *p = &w->pool[i];
    p->destination = to;
    p->goal = w->attached[to];
    p->stop = s->valiant ? w->stops[(int32_t)(drawn(w) * s->stops)] : -1;
    p->hop = p->bent = 0;
    p->channel = p->next_channel = 0;
    p->tail = p->born = w->now;
    w->in_flight++;
    w->made++;
    return i;
}

/* Puts a queue at the end of the turn of its output. */
static void append(world *w, int l, int32_t q) {
    w->follows[q] = -1;
    if (w->last[l] >= 0) w->follows[w->last[l]] = q;
    else w->active[l] = q;
    w->last[l] = q;
}

static void start(world *w, int l) {
    const settings *s = w->set;
    int32_t i = -1;
    if (w->busy[l]) return;
    if (l < s->nodes) {
        if (w->room[l * s->channels] == 0) return;
        i = made(w, l);
        if (i < 0) return;
        w->freed[l] = -1;
    } else {
        int32_t before = -1, chosen = -1, chosen_before = -1;
        for (int32_t q = w->active[l]; q >= 0; before = q, q = w->follows[q]) {
            const packet *p = &w->pool[w->head[q]];
            if (w->to[l] >= 0 && w->room[l * s->channels + p->next_channel] == 0) continue;
            if (chosen >= 0 && p->born >= w->pool[w->head[chosen]].born) continue;
            chosen = q;
            chosen_before = before;
            if (!s->oldest) break;
        }
        if (chosen < 0) return;
        i = w->head[chosen];
        w->head[chosen] = w->pool[i].after;
        if (chosen_before >= 0) w->follows[chosen_before] = w->follows[chosen];
        else w->active[l] = w->follows[chosen];
        if (w->last[l] == chosen) w->last[l] = chosen_before;
        if (w->head[chosen] >= 0) append(w, l, chosen);
        packet *p = &w->pool[i];
        w->freed[l] = p->link * s->channels + p->channel;
    }
    packet *p = &w->pool[i];
    double whole = w->now + w->period[l], ends = whole > p->tail ? whole : p->tail;
    w->busy[l] = 1;
    p->link = l;
    p->channel = p->next_channel;
    p->tail = ends + w->latency[l];
    push(w, ends, FREE, l);
    if (w->to[l] < 0) {
        push(w, p->tail, ARRIVE, i);
    } else {
        w->room[l * s->channels + p->channel]--;
        push(w, w->now + s->head * w->period[l] + w->latency[l], ARRIVE, i);
    }
}

static void deliver(world *w, int i) {
    packet *p = &w->pool[i];
    if (w->now >= w->set->warm) w->delivered[p->destination]++;
    if (w->finish[p->destination] < w->now) w->finish[p->destination] = w->now;
    p->after = w->pool_free;
    w->pool_free = i;
    w->in_flight--;
}

static void arrive(world *w, int i) {
    const settings *s = w->set;
    packet *p = &w->pool[i];
    int32_t here = w->to[p->link], in = p->link, out, layer = 0;
    if (here < 0) { deliver(w, i); return; }
    if (in >= 2 * s->nodes) { p->hop++; w->hops++; }
    if (p->stop == here) { p->stop = -1; p->hop = p->bent = 0; }
    int32_t aim = p->stop >= 0 ? p->stop : p->goal;
    if (aim == here) {
        out = s->nodes + p->destination;
        p->next_channel = 0;
    } else {
        if (s->layers > 1) layer = p->hop > 0;
        int64_t at = ((int64_t)layer * s->switches + here) * s->switches + aim;
        int64_t first = w->choice_first[at], end = w->choice_first[at + 1];
        if (end - first > 1) {
            double draw = drawn(w);
            while (first + 1 < end && draw >= w->choice_upto[first]) first++;
        }
        out = w->choices[first];
        int32_t phase = s->valiant && p->stop < 0 ? s->per_phase : 0, step = 0;
        if (s->rule == RULE_HOP) step = p->hop;
        if (s->rule == RULE_DATELINE) {
            if (in < 2 * s->nodes || w->dimension[in] != w->dimension[out]) p->bent = 0;
            if (w->wrap[out]) p->bent = 1;
            step = p->bent;
        }
        p->next_channel = phase + step;
        if (p->next_channel >= s->channels) { w->failed = 2; return; }
    }
    int64_t q = w->base[out] + (int64_t)w->port[in] * s->channels + p->channel;
    p->after = -1;
    if (w->head[q] < 0) {
        w->head[q] = i;
        append(w, out, (int32_t)q);
    } else {
        w->pool[w->tail[q]].after = i;
    }
    w->tail[q] = i;
    start(w, out);
}

/* Returns 0, 1 without memory, 2 with too few channels, 3 in a deadlock. totals: packets made, hops, events, time. */
int run(const settings *s, const int32_t *from, const int32_t *to, const int32_t *port, const int32_t *ports,
        const int32_t *dimension, const int32_t *wrap, const double *period, const double *latency,
        const int32_t *attached, const int64_t *choice_first, const int32_t *choices, const double *choice_upto,
        const int32_t *stops, const int32_t *flow_first, const int32_t *flow_to, int64_t *delivered, double *finish,
        double *totals) {
    world w = {.set = s, .from = from, .to = to, .port = port, .ports = ports, .dimension = dimension, .wrap = wrap,
               .attached = attached, .choices = choices, .stops = stops, .flow_first = flow_first, .flow_to = flow_to,
               .choice_first = choice_first, .period = period, .latency = latency, .choice_upto = choice_upto,
               .delivered = delivered, .finish = finish, .state = s->seed, .pool_size = 1024, .heap_room = 4096};
    int64_t queues = 0, events = 0;
    w.base = calloc(s->links, sizeof(int64_t));
    for (int32_t l = s->nodes; l < s->links; l++) {
        w.base[l] = queues;
        queues += (int64_t)ports[from[l]] * s->channels;
    }
    w.head = malloc(sizeof(int32_t) * queues);
    w.tail = malloc(sizeof(int32_t) * queues);
    w.follows = malloc(sizeof(int32_t) * queues);
    w.active = malloc(sizeof(int32_t) * s->links);
    w.last = malloc(sizeof(int32_t) * s->links);
    w.freed = malloc(sizeof(int32_t) * s->links);
    w.room = malloc(sizeof(int32_t) * s->links * s->channels);
    w.busy = calloc(s->links, 1);
    w.turn = calloc(s->nodes, sizeof(int32_t));
    w.left = calloc(s->nodes, sizeof(int32_t));
    w.sent = calloc(s->random ? 1 : flow_first[s->nodes] + 1, sizeof(int32_t));
    w.pool = malloc(sizeof(packet) * w.pool_size);
    w.heap = malloc(sizeof(event) * w.heap_room);
    if (!w.base || !w.head || !w.tail || !w.follows || !w.active || !w.last || !w.freed || !w.room || !w.busy ||
        !w.turn || !w.left || !w.sent || !w.pool || !w.heap) {
        w.failed = 1;
        goto done;
    }
    for (int64_t q = 0; q < queues; q++) w.head[q] = w.tail[q] = w.follows[q] = -1;
    for (int32_t l = 0; l < s->links; l++) w.active[l] = w.last[l] = -1;
    for (int32_t c = 0; c < s->links * s->channels; c++) w.room[c] = s->buffer;
    for (int32_t i = 0; i < w.pool_size; i++) w.pool[i].after = i + 1 < w.pool_size ? i + 1 : -1;
    if (!s->random)
        for (int32_t i = 0; i < s->nodes; i++) w.left[i] = (flow_first[i + 1] - flow_first[i]) * s->per_flow;
    for (int32_t i = 0; i < s->nodes; i++) start(&w, i);
    while (w.heap_size && !w.failed) {
        event e = pop(&w);
        w.now = e.time;
        if (s->random && w.now >= s->horizon) break;
        events++;
        if (e.kind == ARRIVE) {
            arrive(&w, e.of);
        } else if (e.kind == CREDIT) {
            w.room[e.of]++;
            start(&w, e.of / s->channels);
        } else {
            int32_t freed = w.freed[e.of];
            w.busy[e.of] = 0;
            if (freed >= 0) push(&w, w.now + latency[freed / s->channels], CREDIT, freed);
            start(&w, e.of);
        }
    }
    if (!w.failed && w.in_flight && !(s->random && w.now >= s->horizon)) w.failed = 3;
    totals[0] = (double)w.made;
    totals[1] = (double)w.hops;
    totals[2] = (double)events;
    totals[3] = w.now;
done:
    free(w.base); free(w.head); free(w.tail); free(w.follows); free(w.active); free(w.last); free(w.freed);
    free(w.room); free(w.busy); free(w.turn); free(w.left); free(w.sent); free(w.pool); free(w.heap);
    return w.failed;
}
