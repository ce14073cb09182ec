"""What every process sends in each algorithm, written out message by message; no code of the models."""

import heapq

from .message_level import Send


def _bits(P):
    m = 0
    while 2**m < P:
        m += 1
    return m


def _whole(children, sizes, *, pieces=1):
    """Programs of a rooted tree: every node passes each piece on to all its children in turn."""
    programs = {}
    for node, below in children.items():
        programs[node] = [
            Send(child, sizes[child] / pieces, piece, () if node == 0 else (piece,))
            for piece in range(pieces)
            for child in below
        ]
    return programs


def heap_children(P, k):
    return {n: [c for c in range(k * n + 1, k * n + k + 1) if c < P] for n in range(P)}


def binomial_children(P):
    children = {n: [] for n in range(P)}

    def split(root, n):
        if n <= 1:
            return
        kept = 2 ** (_bits(n) - 1)
        children[root].append(root + kept)
        split(root + kept, n - kept)
        split(root, kept)

    split(0, P)
    return children


def below(children):
    """Number of nodes in the tree under each node, itself too."""
    found = {}

    def count(n):
        found[n] = 1 + sum(count(c) for c in children[n])
        return found[n]

    count(0)
    return found


def tree(children, s, pieces=1):
    return _whole(children, dict.fromkeys(children, s), pieces=pieces)


def tree_personalised(children, s, pieces=1):
    return _whole(children, {n: size * s for n, size in below(children).items()}, pieces=pieces)


def chain(P, s, N):
    return tree({n: [n + 1] if n + 1 < P else [] for n in range(P)}, s, N)


def fibonacci(P, s, net):
    """Whoever is free first sends to a node that has nothing: greedy is optimal where all messages are alike."""
    a, b = max(net.o, net.g) + s * net.G, net.L + net.o_r - max(net.g - net.o, 0)
    free, programs = [(0.0, 0)], {n: [] for n in range(P)}
    # The node whose next message is received first sends next.
    for child in range(1, P):
        time, sender = heapq.heappop(free)
        programs[sender].append(Send(child, s, 0, () if sender == 0 else (0,)))
        heapq.heappush(free, (time + a, sender))
        heapq.heappush(free, (time + a + b, child))
    return programs


def split_binary(P, s):
    """Halves go down the two subtrees of the root; then a node and its mirror image exchange theirs."""
    children = heap_children(P, 2)
    side, mirror = {}, {}

    def walk(left, right):
        side[left], side[right] = 0, 1
        mirror[left], mirror[right] = right, left
        for one, other in zip(children[left], children[right], strict=True):
            walk(one, other)

    walk(1, 2)
    programs = {0: [Send(1, s / 2, "down"), Send(2, s / 2, "down")]}
    for n in range(1, P):
        down = [Send(c, s / 2, "down", ("down",)) for c in children[n]]
        programs[n] = [*down, Send(mirror[n], s / 2, "across", ("down",))]
    return programs


def double_tree(P, s, N, *, whole_halves):
    """Two binary trees on all but the root, in order; nodes inside one are leaves of the other, but for one."""
    n = P - 1
    assert 2 ** _bits(P) == P
    programs = {0: []}

    def height(position):
        return (position & -position).bit_length() - 1

    label = {0: lambda p: p, 1: lambda p: (p % n) + 1}
    top = 2 ** (_bits(P) - 1)
    for half in (0, 1):
        for position in range(1, n + 1):
            step = 2 ** height(position) // 2
            children = [position - step, position + step] if step else []
            node = label[half](position)
            waits = (lambda half, piece: ((half, "all"),)) if whole_halves and position == top else None
            for piece in range(N):
                needs = waits(half, piece) if waits else ((half, piece),)
                for child in children:
                    programs.setdefault(node, []).append(Send(label[half](child), s / (2 * N), (half, piece), needs))
    if whole_halves:
        programs[0] = [Send(label[half](top), s / 2, (half, "all")) for half in (0, 1)]
    else:
        programs[0] = [Send(label[half](top), s / (2 * N), (half, piece)) for piece in range(N) for half in (0, 1)]
    return programs


