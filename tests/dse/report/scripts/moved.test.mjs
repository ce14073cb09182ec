// What is not known, moved on the page: steps repeated as NumPy does them, and the frontier at the moved values.

import assert from "node:assert/strict";
import { Buffer } from "node:buffer";
import { test } from "node:test";

import { load, same } from "./page.mjs";

const page = load("moved.js");
const apply = (name, ...operands) => {
  const count = Math.max(...operands.map((one) => one.length));
  return page("steps.apply")(name, operands, count, new Float64Array(count));
};

test("rounding, division and rests are those of NumPy", () => {
  same(apply("rint", [0.5, 1.5, 2.5, -0.5, -1.5, 2 ** 53]), [0, 2, 2, -0, -2, 2 ** 53]);
  same(apply("remainder", [-3, 3, -3, 4, 5], [2, -2, -2, -2, 0]), [1, -1, -1, -0, NaN]);
  same(apply("floor_divide", [-7, 7, 7, 1, -1], [2, -2, 2, 0, 0]), [-4, -4, 3, Infinity, -Infinity]);
  same(apply("power", [1, 2, -1], [NaN, 10, Infinity]), [1, 1024, 1]);
});

test("NaN goes on, and truths are numbers", () => {
  same(apply("minimum", [NaN, 1, 2], [1, NaN, 1]), [NaN, NaN, 1]);
  same(apply("maximum", [NaN, 1, 2], [1, NaN, 1]), [NaN, NaN, 2]);
  same(apply("clip", [-1, 5, 11], [0], [10]), [0, 5, 10]);
  same(apply("where", [1, 0, 2], [10], [20, 21, 22]), [10, 21, 10]);
  same(apply("logical_xor", [1, 0, 2], [3, 0, 0]), [0, 0, 1]);
  same(apply("less_equal", [1, 2, NaN], [2, 2, 2]), [1, 1, 0]);
});

test("tables are looked up and interpolated, and end where they end", () => {
  same(
    page("steps.apply")(
      "interp",
      [
        [0, 1.5, 2, 9, NaN],
        [1, 2, 4],
        [10, 20, 0],
      ],
      5,
      [],
    ),
    [10, 15, 20, 0, NaN],
  );
  same(
    page("steps.apply")(
      "searchsorted left",
      [
        [1, 2, 2, 3],
        [2, 0, 9, NaN],
      ],
      4,
      [],
    ),
    [1, 0, 4, 4],
  );
  same(
    page("steps.apply")(
      "searchsorted right",
      [
        [1, 2, 2, 3],
        [2, 0, 9, NaN],
      ],
      4,
      [],
    ),
    [3, 0, 4, 4],
  );
  same(
    page("steps.apply")(
      "lookup",
      [
        [7, 8],
        [0, 1.9, 2, -1],
      ],
      4,
      [],
    ),
    [7, 8, NaN, NaN],
  );
  assert.throws(() => page("steps.apply")("eval", [[1]], 1, []), /unknown step eval/);
});

const told = (array) => Buffer.from(array.buffer).toString("base64");
const floats = (...values) => told(Float64Array.from(values));
const places = (...values) => told(Uint16Array.from(values));

// Three candidates: a time that an unknown factor stretches, at most 4 s, and a cost that is known.
function stored(changes = {}, product = {}) {
  return {
    objectives: [
      { name: "time", sense: "min", unit: "s" },
      { name: "cost", sense: "min", unit: "1" },
    ],
    unknowns: [{ name: "factor", nominal: 1, from: 0.5, to: 2, relative: false }],
    candidates: [10, 20, 30],
    products: [
      {
        rows: 3,
        columns: [
          [floats(1, 2, 4), null],
          [floats(4, 2, 1), null],
        ],
        inputs: [[0]],
        constants: floats(4),
        tables: [],
        steps: [
          ["multiply", [0, 2]],
          ["less_equal", [4, 3]],
        ],
        positions: places(0, 1, 2),
        classes: places(0, 1, 2),
        objectives: [4, 1],
        limits: [5],
        ...product,
      },
    ],
    ...changes,
  };
}
const made = (...given) => page("moved.made")(stored(...given));

test("the frontier follows what is moved", () => {
  const model = made();
  same(model.begin, [1]);
  const begin = model.move([1]);
  same([begin.front, begin.near, begin.loose, begin.wrong], [[0, 1, 2], [], false, 0]);
  same(model.move([1.5]).front, [0, 1]);
  same([model.value(1, 0), model.value(1, 1), Array.from(model.feasible)], [3, 2, [1, 1, 0]]);
  same(model.move([5]).front, []);
});

test("the knee is nearest to the best of both", () => {
  const model = made();
  assert.equal(model.knee(model.move([1]).front), 1);
  assert.equal(model.knee([]), null);
});

test("what is maximised is the better the more there is of it", () => {
  const model = made({
    objectives: [
      { name: "time", sense: "min", unit: "s" },
      { name: "rate", sense: "max", unit: "1" },
    ],
  });
  same(model.move([1]).front, [0]);
  assert.equal(model.value(0, 1), 4);
});

test("where a design leaves the frontier, each way", () => {
  const model = made(),
    leaves = page("moved.leaves");
  const value = leaves(model, [0.5], 0, 2, 2); // 4 s at a factor of 1: beyond it breaks the limit
  assert.ok(value > 1 && value < 1 + 1e-6);
  assert.equal(leaves(model, [1], 0, 0, 0.5), null);
});

test("a share of several unknowns is one and what each adds", () => {
  const unknowns = [
    { name: "a", nominal: 0, from: -1, to: 1, relative: true, weight: 0.5 },
    { name: "b", nominal: 0, from: -1, to: 1, relative: true, weight: 1 },
  ];
  const model = made({ unknowns }, { inputs: [[0, 1]] });
  model.move([0.5, 0.25]); // 1 + 0.25 + 0.25
  same(
    [0, 1, 2].map((at) => model.value(at, 0)),
    [1.5, 3, 6],
  );
});

test("values that libraries may round differently are near-ties, equal ones are not", () => {
  const inexact = made(
    {},
    {
      columns: [
        [floats(1, 1, 2), null],
        [floats(4, 4, 4), null],
      ],
      steps: [
        ["exp", [0]],
        ["less_equal", [1, 3]],
      ],
    },
  );
  same(
    [inexact.inexactly, inexact.move([1]).near],
    [
      [true, false],
      [0, 1],
    ],
  );
  const exact = made(
    {},
    {
      columns: [
        [floats(1, 1, 2), null],
        [floats(4, 4, 4), null],
      ],
    },
  );
  same([exact.inexactly, exact.move([1]).front, exact.move([1]).near], [[false, false], [0, 1], []]);
});

test("a design with an objective that is no number is counted, and on no frontier", () => {
  const model = made(
    {},
    {
      columns: [
        [floats(1, NaN, 3), null],
        [floats(4, 2, 1), null],
      ],
      limits: [],
    },
  );
  const { front, wrong } = model.move([1]);
  same([front, wrong], [[0, 2], 1]);
});

test("columns that are stored by their few values", () => {
  const model = made(
    {},
    {
      columns: [
        [floats(1, 4), places(0, 0, 1)],
        [floats(4, 2, 1), null],
      ],
    },
  );
  model.move([1]);
  same(
    [0, 1, 2].map((at) => model.value(at, 0)),
    [1, 1, 4],
  );
});
