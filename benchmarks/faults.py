"""Faults made by hand, to be put into copies of the engine: what `python -m benchmarks mutations` goes through.

Each replaces one text of one file of `dse/`, which must stand there exactly once (`Fault.applied`), and changes what
the file computes. `tests` are the files that are to notice it, the likeliest first.
"""

from __future__ import annotations

from typing import NamedTuple

__all__ = ["FAULTS", "Fault"]

_SEARCH = "tests/dse/search/test_search.py"
_GROUPS = "tests/dse/search/test_groups.py"
_NESTED = "tests/dse/search/test_nested_groups.py"
_STEP_TESTS = "tests/dse/search/test_steps.py"
_NUMBERS = "tests/dse/search/test_numbers.py"
_FILTER = "tests/dse/search/test_prefilter.py"
_ARCHIVE = "tests/dse/search/test_archive.py"
_PARETO = "tests/dse/search/test_pareto.py"
_RANGES = "tests/dse/arithmetic/test_ranges.py"
_SIGNS = "tests/dse/arithmetic/test_monotonicity.py"
_EVALUATION = "tests/dse/evaluation/test_evaluation.py"
_TRUST = "tests/dse/search/test_certain_and_possible.py"
_EXPRESSION = "tests/dse/graph/test_expression.py"


class Fault(NamedTuple):
    """A fault: a name, what is wrong in one sentence, and the text of a file that is replaced."""

    name: str
    what: str
    file: str
    old: str
    new: str
    tests: tuple[str, ...]

    def applied(self, text: str) -> str:
        """Return the text of the file with the fault in it.

        Raises
        ------
        ValueError
            The text to be replaced does not stand in it exactly once.
        """
        count = text.count(self.old)
        if count != 1:
            msg = f"fault '{self.name}': its text stands {count} times in {self.file}, not once"
            raise ValueError(msg)
        return text.replace(self.old, self.new)


_BUNDLES = [
    Fault(
        "bundle-lower-is-first",
        "The lower bound of a bundle is the value of its first row.",
        "dse/search/bundles/levels.py",
        "_over_bundles(np.minimum, low, begin, atom),",
        "np.take(low, begin, axis=atom),",
        (_SEARCH, _GROUPS),
    ),
    Fault(
        "bundle-upper-is-lower",
        "The least value of a bundle is taken as its upper bound.",
        "dse/search/bundles/levels.py",
        "_over_bundles(np.maximum, high, begin, atom),",
        "_over_bundles(np.minimum, high, begin, atom),",
        (_SEARCH, _GROUPS),
    ),
    Fault(
        "bundle-table-of-other-axis",
        "The bounds of a table of several axes are read with its axes in the opposite order.",
        "dse/search/bundles/levels.py",
        "for atom in range(table.ndim - 1, -1, -1):",
        "for atom in range(table.ndim):",
        (_SEARCH, _GROUPS),
    ),
    Fault(
        "bundle-numbers-unsorted",
        "The rows of an axis are put into another order and the design numbers are not.",
        "dse/search/bundles/bundles.py",
        "np.ascontiguousarray(self.numbers[atom][order])",
        "np.ascontiguousarray(self.numbers[atom])",
        (_SEARCH, _GROUPS),
    ),
    Fault(
        "bundle-last-chunk-dropped",
        "The last chunk is not searched where it is shorter than the others.",
        "dse/search/bundles/bundles.py",
        "for start in range(0, self.boxes, per_chunk)]",
        "for start in range(0, max(1, self.boxes - per_chunk + 1), per_chunk)]",
        (_SEARCH, _GROUPS),
    ),
    Fault(
        "bundle-split-loses-last",
        "A box that is split loses the last bundle of an axis.",
        "dse/search/bundles/levels.py",
        "parts = first[result[atom] + 1] - begin\n",
        "parts = np.maximum(1, first[result[atom] + 1] - begin - 1)\n",
        (_SEARCH, _GROUPS),
    ),
    Fault(
        "excluded-box-too-large",
        "Where a box is excluded, the box after it is skipped too.",
        "dse/search/bundles/bundles.py",
        "        keep |= look\n",
        "        keep[1:] &= keep[:-1] | (np.diff(boxes[-1]) != 1)\n        keep |= look\n",
        (_SEARCH, _GROUPS),
    ),
    Fault(
        "bundle-limit-all-must-meet",
        "A box is excluded where any of its designs may break a constraint, not where all do.",
        "dse/search/bundles/bundles.py",
        "keep &= Condition.of(values[constraint.quantity]).can_be_true\n",
        "keep &= ~Condition.of(values[constraint.quantity]).can_be_false\n",
        (_SEARCH, _GROUPS),
    ),
    Fault(
        "bundle-bound-of-maximised",
        "A maximised objective is bounded by the wrong end of its range.",
        "dse/search/bundles/bundles.py",
        'lower.append(-high if objective.sense == "max" else low)',
        'lower.append(-low if objective.sense == "max" else low)',
        (_SEARCH, _GROUPS),
    ),
    Fault(
        "bundle-padding-counts",
        "The rows that fill up the last bundle are taken for designs.",
        "dse/search/bundles/bundles.py",
        "mask = None if real.all() else real",
        "mask = None",
        (_SEARCH, _GROUPS),
    ),
    Fault(
        "bundle-nan-not-looked-into",
        "A box is excluded although what its constraints read may be NaN, which is an error.",
        "dse/search/bundles/bundles.py",
        "        keep |= look\n",
        "",
        (_SEARCH, "tests/dse/search/test_odd_numbers.py"),
    ),
]

