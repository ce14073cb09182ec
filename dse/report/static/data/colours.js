// What the colour and the shape of a mark mean: kinds (alternatives, parts) or a scale of numbers. One choice for the
// plot, its legend and the lines of the parallel axes.

const colours = (() => {
  if (!model) return null;
  const MOST = 10; // kinds with a colour and a shape of their own
  // Symbols of plotly, and the same as polygons for the legend, between -1 and 1. The diamond is that of references.
  const ngon = (many, turn, inner = 1) =>
    Array.from({ length: many }, (_, at) => {
      const by = (2 * Math.PI * at) / many + turn,
        far = at % 2 ? inner : 1;
      return [far * Math.sin(by), -far * Math.cos(by)];
    });
  const PLUS = [
    [-0.35, -1],
    [0.35, -1],
    [0.35, -0.35],
    [1, -0.35],
    [1, 0.35],
    [0.35, 0.35],
    [0.35, 1],
    [-0.35, 1],
    [-0.35, 0.35],
    [-1, 0.35],
    [-1, -0.35],
    [-0.35, -0.35],
  ];
  const SHAPES = [
    ["circle", ngon(24, 0)],
    ["square", ngon(4, Math.PI / 4)],
    ["triangle-up", ngon(3, 0)],
    ["cross", PLUS],
    ["triangle-down", ngon(3, Math.PI)],
    ["star", ngon(10, 0, 0.42)],
    ["x", PLUS.map(([x, y]) => [0.75 * (x - y), 0.75 * (x + y)])],
    ["pentagon", ngon(5, 0)],
    ["hourglass", ngon(4, Math.PI / 4).map((_, at) => [[-0.9, 0.9, -0.9, 0.9][at], [-0.9, -0.9, 0.9, 0.9][at]])],
    ["triangle-left", ngon(3, -Math.PI / 2)],
  ];

  let theme = null;
  const themed = () =>
    (theme ||= {
      kinds: SHAPES.map((_, at) => colour(`--kind-${at}`)),
      scale: colour("--scale").split(" "),
      front: colour("--front"),
      other: colour("--quiet"),
    });
  matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => {
    theme = null;
  });

  // ---- kinds: the groups of a dimension of texts, those of the frontier ----

  const grouped = new Map();
  // { groups: [{ name, codes, count, place }], of: row -> group or undefined, rest: kinds that share the last group }
  function grouping(dim) {
    if (grouped.has(dim)) return grouped.get(dim);
    const counts = new Map(),
      last = model.front || model.count;
    for (let row = 0; row < last; row++) {
      const code = dim.codes[row];
      if (code < dim.many) counts.set(code, (counts.get(code) || 0) + 1);
    }
    const name = (code) => (dim.texts ? dim.texts[code] : text.given(dim.values[code], dim));
    let codes = [...counts.keys()],
      rest = [];
    if (codes.length > MOST) {
      codes.sort((a, b) => counts.get(b) - counts.get(a) || a - b);
      rest = codes.splice(MOST - 1);
    }
    codes.sort((a, b) => a - b);
    const groups = codes.map((code, place) => ({ name: name(code), codes: [code], count: counts.get(code), place }));
    if (rest.length)
      groups.push({
        name: `${rest.length} others`,
        codes: rest,
        count: rest.reduce((sum, code) => sum + counts.get(code), 0),
        place: -1,
      });
    const group = Array.from({ length: dim.many });
    for (const one of groups) for (const code of one.codes) group[code] = one;
    const made = { groups, rest: rest.map(name), of: (row) => group[dim.codes[row]] };
    grouped.set(dim, made);
    return made;
  }

  const paint = (group) => (group && group.place >= 0 ? themed().kinds[group.place] : themed().other);
  const shape = (group) => (group && group.place >= 0 ? SHAPES[group.place][0] : "circle");

  // Triangles and stars fill less of their circle.
  const size = (group) => (/triangle|star/.test(shape(group)) ? 1.3 : 1);

  // The same mark as in the plot, as a drawing beside a name.
  function glyph(group, hollow = false) {
    const points = SHAPES[Math.max(group ? group.place : 0, 0)][1];
    const NS = "http://www.w3.org/2000/svg",
      svg = document.createElementNS(NS, "svg"),
      polygon = document.createElementNS(NS, "polygon"),
      tint = group ? paint(group) : themed().front;
    for (const [key, value] of Object.entries({
      viewBox: "-1.25 -1.25 2.5 2.5",
      "aria-hidden": "true",
      class: "glyph",
    }))
      svg.setAttribute(key, value);
    polygon.setAttribute("points", points.map((point) => point.map((v) => v.toFixed(2)).join(",")).join(" "));
    polygon.setAttribute("fill", hollow ? "none" : tint);
    polygon.setAttribute("stroke", tint);
    polygon.setAttribute("stroke-width", hollow ? "0.35" : "0");
    svg.append(polygon);
    return svg;
  }

  // ---- the choice ----

  const kinds = [...model.dims, ...model.confidences].filter((dim) => dim.kind === "axis" && dim.texts && dim.many > 1);
  const several = (dim) => grouping(dim).groups.length > 1;
  let tint =
    kinds.find((dim) => dim.name === "alternative" && several(dim)) ||
    model.objectives[2] ||
    kinds.find((dim) => model.dims.includes(dim) && several(dim) && !grouping(dim).rest.length) ||
    null;

  function reach(dim) {
    let low = Infinity,
      high = -Infinity;
    for (let row = 0; row < model.front; row++) {
      const v = dim.value(row) / dim.scale;
      if (Number.isFinite(v)) {
        low = Math.min(low, v);
        high = Math.max(high, v);
      }
    }
    return low < high ? [low, high] : low === high ? [low - 0.5, low + 0.5] : [0, 1];
  }

  // A function from rows to the colour they have in the plot.
  function painter() {
    const { scale, front, other } = themed();
    if (!tint) return () => front;
    if (kinds.includes(tint)) {
      const { of } = grouping(tint);
      return (row) => paint(of(row));
    }
    const dim = tint,
      [low, high] = reach(dim),
      last = scale.length - 1;
    return (row) => scale[Math.round((last * (dim.value(row) / dim.scale - low)) / (high - low))] || other;
  }

  return {
    MOST,
    kinds,
    grouping,
    paint,
    shape,
    size,
    glyph,
    reach,
    painter,
    scale: () => themed().scale.map((step, at, all) => [at / (all.length - 1), step]),
    get tint() {
      return tint;
    },
    // The groups of what is chosen, or null where that is a scale or nothing.
    groups: () => (tint && kinds.includes(tint) ? grouping(tint) : null),
    choose(dim) {
      tint = dim;
      model.tell("coloured");
    },
  };
})();
