"""Genomes: every design can be reached, every genome is a design, and a step is a row."""

import numpy as np
import pytest

from dse.search.evolve.genome import Genome
from dse.space.design_space import Product, Space
from tests.engine_problems import axis

SHAPES = {
    "one": [(3, 5)],
    "alike": [(4, 7), (4, 7, 2)],
    "mixed": [(4, 1300), (9,), (2, 3, 5, 1), ()],
    "many": [(2, count) for count in range(1, 40)],
}


def space(shapes):
    return Space(
        tuple(
            Product(f"p{index}", tuple(axis(f"a{index}_{place}", range(count)) for place, count in enumerate(shape)))
            for index, shape in enumerate(shapes)
        )
    )


@pytest.fixture(params=SHAPES.values(), ids=SHAPES)
def made(request):
    return space(request.param)


def test_there_is_one_gene_per_place_and_one_for_the_alternative(made):
    assert len(Genome(made).ranges) == 1 + max(len(product.axes) for product in made.products)


def test_every_design_has_a_genome_that_decodes_to_it(made):
    genome, numbers = Genome(made), np.arange(made.size)
    genes = genome.encode(numbers)
    assert (genes >= 0).all()
    assert (genes < genome.ranges).all()
    assert (genome.decode(genes) == numbers).all()


def test_random_and_mutated_genomes_are_designs(made):
    """Decoded by the space itself: the rows of the number are those the genome says."""
    genome, rng = Genome(made), np.random.default_rng(1)
    genes = genome.random(500, rng)
    for _ in range(3):
        numbers = genome.decode(genes)
        for gene, row, number in zip(genes, genome.rows(genes), numbers, strict=True):
            index, rows = made.rows_of(int(number))
            assert index == gene[0]
            assert rows == tuple(row[: len(rows)].tolist())
        genes = genome.mutate(genes, rng)
        assert (genes >= 0).all()
        assert (genes < genome.ranges).all()


def test_changes_are_as_many_as_asked_for_and_half_of_them_are_steps_of_one_row():
    genome, rng = Genome(space([(50, 50, 50, 50)])), np.random.default_rng(2)
    genes = genome.encode(np.full(20_000, 25 * (1 + 50 + 2500 + 125000)))
    moved = genome.rows(genome.mutate(genes, rng)) - 25
    changed = (moved != 0).sum(axis=1)
    # one in fifty of the random values is the old one
    assert changed.mean() == pytest.approx(1.5 * (1 - 0.5 / 50), abs=0.03)
    steps = (np.abs(moved) == 1).sum() / (moved != 0).sum()
    assert steps == pytest.approx((0.5 + 0.5 * 2 / 50) / (1 - 0.5 / 50), abs=0.02)


def test_a_change_of_alternative_keeps_the_place_along_an_axis():
    made = Genome(space([(10,), (1000,)]))
    genes = made.encode(np.array([4]))
    genes[:, 0] = 1
    assert made.rows(genes)[0, 0] == pytest.approx(450, abs=50)
