// The table of designs, and the view that a link opens.

import assert from "node:assert/strict";
import { test } from "node:test";

import { load, record, same } from "./page.mjs";

function built(changes) {
  const page = load("shared_view.js", record(changes));
  page("table.build()");
  return page;
}

test("sorted by a column, downwards, and not at all; ties in their order", () => {
  const page = built();
  same(page("table.rows()"), [0, 1, 2, 3]);
  page("table.sort('time')");
  same([page("table.rows()"), page("table.order()")], [[3, 2, 1, 0], ["time"]]);
  page("table.sort('energy', 'down')");
  same(
    [page("table.rows()"), page("table.order()")],
    [
      [2, 3, 0, 1],
      ["energy", "down"],
    ],
  );
  page("table.sort()");
  same([page("table.rows()"), page("table.order()")], [[0, 1, 2, 3], null]);
  assert.throws(() => page("table.sort('watts')"), /a column that this page does not know/);
});

test("designs without a value stand last, whichever way", () => {
  const page = built();
  page("model.every(true)");
  page("table.sort('energy')");
  same(page("table.rows()"), [0, 1, 2, 3, 4, 5, 6, 7]);
  page("table.sort('energy', 'down')");
  same(page("table.rows()"), [2, 3, 0, 1, 4, 5, 6, 7]);
});

test("a heading sorts by its column, and the other way when it is pressed again", () => {
  const page = built();
  const press = () => page("byId('table').querySelectorAll('button')[2].listeners.click[0]()"); // time
  press();
  same([page("table.rows()"), page("table.order()")], [[3, 2, 1, 0], ["time"]]);
  press();
  same(
    [page("table.rows()"), page("table.order()")],
    [
      [0, 1, 2, 3],
      ["time", "down"],
    ],
  );
});

test("what it holds and says follows the choice", () => {
  const page = built();
  const count = () => page("byId('count').textContent");
  assert.equal(count(), "4 designs on the frontier");
  page("model.brush(model.named('nodes').place, [1, 1])");
  assert.equal(count(), "1 design on the frontier, chosen");
  page("model.every(true)");
  assert.equal(count(), "2 designs, chosen");
  page("model.clear()");
  assert.equal(count(), "8 designs");
});

test("columns can be left out, and only those there are", () => {
  const page = built();
  assert.equal(page("table.columns()"), null);
  page("table.choose(['energy', 'violates'])");
  same(page("table.columns()"), ["energy", "violates"]);
  assert.throws(() => page("table.choose(['watts'])"), /a column that this page does not know/);
  page("table.choose(null)");
  assert.equal(page("table.columns()"), null);
});

test("what all designs have alike is said once", () => {
  const given = record();
  given.axes[1].codes = { n: 8, c: 1 };
  const page = load("shared_view.js", given);
  page("table.build()");
  assert.equal(page("byId('table-common').textContent"), "all: chip fast");
});

// ---- the fragment of the address ------------------------------------------------------------------------------------

test("lists as one text that addresses leave as it is, and back", () => {
  const page = load("state.js", record());
  const lists = [["a~b", "c!%"], ["d"], ["größe", ""]];
  const packed = page(`pageState.pack(${JSON.stringify(lists)})`);
  assert.equal(packed, "a%7Eb~c%21%25!d!größe~");
  same(page(`pageState.unpack(${JSON.stringify(packed)})`), lists);
});

function shared(hash) {
  const page = load("state.js", record(), hash);
  page("globalThis.now = { k: null, wrote: [] }");
  const write = "(told) => { now.wrote.push(told); if (told === 'bad') throw new Error('no'); now.k = told; }";
  page(`pageState.share("k", () => now.k, ${write})`);
  page("pageState.start()");
  return page;
}

test("a link opens the view it was made of", () => {
  const page = shared("#k=a%26b");
  same([page("now.k"), page("byId('link-told').textContent")], ["a&b", ""]);
  assert.equal(page("pageState.address()"), "file:///report.html#k=a%26b");
  page("now.k = null");
  assert.equal(page("pageState.address()"), "file:///report.html");
});

test("what a link says wrong is left out and told", () => {
  const wrong = shared("#k=bad&zz=1");
  same(wrong("now.wrote"), ["bad", null]);
  assert.equal(
    wrong("byId('link-told').textContent"),
    "Part of the link was left out: k: no; this page knows no “zz”.",
  );
  assert.match(shared("#k=%E0%A4%A")("byId('link-told').textContent"), /it cannot be read/);
  assert.match(shared(`#k=${"x".repeat(30001)}`)("byId('link-told').textContent"), /it cannot be read/);
  same(shared("#place")("[now.wrote, byId('link-told').textContent]"), [[], ""]);
});

function linked(hash) {
  const page = load("shared_view.js", record(), hash);
  page("table.build()");
  page("sharedView.start()");
  return page;
}

test("brushes, axes, scales, the order of the table and the design come back", () => {
  const hash = "#axes=power~nodes&scales=time~log&keep=nodes~0~0.5&sort=time~down&columns=energy&design=12";
  const page = linked(hash);
  assert.equal(page("byId('link-told').textContent"), "");
  same(page("parallelAxes.names()"), ["power", "nodes"]);
  same(page("[...model.state.brushes]"), [[page("model.named('nodes').place"), [0, 0.5]]]);
  same(page("[model.named('time').wanted, table.order(), table.columns()]"), [true, ["time", "down"], ["energy"]]);
  same(page("[model.state.selected, model.rows()]"), [2, [0, 1]]);
  assert.equal(page("pageState.address().split('#')[1]"), hash.slice(1));
});

test("names and numbers of a link that are not on the page are told, one by one", () => {
  const told = (hash) => linked(hash)("byId('link-told').textContent");
  assert.match(told("#keep=node~0~1"), /keep: an axis that is not on this page/);
  assert.match(told("#keep=nodes~0~2"), /keep: a part of an axis from 0 to 1 is wanted/);
  assert.match(told("#scales=chip~log"), /scales: a scale that this page does not know/);
  assert.match(told("#design=77"), /design: a design that is not on this page/);
  assert.match(told("#rows=some"), /rows: all or frontier is wanted/);
  assert.match(told("#region=1~2!3"), /region: a region of the plot is wanted/);
});