_EXHAUSTIVE = [
    Fault(
        "chunk-ends-early",
        "Every chunk of the plain search ends one block too early.",
        "dse/search/bundles/exhaustive.py",
        "(start, min(total, start + blocks_per_chunk))",
        "(start, max(start + 1, min(total, start + blocks_per_chunk) - 1))",
        (_SEARCH, _EVALUATION),
    ),
    Fault(
        "one-constraint-is-enough",
        "A design counts as feasible when it meets one of several constraints.",
        "dse/search/bundles/exhaustive.py",
        "mask = met if mask is None else mask & met",
        "mask = met if mask is None else mask | met",
        (_SEARCH,),
    ),
    Fault(
        "numbers-of-first-block",
        "The designs of every block are numbered as those of the first.",
        "dse/search/bundles/exhaustive.py",
        "total += own[begin + row]",
        "total += own[row]",
        (_SEARCH,),
    ),
    Fault(
        "infeasible-where-all-pass",
        "Constraints are forgotten in a block that passes the filter as a whole.",
        "dse/search/bundles/design_search.py",
        "        if mask is not None:\n            passing = passing & mask\n",
        "        if mask is not None and not passing.all():\n            passing = passing & mask\n",
        (_SEARCH,),
    ),
    Fault(
        "maximised-is-minimised",
        "Maximised objectives are minimised.",
        "dse/search/bundles/design_search.py",
        'objectives.append(-value if objective.sense == "max" else value)',
        "objectives.append(value)",
        (_SEARCH,),
    ),
    Fault(
        "nan-passes",
        "An objective that is NaN is no error.",
        "dse/search/bundles/design_search.py",
        "wrong = ~np.isfinite(value)\n",
        "wrong = np.isinf(value)\n",
        (_SEARCH,),
    ),
    Fault(
        "stale-block",
        "A function is not called again when only its first axis has moved on.",
        "dse/evaluation/product_evaluator.py",
        "key = tuple(ranges[atom] for atom in evaluator.function_atoms[position])",
        "key = tuple(ranges[atom] for atom in evaluator.function_atoms[position][-1:])",
        (_EVALUATION, _SEARCH),
    ),
    Fault(
        "table-of-permuted-axes",
        "A table is laid out with its axes in the order of the study, not of the loop.",
        "dse/evaluation/product_evaluator.py",
        "order = [axis for atom in self.atoms for axis in atom]",
        "order = sorted(axis for atom in self.atoms for axis in atom)",
        (_EVALUATION, _SEARCH),
    ),
    Fault(
        "last-row-not-evaluated",
        "Blocks leave out the last row of an axis that is cut.",
        "dse/evaluation/product_evaluator.py",
        "(i * step, min(n, (i + 1) * step))",
        "(i * step, max(i * step + 1, min(n - (step < n), (i + 1) * step)))",
        (_EVALUATION, _SEARCH),
    ),
    Fault(
        "structure-of-another-alternative",
        "What was learnt of one alternative is used for another with other components.",
        "dse/evaluation/problem.py",
        "key = (functions, columns,",
        "key = (len(functions), columns,",
        (_SEARCH, "tests/dse/search/test_odd_numbers.py", _EVALUATION),
    ),
]

