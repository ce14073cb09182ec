"use strict";
// The designs of the page as typed arrays, and what is chosen among them: brushes, a region of the plot, one design.
// Rows are designs: those of the frontier first. Views listen, and draw themselves again when the choice changes.

const FRONTIER = 0,
  DOMINATED = 1,
  INFEASIBLE = 2;

const model = (() => {
  const data = JSON.parse(document.getElementById("data").textContent);
  if (!data) return null;
  const types = {
    f32: Float32Array,
    f64: Float64Array,
    u8: Uint8Array,
    u16: Uint16Array,
    u32: Uint32Array,
    u64: BigUint64Array,
  };

  function array(packed) {
    if ("b" in packed) {
      const text = atob(packed.b),
        bytes = new Uint8Array(text.length);
      for (let i = 0; i < bytes.length; i++) bytes[i] = text.charCodeAt(i);
      if (packed.t === "bits") return unpacked(bytes, packed.w, packed.n);
      return new types[packed.t](bytes.buffer);
    }
    const value = packed.c === null || packed.c === undefined ? NaN : packed.c;
    return new Float64Array(packed.n).fill(value);
  }

  // Whole numbers of `width` bits each, from the lowest bit of the first byte on; up to 53 bits are exact.
  function unpacked(bytes, width, many) {
    const found = new (width <= 8 ? Uint8Array : width <= 16 ? Uint16Array : width <= 32 ? Uint32Array : Float64Array)(
      many,
    );
    for (let i = 0, at = 0; i < many; i++) {
      let value = 0;
      for (let have = 0; have < width;) {
        const from = at & 7,
          take = Math.min(8 - from, width - have);
        value += ((bytes[at >> 3] >> from) & ((1 << take) - 1)) * 2 ** have;
        have += take;
        at += take;
      }
      found[i] = value;
    }
    return found;
  }

  const count = data.rows.drawn,
    front = data.rows.frontier;
  const kinds = array(data.kinds),
    violated = array(data.violated),
    products = array(data.products);
  const numbers = array(data.numbers),
    places = array(data.places);

  // A dimension is anything with a value for every row: `value` in SI (NaN: none), `text` for people.
  const exported = [];
  for (const axis of data.axes) {
    const codes = array(axis.codes),
      values = axis.values && array(axis.values),
      texts = axis.texts;
    const many = values ? values.length : texts.length;
    exported.push({
      ...axis,
      kind: "axis",
      numeric: !texts,
      many,
      codes,
      values,
      value: values
        ? (row) => (codes[row] < many ? values[codes[row]] : NaN)
        : (row) => (codes[row] < many ? codes[row] : NaN),
      text: (row) => (codes[row] >= many ? "" : texts ? texts[codes[row]] : text.given(values[codes[row]], axis)),
    });
  }
  for (const objective of data.objectives) {
    const near = array(objective.front),
      far = array(objective.cloud),
      ranks = array(objective.ranks);
    const scale = objective.scale;
    exported.push({
      ...objective,
      name: objective.quantity,
      kind: "objective",
      numeric: true,
      near,
      far,
      ranks,
      value: (row) => (row < front ? near[row] : far[row - front]),
      text: (row) => text.number((row < front ? near[row] : far[row - front]) / scale),
    });
  }
  // How sure the figures of a part are is no dimension of its own, but is told with the part.
  const dims = exported.filter((dim) => !dim.of),
    confidences = exported.filter((dim) => dim.of);
  // How well the law of a part held for real machines is told of a selected design, and exported beside the part.
  const validations = data.validations.map((told) => ({ ...told, codes: array(told.codes) }));
  for (const told of validations) {
    const of = (dim) => dim.kind === "axis" && (dim.name === told.axis || dim.of === told.axis),
      beside = exported.filter(of).at(-1);
    if (beside)
      exported.splice(exported.indexOf(beside) + 1, 0, {
        name: told.name,
        unit: "text",
        kind: "validation",
        texts: told.texts,
        text: (row) => told.texts[told.codes[row]] || "",
      });
  }
  for (const dim of dims) {
    const sure = confidences.find((one) => one.of === dim.name && dim.kind === "axis");
    dim.sure = sure ? (row) => sure.text(row) : () => "";
    dim.marked = (row) => (dim.sure(row) ? `${dim.text(row)} · ${dim.sure(row)}` : dim.text(row));
    dim.sureOf = (code) => {
      // of the part with this code, wherever it stands
      const row = sure ? dim.codes.indexOf(code) : -1;
      return row < 0 ? "" : sure.text(row);
    };
  }
  // What people read instead of a name: a label, with the members of index sets in brackets, or the name with blanks.
  const label = (name) => {
    const [base, ...members] = name.split("@");
    if (Object.hasOwn(data.labels, name)) return data.labels[name];
    const words = Object.hasOwn(data.labels, base) ? data.labels[base] : base.replaceAll("_", " ");
    return members.length ? `${words} (${members.join(", ")})` : words;
  };
  // What a study shows besides is stored for the designs of the frontier alone.
  const extras = data.extras.map((extra) => {
    const values = extra.values && array(extra.values),
      told = extra.texts;
    return {
      ...extra,
      kind: "extra",
      numeric: !told,
      values,
      value: values ? (row) => (row < front ? values[row] : NaN) : () => NaN,
      text: values
        ? (row) => (row < front ? text.number(values[row] / extra.scale) : "")
        : (row) => (row < front ? told[row] : ""),
    };
  });
  // Whatever has a value for a design, by its place.
  const stored = [...dims, ...confidences, ...extras];
  for (const [place, dim] of stored.entries()) {
    dim.place = place;
    dim.title = dim.shown ? `${dim.label} [${dim.shown}]` : dim.label;
  }
  const objectives = dims.filter((dim) => dim.kind === "objective");
  const pictures = data.pictures.map((rows) => new Set(array(rows)));
  const outside = array(data.extrapolated.codes);
  const sure = data.sure && array(data.sure);
  const details = data.details && {
    ...data.details,
    columns: Object.fromEntries(Object.entries(data.details.columns).map(([name, packed]) => [name, array(packed)])),
  };

  // ---- positions on the parallel axes: 0 (bottom) to 1; rows without a value stand at -1 ----

  // Whether designs of the kind of a row are shown.
  const kindShown = (row) => kinds[row] === FRONTIER || (kinds[row] === DOMINATED ? state.dominated : state.infeasible);

  // The few values of an axis stand at even distances, unless a logarithmic scale is asked for (`wanted`); other scales
  // go from the least to the most of the kinds that are shown, and what lies beyond stands at their ends.
  function positions(dim) {
    if (dim.positions) return dim.positions;
    const found = new Float32Array(count).fill(-1);
    dim.ranked = dim.kind === "axis" && (dim.texts || (dim.many <= 24 && !dim.wanted));
    if (dim.ranked) {
      dim.log = false;
      const last = Math.max(dim.many - 1, 1);
      for (let i = 0; i < count; i++) if (dim.codes[i] < dim.many) found[i] = dim.many > 1 ? dim.codes[i] / last : 0.5;
    } else {
      let low = Infinity,
        high = -Infinity;
      for (let i = 0; i < count; i++) {
        if (!kindShown(i)) continue;
        const v = dim.value(i);
        if (Number.isFinite(v)) {
          low = Math.min(low, v);
          high = Math.max(high, v);
        }
      }
      if (low > high) [low, high] = [0, 1];
      dim.log = low > 0 && (dim.wanted ?? high > 50 * low);
      if (low === high) [low, high] = [low - (Math.abs(low) || 1), high + (Math.abs(high) || 1)];
      const to = dim.log ? Math.log : (v) => v,
        from = to(low),
        span = to(high) - from;
      dim.at = (p) => (dim.log ? Math.exp(from + p * span) : from + p * span);
      dim.position = (v) => (to(v) - from) / span;
      for (let i = 0; i < count; i++) {
        const v = dim.value(i);
        if (Number.isFinite(v)) found[i] = dim.log && v <= 0 ? 0 : Math.min(Math.max((to(v) - from) / span, 0), 1);
      }
    }
    return (dim.positions = found);
  }

  // Positions anew, for another scale or other designs; what a brush keeps stays kept.
  function placeAnew(dim) {
    const old = positions(dim),
      span = state.brushes.get(dim.place);
    dim.positions = null;
    const now = positions(dim);
    if (!span) return;
    let low = Infinity,
      high = -Infinity;
    for (let i = 0; i < count; i++) {
      if (!(old[i] >= span[0] - 1 / FINE && old[i] <= span[1] + 1 / FINE)) continue;
      low = Math.min(low, now[i]);
      high = Math.max(high, now[i]);
    }
    if (low <= high) state.brushes.set(dim.place, [Math.floor(low * FINE) / FINE, Math.ceil(high * FINE) / FINE]);
  }

  // Whether all values of a dimension have logarithms.
  function positive(dim) {
    if (dim.positive !== undefined) return dim.positive;
    dim.positive = dim.numeric && count > 0;
    if (dim.kind === "axis" && dim.values) dim.positive = dim.values.every((v) => v > 0);
    else for (let row = 0; row < count && dim.positive; row++) if (dim.value(row) <= 0) dim.positive = false;
    return dim.positive;
  }

  // Whether a dimension has more than one value among the designs of the kinds that are shown.
  function varies(dim, among = count) {
    const last = dim.kind === "extra" ? front : among,
      value = dim.codes ? (row) => dim.codes[row] : dim.value;
    let first;
    for (let row = 0; row < last; row++) {
      if (!shown(row)) continue;
      if (first === undefined) first = value(row);
      else if (!Object.is(value(row), first)) return true;
    }
    return false;
  }

  // ---- what is chosen ----

  const state = {
    selected: -1,
    reference: -1,
    dominated: true,
    infeasible: true,
    references: true,
    every: false,
    corners: null,
    marked: [], // rows that stand out, and the one from which they were looked for
    base: -1,
    brushes: new Map(),
    region: null,
    within: null,
    hidden: null,
  };
  const FINE = 1e6; // parts of an axis that a brush tells apart: a link is to keep the same designs
  const pass = new Uint8Array(count).fill(1);
  const listeners = [];
  let filtered = false;

  function refilter() {
    filtered = state.brushes.size > 0 || state.region !== null || state.within !== null || state.hidden !== null;
    pass.fill(1);
    for (const [place, [low, high]] of state.brushes) {
      const at = positions(stored[place]);
      for (let i = 0; i < count; i++) if (!(at[i] >= low - 1 / FINE && at[i] <= high + 1 / FINE)) pass[i] = 0;
    }
    for (const test of [state.region, state.within]) {
      if (test) for (let i = 0; i < count; i++) if (pass[i] && !test(i)) pass[i] = 0;
    }
    if (state.hidden) for (let i = 0; i < count; i++) if (state.hidden(i)) pass[i] = 0;
  }

  function shown(row) {
    if (state.hidden && state.hidden(row)) return false;
    return kinds[row] === FRONTIER || (kinds[row] === DOMINATED ? state.dominated : state.infeasible);
  }

  const tell = (what) => {
    for (const listener of listeners) listener(what);
  };

  return {
    data,
    array,
    count,
    front,
    kinds,
    violated,
    products,
    dims,
    label,
    confidences,
    stored,
    named: (name) => stored.find((dim) => dim.name === name),
    positive,
    varies,
    validation: (row) =>
      validations
        .filter((told) => told.codes[row] < told.texts.length)
        .map((told) => `${told.axis} ${told.parts[told.codes[row]]}: ${told.texts[told.codes[row]]}`),
    exported,
    objectives,
    extras,
    details,
    pictures,
    outside,
    positions,
    state,
    pass,
    shown,
    number: (row) => numbers[row].toString(),
    // The name of a design of the frontier, the same as on the command line; nothing of others.
    name: (row) => (row < front ? `A${places[row]}` : ""),
    // What people call a design: its name on the frontier, else its number.
    called: (row) => (row < front ? `A${places[row]}` : `design ${text.grouped(model.number(row))}`),
    place: (row) => (row < front ? places[row] : Infinity),
    numeric: (row) => Number(numbers[row]),
    // The row of the design with a number, given as text; -1: it is not on the page.
    row(number) {
      if (!/^\d{1,20}$/.test(number)) return -1;
      return numbers.indexOf(numbers instanceof BigUint64Array ? BigInt(number) : Number(number));
    },
    get filtered() {
      return filtered;
    },
    listen: (listener) => listeners.push(listener),
    tell,
    select(row) {
      state.selected = row;
      state.reference = -1;
      tell("selected");
    },
    // A system beside the space, by its place among the references.
    beside(place) {
      state.selected = -1;
      state.reference = place;
      tell("selected");
    },
    brush(place, span) {
      if (span)
        state.brushes.set(
          place,
          span.map((p) => Math.round(p * FINE) / FINE),
        );
      else state.brushes.delete(place);
      refilter();
      tell("filter");
    },
    // A logarithmic scale for a dimension, or none.
    rescale(place, log) {
      stored[place].wanted = log;
      placeAnew(stored[place]);
      refilter();
      tell("scale");
      if (state.brushes.has(place)) tell("filter");
    },
    // Scales that go from end to end of what is shown now.
    refit() {
      for (const dim of stored) if (dim.positions && !dim.ranked) placeAnew(dim);
    },
    // Designs to be told from the others in every view, and the one from which they were looked for.
    mark(rows, base = -1) {
      state.marked = rows;
      state.base = base;
      tell("marked");
    },
    // Designs that pass a test; `corners`: of the region of the plot in which they lie.
    region(test, corners = null) {
      state.region = test;
      state.corners = corners;
      refilter();
      tell("filter");
    },
    within(test) {
      state.within = test;
      refilter();
      tell("filter");
    },
    // Rows that are left out altogether, not dimmed: kinds that the legend switched off.
    hide(test) {
      state.hidden = test;
      refilter();
      tell("filter");
      tell("shown");
    },
    clear() {
      state.corners = null;
      state.brushes.clear();
      const hid = state.hidden !== null;
      state.region = state.within = state.hidden = null;
      refilter();
      tell("clear");
      tell("filter");
      if (hid) tell("shown");
    },
    show(what, on) {
      state[what] = on;
      tell("shown");
    },
    every(on) {
      state.every = on;
      tell("rows");
    },
    // The rows the table holds and the export writes.
    rows() {
      const limit = state.every ? count : front,
        found = new Int32Array(limit);
      let many = 0;
      for (let i = 0; i < limit; i++) if (pass[i] && shown(i)) found[many++] = i;
      return found.subarray(0, many);
    },
    kind: (row) =>
      kinds[row] === FRONTIER
        ? data.exact
          ? "frontier"
          : "best found"
        : kinds[row] === DOMINATED
          ? "dominated"
          : "infeasible",
    constraint: (row) => (violated[row] > 0 ? data.constraints[violated[row] - 1] : ""),
    extrapolated: (row) => data.extrapolated.texts[outside[row]],
    sureKnown: Boolean(sure),
    // 0: certain to be on the frontier while numbers are not known, or nobody has looked; 1: probably; 2: faint.
    leastSure: (rows) => rows.reduce((least, row) => Math.min(least, sure && row < sure.length ? sure[row] : 0), 2),
    // The design of the frontier that beats a row, the nearest: no worse in every objective and better in one.
    dominator(row) {
      let best = -1,
        least = Infinity;
      const here = objectives.map((o) => (o.sense === "min" ? 1 : -1) * o.value(row));
      for (let i = 0; i < front; i++) {
        let better = false,
          worse = false,
          far = 0;
        for (let k = 0; k < here.length && !worse; k++) {
          let v = (objectives[k].sense === "min" ? 1 : -1) * objectives[k].near[i];
          if (data.single) v = Math.fround(v);
          worse = v > here[k];
          better = better || v < here[k];
          far = Math.max(far, Math.abs(v - here[k]) / (Math.abs(here[k]) || 1));
        }
        if (better && !worse && far < least) {
          least = far;
          best = i;
        }
      }
      return best;
    },
  };
})();