def direct(P, s):
    return {r: [Send((r + j) % P, s, (r, j)) for j in range(1, P)] for r in range(P)}


def rounds(P, partner, sizes, ranks=None):
    """Everyone sends once a round, after what it got in the round before. partner(rank, round) may be None."""
    programs = {}
    ranks = range(P) if ranks is None else ranks
    came = {(partner(r, k), k) for k in range(len(sizes)) for r in ranks if partner(r, k) is not None}
    for r in ranks:
        sends = []
        for k, size in enumerate(sizes):
            to = partner(r, k)
            if to is None:
                continue
            needs = tuple(j for j in range(k) if (r, j) in came)
            sends.append(Send(to, size, k, needs))
        programs[r] = sends
    return programs


def exchange(P, sizes, bits):
    return rounds(P, lambda r, k: r ^ (1 << bits[k]), sizes)


def butterfly(P, s):
    """On any number of processes: those beyond the power of two hand in before and get the answer after."""
    q = P.bit_length() - 1
    base = 2**q
    inner = {r: [Send(r ^ (1 << k), s, k, tuple(range(k))) for k in range(q)] for r in range(base)}
    for extra in range(base, P):
        r = extra - base
        inner[extra] = [Send(r, s, "in")]
        inner[r] = [send._replace(after=(*send.after, "in")) for send in inner[r]]
        inner[r].append(Send(extra, s, "out", (*range(q), "in")))
    return inner


def dissemination(P, s):
    return rounds(P, lambda r, k: (r + 2**k) % P, [s] * _bits(P))


def butterfly_pers(P, s):
    m = _bits(P)
    return exchange(P, [s * 2**k for k in range(m)], list(range(m)))


def bruck_allgather(P, s):
    return rounds(P, lambda r, k: (r - 2**k) % P, [s * min(2**k, P - 2**k) for k in range(_bits(P))])


def bruck_alltoall(P, s):
    sizes = [s * sum(1 for j in range(P) if j >> k & 1) for k in range(_bits(P))]
    return rounds(P, lambda r, k: (r + 2**k) % P, sizes)


def ring(P, s, count):
    return rounds(P, lambda r, k: (r + 1) % P, [s] * count)


def halving(P, s):
    """Reduce-scatter: the vector of s bytes is halved round by round."""
    m = _bits(P)
    return [s / 2 ** (k + 1) for k in range(m)], [m - 1 - k for k in range(m)]


def reduce_scatter_halving(P, s):
    return exchange(P, *halving(P, P * s))


def rabenseifner(P, s):
    sizes, bits = halving(P, s)
    return exchange(P, sizes + sizes[::-1], bits + bits[::-1])


def pairwise(P, s):
    return rounds(P, lambda r, k: (r + k + 1) % P, [s] * (P - 1))


def scan_direct(P, s):
    return {r: [Send(t, s, r) for t in range(r + 1, P)] for r in range(P)}


def scan_dissemination(P, s):
    return rounds(P, lambda r, k: r + 2**k if r + 2**k < P else None, [s] * _bits(P))


def van_de_geijn(P, s, second):
    """Scatter of blocks down a binomial tree, then an allgather of them."""
    scatter = tree_personalised(binomial_children(P), s / P)
    gather = butterfly_pers(P, s / P) if second == "rd" else ring(P, s / P, P - 1)
    programs = {}
    for r in range(P):
        # The scatter's piece has the name 0; those of the allgather begin with "gather".
        then = [
            Send(
                one.to, one.size, ("gather", one.name), (*(() if r == 0 else (0,)), *(("gather", n) for n in one.after))
            )
            for one in gather[r]
        ]
        programs[r] = scatter[r] + then
    return programs


def reversed_tree(children, sizes):
    """Reduce or gather: a node sends to its parent when all its children have come in."""
    parent = {c: n for n, below_it in children.items() for c in below_it}
    return {n: [Send(parent[n], sizes[n], n, tuple(children[n]))] if n else [] for n in children}