_FRONTIER = [
    Fault(
        "ties-lost",
        "Of designs with equal objectives only the first is kept.",
        "dse/search/frontier/pareto.py",
        "keep_weakly=keep_ties",
        "keep_weakly=False",
        (_PARETO, _ARCHIVE, _SEARCH),
    ),
    Fault(
        "ties-lost-of-one-objective",
        "Of designs with an equal only objective the first is kept.",
        "dse/search/frontier/pareto.py",
        "mask = points[:, 0] == points[:, 0].min()",
        "mask = np.arange(len(points)) == points[:, 0].argmin()",
        (_PARETO, _SEARCH),
    ),
    Fault(
        "filter-cell-not-below",
        "The filter drops designs of the same cell as the design that beats it in the last objective.",
        "dse/search/frontier/prefilter.py",
        "where = [cells.of(piece[:, i]) + 1 for",
        "where = [cells.of(piece[:, i]) for",
        (_FILTER, _SEARCH),
    ),
    Fault(
        "filter-drops-equal",
        "The filter drops designs that equal the best (< for <=).",
        "dse/search/frontier/prefilter.py",
        "np.logical_not(objectives[self.last] > self.worst(objectives))",
        "np.logical_not(objectives[self.last] >= self.worst(objectives))",
        (_FILTER, _SEARCH),
    ),
    Fault(
        "filter-spreads-upwards",
        "An entry of the filter's table is spread to the wrong side of one axis.",
        "dse/search/frontier/prefilter.py",
        "np.minimum.accumulate(table, axis=axis, out=table)",
        "table[...] = np.flip(np.minimum.accumulate(np.flip(table, axis), axis=axis), axis)",
        (_FILTER, _SEARCH),
    ),
    Fault(
        "archive-rows-mixed-up",
        "When candidates are merged, objective vectors are not brought into the order of their numbers.",
        "dse/search/frontier/archive.py",
        "        points = points[first]\n",
        "        points = points[np.sort(first)]\n",
        (_ARCHIVE, _SEARCH),
    ),
    Fault(
        "archive-forgets-candidates",
        "Candidates that are not merged yet are forgotten at the end.",
        "dse/search/frontier/archive.py",
        "        self.merge()\n        return self.points",
        "        return self.points",
        (_ARCHIVE, _SEARCH),
    ),
    Fault(
        "seed-taken-for-feasible",
        "A seed design that meets the last constraint counts as feasible.",
        "dse/search/start/warm_start.py",
        "        good &= np.broadcast_to(values[constraint.quantity], count)\n",
        "        good = np.array(np.broadcast_to(values[constraint.quantity], count), dtype=bool)\n",
        (_SEARCH, _GROUPS),
    ),
    Fault(
        "seed-numbers-of-first-alternative",
        "Seed designs are numbered as if they were of the first alternative.",
        "dse/search/bundles/design_search.py",
        "numbers = np.full(len(rows[0]), self.offset, dtype=np.int64)",
        "numbers = np.zeros(len(rows[0]), dtype=np.int64)",
        (_SEARCH, _GROUPS),
    ),
    Fault(
        "alternative-dropped",
        "The last of several alternatives is not searched.",
        "dse/search/plan/worker.py",
        "chosen = range(len(self.problem.space.products)) if products is None else products",
        "chosen = list(range(len(self.problem.space.products)) if products is None else products)\n"
        "        chosen = chosen[:-1] or chosen",
        (_SEARCH, _GROUPS),
    ),
]

