// The plot: plotly draws axes and frontier, `cloud` the image under it. Loaded after everything else works.

const plot = (() => {
  if (!model) return null;
  const WIDE = 50; // ratio of the largest to the smallest value from which an axis starts logarithmic
  const { data, dims, objectives, state } = model;
  const place = byId("plot"),
    ring = byId("ring"),
    tip = byId("tip");
  const drawn = Math.min(model.front, 2000);
  const number = {
    name: "design number",
    title: "design number",
    place: -1,
    numeric: true,
    value: model.numeric,
    scale: 1,
    text: (row) => text.grouped(model.number(row)),
  };
  const choices = [
    ...objectives,
    ...(objectives.length === 1 ? [number] : []),
    ...dims.filter((dim) => dim.kind === "axis" && dim.numeric),
  ];
  // Alternatives and parts have a hue each, as far as hues can be told apart.
  const HUES = [
    "#2f6fd0",
    "#e08a1e",
    "#2f9e77",
    "#b5589b",
    "#c94f4f",
    "#7a5cc2",
    "#8a8f98",
    "#c8b400",
    "#3aa6b9",
    "#8c5a2b",
  ];
  const kinds = [...dims, ...model.confidences].filter(
    (dim) => dim.kind === "axis" && dim.texts && dim.many > 1 && dim.many <= HUES.length,
  );
  const hue = (dim) => (row) => HUES[dim.codes[row]] || colour("--quiet");
  let x = objectives.length > 1 ? objectives[0] : number,
    y = objectives[objectives.length > 1 ? 1 : 0],
    tint = objectives[2] || null;
  let ready = false,
    painting = false,
    image = "",
    down = null;

  // ---- loading ----

  async function load() {
    const packed = byId("plotly").textContent;
    if (typeof DecompressionStream === "undefined")
      throw new Error(
        "this browser cannot unpack the plot (it has no DecompressionStream, which browsers have since 2023); " +
          "everything else on the page works",
      );
    const raw = atob(packed),
      bytes = new Uint8Array(raw.length);
    for (let i = 0; i < bytes.length; i++) bytes[i] = raw.charCodeAt(i);
    const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("gzip"));
    const script = document.createElement("script");
    const source = await new Response(stream).text();
    await calm();
    script.textContent = source;
    document.head.append(script); // runs at once; the policy allows it by its hash
    byId("plotly").remove();
    if (!window.Plotly) throw new Error("the plot could not be started");
  }

  // Plotly takes a second to start, in which no click is answered: so it waits for hands that rest.
  let touched = -Infinity;
  for (const event of ["pointerdown", "pointermove", "keydown", "wheel"])
    addEventListener(
      event,
      () => {
        touched = performance.now();
      },
      { passive: true, capture: true },
    );
  const calm = async () => {
    do await new Promise((done) => setTimeout(done, 30));
    while (performance.now() - touched < 300);
  };

  async function start() {
    try {
      await load();
      await calm();
      place.replaceChildren();
      ready = true;
      await draw();
      listen();
      document.documentElement.dataset.plot = "ready";
    } catch (error) {
      place.replaceChildren(element("p", { class: "waiting" }, `No plot: ${error.message}.`));
      document.documentElement.dataset.plot = "failed";
    }
  }

  // ---- drawing ----

  // Plotly reads texts as HTML.
  const safe = (told) => told.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;");
  const goal = (dim) => (dim.sense ? (dim.sense === "min" ? ", lower is better" : ", higher is better") : "");

  // From a value, in the unit of its axis, to pixels between two ends.
  function along({ type, range: [low, high] }, start, end) {
    const log = type === "log",
      slope = (end - start) / (high - low);
    return (value) => start + slope * ((log ? Math.log10(value) : value) - low);
  }

  // The box on the screen in which plotly draws between its axes, and from values to pixels in it; null before it drew.
  function frame() {
    const area = place.querySelector(".nsewdrag");
    if (!area) return null;
    const { left, top, width, height } = area.getBoundingClientRect(),
      { xaxis, yaxis } = place.layout;
    return { left, top, width, height, toX: along(xaxis, 0, width), toY: along(yaxis, height, 0) };
  }

  function limits(dim, log) {
    let low = Infinity,
      high = -Infinity;
    for (let i = 0; i < model.count; i++) {
      if (!model.shown(i)) continue;
      const v = dim.value(i) / dim.scale;
      if (Number.isFinite(v) && (!log || v > 0)) {
        low = Math.min(low, v);
        high = Math.max(high, v);
      }
    }
    if (low > high) return log ? [-1, 1] : [0, 1];
    if (log) [low, high] = [Math.log10(low), Math.log10(high)];
    if (references.shown()) [low, high] = widened(dim, log, low, high);
    const pad = (high - low || Math.abs(high) || 1) * 0.05;
    return [low - pad, high + pad];
  }

  // The range with the references in it that are at most as far from the designs as these are from each other, so that
  // a distant one does not press the designs into a corner.
  function widened(dim, log, low, high) {
    const span = high - low || Math.abs(high) || 1,
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

  function spread(dim) {
    let low = Infinity,
      high = 0;
    for (let i = 0; i < model.count; i++) {
      const v = dim.value(i);
      if (!Number.isFinite(v)) continue;
      if (v <= 0) return 0;
      low = Math.min(low, v);
      high = Math.max(high, v);
    }
    return high / low;
  }

  function traces() {
    const rows = Array.from({ length: drawn }, (_, i) => i),
      value = (dim) => Float64Array.from(rows, (i) => dim.value(i) / dim.scale);
    const found = [],
      both = objectives.length === 2 && x !== y && objectives.includes(x) && objectives.includes(y);
    if (both && drawn > 1) {
      const sorted = rows.slice().sort((a, b) => x.value(a) - x.value(b) || y.value(a) - y.value(b));
      found.push({
        type: "scatter",
        mode: "lines",
        hoverinfo: "skip",
        showlegend: false,
        line: { color: colour("--front"), width: 1.5, shape: x.sense === "min" ? "hv" : "vh" },
        x: Float64Array.from(sorted, (i) => x.value(i) / x.scale),
        y: Float64Array.from(sorted, (i) => y.value(i) / y.scale),
      });
    }
    const size = drawn > 500 ? 6 : drawn > 60 ? 8 : 10;
    if (kinds.includes(tint)) return [...found, ...ofKind(rows, size), ...besides()];
    const marker = {
      size,
      opacity: 1,
      color: tint ? value(tint) : colour("--front"),
      symbol: rows.map((i) => (model.outside[i] ? "circle-open" : "circle")),
      line: {
        width: rows.map((i) => (model.outside[i] ? 2 : 0.5)),
        ...(tint ? {} : { color: rows.map((i) => (model.outside[i] ? colour("--front") : colour("--paper"))) }),
      },
    };
    if (tint)
      Object.assign(marker, {
        colorscale: ramp.map((step, at) => [at / 16, step]),
        cmin: reach(tint)[0],
        cmax: reach(tint)[1],
        showscale: true,
        colorbar: {
          title: { text: safe(tint.title) + goal(tint), side: "right" },
          outlinewidth: 0,
          thickness: 12,
          tickfont: { color: colour("--quiet") },
        },
      });
    found.push({
      type: "scatter",
      mode: "markers",
      name: "frontier",
      hoverinfo: "skip",
      showlegend: false,
      meta: rows,
      x: value(x),
      y: value(y),
      marker,
      selected: { marker: { opacity: 1 } },
      unselected: { marker: { opacity: 1 } },
    });
    return [...found, ...besides()];
  }

  const over = (at) => [references.value(at, x) / x.scale, references.value(at, y) / y.scale];

  // The systems beside the space: diamonds, open where one breaks a constraint.
  function besides() {
    if (!references.shown()) return [];
    const places = references.systems.map((_, at) => over(at)),
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
        name: safe(references.name),
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

  // Their names, as annotations: what has no room has none, and is told by pointing at it.
  function names() {
    if (!references.shown()) return [];
    const v = view(),
      points = [];
    for (let at = 0; at < references.systems.length; at++) {
      const [px, py] = v.beside(at),
        point = { at, x: px, y: py };
      if (point.x >= 0 && point.x <= v.width && point.y >= 0 && point.y <= v.height) points.push(point);
    }
    const others = Array.from({ length: drawn }, (_, row) => [v.x(row), v.y(row)]);
    return references.labels(points, v.width, v.height, others).map((point) => {
      const [px, py] = over(point.at),
        { box } = point,
        { xaxis, yaxis } = place.layout,
        onAxis = (axis, value) => (axis.type === "log" ? Math.log10(value) : value);
      const anchor = { l: "left", r: "right", c: "center" }[box.side],
        dx = box.x - point.x,
        dy = box.y - point.y;
      const look = {
        text: safe(references.systems[point.at].name),
        font: { size: references.FONT, color: colour("--ink") },
        bgcolor: `${colour("--paper")}b0`,
        borderpad: 1,
        captureevents: false,
      };
      const where = {
        x: onAxis(xaxis, px),
        y: onAxis(yaxis, py),
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
  function absent() {
    const note = byId("beside-note"),
      v = view(),
      outside = [],
      unknown = [],
      instead = [];
    for (let at = 0; v && references.shown() && at < references.systems.length; at++) {
      const [px, py] = over(at),
        name = references.systems[at].name;
      const lacking = [
        ...new Set(
          [
            [x, px],
            [y, py],
          ]
            .filter(([, value]) => !Number.isFinite(value))
            .map(([dim]) => dim.name),
        ),
      ];
      if (lacking.length) {
        unknown.push(`${name} (no ${lacking.join(", no ")})`);
        continue;
      }
      const standing = [...new Set([x, y].filter((dim) => references.measuredOnly(at, dim)).map((dim) => dim.name))];
      if (standing.length) instead.push(`${name} (${standing.join(", ")})`);
      const [sx, sy] = v.beside(at);
      if (!(sx >= 0 && sx <= v.width && sy >= 0 && sy <= v.height)) outside.push(name);
    }
    const told = [
      outside.length ? `Outside the plotted range: ${outside.join(", ")}.` : "",
      instead.length ? `At a measured value, as none is computed: ${instead.join(", ")}.` : "",
      unknown.length ? `Not on these axes: ${unknown.join(", ")}.` : "",
    ];
    note.textContent = told.filter(Boolean).join(" ");
    note.hidden = !note.textContent;
  }

  // One trace for each alternative or part, with its name in the legend.
  function ofKind(rows, size) {
    return tint.texts
      .map((told, code) => {
        const own = rows.filter((row) => tint.codes[row] === code);
        const marker = {
          size,
          opacity: 1,
          color: HUES[code],
          symbol: own.map((i) => (model.outside[i] ? "circle-open" : "circle")),
          line: { width: own.map((i) => (model.outside[i] ? 2 : 0.5)) },
        };
        return {
          type: "scatter",
          mode: "markers",
          name: safe(told),
          hoverinfo: "skip",
          showlegend: true,
          meta: own,
          x: Float64Array.from(own, (i) => x.value(i) / x.scale),
          y: Float64Array.from(own, (i) => y.value(i) / y.scale),
          marker,
          selected: { marker: { opacity: 1 } },
          unselected: { marker: { opacity: 1 } },
        };
      })
      .filter((trace) => trace.x.length);
  }

  // 1, 2, 5 on a logarithmic axis of some decades, whole powers on a longer one: plotly would crowd it.
  const steps = ([low, high]) =>
    high - low <= 0.7 ? {} : high - low <= 3.2 ? { dtick: "D2" } : { dtick: Math.ceil((high - low) / 8) };

  function axis(dim, log) {
    const grid = colour("--grid");
    return {
      title: { text: safe(dim.title) + goal(dim), standoff: 12 },
      type: log ? "log" : "linear",
      range: limits(dim, log),
      autorange: false,
      gridcolor: grid,
      linecolor: grid,
      tickcolor: grid,
      zeroline: false,
      showline: true,
      ...(log ? steps(limits(dim, true)) : {}),
      ticks: "outside",
      automargin: true,
      nticks: 8,
      exponentformat: "none",
      tickformat: log ? ",~g" : "",
      tickfont: { color: colour("--quiet") },
    };
  }

  const warning = () =>
    data.synthetic
      ? [
          {
            text: "synthetic data",
            showarrow: false,
            font: { color: colour("--warn-rule"), size: 13 },
            xref: "paper",
            yref: "paper",
            x: 1,
            y: 1,
            xanchor: "right",
            yanchor: "top",
          },
        ]
      : [];

  function draw() {
    if (!ready) return null;
    const drag = byId("drag").value;
    const layout = {
      height: 460,
      margin: { l: 64, r: tint ? 10 : 20, t: 12, b: 56 },
      font: { family: "system-ui, sans-serif", size: 13, color: colour("--ink") },
      paper_bgcolor: "rgba(0,0,0,0)",
      plot_bgcolor: "rgba(0,0,0,0)",
      separators: ".\u202f",
      hovermode: false,
      showlegend: kinds.includes(tint),
      legend: { itemclick: false, itemdoubleclick: false, title: { text: tint ? safe(tint.name) : "" } },
      dragmode: drag,
      xaxis: axis(x, byId("log-x").checked),
      yaxis: axis(y, byId("log-y").checked),
      modebar: { bgcolor: "rgba(0,0,0,0)", color: colour("--quiet"), activecolor: colour("--accent") },
      newselection: { line: { color: colour("--accent"), width: 1.5 } },
      images: [],
    };
    layout.annotations = warning();
    const config = {
      responsive: true,
      displaylogo: false,
      showSendToCloud: false,
      plotlyServerURL: "",
      modeBarButtonsToRemove: ["autoScale2d", "select2d", "lasso2d", "zoom2d", "pan2d"],
      toImageButtonOptions: { filename: data.name, scale: 2 },
    };
    return window.Plotly.react(place, traces(), layout, config).then(backdrop);
  }

  // The colour of a design of the frontier, the same as on plotly's scale.
  const ramp = [
    "#440154",
    "#48186a",
    "#472d7b",
    "#424086",
    "#3b528b",
    "#33638d",
    "#2c728e",
    "#26828e",
    "#21918c",
    "#1fa088",
    "#28ae80",
    "#3fbc73",
    "#5ec962",
    "#84d44b",
    "#addc30",
    "#d8e219",
    "#fde725",
  ];
  function reach(dim) {
    let low = Infinity,
      high = -Infinity;
    for (let i = 0; i < model.front; i++) {
      const v = dim.value(i) / dim.scale;
      if (Number.isFinite(v)) {
        low = Math.min(low, v);
        high = Math.max(high, v);
      }
    }
    return low < high ? [low, high] : [low - 0.5, low + 0.5];
  }
  function shade() {
    if (!tint || model.front <= drawn) return null;
    if (kinds.includes(tint)) return hue(tint);
    const dim = tint,
      [low, high] = reach(dim);
    return (row) => ramp[Math.round((16 * (dim.value(row) / dim.scale - low)) / (high - low))] || colour("--quiet");
  }

  function view() {
    const area = frame();
    if (!area) return null;
    const { toX, toY } = area,
      fx = x.value,
      fy = y.value,
      sx = x.scale,
      sy = y.scale;
    const beside = (at) => {
      const [px, py] = over(at);
      return [toX(px), toY(py)];
    };
    return { ...area, drawn, tint: shade(), x: (row) => toX(fx(row) / sx), y: (row) => toY(fy(row) / sy), beside };
  }

  async function backdrop() {
    const v = ready && !painting && view();
    if (!v) return;
    painting = true;
    const [left, right] = place.layout.xaxis.range,
      [bottom, top] = place.layout.yaxis.range;
    image = cloud.paint(v);
    await window.Plotly.relayout(place, {
      annotations: [...warning(), ...names()],
      images: [
        {
          source: image,
          xref: "x",
          yref: "y",
          x: left,
          y: top,
          sizex: right - left,
          sizey: top - bottom,
          xanchor: "left",
          yanchor: "top",
          sizing: "stretch",
          layer: "below",
        },
      ],
    });
    painting = false;
    after();
  }

  let later = 0;
  const soon = () => {
    clearTimeout(later);
    later = setTimeout(backdrop, 120);
  };

  // Points that are not chosen are dimmed in place, so that no trace is built again.
  function dim() {
    const v = ready && view();
    if (!v) return;
    const groups = place.querySelectorAll(".scatterlayer .trace"),
      traces = place.data.filter((trace) => trace.x.length); // plotly has a group for each of these, in this order
    traces.forEach(({ meta }, at) => {
      if (!Array.isArray(meta) || !groups[at]) return;
      // Plotly draws no point where an axis has no place for it, as for 0 on a logarithmic one.
      const rows = meta.filter((row) => Number.isFinite(v.x(row)) && Number.isFinite(v.y(row)));
      groups[at].querySelectorAll(".points path").forEach((point, nth) => {
        point.style.opacity = model.pass[rows[nth]] ? "" : "0.12";
      });
    });
  }

  function after() {
    dim();
    circle();
    absent();
  }

  function circle() {
    const row = state.selected;
    ring.hidden = true;
    if (!ready || (row < 0 && !(state.reference >= 0 && references.shown()))) return;
    const v = view();
    if (!v) return;
    const [px, py] = row < 0 ? v.beside(state.reference) : [v.x(row), v.y(row)],
      box = place.getBoundingClientRect();
    if (!(px >= 0 && px <= v.width && py >= 0 && py <= v.height)) return;
    ring.hidden = false;
    ring.style.transform = `translate(${v.left - box.left + px}px, ${v.top - box.top + py}px)`;
  }

  // ---- pointing ----

  // What is under the pointer: { beside: a system beside the space } or { row }, or null.
  function under(event) {
    const v = view();
    if (!v) return null;
    const px = event.clientX - v.left,
      py = event.clientY - v.top;
    if (px < -8 || py < -8 || px > v.width + 8 || py > v.height + 8) return null;
    let beside = -1,
      least = 9 * 9;
    for (let at = 0; references.shown() && at < references.systems.length; at++) {
      const [sx, sy] = v.beside(at),
        far = (sx - px) ** 2 + (sy - py) ** 2;
      if (far < least) {
        least = far;
        beside = at;
      }
    }
    const row = cloud.nearest(v, px, py);
    if (beside >= 0 && (row < 0 || (v.x(row) - px) ** 2 + (v.y(row) - py) ** 2 >= least)) return { beside };
    return row >= 0 ? { row } : null;
  }

  function hover(event) {
    const found = event.buttons ? null : under(event);
    tip.hidden = !found;
    place.classList.toggle("pointing", found !== null);
    if (!found) return;
    tip.replaceChildren(...("row" in found ? told(found.row) : references.tip(found.beside)));
    const box = byId("plot-box").getBoundingClientRect(),
      left = event.clientX - box.left,
      top = event.clientY - box.top;
    const flip = left > box.width / 2;
    tip.style.left = flip ? "" : `${left + 14}px`;
    tip.style.right = flip ? `${box.width - left + 14}px` : "";
    tip.style.top = `${Math.max(0, Math.min(top - 12, box.height - tip.offsetHeight - 4))}px`;
  }

  function told(row) {
    const lines = [element("b", {}, `design ${text.grouped(model.number(row))}, ${model.kind(row)}`)];
    for (const o of objectives) lines.push(element("span", {}, `${o.name} ${text.withUnit(o.value(row), o)}`));
    for (const a of dims)
      if (a.kind === "axis" && a.codes[row] < a.many)
        lines.push(element("span", { class: "quiet" }, `${a.name} ${a.marked(row)}`));
    if (model.constraint(row)) lines.push(element("span", { class: "bad" }, `violates ${model.constraint(row)}`));
    if (model.extrapolated(row))
      lines.push(element("span", { class: "warn" }, `extrapolated in ${model.extrapolated(row)}`));
    return lines;
  }

  function inside(corners) {
    const { x: xs, y: ys } = corners;
    return (row) => {
      const px = x.value(row) / x.scale,
        py = y.value(row) / y.scale;
      let within = false;
      for (let i = 0, j = xs.length - 1; i < xs.length; j = i++) {
        if (ys[i] > py !== ys[j] > py && px < ((xs[j] - xs[i]) * (py - ys[i])) / (ys[j] - ys[i]) + xs[i])
          within = !within;
      }
      return within;
    };
  }

  function listen() {
    const box = byId("plot-box");
    box.addEventListener("pointermove", hover);
    box.addEventListener("pointerleave", () => {
      tip.hidden = true;
    });
    box.addEventListener(
      "pointerdown",
      (event) => {
        tip.hidden = true;
        down = [event.clientX, event.clientY, event.target.closest(".modebar")];
      },
      true,
    );
    window.addEventListener(
      "pointerup",
      (event) => {
        if (!down || down[2] || Math.hypot(event.clientX - down[0], event.clientY - down[1]) > 4) {
          down = null;
          return;
        }
        down = null;
        const found = under(event);
        if (found && "row" in found) model.select(found.row);
        else if (found) model.beside(found.beside);
      },
      true,
    );
    place.on("plotly_selected", (event) => {
      if (event && event.range) {
        const [x0, x1] = event.range.x.slice().sort((a, b) => a - b),
          [y0, y1] = event.range.y.slice().sort((a, b) => a - b);
        model.region((row) => {
          const px = x.value(row) / x.scale,
            py = y.value(row) / y.scale;
          return px >= x0 && px <= x1 && py >= y0 && py <= y1;
        });
      } else if (event && event.lassoPoints) model.region(inside(event.lassoPoints));
    });
    place.on("plotly_deselect", () => {
      if (state.region) model.region(null);
    });
    place.on("plotly_relayout", (change) => {
      if (!("images" in change)) soon();
    });
    place.on("plotly_afterplot", after);
  }

  // ---- controls ----

  function options(select, chosen, none) {
    const group = (label, list) =>
      list.length
        ? element(
            "optgroup",
            { label },
            ...list.map((dim) => element("option", { value: dim.place, selected: dim === chosen }, dim.name)),
          )
        : null;
    select.replaceChildren(
      ...[
        none ? element("option", { value: "none", selected: !chosen }, "none") : null,
        group(
          "objectives",
          choices.filter((dim) => dim.kind !== "axis"),
        ),
        group(
          "axes",
          choices.filter((dim) => dim.kind === "axis"),
        ),
        none ? group("alternatives and parts", kinds) : null,
      ].filter(Boolean),
    );
  }

  function controls() {
    options(byId("x"), x, false);
    options(byId("y"), y, false);
    options(byId("colour"), tint, true);
    byId("log-x").checked = x !== number && spread(x) > WIDE;
    byId("log-y").checked = spread(y) > WIDE;
    const chosen = (id) => [...choices, ...kinds].find((dim) => String(dim.place) === byId(id).value) || null;
    const again = () => {
      model.region(null);
      if (ready) window.Plotly.relayout(place, { selections: [] });
      draw();
    };
    byId("x").addEventListener("change", () => {
      x = chosen("x");
      byId("log-x").checked = spread(x) > WIDE;
      again();
    });
    byId("y").addEventListener("change", () => {
      y = chosen("y");
      byId("log-y").checked = spread(y) > WIDE;
      again();
    });
    byId("colour").addEventListener("change", () => {
      tint = chosen("colour");
      draw();
    });
    for (const id of ["log-x", "log-y"]) byId(id).addEventListener("change", draw);
    byId("drag").addEventListener("change", () => {
      if (ready) window.Plotly.relayout(place, { dragmode: byId("drag").value });
    });
    window.matchMedia("(prefers-color-scheme: dark)").addEventListener("change", draw);
    model.listen((what) => {
      if (what === "selected") circle();
      else if (what === "filter") {
        dim();
        soon();
      } else if (what === "shown") draw();
      else if (what === "clear" && ready) window.Plotly.relayout(place, { selections: [] });
    });
  }

  // Where a row stands on the screen, for those who drive the page by a program.
  function locate(row) {
    const v = view();
    return [v.left + v.x(row), v.top + v.y(row)];
  }
  function locateBeside(at) {
    const v = view(),
      [px, py] = v.beside(at);
    return [v.left + px, v.top + py];
  }

  return { start, controls, draw, locate, locateBeside };
})();
