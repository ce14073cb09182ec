// Parallel coordinates on two canvases: all designs under, the frontier, the selected one and the brushes over.
// Up to LINES designs are lines; beyond, pairs of neighbouring axes are binned and each bin is one line, whose strength
// is the number of designs in it: as many lines as there are bins, for any number of designs.

const parallel = (() => {
  if (!model) return null;
  const LINES = 10000,
    BINS = 48,
    TOP = 12,
    BOTTOM = 24,
    SIDE = 60,
    LEAST = 84,
    LEAST_WIDE = 62;
  const { dims, state } = model;
  const place = byId("parallel"),
    heads = byId("parallel-heads"),
    [under, over] = place.querySelectorAll("canvas");
  let width = 0,
    height = 0,
    xs = [],
    waiting = false,
    cloudToo = true,
    drag = null;

  const yOf = (p) => (p < 0 ? height - BOTTOM + 14 : height - BOTTOM - p * (height - TOP - BOTTOM));
  const pOf = (y) => (height - BOTTOM - y) / (height - TOP - BOTTOM);

  function resize() {
    const room = place.parentElement.clientWidth;
    width = Math.max(room, 2 * SIDE + (place.closest(".wide") ? LEAST_WIDE : LEAST) * (dims.length - 1));
    height = 300;
    place.style.width = `${width}px`;
    const ratio = Math.min(window.devicePixelRatio || 1, 2);
    for (const canvas of [under, over]) {
      canvas.width = Math.round(width * ratio);
      canvas.height = Math.round(height * ratio);
      canvas.style.width = `${width}px`;
      canvas.style.height = `${height}px`;
      canvas.getContext("2d").setTransform(ratio, 0, 0, ratio, 0, 0);
    }
    xs = dims.map((_, k) => (dims.length === 1 ? width / 2 : SIDE + (k * (width - 2 * SIDE)) / (dims.length - 1)));
    heads.replaceChildren(
      ...dims.map((dim, k) => {
        const goal = dim.sense
          ? element("span", { class: "goal" }, dim.sense === "min" ? "minimise" : "maximise")
          : null;
        const button = element(
          "button",
          {
            type: "button",
            "data-axis": k,
            title: dim.doc || dim.title,
            style: { left: `${xs[k]}px`, width: `${Math.min(106, dims.length > 1 ? xs[1] - xs[0] - 4 : 106)}px` },
          },
          element("span", { class: "name" }, ...breakable(dim.name)),
          dim.shown ? element("span", { class: "unit" }, `[${dim.shown}]`) : null,
          goal,
        );
        button.addEventListener("keydown", (event) => byKey(event, k));
        button.addEventListener("click", () => {
          if (state.brushes.has(k)) model.brush(k, null);
        });
        return button;
      }),
    );
    label();
    draw(true);
  }

  function label() {
    heads.querySelectorAll("button").forEach((button, k) => {
      const span = state.brushes.get(k);
      const told = span
        ? `${dims[k].name}: kept from ${end(k, span[0])} to ${end(k, span[1])}`
        : `${dims[k].name}: everything is kept`;
      button.setAttribute(
        "aria-label",
        `${told}. Up and down arrows raise the lower end or lower the upper end, with shift the other way; ` +
          "Escape keeps everything.",
      );
      button.setAttribute("aria-pressed", span ? "true" : "false");
    });
  }

  function end(k, p) {
    const dim = dims[k];
    if (!dim.ranked) return text.number(dim.at(Math.min(Math.max(p, 0), 1)) / dim.scale);
    const code = Math.min(Math.max(Math.round(p * (dim.many - 1)), 0), dim.many - 1);
    return dim.values ? text.given(dim.values[code], dim) : dim.texts[code];
  }

  function byKey(event, k) {
    const [low, high] = state.brushes.get(k) || [0, 1],
      step = dims[k].ranked && dims[k].many > 1 ? 1 / (dims[k].many - 1) : 0.05;
    if (event.key === "Escape") model.brush(k, null);
    else if (event.key === "ArrowUp")
      model.brush(k, event.shiftKey ? [low, Math.min(high + step, 1)] : [Math.min(low + step, high), high]);
    else if (event.key === "ArrowDown")
      model.brush(k, event.shiftKey ? [Math.max(low - step, 0), high] : [low, Math.max(high - step, low)]);
    else return;
    event.preventDefault();
  }

  // ---- drawing ----

  function lines(pen, rows, tint, alpha, thick) {
    pen.strokeStyle = tint;
    pen.globalAlpha = alpha;
    pen.lineWidth = thick;
    const at = dims.map((dim) => model.positions(dim));
    for (const row of rows) {
      pen.beginPath();
      for (let k = 0; k < dims.length; k++) {
        const y = yOf(at[k][row]);
        if (k) pen.lineTo(xs[k], y);
        else pen.moveTo(xs[k], y);
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
      pen.clearRect(0, 0, width, height);
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
    pen.clearRect(0, 0, width, height);
    const inside = [],
      rest = [];
    for (let i = 0; i < model.front; i++) (model.pass[i] ? inside : rest).push(i);
    const tint = colour("--front");
    const strong = (many) => Math.max(0.05, Math.min(0.9, 25 / (many + 1) ** 0.75));
    if (rest.length <= 2500) lines(pen, rest, colour("--quiet"), Math.min(0.12, 12 / (rest.length + 1)), 1);
    if (inside.length > LINES / 2) density(pen, inside, tint, 0.6);
    else lines(pen, inside, tint, strong(inside.length), inside.length > 300 ? 1 : 1.5);
    if (state.selected >= 0) lines(pen, [state.selected], colour("--pick"), 1, 3);
    axes(pen);
  }

  function axes(pen) {
    const ink = colour("--ink"),
      accent = colour("--accent");
    dims.forEach((dim, k) => {
      model.positions(dim);
      pen.globalAlpha = 0.55;
      pen.strokeStyle = ink;
      pen.lineWidth = 1;
      pen.beginPath();
      pen.moveTo(xs[k], TOP);
      pen.lineTo(xs[k], height - BOTTOM);
      pen.stroke();
      pen.globalAlpha = 1;
      const span = state.brushes.get(k);
      if (span) {
        const top = yOf(Math.min(span[1], 1)),
          bottom = yOf(Math.max(span[0], 0));
        pen.fillStyle = accent;
        pen.globalAlpha = 0.28;
        pen.fillRect(xs[k] - 8, top - 2, 16, bottom - top + 4);
        pen.globalAlpha = 1;
        pen.strokeStyle = accent;
        pen.strokeRect(xs[k] - 8, top - 2, 16, bottom - top + 4);
      }
      const last = k === dims.length - 1 && k > 0;
      pen.textAlign = last ? "right" : "left";
      pen.textBaseline = "middle";
      const found = ticks(dim);
      for (const [p, told, sure] of found) {
        const y = yOf(p),
          x = xs[k] + (last ? -6 : 6);
        const [one, other] = sure ? [told, ""] : found.length <= 9 ? halves(pen, told) : [told, ""];
        write(pen, one, x, y - (other || sure ? 4 : 0), 11);
        if (other) write(pen, other, x, y + 6, 11);
        if (sure) folded(pen, `· ${sure}`, 9).forEach((line, at) => write(pen, line, x, y + 6 + 9 * at, 9));
      }
    });
  }

  const room = () => (xs.length > 1 ? xs[1] - xs[0] : width) - 14;

  // A long text in two lines, where it has a blank.
  function halves(pen, told) {
    pen.font = "11px system-ui, sans-serif";
    const at = told.indexOf(" ");
    return at < 0 || pen.measureText(told).width <= room() ? [told, ""] : [told.slice(0, at), told.slice(at + 1)];
  }

  // A text in as many lines as it takes, broken at its blanks only.
  function folded(pen, told, size) {
    pen.font = `${size}px system-ui, sans-serif`;
    const lines = [];
    for (const word of told.split(" ")) {
      const longer = lines.length ? `${lines.at(-1)} ${word}` : word;
      if (lines.length && pen.measureText(longer).width > room()) lines.push(word);
      else lines.splice(-1, 1, longer);
    }
    return lines;
  }

  // A text beside an axis, cut where the next axis begins.
  function write(pen, told, x, y, size) {
    pen.font = `${size}px system-ui, sans-serif`;
    let shown = told;
    for (let many = told.length; many > 3 && pen.measureText(shown).width > room(); many--)
      shown = `${told.slice(0, many - 1)}…`;
    pen.lineWidth = 3;
    pen.strokeStyle = colour("--paper");
    pen.strokeText(shown, x, y);
    pen.fillStyle = colour("--quiet");
    pen.fillText(shown, x, y);
  }

  function ticks(dim) {
    if (dim.ranked) {
      const step = Math.max(1, Math.ceil(dim.many / 12)),
        found = [];
      for (let code = 0; code < dim.many; code += step)
        found.push([
          dim.many > 1 ? code / (dim.many - 1) : 0.5,
          dim.values ? text.grouped(String(Number((dim.values[code] / dim.scale).toPrecision(6)))) : dim.texts[code],
          dim.sureOf(code),
        ]);
      if (dim.kind === "axis" && dim.codes.includes(dim.many)) found.push([-1, "none"]);
      return found;
    }
    return [0, 0.25, 0.5, 0.75, 1].map((p) => [p, text.number(dim.at(p) / dim.scale, 3)]);
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
    drag = { k, from: y, moved: false };
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
    const ends = [pOf(drag.from), pOf(y)].sort((a, b) => a - b);
    if (ends[0] <= 0.004) ends[0] = 0;
    if (ends[1] >= 0.996) ends[1] = 1;
    model.brush(drag.k, ends);
  });
  const finish = () => {
    if (drag && !drag.moved && state.brushes.has(drag.k)) model.brush(drag.k, null);
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
      label();
      draw(true);
    } else if (what === "shown") draw(true);
    else if (what === "selected") draw(false);
  });
  return { resize, draw };
})();