_PROOFS = [
    Fault(
        "signs-first-wins",
        "Where two operands have opposite signs, the first is taken.",
        "dse/arithmetic/monotonicity.py",
        "(result == other) | (result == FREE) | (other == FREE), either, np.int8(UNKNOWN))",
        "other != UNKNOWN, either, np.int8(UNKNOWN))",
        (_SIGNS, _GROUPS),
    ),
    Fault(
        "sign-of-divisor",
        "A quotient is said to rise with its divisor.",
        "dse/arithmetic/monotonicity.py",
        "_times(_turns(y), x.sign))",
        "_times(y.signs, x.sign))",
        (_SIGNS, _GROUPS),
    ),
    Fault(
        "sign-of-factor",
        "The sign of the other factor of a product is not looked at.",
        "dse/arithmetic/monotonicity.py",
        "join(_times(x.signs, y.sign), _times(y.signs, x.sign))",
        "join(x.signs, y.signs)",
        (_SIGNS, _GROUPS),
    ),
    Fault(
        "sign-of-jump",
        "What decides between two choices is taken to have no influence.",
        "dse/arithmetic/monotonicity.py",
        "return join(_times(truth, better), x.signs, y.signs)",
        "return join(x.signs, y.signs)",
        (_SIGNS, _GROUPS),
    ),
    Fault(
        "sign-of-minimum",
        "A minimum has the signs of the operand whose lower bound is the lesser.",
        "dse/arithmetic/monotonicity.py",
        "if np.all(x.high <= y.low):\n",
        "if np.all(x.low <= y.low):\n",
        (_SIGNS, _GROUPS),
    ),
    Fault(
        "sign-of-line",
        "A line through points is said to rise when its last point is above its first.",
        "dse/arithmetic/monotonicity.py",
        "if np.all(np.diff(heights) >= 0) and np.all(before <= heights[1:]):",
        "if heights[-1] >= heights[0]:",
        (_SIGNS,),
    ),
    Fault(
        "sign-of-table-one-short",
        "Of the stretch of a table that is read, the last step is not looked at.",
        "dse/arithmetic/monotonicity.py",
        "int(np.max(place.high)) + 1]",
        "int(np.max(place.high))]",
        (_SIGNS, _GROUPS),
    ),
    Fault(
        "objective-sign",
        "A maximised objective is taken to want less.",
        "dse/search/proof/monotone.py",
        'RISES if o.sense == "min" else FALLS',
        "RISES",
        (_GROUPS,),
    ),
    Fault(
        "constraint-sign",
        "A constraint is taken to want what breaks it.",
        "dse/search/proof/monotone.py",
        "(c.quantity, FALLS, f",
        "(c.quantity, RISES, f",
        (_GROUPS,),
    ),
    Fault(
        "two-wishes-one-column",
        "A quantity of which one objective wants less and another more goes by the first.",
        "dse/search/proof/monotone.py",
        "elif len(wanted) > 1:",
        "elif len(wanted) > 2:",
        (_GROUPS,),
    ),
    Fault(
        "result-not-in-interface",
        "A result that nothing else reads does not belong to the interface of its group.",
        "dse/search/proof/quantities.py",
        "if read or name in self.results:",
        "if read:",
        (_GROUPS,),
    ),
    Fault(
        "hull-from-zero",
        "The range of a quantity over the whole space starts at 0 where it starts below.",
        "dse/search/proof/quantities.py",
        "Range(np.array([table.min()], dtype=float),",
        "Range(np.array([max(table.min(), min(0.0, table.max()))], dtype=float),",
        (_GROUPS,),
    ),
    Fault(
        "integers-on-ranges",
        "Functions whose integers overflow are bounded and given signs as if they did not.",
        "dse/search/proof/quantities.py",
        "self.on_points = self.structure.integers",
        "self.on_points = frozenset()",
        (_NUMBERS, "tests/dse/search/test_odd_numbers.py"),
    ),
    Fault(
        "groups-without-finite-bounds",
        "Rows are pruned where objectives may not be finite, so that an error is not seen.",
        "dse/search/groups/groups.py",
        "        self.known.check_finite()\n",
        "",
        (_GROUPS,),
    ),
    Fault(
        "groups-share-an-axis",
        "Groups with a common axis are reduced together.",
        "dse/search/groups/nested_groups.py",
        "if first in axes and axes <= free:",
        "if first in axes:",
        (_GROUPS,),
    ),
    Fault(
        "group-numbers-permuted",
        "The kept rows of a group bear each other's design numbers.",
        "dse/search/groups/reduced_product.py",
        "self.contributions.append(choice.kept.numbers)",
        "self.contributions.append(choice.kept.numbers[::-1])",
        (_GROUPS,),
    ),
]

