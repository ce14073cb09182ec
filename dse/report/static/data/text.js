// Numbers and texts for people and for files; elements, whose content is always text.

const text = (() => {
  const thin = "\u202f";
  const grouped = (digits) => {
    const [whole, part] = digits.split(".");
    return whole.replace(/\B(?=(\d{3})+$)/g, thin) + (part ? "." + part : "");
  };
  const odd = (v) => (Number.isNaN(v) ? "–" : v > 0 ? "∞" : "-∞");

  function number(v, digits = 4) {
    if (!Number.isFinite(v)) return odd(v);
    const size = Math.abs(v);
    if (Number.isInteger(v) && size < 1e15) return grouped(String(v));
    if (size >= 1e-3 && size < 1e6) return grouped(v.toFixed(Math.max(0, digits - 1 - Math.floor(Math.log10(size)))));
    return v.toExponential(digits - 1);
  }

  // A value somebody gave: no rounding that shows, no zeros at its end.
  function given(v, column) {
    const n = Number((v / column.scale).toPrecision(12)),
      size = Math.abs(n);
    const digits = size !== 0 && (size >= 1e15 || size < 1e-6) ? String(n) : grouped(String(n));
    return column.shown ? `${digits} ${column.shown}` : digits;
  }

  // Writes numbers that differ and would look alike with as many digits as tell them apart, up to twelve.
  function apart(values, write) {
    const look = (written) => (/^[^e]*\.[^e]*$/.test(written) ? written.replace(/\.?0*$/, "") : written);
    const alike = new Map(),
      finer = new Map();
    for (const v of values) {
      if (!Number.isFinite(v)) continue;
      const written = look(write(v));
      if (!alike.has(written)) alike.set(written, new Set());
      alike.get(written).add(v);
    }
    for (const group of alike.values()) {
      const numbers = [...group],
        different = group.size > 1 ? new Set(numbers.map((v) => look(number(v, 12)))).size : 1;
      for (let digits = 5; different > 1 && digits <= 12; digits++) {
        const written = numbers.map((v) => number(v, digits));
        if (new Set(written.map(look)).size < different) continue;
        numbers.forEach((v, at) => finer.set(v, written[at]));
        break;
      }
    }
    return finer.size ? (v) => finer.get(v) ?? write(v) : write;
  }

  // A writer for the numbers of one column; `every`: these are all of them, and different ones are to look different.
  const writer = (values, every = true) => (every ? apart(values, even(values)) : even(values));

  // The same decimals in a column, four digits of the smallest.
  function even(values) {
    let least = Infinity,
      most = 0,
      whole = true;
    for (const v of values) {
      if (!Number.isFinite(v) || v === 0) continue;
      const size = Math.abs(v);
      least = Math.min(least, size);
      most = Math.max(most, size);
      whole = whole && Number.isInteger(Number(v.toPrecision(12)));
    }
    if (!most || whole || most >= 1e6 || most > 1e4 * least || least < 1e-3)
      return (v) => number(whole && Number.isFinite(v) ? Number(v.toPrecision(12)) : v);
    let decimals = Math.max(0, 3 - Math.floor(Math.log10(least)));
    if (values.length <= 5000) {
      let spare = decimals;
      for (const v of values) {
        if (!Number.isFinite(v)) continue;
        const written = v.toFixed(decimals);
        if (written.includes(".")) spare = Math.min(spare, written.length - written.replace(/0+$/, "").length);
      }
      decimals -= spare;
    }
    return (v) => (Number.isFinite(v) ? grouped(v.toFixed(decimals)) : odd(v));
  }

  const prefixes = [
    [1e18, "E"],
    [1e15, "P"],
    [1e12, "T"],
    [1e9, "G"],
    [1e6, "M"],
    [1e3, "k"],
    [1, ""],
    [1e-3, "m"],
    [1e-6, "µ"],
    [1e-9, "n"],
    [1e-12, "p"],
  ];
  const prefixed = new Set(["Hz", "B/s", "B", "J", "W", "flop/s", "s"]);
  // From which size on, the divisor, the name; "m/s" would be a speed, so rates have no prefix below 1.
  const steps = {
    "1/s": [
      ...prefixes.filter(([scale]) => scale > 1).map(([scale, prefix]) => [scale, scale, `${prefix}/s`]),
      [0, 1, "1/s"],
    ],
    "m^2": [
      [1e-2, 1, "m²"],
      [1e-8, 1e-6, "mm²"],
      [0, 1e-12, "µm²"],
    ],
    m: [
      [1e-2, 1, "m"],
      [1e-4, 1e-3, "mm"],
      [1e-7, 1e-6, "µm"],
      [0, 1e-9, "nm"],
    ],
    kg: [
      [1e3, 1e3, "t"],
      [0, 1, "kg"],
    ],
    "kg/J": [[0, 1e-3 / 3.6e6, "g/kWh"]],
    "m^3/J": [[0, 1e-3 / 3.6e6, "l/kWh"]],
  };
  for (const currency of ["EUR", "USD", "GBP", "CHF", "JPY", "CNY"]) {
    steps[currency] = [
      [1e6, 1e6, `M${currency}`],
      [1e3, 1e3, `k${currency}`],
      [0, 1, currency],
    ];
    steps[`${currency}/J`] = [[0, 1 / 3.6e6, `${currency}/kWh`]];
    steps[`${currency}/B`] = [[0, 1e-9, `${currency}/GB`]];
    steps[`${currency}/s`] = [
      [1e6 / 31557600, 1e6 / 31557600, `M${currency}/year`],
      [1e3 / 31557600, 1e3 / 31557600, `k${currency}/year`],
      [0, 1 / 31557600, `${currency}/year`],
    ];
  }

  // The binary multiple in which a size is a whole number of sixteenths, as those of caches are.
  function binary(size) {
    if (size % 1000 === 0) return null;
    const found = [
      [2 ** 40, "TiB"],
      [2 ** 30, "GiB"],
      [2 ** 20, "MiB"],
      [2 ** 10, "KiB"],
    ].find(([scale]) => size >= scale);
    return found && Number.isInteger((16 * size) / found[0]) ? { scale: found[0], shown: found[1] } : null;
  }

  // The divisor and the unit in which values up to `largest` are read most easily.
  function unit(si, largest) {
    if (si === "1" || si === "text" || si === "") return { scale: 1, shown: "" };
    const whole = si === "B" ? binary(Math.abs(largest)) : null;
    if (whole) return whole;
    if (Object.hasOwn(steps, si) && largest > 0 && Number.isFinite(largest)) {
      const [, scale, shown] = steps[si].find(([least]) => largest >= least * 0.9995);
      return { scale, shown };
    }
    if (prefixed.has(si) && largest > 0 && Number.isFinite(largest)) {
      for (const [scale, prefix] of prefixes) {
        if (largest >= scale * 0.9995 && !(si === "s" && scale > 1)) return { scale, shown: prefix + si };
      }
    }
    return { scale: 1, shown: si };
  }

  // Seven digits are what the packed columns hold.
  const withUnit = (v, column) => `${number(Number((v / column.scale).toPrecision(7)))} ${column.shown}`.trim();

  function percent(share) {
    if (!Number.isFinite(share)) return "–";
    const p = 100 * share,
      size = Math.abs(p);
    return `${size >= 99.95 || size === 0 ? p.toFixed(0) : size >= 0.1 ? p.toFixed(1) : p > 0 ? "< 0.1" : "> −0.1"} %`;
  }

  // A change, with its sign.
  function change(share) {
    const size = Math.abs(share);
    if (!(size > 0) || size < 1e-3) return percent(share).replace("< ", "< +");
    return `${share > 0 ? "+" : "−"}${percent(size)}`;
  }

  // A ratio; one that only looks like 1 says so.
  const times = (ratio) => `${number(ratio, 3) === number(1.0001, 3) && ratio !== 1 ? "≈1" : number(ratio, 3)} ×`;

  return { number, given, writer, unit, withUnit, percent, change, times, grouped };
})();

