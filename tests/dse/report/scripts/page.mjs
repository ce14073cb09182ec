// The scripts of the page without a browser: run one after the other as the page does, on a record of designs and on as
// much of a document as their logic asks for. Each test loads them anew, so that none sees what another has chosen.

import assert from "node:assert/strict";
import { Buffer } from "node:buffer";
import { readFileSync } from "node:fs";
import process from "node:process";
import vm from "node:vm";

// From `test_script_logic.py`: name and source of each script in the order of the page, arrays that Python packed.
export const { scripts, encoded } = JSON.parse(readFileSync(process.env.PAGE_SCRIPTS, "utf-8"));

// As much of an element as the scripts ask for while they are loaded and asked.
class FakeElement {
  constructor(tag = "div") {
    Object.assign(this, { tag, attributes: {}, children: [], listeners: {}, dataset: {}, hidden: false, own: "" });
    this.style = { setProperty: (name, value) => (this.style[name] = value) };
    this.classList = { add: () => {}, remove: () => {}, toggle: () => {} };
    Object.assign(this, {
      scrollTop: 0,
      clientWidth: 900,
      clientHeight: 460,
      offsetHeight: 30,
      value: "",
      options: [],
    });
  }
  get parentElement() {
    return (this.parent ||= new FakeElement());
  }
  get textContent() {
    return this.own + this.children.map((one) => (typeof one === "object" ? one.textContent : String(one))).join("");
  }
  set textContent(written) {
    this.children = [];
    this.own = String(written);
  }
  setAttribute(name, value) {
    this.attributes[name] = String(value);
    if (name.startsWith("data-")) this.dataset[name.slice(5)] = String(value);
    if (["value", "checked", "type", "id"].includes(name)) this[name] = name === "checked" ? true : String(value);
  }
  removeAttribute(name) {
    delete this.attributes[name];
  }
  addEventListener(event, listener) {
    (this.listeners[event] ||= []).push(listener);
  }
  dispatchEvent(event) {
    for (const listener of this.listeners[event.type] || []) listener(event);
  }
  contains(other) {
    return other === this || [...this.all()].includes(other);
  }
  focus() {}
  remove() {}
  scrollIntoView() {}
  click() {
    this.dispatchEvent({ type: "click", target: this });
  }
  append(...pieces) {
    this.children.push(...pieces);
  }
  replaceChildren(...pieces) {
    this.own = "";
    this.children = pieces;
  }
  *all() {
    for (const child of this.children)
      if (child instanceof FakeElement) {
        yield child;
        yield* child.all();
      }
  }
  // The last word of a selector, by tag and by one attribute.
  querySelectorAll(selector) {
    const [, tag, attribute] = selector
      .split(" ")
      .at(-1)
      .match(/^([a-z]*)(?:\[([a-z-]+).*\])?$/) || [null, "none"];
    return [...this.all()].filter((one) => (!tag || one.tag === tag) && (!attribute || attribute in one.attributes));
  }
  querySelector(selector) {
    return this.querySelectorAll(selector)[0] || (this.spare ||= new FakeElement());
  }
  // A pen that draws nothing, and takes each character for seven pixels wide.
  getContext() {
    const pen = { measureText: (written) => ({ width: 7 * written.length }) };
    return new Proxy(pen, { get: (own, name) => own[name] ?? (() => {}) });
  }
}

const SCALE = Array.from({ length: 21 }, (_, at) => `#${at}`).join(" ");

class Observer {
  observe() {}
}

function fakeDocument(record) {
  const places = new Map();
  const place = (id) => {
    if (!places.has(id)) places.set(id, new FakeElement());
    return places.get(id);
  };
  place("data").textContent = JSON.stringify(record);
  place("parallel").append(new FakeElement("canvas"), new FakeElement("canvas"));
  for (const id of ["sliders", "moved"]) places.set(id, null); // a page of which nothing is uncertain
  return {
    getElementById: place,
    createElement: (tag) => new FakeElement(tag),
    createElementNS: (_, tag) => new FakeElement(tag),
    addEventListener: () => {},
    querySelector: () => new FakeElement(),
    querySelectorAll: () => [],
    documentElement: new FakeElement(),
  };
}

// Run the scripts up to and with `last` on a record (null: a page without designs). Returns a function that reads
// what an expression is on the page. `hash`: the fragment of its address.
export function load(last, record = null, hash = "") {
  const at = scripts.findIndex(([name]) => name === last);
  if (at < 0) throw new Error(`the page has no script ${last}`);
  const document = fakeDocument(record);
  const window = {
    document,
    atob,
    location: { href: "file:///report.html", hash },
    history: { replaceState: () => {}, pushState: () => {} },
    addEventListener: () => {},
    matchMedia: () => ({ matches: false, addEventListener: () => {} }),
    getComputedStyle: () => ({ getPropertyValue: (name) => (name === "--scale" ? SCALE : name) }),
    innerWidth: 1200,
    devicePixelRatio: 1,
    requestAnimationFrame: () => {},
    MutationObserver: Observer,
    ResizeObserver: Observer,
    IntersectionObserver: Observer,
    setTimeout,
    clearTimeout,
    Event: class {
      constructor(type) {
        this.type = type;
      }
    },
  };
  window.window = window;
  const context = vm.createContext(window);
  const source = scripts.slice(0, at + 1).map(([, text]) => text);
  vm.runInContext(source.join("\n"), context, { filename: `page up to ${last}` });
  return (expression) => vm.runInContext(`(${expression})`, context);
}

