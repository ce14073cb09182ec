"""One design at a time, by bisection in the textbook variables C, c, v, nu: shares no code with the models."""

import math


def answers(service, think, customers, variation):
    """Return throughput and response of one server, by mean-value analysis."""
    queue = busy = rate = best = 0.0
    for k in range(1, customers + 1):
        wait = max(service, service * (1 + queue) + busy * service * (variation - 1) / 2)
        rate = min(k / (wait + think), 1 / service)
        queue = k - rate * think
        busy = min(1.0, rate * service)
        best = max(best, rate)
    return best, customers / best - think


def memory_response(service, think, cores):
    """Return the response of the memory: of 2 and 3 cores by the Markov chain of how many a service leaves behind."""
    if cores not in (2, 3):
        return answers(service, think, cores, 0.0)[1]
    if think <= 0.0:
        return cores * service
    comes = -math.expm1(-service / think)
    left = [1.0] + [0.0] * (cores - 1)
    for _ in range(2000):
        after = [0.0] * cores
        for behind, share in enumerate(left):
            served = max(behind, 1)
            others = cores - served
            for came in range(others + 1):
                way = math.comb(others, came) * comes**came * (1.0 - comes) ** (others - came)
                after[served - 1 + came] += share * way
        close = max(abs(one - other) for one, other in zip(left, after, strict=True)) < 1e-16
        left = after
        if close:
            break
    return cores * service - math.fsum(left[1:]) * think  # no difference of long thinking times


def mix(p, q, h1=0.9, h2=0.9, t_reg=1.0, t1=1.0, t2=10.0):
    """Return K, c, v and the second moment of an instruction that stays in the caches."""
    kept = [(1 - p - q, t_reg), (q * h1, t1), (q * (1 - h1) * h2, t2)]
    mean, square = (sum(share * cycles**power for share, cycles in kept) / (1 - p) for power in (1, 2))
    return (1 - p) / p, mean, q * (1 - h1) * (1 - h2) / (1 - p), square


def messages_per_cycle(p, q, latency, overhead, tasks, cores, service=200.0, blocking=False, **cycles):
    """Return X and R of a mix of instructions."""
    count, c, v, square = mix(p, q, **cycles)
    nu = count * v

    def rate_with(response):
        if blocking:
            return 1 / (count * c + nu * response + latency)
        busy = count * c + nu * response + overhead
        mean, second = c + v * response, square + v * response**2
        variance = count * (second - mean**2) + count * (count + 1) * mean**2
        return answers(busy, latency, tasks, variance / busy**2)[0]

    def next_response(response):
        return memory_response(service, max(0.0, 1 / (rate_with(response) * nu) - response), cores)

    low, high = service, service * cores
    if nu == 0:
        high = low
    for _ in range(60):
        middle = (low + high) / 2
        low, high = (middle, high) if nu and next_response(middle) > middle else (low, middle)
    return rate_with(low), low


def damped(p, q, latency, overhead, tasks, cores, service=200.0, steps=200):
    """Return X and R by steps half-way to what follows from R, from R = S on."""
    count, c, v, square = mix(p, q)
    response = service
    for _ in range(steps):
        busy = count * c + count * v * response + overhead
        mean, second = c + v * response, square + v * response**2
        variance = count * (second - mean**2) + count * (count + 1) * mean**2
        rate = answers(busy, latency, tasks, variance / busy**2)[0]
        think = max(0.0, 1 / (rate * count * v) - response)
        response = (response + answers(service, think, cores, 0.0)[1]) / 2
    return rate, response
