"""Studies of one node, every design of them by itself, and frontiers by comparing each with each."""

from __future__ import annotations

import itertools

from dse import Study

from .test_quantities import MACHINE

UNITS = {
    **dict.fromkeys(("l1_size", "l2_size", "l3_size"), " B"),
    **dict.fromkeys(("l1_bandwidth", "l3_bandwidth", "dram_bandwidth"), " B/s"),
    **dict.fromkeys(("l3_latency", "dram_latency"), " s"),
    "frequency": " Hz",
}


def written(name, value):
    """Return a value in SI as a study writes it."""
    return f"{value!r}{UNITS[name]}" if name in UNITS else value


def small_study(profiles, axes=None, use=None, *, objectives=("run_time",), also=(), models=("processor",), **changes):
    """Return a study of a node: one profile by name, or two; what is None is not given."""
    fixed = {name: value for name, value in {**MACHINE, "threads": 1, **changes}.items() if value is not None}
    axes = axes or {"frequency": [fixed["frequency"]]}
    profiles = [profiles] if isinstance(profiles, str) else profiles
    return Study(
        {
            "name": "small",
            "models": list(models),
            "objectives": [{"minimize": name} for name in objectives],
            "also": list(also),
            "tables": {
                table: {"file": f"profiles/{name}.json"}
                for table, name in zip(("profile", "profile_2"), profiles, strict=False)
            },
            "use": use or {},
            "set": {name: written(name, value) for name, value in fixed.items() if name not in axes},
            "space": {
                "axes": {name: {"values": [written(name, one) for one in values]} for name, values in axes.items()}
            },
        }
    )


def marks(study):
    """Return what is marked of each design of a study of one product."""
    (record,) = study.compiled.quantities(range(study.space.size))
    return study.compiled.outside_validity(0, record["values"], study.space.size).texts.tolist()


def every_design(study, axes):
    """Return the quantities of every design, in the order of their numbers, each evaluated alone."""
    designs = (dict(zip(axes, values, strict=True)) for values in itertools.product(*axes.values()))
    return [study.evaluate({name: written(name, value) for name, value in one.items()}) for one in designs]


def frontier_of(designs, objectives):
    """Return the numbers of the designs that no other one beats; objectives are to be small."""
    points = [tuple(one[name] for name in objectives) for one in designs]

    def beaten(point):
        return any(other != point and all(a <= b for a, b in zip(other, point, strict=True)) for other in points)

    return [number for number, point in enumerate(points) if not beaten(point)]


def assert_exact(study, axes, objectives):
    """Exhaustive, by bundles, and every design by itself: the same frontier and the same bits."""
    plain, bundled = (study.run(method=method, trust=False).frontier for method in ("exhaustive", "bundles"))
    alone = every_design(study, axes)
    expected = frontier_of(alone, objectives)
    assert 1 < len(expected) < len(alone)
    for frontier in (plain, bundled):
        assert frontier["design"].tolist() == expected
        for name in objectives:
            assert frontier[name].tolist() == [alone[number][name] for number in expected]
