// Numbers and units for people, and the file for spreadsheets.

import assert from "node:assert/strict";
import { test } from "node:test";

import { load, packed, plain, record, same } from "./page.mjs";

const text = load("text.js")("text");

test("four digits, thousands apart, and nothing that is no number", () => {
  const given = [0, 1234567, 1234.5678, 0.00123456, 1.5e-5, 2.5e7 + 0.5, NaN, Infinity, -Infinity, -12.345];
  const written = [
    "0",
    "1\u202f234\u202f567",
    "1\u202f235",
    "0.001235",
    "1.500e-5",
    "2.500e+7",
    "–",
    "∞",
    "-∞",
    "-12.35",
  ];
  same(
    given.map((v) => text.number(v)),
    written,
  );
  assert.equal(text.number(3.14159, 2), "3.1");
});

test("what somebody gave is written as it was given", () => {
  assert.equal(text.given(2e9, { scale: 1e9, shown: "GHz" }), "2 GHz");
  assert.equal(text.given(0.1 + 0.2, { scale: 1, shown: "" }), "0.3");
  assert.equal(text.given(1048576, { scale: 1, shown: "B" }), "1\u202f048\u202f576 B");
});

test("the unit in which the largest is read most easily", () => {
  const unit = (si, largest) => Object.values(text.unit(si, largest));
  same(unit("Hz", 2.4e9), [1e9, "GHz"]);
  same(unit("W", 999.6), [1e3, "kW"]);
  same(unit("W", 999.4), [1, "W"]);
  same(unit("W", 0), [1, "W"]);
  same(unit("s", 7200), [1, "s"]);
  same(unit("s", 0.02), [1e-3, "ms"]);
  same(unit("1/s", 5e12), [1e12, "T/s"]);
  same(unit("m^2", 1e-4), [1e-6, "mm²"]);
  same(unit("kg", 999.6), [1e3, "t"]);
  same(unit("EUR/J", 1e-7), [1 / 3.6e6, "EUR/kWh"]);
  same(unit("1", 5), [1, ""]);
  same(unit("furlong", 3), [1, "furlong"]);
});

test("sizes of caches have binary multiples, other bytes decimal ones", () => {
  const shown = (size) => text.unit("B", size).shown;
  same([32768, 1536, 2 ** 41, 32000, 1100].map(shown), ["KiB", "KiB", "TiB", "kB", "kB"]);
});

test("R5: different numbers of a column look different, and small shares are not nothing", () => {
  const write = text.writer([7, 7.00007, 7.00014, 2e5]),
    even = text.writer([7, 7.00007], false);
  same([7, 7.00007, 7.00014].map(write), ["7", "7.00007", "7.00014"]);
  same([7, 7.00007].map(even), ["7", "7"]);
  same([0, -5e-6, 5e-6, 0.02, 1].map(text.percent), ["0 %", "> −0.1 %", "< 0.1 %", "2.0 %", "100 %"]);
  const changes = ["0 %", "> −0.1 %", "< +0.1 %", "−2.0 %", "+2.0 %"];
  same([0, -5e-6, 5e-6, -0.02, 0.02].map(text.change), changes);
  same([1, 1.0001, 0.5].map(text.times), ["1 ×", "≈1 ×", "0.500 ×"]);
});

test("a column has the same decimals throughout, no more than it needs", () => {
  same([1, 10.25].map(text.writer([1, 10.25])), ["1.00", "10.25"]);
  same([1, 20, 300].map(text.writer([1, 20, 300])), ["1", "20", "300"]);
  assert.equal(text.writer([1, 10.25])(NaN), "–");
});

test("the file has SI values, units in the headings, and a dash nowhere", () => {
  const page = load("text.js", record());
  same(page("csv([3, 7])").split("\r\n"), [
    "design,status,nodes,chip,time [s],power [W],energy [J],extrapolated,violates",
    "13,frontier,8,fast,5,3200,16000,nodes,",
    "3,infeasible,8,slow,15,90000,,nodes,power <= 20 kW",
    "",
  ]);
});

test("no text of the file is a formula of the spreadsheet", () => {
  const given = record();
  given.axes[1].texts = ['=HYPERLINK("x")', "a, b"];
  const [, slow, , fast] = load("text.js", given)("csv([0, 1, 2])").split("\r\n");
  assert.equal(slow.split(",100,")[0], `0,frontier,1,"'=HYPERLINK(""x"")"`);
  assert.match(fast, /^12,frontier,4,"a, b",10,/);
});

test("figures of single precision are written with the digits they have", () => {
  const given = record({ single: true });
  given.objectives[0].cloud = packed("f64", [Math.fround(60.1), 20, 100, 15]);
  const lines = load("text.js", given)("csv([0, 4])").split("\r\n");
  assert.equal(lines[2].split(",")[4], "60.1");
});

test("a page without designs has none of it", () => {
  assert.equal(load("shared_view.js")("model"), null);
  assert.equal(
    plain(load("shared_view.js")("[stored, table, wishes, plot]")).every((one) => one === null),
    true,
  );
});
