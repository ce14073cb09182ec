// Parallel coordinates on two canvases: all designs under, the frontier, the selected one and the brushes over.
// Up to LINES designs are lines; beyond, pairs of neighbouring axes are binned and each bin is one line, whose strength
// is the number of designs in it: as many lines as there are bins, for any number of designs.

const parallel = (() => {
  if (!model) return null;
  const LINES = 10000,
    BINS = 48,
    TOP = 12,
    BOTTOM = 34,
    HEIGHT = 310;
  const { state } = model;
  const place = byId("parallel"),
    area = byId("parallel-area"),
    told = byId("parallel-ticks"),
    [under, over] = place.querySelectorAll("canvas");
  let width = 0,
    columns = [],
    dims = [],
    xs = [],
    waiting = false,
    cloudToo = true,
    drag = null;

  const yOf = (p) => (p < 0 ? HEIGHT - BOTTOM + 20 : HEIGHT - BOTTOM - p * (HEIGHT - TOP - BOTTOM));
  const pOf = (y) => (HEIGHT - BOTTOM - y) / (HEIGHT - TOP - BOTTOM);

  function resize() {
    columns = parallelAxes.columns(place.parentElement.clientWidth, HEIGHT - TOP - BOTTOM);
    dims = columns.map((column) => column.dim);
    xs = columns.map((column) => column.x);
    width = Math.ceil(columns.at(-1).left + columns.at(-1).width);
    place.style.width = `${width}px`;
    area.style.height = `${HEIGHT}px`;
    const ratio = Math.min(window.devicePixelRatio || 1, 2);
    for (const canvas of [under, over]) {
      canvas.width = Math.round(width * ratio);
      canvas.height = Math.round(HEIGHT * ratio);
      canvas.style.width = `${width}px`;
      canvas.style.height = `${HEIGHT}px`;
      canvas.getContext("2d").setTransform(ratio, 0, 0, ratio, 0, 0);
    }
    parallelHeads.build(columns);
    told.replaceChildren(
      ...columns.flatMap(({ x, ticks }) =>
        ticks.map(([p, lines]) =>
          element(
            "span",
            { class: "tick", style: { left: `${x + 6}px`, top: `${yOf(p)}px` } },
            ...lines.flatMap((line, at) => (at ? [element("br"), line] : [line])),
          ),
        ),
      ),
    );
    draw(true);
  }

  // ---- drawing ----

  // A value that is stored for the frontier alone is no place for a line of another design.
  const absent = (k, row) => dims[k].kind === "extra" && row >= model.front;

  // `tint`: a colour, or a function from a row to one.
  function lines(pen, rows, tint, alpha, thick) {
    const each = typeof tint === "function";
    if (!each) pen.strokeStyle = tint;
    pen.globalAlpha = alpha;
    pen.lineWidth = thick;
    const at = dims.map((dim) => model.positions(dim));
    for (const row of rows) {
      if (each) pen.strokeStyle = tint(row);
      pen.beginPath();
      let lifted = true;
      for (let k = 0; k < dims.length; k++) {
        if (absent(k, row)) {
          lifted = true;
          continue;
        }
        const y = yOf(at[k][row]);
        if (lifted) pen.moveTo(xs[k], y);
        else pen.lineTo(xs[k], y);
        lifted = false;
      }
      if (dims.length === 1) {
        pen.moveTo(xs[0] - 8, yOf(at[0][row]));
        pen.lineTo(xs[0] + 8, yOf(at[0][row]));
      }
      pen.stroke();
    }
    pen.globalAlpha = 1;
  }

  function density(pen, rows, tint, strength) {
    pen.strokeStyle = tint;
    pen.lineWidth = 1;
    const bins = BINS + 1,
      counts = new Uint32Array(bins * bins),
      LEVELS = 6;
    const bin = (p) => (p < 0 ? BINS : Math.min(Math.floor(p * BINS), BINS - 1));
    const mid = (b) => (b === BINS ? -1 : (b + 0.5) / BINS);
    for (let k = 0; k + 1 < dims.length; k++) {
      if (absent(k, rows[0]) || absent(k + 1, rows[0])) continue;
      const a = model.positions(dims[k]),
        b = model.positions(dims[k + 1]);
      const [one, other] = [dims[k], dims[k + 1]].map((dim) =>
        dim.ranked && dim.many > 1 ? (p) => (p < 0 ? -1 : Math.round(p * (dim.many - 1)) / (dim.many - 1)) : (p) => p,
      );
      counts.fill(0);
      let most = 0;
      for (const row of rows) most = Math.max(most, ++counts[bin(a[row]) * bins + bin(b[row])]);
      // Strokes of one strength are one path.
      const paths = Array.from({ length: LEVELS }, () => new Path2D());
      for (let at = 0; at < counts.length; at++) {
        if (!counts[at]) continue;
        const level = Math.min(LEVELS - 1, Math.floor((LEVELS * Math.log1p(counts[at])) / Math.log1p(most)));
        const from = Math.floor(at / bins),
          to = at % bins;
        paths[level].moveTo(xs[k], yOf(nearest(dims[k], mid(from), one)));
        paths[level].lineTo(xs[k + 1], yOf(nearest(dims[k + 1], mid(to), other)));
      }
      paths.forEach((path, level) => {
        pen.globalAlpha = strength * ((level + 1) / LEVELS) ** 2.6;
        pen.stroke(path);
      });
    }
    pen.globalAlpha = 1;
  }

  // The middle of a bin, or the one value of a listed axis that lies in it.
  function nearest(dim, p, to) {
    return dim.ranked && p >= 0 ? to(p) : p;
  }

  function draw(all) {
    cloudToo = cloudToo || all;
    if (waiting) return;
    waiting = true;
    requestAnimationFrame(() => {
      waiting = false;
      paint();
    });
  }

  function paint() {
    if (cloudToo) {
      cloudToo = false;
      const pen = under.getContext("2d");
      pen.clearRect(0, 0, width, HEIGHT);
      for (const [kind, on, tint] of [
        [INFEASIBLE, state.infeasible, "--infeasible"],
        [DOMINATED, state.dominated, "--dominated"],
      ]) {
        if (!on) continue;
        const rows = [];
        for (let i = model.front; i < model.count; i++) if (model.kinds[i] === kind && model.pass[i]) rows.push(i);
        if (rows.length > LINES || (dims.length > 1 && rows.length > 2500)) density(pen, rows, colour(tint), 0.85);
        else lines(pen, rows, colour(tint), Math.max(0.06, Math.min(0.5, 40 / (rows.length + 1))), 1);
      }
    }
    const pen = over.getContext("2d");
    pen.clearRect(0, 0, width, HEIGHT);
    const inside = [],
      rest = [];
    for (let i = 0; i < model.front; i++) (model.pass[i] ? inside : rest).push(i);
    const strong = (many) => Math.max(0.05, Math.min(0.9, 25 / (many + 1) ** 0.75));
    if (rest.length <= 2500) lines(pen, rest, colour("--quiet"), Math.min(0.12, 12 / (rest.length + 1)), 1);
    const tint = colours.painter();
    if (inside.length > LINES / 2) density(pen, inside, colour("--front"), 0.6);
    else lines(pen, inside, tint, strong(inside.length), inside.length > 300 ? 1 : 1.5);
    lines(pen, state.marked, colour("--ink"), 0.9, 2.2);
    if (state.selected >= 0) lines(pen, [state.selected], colour("--pick"), 1, 3);
    axes(pen);
  }

  function axes(pen) {
    const ink = colour("--ink"),
      accent = colour("--accent");
    dims.forEach((dim, k) => {
      pen.globalAlpha = 0.55;
      pen.strokeStyle = ink;
      pen.lineWidth = 1;
      pen.beginPath();
      pen.moveTo(xs[k], TOP);
      pen.lineTo(xs[k], HEIGHT - BOTTOM);
      pen.stroke();
      pen.globalAlpha = 1;
      const span = state.brushes.get(dim.place);
      if (!span) return;
      const top = yOf(Math.min(span[1], 1)),
        bottom = yOf(Math.max(span[0], 0));
      pen.fillStyle = accent;
      pen.globalAlpha = 0.28;
      pen.fillRect(xs[k] - 8, top - 2, 16, bottom - top + 4);
      pen.globalAlpha = 1;
      pen.strokeStyle = accent;
      pen.strokeRect(xs[k] - 8, top - 2, 16, bottom - top + 4);
    });
  }

  // ---- brushing ----

  const where = (event) => {
    const box = over.getBoundingClientRect();
    return [event.clientX - box.left, event.clientY - box.top];
  };
  const axisAt = (x) => {
    let best = 0;
    xs.forEach((at, k) => {
      if (Math.abs(at - x) < Math.abs(xs[best] - x)) best = k;
    });
    return Math.abs(xs[best] - x) <= 26 ? best : -1;
  };
  over.addEventListener("pointerdown", (event) => {
    const [x, y] = where(event),
      k = axisAt(x);
    if (event.button !== 0) return;
    if (k < 0) {
      drag = null;
      choose(x, y);
      return;
    }
    drag = { place: dims[k].place, from: y, moved: false };
    over.setPointerCapture(event.pointerId);
    event.preventDefault();
  });
  over.addEventListener("pointermove", (event) => {
    const [x, y] = where(event);
    if (!drag) {
      over.style.cursor = axisAt(x) >= 0 ? "ns-resize" : "default";
      return;
    }
    drag.moved = drag.moved || Math.abs(y - drag.from) > 3;
    if (!drag.moved) return;
    const ends = [pOf(drag.from), pOf(y)].sort((a, b) => a - b).map((p) => Math.min(Math.max(p, 0), 1));
    if (ends[0] <= 0.004) ends[0] = 0;
    if (ends[1] >= 0.996) ends[1] = 1;
    model.brush(drag.place, ends);
  });
  const finish = () => {
    if (drag && !drag.moved && state.brushes.has(drag.place)) model.brush(drag.place, null);
    drag = null;
  };
  over.addEventListener("pointerup", finish);
  over.addEventListener("pointercancel", () => {
    drag = null;
  });

  // A click between two axes selects the line of the frontier that passes there.
  function choose(x, y) {
    const k = xs.findIndex((at, j) => j + 1 < xs.length && at <= x && x <= xs[j + 1]);
    if (k < 0) return;
    const a = model.positions(dims[k]),
      b = model.positions(dims[k + 1]),
      share = (x - xs[k]) / (xs[k + 1] - xs[k]);
    let best = -1,
      least = 6;
    for (let i = 0; i < model.front; i++) {
      if (!model.pass[i]) continue;
      const far = Math.abs(yOf(a[i]) * (1 - share) + yOf(b[i]) * share - y);
      if (far < least) {
        least = far;
        best = i;
      }
    }
    if (best >= 0) model.select(best);
  }

  model.listen((what) => {
    if (what === "filter") {
      parallelHeads.label();
      draw(true);
    } else if (what === "shown") {
      parallelAxes.again();
      model.refit();
      resize();
    } else if (what === "scale") resize();
    else if (["selected", "marked", "coloured"].includes(what)) draw(false);
  });

  // Where a part of the height of an axis stands on the screen, for those who drive the page by a program.
  function locate(name, p) {
    const box = over.getBoundingClientRect(),
      k = dims.findIndex((dim) => dim.name === name);
    return k < 0 ? null : [box.left + xs[k], box.top + yOf(p)];
  }
  return { resize, draw, locate };
})();
