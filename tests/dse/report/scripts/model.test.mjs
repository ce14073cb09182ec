// The designs of the page: decoded, placed on axes, chosen, and which of them beats which.

import assert from "node:assert/strict";
import { Buffer } from "node:buffer";
import { test } from "node:test";

import { encoded, load, packed, plain, record, same } from "./page.mjs";

const opened = (changes) => load("text.js", record(changes));

test("arrays that Python packed are what they were", () => {
  const array = load("text.js", record())("model.array");
  assert.ok(encoded.length >= 8);
  for (const { values, packed: told } of encoded) {
    const got = plain(array(told));
    same(
      got.map((v) => (Number.isNaN(v) ? "nan" : String(v))),
      values,
    );
  }
});

test("whole numbers of three bits stand from the lowest bit of the first byte on", () => {
  const array = load("text.js", record())("model.array");
  same(array({ t: "bits", w: 3, n: 5, b: Buffer.from([209, 81]).toString("base64") }), [1, 2, 7, 0, 5]);
  same(array({ n: 2, c: null }), [NaN, NaN]);
});

test("rows, their numbers and back", () => {
  const model = opened()("model");
  same([model.count, model.front, model.numeric(2), model.number(3)], [8, 4, 12, "13"]);
  same(["13", "3", "99", "1e1", "", "-1"].map(model.row), [3, 7, -1, -1, -1, -1]);
  same([3, 0, 4].map(model.name), ["A4", "A1", ""]);
  const large = opened({ numbers: packed("u64", [0n, 1n, 2n, 3n, 4n, 5n, 6n, 2n ** 63n + 1n]) })("model");
  assert.equal(large.row("9223372036854775809"), 7);
  assert.equal(large.row("9223372036854775808"), -1);
});

test("names are read as labels, members of index sets in brackets", () => {
  const { label } = opened()("model");
  same(["power", "time@small", "run_time@a@b", "power@x", "constructor"].map(label), [
    "draw",
    "small job",
    "run time (a, b)",
    "draw (x)",
    "constructor",
  ]);
});

test("values and texts of an axis, an objective and what is stored of the frontier alone", () => {
  const page = opened();
  same(page("model.dims.map((dim) => dim.name)"), ["nodes", "chip", "time", "power"]);
  same(page("model.dims.map((dim) => dim.text(3))"), ["8", "fast", "5", "3\u202f200"]);
  same(page("[model.extras[0].value(3), model.extras[0].text(3), model.extras[0].text(4)]"), [16000, "16", ""]);
  assert.ok(Number.isNaN(page("model.extras[0].value(4)")));
  same(page("[model.kind(0), model.kind(4), model.kind(7), model.constraint(7), model.extrapolated(3)]"), [
    "frontier",
    "dominated",
    "infeasible",
    "power <= 20 kW",
    "nodes",
  ]);
  assert.equal(opened({ exact: false })("model.kind(0)"), "best found");
});

test("a design has no text on an axis of another alternative", () => {
  const given = record();
  given.axes[0].codes = packed("u8", [0, 1, 2, 4, 0, 1, 2, 3]);
  const page = load("text.js", given);
  same(page("[model.dims[0].text(3), model.dims[0].value(3), model.dims[0].text(2)]"), ["", NaN, "4"]);
  assert.equal(page("model.positions(model.dims[0])[3]"), -1);
});

test("how sure a part is stands with it", () => {
  const given = record();
  given.axes.push({ ...given.axes[1], name: "chip_confidence", of: "chip", texts: ["high", "low"] });
  const page = load("text.js", given);
  same(page("[model.named('chip').marked(0), model.named('chip').marked(2), model.named('nodes').marked(0)]"), [
    "slow · high",
    "fast · low",
    "1",
  ]);
  same(page("[model.named('chip').sureOf(1), model.dims.length, model.confidences.length]"), ["low", 4, 1]);
});

test("who beats a design: the nearest of the frontier that is no worse in anything", () => {
  const { dominator } = opened()("model");
  // Row 6 is beaten by row 0, as fast and 75 % less, and by row 1, half of both: this is nearer.
  same([4, 5, 6].map(dominator), [1, 2, 1]);
  same([0, 1, 2, 3].map(dominator), [-1, -1, -1, -1]);
  // 110 s at 210 W: row 0 is 52 % away (110 of 210 W), row 1 is 55 % (60 of 110 s).
  const given = record();
  given.objectives[0].cloud = packed("f64", [60, 20, 110, 15]);
  given.objectives[1].cloud = packed("f64", [400, 1700, 210, 90000]);
  assert.equal(load("text.js", given)("model").dominator(6), 0);
});

test("who beats a design where more is better", () => {
  const given = record();
  Object.assign(given.objectives[0], { sense: "max" });
  // Now 100 s at 100 W is the best of all, and beats whatever is on the page but itself.
  const { dominator } = load("text.js", given)("model");
  same([1, 4, 6].map(dominator), [0, 0, 0]);
});

