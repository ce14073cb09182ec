// A family of lines: y over an axis, a line for each value of a second one, a panel for each value of a third. A line
// joins the best designs of the page at each value, whatever else is chosen.

const lines = (() => {
  if (!model) return null;
  const MOST_PANELS = 12,
    MOST_POINTS = 4000; // of all designs, beside the lines
  const { data } = model;
  const place = byId("lines-plot");

  // Designs of the page that are feasible, shown and kept by what is brushed.
  function rows(...dims) {
    const found = [],
      known = dims.map((dim) => {
        const { many, code } = stored.levels(dim);
        return (row) => code(row) < many;
      });
    for (let row = 0; row < model.count; row++)
      if (model.kinds[row] !== INFEASIBLE && model.shown(row) && model.pass[row] && known.every((test) => test(row)))
        found.push(row);
    return found;
  }

  // The levels of a dimension that rows have, those with most rows first kept, in their order.
  function kept(dim, of, most) {
    if (!dim) return { codes: [0], code: () => 0, label: () => "", left: 0 };
    const { code, label, value } = stored.levels(dim),
      counts = new Map();
    for (const row of of) counts.set(code(row), (counts.get(code(row)) || 0) + 1);
    const codes = [...counts.keys()].sort((a, b) => counts.get(b) - counts.get(a) || a - b);
    return { codes: codes.slice(0, most).sort((a, b) => a - b), code, label, value, left: codes.length - most };
  }

  // Of each panel, line and value of the axis the row with the best y.
  function best(of, y, sense, panel, line, x) {
    const sign = sense === "min" ? 1 : -1,
      found = new Map();
    for (const row of of) {
      const key = `${panel.code(row)} ${line.code(row)} ${x.code(row)}`,
        at = found.get(key);
      if (at === undefined || sign * y.value(row) < sign * y.value(at)) found.set(key, row);
    }
    return (p, l, c) => found.get(`${p} ${l} ${c}`);
  }

  function extent(values) {
    let low = Infinity,
      high = -Infinity;
    for (const v of values)
      if (Number.isFinite(v)) {
        low = Math.min(low, v);
        high = Math.max(high, v);
      }
    return low <= high ? [low, high] : [0, 1];
  }

  function ranged([low, high], log) {
    if (log) [low, high] = [Math.log10(low), Math.log10(high)];
    const pad = (high - low || Math.abs(high) || 1) * 0.07;
    return [low - pad, high + pad];
  }

  // What a line of the family looks like: kinds as in the plot, other values in their order.
  function looks(line, family) {
    if (!line) return () => null;
    const groups = line.texts ? colours.grouping(line) : null,
      known = (code) => groups && !groups.rest.length && groups.groups.find((group) => group.codes.includes(code));
    const asInPlot = family.codes.every(known);
    const made = new Map(
      family.codes.map((code, place) => [code, asInPlot ? known(code) : { name: family.label(code), place }]),
    );
    return (code) => made.get(code);
  }
  const tintOf = (group) => (group ? colours.paint(group) : colour("--front"));

  // The ranges of both axes, and which limits speak of y and lie near what is drawn.
  function scales({ x, y }, across, values) {
    const [low, most] = extent(values),
      logY = low > 0 && most > look.WIDE * low,
      logX = look.spread(x) > look.WIDE,
      span = most - low || Math.abs(most);
    const limits = data.limit_lines
      .filter((limit) => limit.quantity === y.name)
      .map((limit) => ({ ...limit, at: limit.value / y.scale }));
    const near = limits.filter(({ at }) => (!logY || at > 0) && at >= low - span && at <= most + span);
    return {
      logX,
      logY,
      rangeX: ranged(extent(across.codes.map((code) => across.value(code) / x.scale)), logX),
      rangeY: ranged(extent([...values, ...near.map(({ at }) => at)]), logY),
      near,
      far: limits.filter((limit) => !near.includes(limit)),
    };
  }

  // Where the panels stand, side by side and one below the other, in shares of the plot.
  function grid(many, width) {
    const columns = Math.max(1, Math.min(many, Math.floor(width / 260), 4)),
      rows = Math.ceil(many / columns);
    const gap = [columns > 1 ? Math.min(0.07, 50 / width) : 0, rows > 1 ? 0.32 / rows : 0];
    const wide = (1 - gap[0] * (columns - 1)) / columns,
      tall = (1 - gap[1] * (rows - 1)) / rows;
    const cell = (nth) => {
      const left = (nth % columns) * (wide + gap[0]),
        top = 1 - Math.floor(nth / columns) * (tall + gap[1]);
      return {
        id: nth ? String(nth + 1) : "",
        first: nth % columns === 0,
        last: nth + columns >= many,
        x: [left, Math.min(1, left + wide)],
        y: [Math.max(0, top - tall), top],
      };
    };
    return { columns, rows, cell, pixels: wide * (width - 84), tall: rows > 1 ? 180 : 340 };
  }

  function axes(cell, { x, y }, { logX, logY, rangeX, rangeY }, { columns, rows, pixels, tall }) {
    const several = columns * rows > 1,
      small = several ? { font: { size: 12 } } : {};
    const across = look.axis(x, logX, rangeX, pixels),
      up = look.axis(y, logY, rangeY, tall);
    if (several) up.title.text = look.folded(y.title, tall);
    Object.assign(across.title, small);
    Object.assign(up.title, small);
    return {
      [`xaxis${cell.id}`]: {
        ...across,
        nticks: Math.max(3, Math.floor(pixels / 65)),
        ...(several ? { dtick: undefined, tickangle: 0 } : {}),
        title: cell.last ? across.title : { text: "" },
        domain: cell.x,
        anchor: `y${cell.id}`,
      },
      [`yaxis${cell.id}`]: {
        ...up,
        title: cell.first ? up.title : { text: "" },
        showticklabels: cell.first,
        domain: cell.y,
        anchor: `x${cell.id}`,
      },
    };
  }

  // The name of a panel in as many lines as it needs.
  function heading(label, cell, pixels) {
    return {
      text: look.folded(label, pixels),
      showarrow: false,
      xref: "paper",
      yref: "paper",
      x: (cell.x[0] + cell.x[1]) / 2,
      xanchor: "center",
      y: cell.y[1],
      yanchor: "bottom",
      font: { size: 12, color: colour("--ink") },
    };
  }

  const limitShape = (limit, { id }) => ({
    type: "line",
    xref: `x${id} domain`,
    yref: `y${id}`,
    x0: 0,
    x1: 1,
    y0: limit.at,
    y1: limit.at,
    line: { color: colour("--bad"), width: 1.5, dash: "dash" },
  });
  const limitName = (limit, log) => ({
    text: plotlyText(limit.text),
    showarrow: false,
    xref: "x domain",
    yref: "y",
    x: 1,
    xanchor: "right",
    y: log ? Math.log10(limit.at) : limit.at,
    yanchor: limit.relation[0] === "<" ? "bottom" : "top",
    font: { size: 11, color: colour("--bad") },
    bgcolor: `${colour("--paper")}b0`,
  });

  // chosen: { y, x, line, panel: dimensions (the last two may be null), sense, every: whether all designs are drawn }
  function draw(chosen) {
    const { y, x, line, panel, sense, every } = chosen;
    const of = rows(...[x, line, panel].filter(Boolean)).filter((row) => Number.isFinite(y.value(row)));
    const across = kept(x, of, Infinity),
      family = kept(line, of, colours.MOST),
      panels = kept(panel, of, MOST_PANELS);
    const at = best(of, y, sense, panels, family, across),
      joined = (p, l) => across.codes.map((c) => at(p, l, c)).filter((row) => row !== undefined);
    const drawn = every ? of : panels.codes.flatMap((p) => family.codes.flatMap((l) => joined(p, l)));
    const scale = scales(
        chosen,
        across,
        drawn.map((row) => y.value(row) / y.scale),
      ),
      width = place.clientWidth,
      cells = grid(panels.codes.length, width),
      kindOf = looks(line, family),
      step = Math.ceil(of.length / MOST_POINTS);
    const found = [],
      layout = { ...look.layout(), hovermode: "closest", margin: { l: 64, r: 20, t: panel ? 44 : 12, b: 56 } };
    Object.assign(layout, {
      width,
      height: cells.rows > 1 ? Math.max(280 * cells.rows, 420) : place.clientHeight || 460,
      shapes: [],
      annotations: scale.near.map((limit) => limitName(limit, scale.logY)),
    });
    panels.codes.forEach((p, nth) => {
      const cell = cells.cell(nth);
      Object.assign(layout, axes(cell, chosen, scale, cells));
      if (panel) layout.annotations.push(heading(panels.label(p), cell, cells.pixels));
      layout.shapes.push(...scale.near.map((limit) => limitShape(limit, cell)));
      if (every) {
        const some = of.filter(
          (row, k) => k % step === 0 && panels.code(row) === p && family.codes.includes(family.code(row)),
        );
        const color = line ? some.map((row) => tintOf(kindOf(family.code(row)))) : colour("--dominated");
        found.push({ ...points(cell, some, x, across, y), mode: "markers", marker: { size: 4, opacity: 0.55, color } });
      }
      for (const l of family.codes) {
        const own = joined(p, l),
          color = tintOf(kindOf(l)),
          symbol = line ? colours.shape(kindOf(l)) : "circle";
        if (own.length)
          found.push({
            ...points(cell, own, x, across, y),
            mode: "lines+markers",
            line: { color, width: 2 },
            marker: { size: 7, color, symbol },
            hovertext: own.map((row) => told(row, chosen)),
            hoverinfo: "text",
          });
      }
    });
    key(line, panel, family, kindOf);
    byId("lines-note").textContent = note(chosen, of, step, scale, family, panels);
    return window.Plotly.react(place, found, layout, look.config());
  }

  const points = ({ id }, own, x, across, y) => ({
    type: "scatter",
    xaxis: `x${id}`,
    yaxis: `y${id}`,
    showlegend: false,
    hoverinfo: "skip",
    x: own.map((row) => across.value(across.code(row)) / x.scale),
    y: own.map((row) => y.value(row) / y.scale),
    customdata: own,
  });

  function key(line, panel, family, kindOf) {
    const entries = line
      ? [
          element("span", {}, `${stored.says(line)}:`),
          ...family.codes.map((code) => element("span", {}, colours.glyph(kindOf(code)), family.label(code))),
        ]
      : [];
    if (panel) entries.push(element("span", {}, `panels: ${stored.says(panel)}`));
    byId("lines-legend").replaceChildren(...entries);
  }

  // Which designs the lines join, and what is left out.
  function note({ y, line, panel, sense, every }, of, step, scale, family, panels) {
    if (!of.length) return "No design on this page has values on these axes.";
    const found = [
      `Lines join the ${sense === "min" ? "least" : "most"} ${stored.says(y)} over what else is free, of the ` +
        `${text.number(of.length)} feasible designs on this page${model.filtered ? " that are kept" : ""}.`,
    ];
    if (every)
      found.push(step > 1 ? `Small points: every ${step}th of these designs.` : "Small points: all of these designs.");
    if (!data.complete)
      found.push("The page does not hold the whole space, so there may be better ones off the frontier.");
    if (family.left > 0)
      found.push(`${family.left} further values of ${stored.says(line)} with fewer designs are left out.`);
    if (panels.left > 0) found.push(`${panels.left} further values of ${stored.says(panel)} are left out.`);
    if (scale.far.length) found.push(`Far off: ${scale.far.map((limit) => limit.text).join(", ")}.`);
    return found.join(" ");
  }

  function told(row, { y, x, line, panel }) {
    const parts = [model.called(row), `${stored.says(y)} ${text.withUnit(y.value(row), y)}`];
    for (const dim of [x, line, panel].filter(Boolean)) {
      const { code, label } = stored.levels(dim);
      parts.push(`${stored.says(dim)} ${label(code(row))}`);
    }
    return parts.map(plotlyText).join("<br>");
  }

  return { draw, place, rows, kept, best };
})();