_STEPS = [
    Fault(
        "square-as-power",
        "A square is recorded as a power, whose last bit may be another.",
        "dse/arithmetic/steps.py",
        "return met(self) if operands == 1 else met(self, other)",
        "return np.power(self, other)",
        (_STEP_TESTS,),
    ),
    Fault(
        "steps-of-other-bits",
        "A recording that does not give the bits of its function is taken.",
        "dse/arithmetic/steps.py",
        "if not (same | (np.isnan(ours) & np.isnan(other))).all():",
        "if False:",
        (_STEP_TESTS,),
    ),
    Fault(
        "seed-falls",
        "What starts a proof is taken to fall with itself.",
        "dse/search/proof/monotone.py",
        "signs[seeds] = RISES",
        "signs[seeds] = FALLS",
        (_GROUPS, _NESTED),
    ),
    Fault(
        "numbers-of-one-factor",
        "Rows combined from several sets bear the numbers of the last set alone.",
        "dse/search/proof/reduction.py",
        "numbers = numbers + factor.numbers.reshape(along)",
        "numbers = 0 * numbers + factor.numbers.reshape(along)",
        (_NESTED, _GROUPS),
    ),
    Fault(
        "limit-met-somewhere",
        "A limit that some designs meet counts as met by every design.",
        "dse/search/proof/quantities.py",
        "if not Condition.of(self.hulls[constraint.quantity]).can_be_false.any()",
        "if Condition.of(self.hulls[constraint.quantity]).can_be_true.any()",
        ("tests/dse/search/test_redundancy.py",),
    ),
]

_ROWS = [
    Fault(
        "row-beaten-in-one-column",
        "A row is dropped when another is no worse in any one column.",
        "dse/search/proof/reduction.py",
        "no_worse = (row <= next_row).all(axis=1)",
        "no_worse = (row <= next_row).any(axis=1)",
        (_GROUPS,),
    ),
    Fault(
        "row-sense-ignored",
        "Of a column of which more is better, less is taken to be.",
        "dse/search/proof/reduction.py",
        "columns[:, position] = values * float(sense) + 0.0",
        "columns[:, position] = values + 0.0",
        (_GROUPS,),
    ),
    Fault(
        "keys-of-fewer-bits",
        "Keys are compared without their last 30 bits.",
        "dse/search/proof/reduction.py",
        "dtype=float).view(np.int64)",
        "dtype=float).view(np.int64) >> 30",
        (_GROUPS, _NUMBERS),
    ),
    Fault(
        "keys-fold-zeros",
        "-0.0 and 0.0 are one key.",
        "dse/search/proof/reduction.py",
        "dtype=float).view(np.int64)",
        "dtype=float).__add__(0.0).view(np.int64)",
        (_GROUPS, _NUMBERS),
    ),
    Fault(
        "only-the-last-key",
        "Rows are compared at the same last key, whatever the other keys are.",
        "dse/search/proof/reduction.py",
        "order = np.lexsort([bits, own])\n        fresh = (np.diff(own[order]) != 0) | (",
        "order = np.lexsort([bits])\n        fresh = (",
        (_GROUPS, _NUMBERS),
    ),
    Fault(
        "one-limit-of-a-group",
        "A row that meets one of the constraints of its group counts as feasible.",
        "dse/search/proof/reduction.py",
        "met = np.logical_and.reduce(",
        "met = np.logical_or.reduce(",
        (_GROUPS,),
    ),
    Fault(
        "group-loses-last-row",
        "The last row of an axis of a group is not looked at where the group comes in blocks.",
        "dse/search/proof/reduction.py",
        "take(slice(begin, begin + step))",
        "take(slice(begin, max(begin + 1, min(begin + step, lengths[cut] - (step < lengths[cut])))))",
        (_GROUPS,),
    ),
    Fault(
        "ties-of-worse-rows-only",
        "Equal designs are looked for among rows that are worse in every column only.",
        "dse/search/groups/ties.py",
        "(bundles.most[bundle] >= self.columns[at]).all(axis=1)",
        "(bundles.most[bundle] > self.columns[at]).all(axis=1)",
        (_GROUPS,),
    ),
    Fault(
        "ties-at-the-bound",
        "A bundle whose best equals the design is not looked into for equal ones (> for >=).",
        "dse/search/groups/ties.py",
        "possible &= ~(best > self._target[overlapping, column])",
        "possible &= ~(best >= self._target[overlapping, column])",
        (_GROUPS,),
    ),
    Fault(
        "ties-unchecked-constraints",
        "An equal design that breaks a constraint counts.",
        "dse/search/groups/ties.py",
        "                same &= np.broadcast_to(",
        "                same |= False & np.broadcast_to(",
        (_GROUPS,),
    ),
    Fault(
        "ties-of-first-design",
        "Equal designs of the first design of an alternative are not looked up.",
        "dse/search/schedule/search_account.py",
        "here = numbers[(numbers >= first) &",
        "here = numbers[(numbers > first) &",
        (_GROUPS,),
    ),
]

