// The designs behind the frontier as one image under the plot: single points while they are few, else a density with
// a sample of points on it. Drawn from typed arrays for the ranges in sight; no trace of plotly holds them.

const cloud = (() => {
  if (!model) return null;
  const FEW = 4000,
    CELL = 3,
    SAMPLE = 3000;

  // view: { x, y: functions of a row to pixels, width, height, drawn: rows of the frontier left to plotly }
  function paint(view) {
    const ratio = Math.min(window.devicePixelRatio || 1, 2);
    const canvas = document.createElement("canvas");
    canvas.width = Math.max(1, Math.round(view.width * ratio));
    canvas.height = Math.max(1, Math.round(view.height * ratio));
    const pen = canvas.getContext("2d");
    pen.scale(ratio, ratio);
    for (const [kind, on, name] of [
      [INFEASIBLE, model.state.infeasible, "--infeasible"],
      [DOMINATED, model.state.dominated, "--dominated"],
    ]) {
      if (!on) continue;
      const kept = [],
        others = [];
      for (let i = model.front; i < model.count; i++)
        if (model.kinds[i] === kind && model.shown(i)) (model.pass[i] ? kept : others).push(i);
      layer(pen, others, view, colour(name), 0.18, kind === INFEASIBLE);
      layer(pen, kept, view, colour(name), 1, kind === INFEASIBLE);
    }
    const rest = [];
    for (let i = view.drawn; i < model.front; i++) if (model.pass[i] && model.shown(i)) rest.push(i);
    dots(pen, rest, view, view.tint || colour("--front"), 0.8, 2);
    return canvas.toDataURL("image/png");
  }

  function layer(pen, rows, view, tint, strength, crossed) {
    if (!rows.length) return;
    if (rows.length <= FEW) {
      if (crossed) crosses(pen, rows, view, tint, 0.75 * strength);
      else dots(pen, rows, view, tint, 0.6 * strength, 3);
      return;
    }
    const across = Math.ceil(view.width / CELL),
      down = Math.ceil(view.height / CELL),
      counts = new Uint32Array(across * down);
    let most = 0;
    for (const row of rows) {
      const x = view.x(row),
        y = view.y(row);
      if (!(x >= 0 && x < view.width && y >= 0 && y < view.height)) continue;
      most = Math.max(most, ++counts[Math.floor(y / CELL) * across + Math.floor(x / CELL)]);
    }
    pen.fillStyle = tint;
    const scale = Math.log1p(Math.max(most, 3));
    for (let at = 0; at < counts.length; at++) {
      if (!counts[at]) continue;
      pen.globalAlpha = strength * (0.12 + 0.6 * (Math.log1p(counts[at]) / scale));
      pen.fillRect((at % across) * CELL, Math.floor(at / across) * CELL, CELL, CELL);
    }
    const step = Math.ceil(rows.length / SAMPLE);
    dots(
      pen,
      rows.filter((_, at) => at % step === 0),
      view,
      tint,
      0.5 * strength,
      1.2,
    );
  }

  function dots(pen, rows, view, tint, alpha, radius) {
    const each = typeof tint === "function";
    if (!each) pen.fillStyle = tint;
    pen.globalAlpha = alpha;
    for (const row of rows) {
      const x = view.x(row),
        y = view.y(row);
      if (!(x >= -5 && x <= view.width + 5 && y >= -5 && y <= view.height + 5)) continue;
      if (each) pen.fillStyle = tint(row);
      pen.beginPath();
      pen.arc(x, y, radius, 0, 7);
      pen.fill();
    }
    pen.globalAlpha = 1;
  }

  function crosses(pen, rows, view, tint, alpha) {
    pen.strokeStyle = tint;
    pen.globalAlpha = alpha;
    pen.lineWidth = 1;
    pen.beginPath();
    for (const row of rows) {
      const x = view.x(row),
        y = view.y(row);
      if (!(x >= -5 && x <= view.width + 5 && y >= -5 && y <= view.height + 5)) continue;
      pen.moveTo(x - 2.5, y - 2.5);
      pen.lineTo(x + 2.5, y + 2.5);
      pen.moveTo(x - 2.5, y + 2.5);
      pen.lineTo(x + 2.5, y - 2.5);
    }
    pen.stroke();
    pen.globalAlpha = 1;
  }

  // The row under the pointer: one of the frontier within `near` pixels, else any that is shown.
  function nearest(view, px, py, near = 9) {
    let best = -1,
      least = near * near,
      only = model.front;
    for (let pass = 0, first = 0; pass < 2; pass++, first = model.front, only = model.count) {
      for (let i = first; i < only; i++) {
        if (!model.shown(i) || (model.filtered && !model.pass[i] && i >= model.front)) continue;
        const dx = view.x(i) - px,
          dy = view.y(i) - py,
          far = dx * dx + dy * dy;
        if (far < least) {
          least = far;
          best = i;
        }
      }
      if (best >= 0) return best;
    }
    return best;
  }

  return { paint, nearest };
})();