// An element: strings become text, never HTML.
function element(name, attributes = {}, ...content) {
  const made = document.createElement(name);
  for (const [key, value] of Object.entries(attributes)) {
    if (value === null || value === undefined || value === false) continue;
    if (key === "on") for (const [event, listener] of Object.entries(value)) made.addEventListener(event, listener);
    else if (key === "style") for (const [property, to] of Object.entries(value)) made.style.setProperty(property, to);
    else made.setAttribute(key, value === true ? "" : value);
  }
  made.append(...content.filter((piece) => piece !== null && piece !== undefined && piece !== ""));
  return made;
}

// A long name may break after its underscores.
const breakable = (name) => name.split(/(?<=_)/).flatMap((part, at) => (at ? [element("wbr"), part] : [part]));

// Plotly reads texts as HTML.
const plotlyText = (told) => told.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;");

const byId = (id) => document.getElementById(id);
const colour = (name) => getComputedStyle(document.documentElement).getPropertyValue(name).trim();

// ---- CSV --------------------------------------------------------------------------------------------------------

// SI values, units in the headings. A text that a spreadsheet would take for a formula gets an apostrophe in front.
function csv(rows) {
  const { data, exported: dims, extras } = model;
  const safe = (cell) => {
    const told = /^[=+\-@\t\r]/.test(cell) ? "'" + cell : cell;
    return /[",\r\n]/.test(told) || told !== told.trim() ? `"${told.replaceAll('"', '""')}"` : told;
  };
  // Single precision is written with the digits it has.
  const figure = (v, exact) => (Number.isFinite(v) ? String(exact ? v : Number(v.toPrecision(7))) : "");
  const heading = (column) =>
    safe(column.unit === "1" || column.unit === "text" ? column.name : `${column.name} [${column.unit}]`);
  const constrained = data.constraints.length > 0;
  const lines = [
    [
      "design",
      "status",
      ...dims.map(heading),
      ...extras.map(heading),
      "extrapolated",
      ...(constrained ? ["violates"] : []),
    ],
  ];
  for (const row of rows) {
    const onFront = row < model.front;
    const cells = [model.number(row), safe(model.kind(row))];
    for (const dim of dims)
      cells.push(
        dim.texts ? safe(dim.text(row)) : figure(dim.value(row), onFront || dim.kind === "axis" || !data.single),
      );
    for (const extra of extras)
      cells.push(!onFront ? "" : extra.texts ? safe(extra.texts[row]) : figure(extra.values[row], true));
    cells.push(safe(model.extrapolated(row)));
    if (constrained) cells.push(safe(model.constraint(row)));
    lines.push(cells);
  }
  return lines.map((cells) => cells.join(",")).join("\r\n") + "\r\n";
}