_BOUNDS = [
    Fault(
        "range-of-difference",
        "The bounds of a difference are those of equal ends.",
        "dse/arithmetic/ranges.py",
        "Range(x.low - y.high, x.high - y.low)",
        "Range(x.low - y.low, x.high - y.high)",
        (_RANGES, _SEARCH),
    ),
    Fault(
        "range-of-quotient",
        "The bounds of a quotient are those of equal ends.",
        "dse/arithmetic/ranges.py",
        "Range(x.low / y.high, x.high / y.low)",
        "Range(x.low / y.low, x.high / y.high)",
        (_RANGES, _SEARCH),
    ),
    Fault(
        "range-of-product-corner",
        "One corner of a product of ranges is not looked at.",
        "dse/arithmetic/ranges.py",
        "        np.minimum(np.minimum(a, b), np.minimum(c, d)),\n",
        "        np.minimum(np.minimum(a, b), d),\n",
        (_RANGES, _SEARCH),
    ),
    Fault(
        "range-of-square",
        "A square is not 0 where its range holds 0.",
        "dse/arithmetic/ranges.py",
        "np.square(x.high)\n    inside = (x.low <= 0) & (x.high >= 0)",
        "np.square(x.high)\n    inside = (x.low <= 0) & (x.high <= 0)",
        (_RANGES, _SEARCH),
    ),
    Fault(
        "range-of-maximum",
        "The lower bound of a maximum is taken from an upper one.",
        "dse/arithmetic/ranges.py",
        '"maximum": lambda x, y: Range(np.maximum(x.low, y.low)',
        '"maximum": lambda x, y: Range(np.maximum(x.low, y.high)',
        (_RANGES, _SEARCH),
    ),
    Fault(
        "range-of-choice",
        "Where a condition is not decided, the first choice is taken.",
        "dse/arithmetic/ranges.py",
        "np.where(known.can_be_false, np.minimum(x.low, y.low), x.low), y.low)",
        "x.low, y.low)",
        (_RANGES, _SEARCH),
    ),
    Fault(
        "range-at-the-limit",
        "A range that just reaches a limit is said not to meet it (< for <=).",
        "dse/arithmetic/ranges.py",
        "return Condition((x.low <= y.high) | unordered,",
        "return Condition((x.low < y.high) | unordered,",
        (_RANGES, _SEARCH),
    ),
    Fault(
        "range-of-line",
        "A single knot inside a range is not looked at.",
        "dse/arithmetic/ranges.py",
        "inside = begin < end\n",
        "inside = begin + 1 < end\n",
        (_RANGES, _SEARCH),
    ),
    Fault(
        "range-of-table",
        "Of the stretch of a table that a range spans, the last entry is not looked at.",
        "dse/arithmetic/ranges.py",
        "begin, end = first[here], last[here] - 2 ** int(depth) + 1",
        "begin, end = first[here], np.maximum(first[here], last[here] - 2 ** int(depth))",
        (_RANGES, _SEARCH),
    ),
    Fault(
        "range-without-slack",
        "The bounds of powers, exponentials and logarithms are not widened.",
        "dse/arithmetic/ranges.py",
        "_ULPS = 4.0",
        "_ULPS = 0.0",
        (_RANGES,),
    ),
]

