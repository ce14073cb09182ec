// The references in the plot: diamonds with their names, and which of them it does not show.

const beside = (() => {
  if (!model) return null;
  const MOST = 8; // that are named
  const over = (at, x, y) => [references.value(at, x) / x.scale, references.value(at, y) / y.scale];

  // The range with the references in it that are not farther from the designs than a share of the distance these are
  // from each other, so that a distant one does not press the designs into a corner.
  function widened(dim, log, low, high, share) {
    const span = share * (high - low || Math.abs(high) || 1),
      reach = [low, high];
    for (let at = 0; at < references.systems.length; at++) {
      const v = references.value(at, dim) / dim.scale,
        p = log ? Math.log10(v) : v;
      if (p >= low - span && p <= high + span) {
        reach[0] = Math.min(reach[0], p);
        reach[1] = Math.max(reach[1], p);
      }
    }
    return reach;
  }

  // Diamonds, open where one breaks a constraint.
  function traces(x, y) {
    if (!references.shown()) return [];
    const places = references.systems.map((_, at) => over(at, x, y)),
      broken = references.systems.map((one) => references.broken(one).length > 0);
    const marker = {
      size: 11,
      opacity: 1,
      color: colour("--ink"),
      symbol: broken.map((bad) => (bad ? "diamond-open" : "diamond")),
      line: {
        width: broken.map((bad) => (bad ? 2 : 1)),
        color: broken.map((bad) => colour(bad ? "--ink" : "--paper")),
      },
    };
    return [
      {
        type: "scatter",
        mode: "markers",
        name: plotlyText(references.name),
        hoverinfo: "skip",
        showlegend: false,
        meta: "references",
        x: places.map(([px]) => px),
        y: places.map(([, py]) => py),
        marker,
        selected: { marker: { opacity: 1 } },
        unselected: { marker: { opacity: 1 } },
      },
    ];
  }

  // Their names, as annotations: what has no room has none, and is told by pointing at it. `others`: places of marks.
  function names(view, x, y, layout, others) {
    if (!references.shown()) return [];
    const points = [];
    for (let at = 0; at < references.systems.length; at++) {
      const [px, py] = view.beside(at);
      if (px >= 0 && px <= view.width && py >= 0 && py <= view.height) points.push({ at, x: px, y: py });
    }
    return references.labels(points, view.width, view.height, others).map((point) => {
      const [px, py] = over(point.at, x, y),
        { box } = point,
        onAxis = (axis, value) => (axis.type === "log" ? Math.log10(value) : value);
      const anchor = { l: "left", r: "right", c: "center" }[box.side],
        dx = box.x - point.x,
        dy = box.y - point.y;
      const look = {
        text: plotlyText(references.systems[point.at].name),
        font: { size: references.FONT, color: colour("--ink") },
        bgcolor: `${colour("--paper")}e6`,
        borderpad: 1,
        captureevents: false,
      };
      const where = {
        x: onAxis(layout.xaxis, px),
        y: onAxis(layout.yaxis, py),
        xref: "x",
        yref: "y",
        xanchor: anchor,
        yanchor: "middle",
      };
      if (!box.far) return { ...look, ...where, showarrow: false, xshift: dx, yshift: -dy };
      return {
        ...look,
        ...where,
        showarrow: true,
        arrowhead: 0,
        arrowwidth: 0.8,
        arrowcolor: colour("--quiet"),
        standoff: 5,
        ax: dx,
        ay: dy,
      };
    });
  }

  // Which of them the plot does not show, and why.
  function absent(view, x, y) {
    const note = byId("beside-note"),
      outside = [],
      unknown = [],
      instead = [];
    for (let at = 0; view && references.shown() && at < references.systems.length; at++) {
      const [px, py] = over(at, x, y),
        name = references.systems[at].name;
      const pairs = [
        [x, px],
        [y, py],
      ];
      const lacking = [
        ...new Set(pairs.filter(([, value]) => !Number.isFinite(value)).map(([dim]) => stored.says(dim))),
      ];
      if (lacking.length) {
        unknown.push(`${name} (no ${lacking.join(", no ")})`);
        continue;
      }
      const standing = [...new Set([x, y].filter((dim) => references.measuredOnly(at, dim)).map(stored.says))];
      if (standing.length) instead.push(`${name} (${standing.join(", ")})`);
      const [sx, sy] = view.beside(at);
      if (!(sx >= 0 && sx <= view.width && sy >= 0 && sy <= view.height)) outside.push(name);
    }
    const told = [
      outside.length ? `Outside the plotted range: ${outside.join(", ")}.` : "",
      instead.length ? `At a measured value, as none is computed: ${instead.join(", ")}.` : "",
      unknown.length > MOST
        ? `Not on these axes: ${unknown.length} of ${references.systems.length}, as they have no such value.`
        : unknown.length
          ? `Not on these axes: ${unknown.join(", ")}.`
          : "",
    ];
    note.textContent = told.filter(Boolean).join(" ");
    note.hidden = !note.textContent;
  }

  return { over, widened, traces, names, absent };
})();
