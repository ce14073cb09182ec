// What helps to choose: wishes, marks that stand for several designs, colours, limits, and one step away.

import assert from "node:assert/strict";
import { test } from "node:test";

import { load, packed, record, same } from "./page.mjs";

const page = load("shared_view.js", record());
const wish = (...asked) => JSON.stringify(asked.map(([is, to, from]) => ({ is, to, from })));

test("a wish is met by designs that improve one objective and stay within what another may worsen to", () => {
  const found = page(`wishes.look(1, ${wish(["improve", 0, 50], ["worsen", 1600, 200])})`);
  same([found.rows, found.many], [[2], 1]);
  same(found.prevented, [
    { broken: [0], many: 1, least: 100 },
    { broken: [1], many: 1, least: 3200 },
  ]);
});

test("where no design meets all wishes, those are told that most would meet without one", () => {
  const found = page(`wishes.look(1, ${wish(["improve", 0, 50], ["improve", 0, 200])})`);
  same([found.rows, found.many], [[], 0]);
  same(found.prevented[0], { broken: [1], many: 2, least: 1600 });
});

test("the best by what is to improve stand first, and what stays may not worsen", () => {
  same(page(`wishes.look(-1, ${wish(["improve", 0, 101], ["free"])}).rows`), [3, 2, 1, 0]);
  same(page(`wishes.look(1, ${wish(["free"], ["keep", 0, 200])}).rows`), [0]);
  same(page(`[0, 1, 2, 3].map(wishes.all(${wish(["keep", 0, 50], ["worsen", 1600, 0])}))`), [false, true, true, false]);
});

test("designs of equal values share a mark", () => {
  const given = record();
  given.objectives[0].front = packed("f64", [100, 50, 5, 5]);
  given.objectives[1].front = packed("f64", [100, 200, 3200, 3200]);
  const own = load("shared_view.js", given);
  const made = own("marks.make([0, 1, 2, 3], model.objectives[0], model.objectives[1], 'off', -1)");
  same(
    made.map((mark) => mark.rows),
    [[0], [1], [2, 3]],
  );
});

test("designs that are nearly alike stand behind the best by the first objective", () => {
  const make = (within, open) =>
    page(`marks.make([0, 1, 2, 3], model.objectives[0], model.objectives[1], "${within}", ${open})`);
  same(make("100", -1), [
    { at: 3, rows: [3, 2], near: true, of: -1 },
    { at: 1, rows: [1, 0], near: true, of: -1 },
  ]);
  same(make("100", 2), [
    { at: 3, rows: [3], near: false, of: 3 },
    { at: 2, rows: [2], near: false, of: 3 },
    { at: 1, rows: [1, 0], near: true, of: -1 },
  ]);
  assert.equal(make("99", -1).length, 4, "twice as long is not within 99 %");
  assert.equal(make("error", -1).length, 4, "of power no error is published: only equal values are alike");
  const loose = load("shared_view.js", record({ errors: [[1], [null]] }));
  assert.equal(loose("marks.make([0, 1, 2, 3], model.objectives[0], model.objectives[1], 'error', -1)").length, 4);
  const words = "time 10.0 %; power: none is published, so only equal values count as alike";
  same([page("marks.published"), page("marks.told()")], [true, words]);
});

test("a design that is proposed stands for the others", () => {
  const own = load("shared_view.js", record({ picks: [{ row: 0 }] }));
  const made = own("marks.make([0, 1, 2, 3], model.objectives[0], model.objectives[1], '100', -1)");
  same(
    made.map((mark) => mark.rows),
    [
      [0, 1],
      [3, 2],
    ],
  );
});

test("kinds have a shape and a colour each, numbers a place on the scale", () => {
  const own = load("shared_view.js", record());
  assert.equal(own("colours.tint.name"), "chip");
  same(own("colours.groups().groups.map(({ name, count, place }) => [name, count, place])"), [
    ["slow", 2, 0],
    ["fast", 2, 1],
  ]);
  same(own("colours.groups().groups.map(colours.shape)"), ["circle", "square"]);
  same(own("[0, 3, 4].map(colours.painter())"), ["--kind-0", "--kind-1", "--kind-1"]);
  own("colours.choose(model.objectives[0])");
  same(own("[colours.groups(), colours.reach(model.objectives[0])]"), [null, [5, 100]]);
  same(own("[0, 1, 2, 3].map(colours.painter())"), ["#20", "#9", "#1", "#0"]);
});