_SHARED = [
    Fault(
        "limit-read-strictly",
        "'<=' in an expression is computed as '<', for the search and its check alike.",
        "dse/graph/expression.py",
        '"<=": np.less_equal,',
        '"<=": np.less,',
        (_EXPRESSION, _SEARCH),
    ),
    Fault(
        "integers-beyond-2-53",
        "Integers beyond 2^53 are rounded, not refused.",
        "dse/arithmetic/exact_floats.py",
        "if abs(extreme) > LARGEST_INTEGER:",
        "if abs(extreme) > 2 * LARGEST_INTEGER**2:",
        ("tests/dse/arithmetic/test_exact_floats.py", _NUMBERS),
    ),
]

_UNKNOWNS = [
    Fault(
        "unknown-ends-of-maximised",
        "The bounds of a maximised objective that is not known are not swapped when it is negated.",
        "dse/evaluation/affected.py",
        "least, most = -most, -least",
        "least, most = -least, -most",
        (_TRUST,),
    ),
    Fault(
        "unknown-beater-may-be-infeasible",
        "A design beats others for certain though it meets its limits for some values only.",
        "dse/evaluation/affected.py",
        "must &= ~(condition.can_be_false | open_)",
        "must &= condition.can_be_true",
        (_TRUST,),
    ),
    Fault(
        "unknown-groups-decide",
        "Of a product whose groups were reduced nothing is possible, though a row that is left may be.",
        "dse/search/uncertain/possible.py",
        "        if search.unbeaten:\n            return True",
        "        if search.unbeaten:\n            return False",
        (_TRUST,),
    ),
    Fault(
        "unknown-certain-without-limits",
        "A design is certain though it meets its limits for some values only.",
        "dse/search/uncertain/pairs.py",
        "marked = ~cell.must[designs]",
        "marked = ~cell.can[designs]",
        (_TRUST,),
    ),
    Fault(
        "unknown-rows-shared",
        "Designs of different rows are compared as if they had the same part of what each row has of its own.",
        "dse/search/uncertain/pairs.py",
        "apart = cell.apart or cell",
        "apart = cell",
        (_TRUST,),
    ),
    Fault(
        "unknown-factor-of-some",
        "A factor that only some designs have is left out of comparisons.",
        "dse/evaluation/shared_factors.py",
        "if len(several) == 1 and None not in several:",
        "if None not in several:",
        (_TRUST,),
    ),
    Fault(
        "unknown-ties-beat",
        "Designs that are equal in everything beat one another.",
        "dse/search/frontier/dominance.py",
        "beaten[begin : begin + step] = (no_worse & better).any(axis=1)",
        "beaten[begin : begin + step] = no_worse.any(axis=1)",
        (_TRUST,),
    ),
    Fault(
        "unknown-draws-of-places",
        "The errors of a design come from its place among the candidates, not from its number.",
        "dse/analysis/uncertainty/draws.py",
        "designs = _mixed(start + (numbers.astype(np.uint64) + np.uint64(1)) * step)",
        "designs = _mixed(start + (np.arange(len(numbers)).astype(np.uint64) + np.uint64(1)) * step)",
        ("tests/dse/analysis/test_draws_and_decisions.py",),
    ),
]

FAULTS: tuple[Fault, ...] = (
    *_BUNDLES,
    *_EXHAUSTIVE,
    *_FRONTIER,
    *_PROOFS,
    *_STEPS,
    *_ROWS,
    *_BOUNDS,
    *_SHARED,
    *_UNKNOWNS,
)
