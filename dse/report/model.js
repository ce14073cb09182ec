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
  const numbers = array(data.numbers);

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
  for (const [place, dim] of [...dims, ...confidences].entries()) {
    dim.place = place;
    dim.title = dim.shown ? `${dim.name} [${dim.shown}]` : dim.name;
  }
  const objectives = dims.filter((dim) => dim.kind === "objective");
  const pictures = data.pictures.map((rows) => new Set(array(rows)));
  const extras = data.extras.map((extra) => ({
    ...extra,
    numeric: !extra.texts,
    values: extra.values && array(extra.values),
  }));
  const outside = array(data.extrapolated.codes);
  const details = data.details && {
    ...data.details,
    columns: Object.fromEntries(Object.entries(data.details.columns).map(([name, packed]) => [name, array(packed)])),
  };

  // ---- positions on the parallel axes: 0 (bottom) to 1; rows without a value stand at -1 ----

  function positions(dim) {
    if (dim.positions) return dim.positions;
    const found = new Float32Array(count).fill(-1);
    dim.ranked = dim.kind === "axis" && (dim.texts || dim.many <= 24);
    if (dim.ranked) {
      const last = Math.max(dim.many - 1, 1);
      for (let i = 0; i < count; i++) if (dim.codes[i] < dim.many) found[i] = dim.many > 1 ? dim.codes[i] / last : 0.5;
    } else {
      let low = Infinity,
        high = -Infinity;
      for (let i = 0; i < count; i++) {
        const v = dim.value(i);
        if (Number.isFinite(v)) {
          low = Math.min(low, v);
          high = Math.max(high, v);
        }
      }
      if (low > high) [low, high] = [0, 1];
      dim.log = low > 0 && high > 50 * low;
      if (low === high) [low, high] = [low - (Math.abs(low) || 1), high + (Math.abs(high) || 1)];
      const to = dim.log ? Math.log : (v) => v,
        from = to(low),
        span = to(high) - from;
      dim.at = (p) => (dim.log ? Math.exp(from + p * span) : from + p * span);
      dim.position = (v) => (to(v) - from) / span;
      for (let i = 0; i < count; i++) {
        const v = dim.value(i);
        if (Number.isFinite(v)) found[i] = Math.min(Math.max((to(v) - from) / span, 0), 1);
      }
    }
    return (dim.positions = found);
  }

  // ---- what is chosen ----

  const state = {
    selected: -1,
    reference: -1,
    dominated: true,
    infeasible: true,
    references: true,
    every: false,
    brushes: new Map(),
    region: null,
    within: null,
  };
  const pass = new Uint8Array(count).fill(1);
  const listeners = [];
  let filtered = false;

  function refilter() {
    filtered = state.brushes.size > 0 || state.region !== null || state.within !== null;
    pass.fill(1);
    for (const [place, [low, high]] of state.brushes) {
      const at = positions(dims[place]);
      for (let i = 0; i < count; i++) if (!(at[i] >= low && at[i] <= high)) pass[i] = 0;
    }
    for (const test of [state.region, state.within]) {
      if (test) for (let i = 0; i < count; i++) if (pass[i] && !test(i)) pass[i] = 0;
    }
  }

  function shown(row) {
    return kinds[row] === FRONTIER || (kinds[row] === DOMINATED ? state.dominated : state.infeasible);
  }

  const tell = (what) => {
    for (const listener of listeners) listener(what);
  };

  return {
    data,
    count,
    front,
    kinds,
    violated,
    products,
    dims,
    confidences,
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
    numeric: (row) => Number(numbers[row]),
    get filtered() {
      return filtered;
    },
    listen: (listener) => listeners.push(listener),
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
      if (span) state.brushes.set(place, span);
      else state.brushes.delete(place);
      refilter();
      tell("filter");
    },
    region(test) {
      state.region = test;
      refilter();
      tell("filter");
    },
    within(test) {
      state.within = test;
      refilter();
      tell("filter");
    },
    clear() {
      state.brushes.clear();
      state.region = state.within = null;
      refilter();
      tell("clear");
      tell("filter");
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