test("few values stand at even distances, others from the least to the most", () => {
  const page = opened();
  const at = (name) => plain(page(`model.positions(model.named("${name}"))`));
  same(at("nodes"), [0, 1 / 3, 2 / 3, 1, 0, 1 / 3, 2 / 3, 1].map(Math.fround));
  same(at("chip"), [0, 0, 1, 1, 1, 1, 0, 0]);
  same(
    at("time"),
    [100, 50, 10, 5, 60, 20, 100, 15].map((v) => Math.fround((v - 5) / 95)),
  );
});

test("an axis is logarithmic from fifty times on, or where it is asked for", () => {
  const page = opened();
  page("model.positions(model.named('power'))"); // 100 W to 90 kW
  assert.equal(page("model.named('power').log"), true);
  assert.ok(Math.abs(page("model.positions(model.named('power'))[3]") - Math.log(32) / Math.log(900)) < 1e-6);
  page("model.show('infeasible', false)");
  page("model.refit()"); // 100 W to 3.2 kW
  assert.equal(page("model.named('power').log"), false);
  assert.equal(page("model.positions(model.named('power'))[3]"), 1);
  assert.equal(page("model.positions(model.named('power'))[7]"), 1, "what lies beyond stands at the end");
  page("model.rescale(model.named('power').place, true)");
  assert.ok(Math.abs(page("model.positions(model.named('power'))[1]") - Math.log(2) / Math.log(32)) < 1e-6);
  same(page("[model.positive(model.named('time')), model.positive(model.named('chip'))]"), [true, false]);
});

test("a brush keeps what lies in it, on the frontier or of all", () => {
  const page = opened();
  assert.equal(page("model.filtered"), false);
  page("model.brush(model.named('nodes').place, [0, 1 / 3])");
  assert.equal(page("model.filtered"), true);
  same(page("model.rows()"), [0, 1]);
  page("model.every(true)");
  same(page("model.rows()"), [0, 1, 4, 5]);
  page("model.brush(model.named('chip').place, [1, 1])");
  same(page("model.rows()"), [4, 5]);
  page("model.brush(model.named('chip').place, null)");
  same(page("model.rows()"), [0, 1, 4, 5]);
});

test("a brush keeps the same designs on another scale", () => {
  const page = opened();
  page("model.every(true)");
  page("model.brush(model.named('time').place, [0, 0.2])"); // up to 24 s
  same(page("model.rows()"), [2, 3, 5, 7]);
  page("model.rescale(model.named('time').place, true)");
  same(page("model.rows()"), [2, 3, 5, 7]);
  const [, end] = page("model.state.brushes.get(model.named('time').place)");
  assert.ok(
    end > Math.log(4) / Math.log(20) - 1e-5 && end < Math.log(10) / Math.log(20),
    "it ends at 20 s, not at 24 s",
  );
});

test("a brush from the middle up stays one on another scale", () => {
  const page = opened();
  page("model.every(true)");
  page("model.brush(model.named('time').place, [0.5, 1])"); // from 52.5 s
  page("model.rescale(model.named('time').place, true)");
  same(page("model.rows()"), [0, 4, 6]);
});

test("a region, a wish and a hidden kind all have to let a design pass", () => {
  const page = opened();
  page("model.every(true)");
  page("model.region((row) => row > 0)");
  page("model.within((row) => row !== 3)");
  same(page("model.rows()"), [1, 2, 4, 5, 6, 7]);
  page("model.hide((row) => row === 5)");
  same(page("model.rows()"), [1, 2, 4, 6, 7]);
  page("model.show('dominated', false)");
  same(page("model.rows()"), [1, 2, 7]);
  page("model.clear()");
  same(page("model.rows()"), [0, 1, 2, 3, 7]);
  assert.equal(page("model.filtered"), false);
});

test("views are told what has changed", () => {
  const page = opened();
  page("globalThis.heard = []");
  page("model.listen((what) => heard.push(what))");
  for (const done of ["select(2)", "brush(0, [0, 1])", "hide(() => false)", "clear()", "every(true)", "beside(1)"])
    page(`model.${done}`);
  same(page("heard"), ["selected", "filter", "filter", "shown", "clear", "filter", "shown", "rows", "selected"]);
  same(page("[model.state.selected, model.state.reference]"), [-1, 1]);
});

test("whether a dimension has a choice left, and how sure the least sure of a mark is", () => {
  const page = opened();
  same(page("model.dims.map((dim) => model.varies(dim))"), [true, true, true, true]);
  page("model.hide((row) => [2, 3, 4, 5].includes(row))");
  same(page("model.dims.map((dim) => model.varies(dim))"), [true, false, true, true]);
  same(page("[[0, 1], [2], [1, 2], [5], []].map(model.leastSure)"), [0, 2, 1, 0, 2]);
});