// A value of the page as one of this side: arrays of any kind are plain ones, sets and maps lists.
export function plain(value) {
  if (ArrayBuffer.isView(value) || Array.isArray(value)) return Array.from(value, plain);
  const kind = Object.prototype.toString.call(value);
  if (kind === "[object Set]" || kind === "[object Map]") return Array.from(value, plain);
  if (value === null || typeof value !== "object") return value;
  return Object.fromEntries(Object.entries(value).map(([key, one]) => [key, plain(one)]));
}

export const same = (actual, expected) => assert.deepEqual(plain(actual), plain(expected));

// ---- a record of designs -------------------------------------------------------------------------------------------

const TYPES = { f64: Float64Array, u8: Uint8Array, u64: BigUint64Array };

export function packed(kind, values) {
  const array = TYPES[kind].from(values);
  return { t: kind, n: values.length, b: Buffer.from(array.buffer).toString("base64") };
}

// SYNTHETIC: eight designs of two axes, two objectives and a limit; four on the frontier, three behind, one infeasible.
//
// row | nodes | chip | time/s | power/W |
//  0  |   1   | slow |  100   |   100   | frontier
//  1  |   2   | slow |   50   |   200   | frontier
//  2  |   4   | fast |   10   |  1600   | frontier
//  3  |   8   | fast |    5   |  3200   | frontier
//  4  |   1   | fast |   60   |   400   | dominated (by row 1)
//  5  |   2   | fast |   20   |  1700   | dominated (by row 2)
//  6  |   4   | slow |  100   |   400   | dominated (by rows 0 and 1)
//  7  |   8   | slow |   15   | 90000   | infeasible
export function record(changes = {}) {
  const objective = (quantity, sense, unit, values, best, worst) => ({
    quantity,
    label: quantity,
    sense,
    unit,
    scale: 1,
    shown: unit,
    doc: "",
    best,
    worst,
    front: packed("f64", values.slice(0, 4)),
    cloud: packed("f64", values.slice(4)),
    ranks: packed("u8", [0, 1, 2, 3]),
  });
  return {
    name: "made up",
    labels: { power: "draw", "time@small": "small job" },
    exact: true,
    synthetic: [],
    alternatives: ["one"],
    constraints: ["power <= 20 kW"],
    numbers: packed("u8", [0, 1, 12, 13, 10, 11, 2, 3]),
    places: packed("u8", [1, 2, 3, 4]),
    kinds: packed("u8", [0, 0, 0, 0, 1, 1, 1, 2]),
    violated: packed("u8", [0, 0, 0, 0, 0, 0, 0, 1]),
    products: packed("u8", [0, 0, 0, 0, 0, 0, 0, 0]),
    rows: { drawn: 8, frontier: 4, details: 4 },
    frontier: 4,
    complete: true,
    single: false,
    place: "runs/made-up",
    objectives: [
      objective("time", "min", "s", [100, 50, 10, 5, 60, 20, 100, 15], 5, 100),
      objective("power", "min", "W", [100, 200, 1600, 3200, 400, 1700, 400, 90000], 100, 3200),
    ],
    axes: [
      {
        name: "nodes",
        label: "nodes",
        unit: "1",
        scale: 1,
        shown: "",
        doc: "",
        codes: packed("u8", [0, 1, 2, 3, 0, 1, 2, 3]),
        values: packed("f64", [1, 2, 4, 8]),
      },
      {
        name: "chip",
        label: "chip",
        unit: "text",
        scale: 1,
        shown: "",
        doc: "",
        codes: packed("u8", [0, 0, 1, 1, 1, 1, 0, 0]),
        texts: ["slow", "fast"],
      },
    ],
    validations: [],
    extras: [
      {
        name: "energy",
        label: "energy",
        unit: "J",
        scale: 1000,
        shown: "kJ",
        doc: "",
        values: packed("f64", [10000, 10000, 16000, 16000]),
      },
    ],
    extrapolated: { codes: packed("u8", [0, 0, 0, 1, 0, 0, 0, 1]), texts: ["", "nodes"] },
    sure: packed("u8", [0, 1, 2, 0]),
    pictures: [],
    picks: [],
    short: { rows: [], effects: [] },
    notes: [],
    references: [],
    errors: [[0.1], [null]],
    neighbours: null,
    limit_lines: [],
    details: {
      binding: 0.25,
      rates: [],
      limits: [{ left: "power", right: "limit", relation: "<=", unit: "W" }],
      stacks: [{ kind: "sum", quantity: "time", unit: "s", parts: ["work", "wait"], products: [0] }],
      columns: {
        power: packed("f64", [100, 200, 1600, 3200]),
        limit: packed("f64", [4000, 4000, 4000, 4000]),
        time: packed("f64", [100, 50, 10, 5]),
        work: packed("f64", [90, 40, 5, 1]),
        wait: packed("f64", [10, 10, 5, 4]),
      },
    },
    ...changes,
  };
}
