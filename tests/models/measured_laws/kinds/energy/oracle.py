"""Brute force beside the models: phases counted node by node, fits by the normal equations in fractions."""

from fractions import Fraction


def energy_by_phases(nodes, one_node_time, node_power, idle, serial_time, parallel_time):
    """Add power times time of every node in the serial and in the parallel phase."""
    total = 0.0
    for node in range(nodes):
        total += serial_time * node_power * (1.0 if node == 0 else idle)
        total += parallel_time * node_power
    return total


def polynomial(points, order):
    """Return the least-squares polynomial by Gaussian elimination of the normal equations, exactly."""
    x = [Fraction(n) for n, _ in points]
    y = [Fraction(v) for _, v in points]
    size = order + 1
    rows = [
        [sum(a ** (i + j) for a in x) for j in range(size)] + [sum(b * a**i for a, b in zip(x, y, strict=True))]
        for i in range(size)
    ]
    for i in range(size):
        pivot = next(r for r in range(i, size) if rows[r][i])
        rows[i], rows[pivot] = rows[pivot], rows[i]
        rows[i] = [one / rows[i][i] for one in rows[i]]
        for r in range(size):
            if r != i:
                rows[r] = [a - rows[r][i] * b for a, b in zip(rows[r], rows[i], strict=True)]
    coefficients = [row[-1] for row in rows]
    return lambda n: sum(c * Fraction(n) ** i for i, c in enumerate(coefficients))


def percent(points, residuals):
    """Return 100 n/sum(y) times the root mean square, the printed form."""
    square = float(sum(r * r for r in residuals))
    return 100.0 * len(points) / float(sum(Fraction(v) for _, v in points)) * (square / len(points)) ** 0.5


def in_sample(points, order):
    fit = polynomial(points, order)
    return percent(points, [Fraction(v) - fit(n) for n, v in points])


def left_out(points, order):
    """Fit again without each point."""
    return percent(points, [Fraction(v) - polynomial([p for p in points if p[0] != n], order)(n) for n, v in points])