test("of too many kinds those with the fewest designs share one mark", () => {
  const given = record({ kinds: packed("u8", Array(26).fill(0)) });
  const many = 26,
    codes = [...Array(14).keys(), ...Array(12).fill(13)];
  given.rows = { drawn: many, frontier: many, details: 0 };
  for (const name of ["numbers", "violated", "products"]) given[name] = packed("u8", Array(many).fill(0));
  given.objectives.forEach((one) => Object.assign(one, { front: packed("f64", codes), cloud: packed("f64", []) }));
  given.axes = [
    { ...given.axes[1], codes: packed("u8", codes), texts: codes.slice(0, 14).map((code) => `chip ${code}`) },
  ];
  Object.assign(given, {
    extras: [],
    details: null,
    extrapolated: { codes: packed("u8", Array(many).fill(0)), texts: [""] },
  });
  const own = load("colours.js", given);
  const { groups, rest } = own("colours.grouping(model.named('chip'))");
  const most = own("colours.MOST");
  assert.equal(groups.length, most);
  assert.equal(rest.length, 14 - (most - 1));
  same(groups.at(-1).count, rest.length);
  assert.ok(
    groups.some(({ name, count }) => name === "chip 13" && count === 13),
    "the largest keeps its own",
  );
});

test("a limit is met, binds, is violated, or only its state is known", () => {
  const of = (row) => page(`limits.of(${row})[0]`);
  same([of(3).state, of(3).words], ["binds", "3.200 kW, limit 4 kW: 20.0 % to spare"]);
  same([of(0).state, of(0).spare], ["met", "97.5 % to spare"]);
  assert.ok(Math.abs(of(3).relative - 0.2) < 1e-12);
  same([of(4).state, of(4).words], ["met", ""]);
  same([of(7).state, of(7).words], ["violated", ""]);
});

test("what lies beyond a limit is violated", () => {
  const given = record();
  given.kinds = packed("u8", [0, 0, 0, 2, 1, 1, 1, 2]);
  given.details.columns.limit = packed("f64", [4000, 4000, 4000, 2500]);
  given.violated = packed("u8", [0, 0, 0, 1, 0, 0, 0, 1]);
  same(load("limits.js", given)("limits.of(3)[0].spare"), "28.0 % beyond");
  same(load("limits.js", given)("limits.of(3)[0].state"), "violated");
});

const steps = {
  rows: packed("u8", [0]),
  counts: packed("u8", [2]),
  axis: packed("u8", [0, 1]),
  label: packed("u8", [0, 1]),
  up: packed("u8", [1, 1]),
  place: packed("u8", [2, 0]),
  broken: packed("u8", [0, 1]),
  axes: ["nodes", "chip"],
  labels: ["2", "fast"],
  strides: [{ nodes: "1", chip: "9007199254740993" }],
  differences: [packed("f64", [-50, -40]), packed("f64", [100, 7])],
};

test("steps that are stored: where they lead, by how much, and which limit they break", () => {
  const own = load("neighbours.js", record({ neighbours: steps }));
  same(own("neighbours.of(0)"), [
    { axis: "nodes", label: "2", row: 1, number: "1", broken: "", feasible: true, changes: [-50, 100] },
    {
      axis: "chip",
      label: "fast",
      row: -1,
      number: "9007199254740993",
      broken: "power <= 20 kW",
      feasible: false,
      changes: [-40, 7],
    },
  ]);
});

test("on a page of the whole space the neighbours are the designs one value away", () => {
  const own = load("neighbours.js", record({ neighbours: steps }));
  same(own("neighbours.of(1).map(({ axis, label, row, changes }) => [axis, label, row, changes])"), [
    ["nodes", "1", 0, [50, -100]],
    ["nodes", "4", 6, [50, 200]],
    ["chip", "fast", 5, [-30, 1500]],
  ]);
  assert.equal(own("neighbours.of(6).find((step) => step.row === 7).feasible"), false);
  assert.equal(load("neighbours.js", record({ neighbours: steps, complete: false }))("neighbours.of(1)"), null);
});

test("the design under the pointer is one of the frontier where one is near, else the nearest", () => {
  const view = "{ x: (row) => 10 * row, y: () => 0 }";
  const nearest = (x, y) => page(`cloud.nearest(${view}, ${x}, ${y})`);
  same([nearest(12, 0), nearest(38, 0), nearest(42, 0), nearest(55, 0), nearest(0, 50)], [1, 3, 4, 5, -1]);
});
