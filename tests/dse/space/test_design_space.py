"""Design numbers are those of itertools.product, both ways, over unions and beyond 64 bits where refused."""

import itertools

import numpy as np
import pytest
from engine_problems import axis, part
from hypothesis import given
from hypothesis import strategies as st

from dse.errors import InputError
from dse.space.design_space import Product, Space


def space(*shapes):
    products = [
        Product(f"p{index}", tuple(axis(f"a{i}", range(count)) for i, count in enumerate(shape)))
        for index, shape in enumerate(shapes)
    ]
    return Space(tuple(products))


def huge(*counts):
    """Axes that only know their length."""

    class Long:
        def __init__(self, count):
            self.count = count
            self.name = "a"

        def __len__(self):
            return self.count

    return Product("", tuple(Long(count) for count in counts))


@pytest.mark.parametrize("shapes", [[(2, 3, 4)], [(1, 1)], [()], [(2, 3), (4,), (), (3, 1, 2)], [(5,), (5,)]])
def test_numbers_run_through_the_products_in_order_the_last_axis_fastest(shapes):
    one = space(*shapes)
    designs = [(p, rows) for p, shape in enumerate(shapes) for rows in itertools.product(*map(range, shape))]
    assert one.size == len(designs)
    for number, (product, rows) in enumerate(designs):
        assert one.rows_of(number) == (product, rows)
        assert one.number_of(product, rows) == number
        assert one.product_of(number) == product
    for product in range(len(shapes)):
        numbers = np.array([n for n, (p, _) in enumerate(designs) if p == product])
        decoded = one.decode(product, numbers)
        assert [tuple(int(rows[i]) for rows in decoded) for i in range(len(numbers))] == [
            rows for p, rows in designs if p == product
        ]


@given(st.lists(st.lists(st.integers(1, 9), max_size=6), min_size=1, max_size=4), st.data())
def test_numbers_round_trip(shapes, data):
    one = space(*shapes)
    number = data.draw(st.integers(0, one.size - 1))
    product, rows = one.rows_of(number)
    assert one.number_of(product, rows) == number
    assert all(0 <= row < count for row, count in zip(rows, shapes[product], strict=True))
    decoded = one.decode(product, np.array([number]))
    assert tuple(int(row[0]) for row in decoded) == rows


def test_sizes_are_exact_beyond_floats():
    one = Space((huge(10**6, 10**6, 10**6, 3),))
    assert one.size == 3 * 10**18
    assert one.rows_of(3 * 10**18 - 1) == (0, (10**6 - 1, 10**6 - 1, 10**6 - 1, 2))
    assert one.number_of(0, (10**6 - 1, 10**6 - 1, 10**6 - 1, 1)) == 3 * 10**18 - 2
    decoded = one.decode(0, np.array([3 * 10**18 - 1]))
    assert [int(row[0]) for row in decoded] == [10**6 - 1, 10**6 - 1, 10**6 - 1, 2]


def test_spaces_too_large_to_number_are_refused():
    with pytest.raises(InputError) as caught:
        Space((huge(*[1000] * 8),))
    assert str(caught.value) == "space.axes: the space has 1.000e+24 designs; allowed: at most 4.6e+18 per alternative"
    with pytest.raises(InputError) as caught:
        Space((huge(10**6, 10**6, 3 * 10**6), huge(10**6, 10**6, 3 * 10**6)))
    assert str(caught.value) == "space: the space has 6.000e+18 designs; allowed: at most 4.6e+18"
    with pytest.raises(InputError) as caught:
        Space(())
    assert str(caught.value) == "space: the space has no alternatives"


def test_designs_that_are_not_there_are_refused():
    one = space((2, 3), (4,))
    for number in (-1, 10):
        with pytest.raises(InputError) as caught:
            one.rows_of(number)
        assert str(caught.value) == f"there is no design {number}; allowed: 0 to 9"
    for rows in ((2, 0), (0, -1), (0,), (0, 0, 0)):
        with pytest.raises(InputError) as caught:
            one.number_of(0, rows)
        assert str(caught.value) == f"rows {rows} are not in a product of shape (2, 3)"


def test_a_design_is_named_by_its_parameters():
    products = (
        Product("", (axis("clock", ["1 GHz", "2.6 GHz"], "Hz"), part("cpu", cores=[4, 8]))),
        Product("old", (axis("nodes", [3, 5]),)),
    )
    one = Space(products)
    assert one.parameters(3) == {"clock": "2.6 GHz", "cpu": "cpu1"}
    assert one.parameters(5) == {"alternative": "old", "nodes": "5"}
    assert products[0].axis("cpu").name == "cpu"
    with pytest.raises(InputError) as caught:
        products[0].axis("clok")
    assert str(caught.value) == "no axis 'clok'; allowed: clock, cpu; did you mean 'clock'?"


@given(st.lists(st.integers(1, 4), min_size=1, max_size=6), st.data())
def test_designs_are_told_apart_by_the_product_they_are_in(sizes, data):
    """Numbers that no design has are in none."""
    space = Space(tuple(Product(str(i), (axis("x", range(size)),)) for i, size in enumerate(sizes)))
    numbers = np.array(data.draw(st.lists(st.integers(-2, space.size + 2), max_size=20)), dtype=np.int64)
    found = {index: places.tolist() for index, places in space.by_product(numbers)}
    wanted = {}
    for place, number in enumerate(numbers):
        below = 0
        for index, size in enumerate(sizes):
            if below <= number < below + size:
                wanted.setdefault(index, []).append(place)
                assert space.product_of(int(number)) == index
            below += size
    assert found == wanted
