// What may stand on an axis, which axes there are, and what a plot draws over them.

import assert from "node:assert/strict";
import { test } from "node:test";

import { load, plain, record, same } from "./page.mjs";

function built() {
  const page = load("shared_view.js", record());
  page("table.build()"); // the page does it before anything can be chosen
  return page;
}
const page = built();

test("what may stand on an axis, by what it is", () => {
  same(page("stored.groups.map(([label, list]) => [label, list.map((dim) => dim.key)])"), [
    ["objectives", ["objective:time", "objective:power"]],
    ["further quantities", ["also:energy"]],
    ["axes", ["axis:nodes"]],
    ["parts of quantities", ["part:work", "part:wait"]],
  ]);
  same(page("['also:energy', 'part:work', 'axis:chip', 'x'].map((key) => stored.byKey(key)?.name ?? null)"), [
    "energy",
    "work",
    null,
    null,
  ]);
  same(page("[stored.byKey('part:work').value(1), stored.byKey('part:work').value(5)]"), [40, NaN]);
});

test("with one objective the number of the design is the other axis", () => {
  const given = record();
  given.objectives.length = 1;
  same(load("stored.js", given)("stored.groups[0][1].map((dim) => dim.name)"), ["time", "design number"]);
});

test("levels of an axis and of a quantity that takes few values", () => {
  const levels = (key) =>
    page(`(({ many, code, label }) => [many, [0, 2, 4].map(code), label(1)])(stored.levels(${key}))`);
  same(levels("model.named('nodes')"), [4, [0, 2, 0], "2"]);
  same(levels("model.named('chip')"), [2, [0, 1, 1], "fast"]);
  same(levels("stored.byKey('also:energy')"), [2, [0, 1, 2], "16 kJ"]);
  same(page("[stored.taken(model.named('chip')), stored.counts.map((dim) => dim.name)]"), [2, ["energy"]]);
});

test("from a value to pixels, even and logarithmic", () => {
  assert.equal(page("look.toPixels({ type: 'log', range: [0, 2] }, 0, 100)(10)"), 50);
  assert.equal(page("look.toPixels({ type: 'linear', range: [10, 20] }, 100, 0)(12.5)"), 75);
  same(page("[look.spread(model.named('time')), look.spread(model.named('power'))]"), [20, 900]);
});

test("titles fold between words and are no markup", () => {
  same(page("look.folded('lorem ipsum dolor', 70)"), "lorem<br>ipsum<br>dolor");
  same(page("look.folded('lorem ipsum dolor', 84)"), "lorem ipsum<br>dolor");
  same(page("look.folded('<b>&', 700)"), "&lt;b&gt;&amp;");
  same(page("[look.goal(model.named('time')), look.goal({ sense: 'max' }), look.goal({})]"), [
    ", lower is better",
    ", higher is better",
    "",
  ]);
});

test("a logarithmic axis has as many ticks as it has room for", () => {
  const step = (range) => page(`look.axis(model.named('power'), true, ${JSON.stringify(range)}, 400).dtick ?? null`);
  same([step([0, 0.5]), step([0, 3]), step([0, 8]), step([0, 17])], [null, "D2", 1, 3]);
});

test("lines join the best of what is feasible, shown and kept", () => {
  const own = built();
  const best = (sense) =>
    plain(
      own(`(() => {
        const x = model.named("nodes"), none = { code: () => 0 }, of = lines.rows(x);
        const at = lines.best(of, model.named("time"), "${sense}", none, none, lines.kept(x, of, Infinity));
        return [0, 1, 2, 3].map((code) => at(0, 0, code));
      })()`),
    );
  same(own("lines.rows(model.named('nodes'))"), [0, 1, 2, 3, 4, 5, 6]);
  same(best("min"), [4, 5, 2, 3]);
  same(best("max"), [0, 1, 6, 3]);
  own("model.show('dominated', false)");
  same(best("min"), [0, 1, 2, 3]);
  own("model.brush(model.named('chip').place, [0, 0])");
  same(own("lines.rows(model.named('nodes'))"), [0, 1]);
});

test("of many lines those with most designs are kept, in their order", () => {
  const kept = (most) =>
    page(`(({ codes, left }) => [codes, left])(lines.kept(model.named('chip'), [0, 1, 2, 3, 4], ${most}))`);
  same(
    [kept(1), kept(2)],
    [
      [[1], 1],
      [[0, 1], 0],
    ],
  );
});

const shown = (own) => plain(own("parallelAxes.shown().map((dim) => dim.name)"));

test("parallel axes: those that vary, in an order of their own where it is chosen", () => {
  const own = built();
  same(shown(own), ["nodes", "chip", "time", "power"]);
  assert.equal(own("parallelAxes.names()"), null);
  own("parallelAxes.move(model.named('power'), 0)");
  same(shown(own), ["power", "nodes", "chip", "time"]);
  own("parallelAxes.move(model.named('power'), 99)");
  same(shown(own), ["nodes", "chip", "time", "power"]);
  own("parallelAxes.choose(model.named('chip'), false)");
  own("parallelAxes.choose(model.named('energy'), true)");
  same(own("parallelAxes.names()"), ["nodes", "time", "power", "energy"]);
  own("parallelAxes.reset()");
  same(shown(own), ["nodes", "chip", "time", "power"]);
});

test("parallel axes by name, each once; a strange one is refused, and the last one stays", () => {
  const own = built();
  own("parallelAxes.take(['time', 'nodes', 'time'])");
  same(shown(own), ["time", "nodes"]);
  assert.throws(() => own("parallelAxes.take(['time', 'toString'])"), /axes that are not on this page/);
  same(shown(own), ["time", "nodes"]);
  own("parallelAxes.take(['time'])");
  own("parallelAxes.choose(model.named('time'), false)");
  same(shown(own), ["time"]);
  own("parallelAxes.take(null)");
  same(shown(own).length, 4);
});

test("an axis without a choice among the designs that are shown goes, unless it is brushed", () => {
  const own = built();
  own("model.hide((row) => [2, 3, 4, 5].includes(row))");
  own("parallelAxes.again()");
  same(shown(own), ["nodes", "time", "power"]);
  own("model.brush(model.named('chip').place, [0, 0])");
  own("parallelAxes.again()");
  same(shown(own), ["nodes", "chip", "time", "power"]);
});

test("every parallel axis has a column of its own, and together they have the width", () => {
  const columns = plain(page("parallelAxes.columns(900, 300)")).map(({ left, width, x, ticks }) => ({
    left,
    width,
    x,
    ticks,
  }));
  assert.equal(columns.length, 4);
  columns.forEach(({ left, width, x }, at) => {
    const before = columns[at - 1];
    assert.ok(Math.abs(left - (before ? before.left + before.width : 0)) < 1e-9);
    assert.ok(x > left && x < left + width);
  });
  assert.ok(Math.abs(columns.at(-1).left + columns.at(-1).width - 900) < 1e-9);
  same(
    columns[0].ticks.map(([p, lines]) => [p, lines.join("")]),
    [
      [0, "1"],
      [1 / 3, "2"],
      [2 / 3, "4"],
      [1, "8"],
    ],
  );
  same(
    columns[1].ticks.map(([, lines]) => lines.join("")),
    ["slow", "fast"],
  );
  same(
    columns[2].ticks.map(([, lines]) => lines.join("")),
    ["5", "28.8", "52.5", "76.3", "100"],
  );
});
