// The plot: plotly draws axes and frontier, `cloud` the image under it. Loaded after everything else works.

const plot = (() => {
  if (!model) return null;
  const ROOM = 0.08; // of the frontier's range, on each side of it
  const REACH = 0.25; // of that range, from which references are taken in
  const { data, objectives, state } = model;
  const place = byId("plot"),
    ring = byId("ring"),
    tip = byId("tip");
  const drawn = Math.min(model.front, 2000);
  let x = objectives.length > 1 ? objectives[0] : stored.number,
    y = objectives[objectives.length > 1 ? 1 : 0],
    whole = false,
    within = "off",
    open = -1; // the row whose group of near designs is drawn apart
  let shared = [], // the marks that are drawn
    markOf = new Map(); // by row
  let ready = false,
    painting = false,
    down = null;

  async function start() {
    try {
      await loading.plotly();
      place.replaceChildren();
      ready = true;
      await draw();
      listen();
      along.start();
      document.documentElement.dataset.painted = String(Math.round(performance.now()));
      document.documentElement.dataset.plot = "ready";
    } catch (error) {
      place.replaceChildren(element("p", { class: "waiting" }, `No plot: ${error.message}.`));
      document.documentElement.dataset.plot = "failed";
    }
  }

  // ---- axes ----

  // The box on the screen in which plotly draws between its axes, and from values to pixels in it; null before it drew.
  function frame() {
    const area = place.querySelector(".nsewdrag");
    if (!area) return null;
    const { left, top, width, height } = area.getBoundingClientRect(),
      { xaxis, yaxis } = place.layout;
    return { left, top, width, height, toX: look.toPixels(xaxis, 0, width), toY: look.toPixels(yaxis, height, 0) };
  }

  function extremes(dim, log, last) {
    let low = Infinity,
      high = -Infinity;
    for (let i = 0; i < last; i++) {
      if (!model.shown(i)) continue;
      const v = dim.value(i) / dim.scale;
      if (Number.isFinite(v) && (!log || v > 0)) {
        low = Math.min(low, v);
        high = Math.max(high, v);
      }
    }
    return log ? [Math.log10(low), Math.log10(high)] : [low, high];
  }

  // The range of the frontier with a margin; of everything that is shown where that is wanted, or the frontier is one
  // point of the axis.
  function limits(dim, log) {
    let [low, high] = extremes(dim, log, whole ? model.count : model.front);
    if (!(low < high)) [low, high] = extremes(dim, log, model.count);
    if (!(low <= high)) return log ? [-1, 1] : [0, 1];
    [low, high] = before.widened(dim, log, low, high);
    if (references.shown()) [low, high] = beside.widened(dim, log, low, high, whole ? 1 : REACH);
    const pad = (high - low || Math.abs(high) || 1) * ROOM;
    return [low - pad, high + pad];
  }

  const axis = (dim, log, room) => look.axis(dim, log, limits(dim, log), room);

  // ---- drawing ----

  function gathered() {
    const rows = Array.from({ length: drawn }, (_, i) => i).filter(model.shown);
    shared = marks.make(rows, x, y, within, open);
    markOf = new Map(shared.flatMap((mark) => mark.rows.map((row) => [row, mark])));
    return traces.make({ x, y, rows, shared, place });
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
    if (!ready || byId("plot-box").hidden) return null;
    const layout = {
      ...look.layout(),
      width: place.clientWidth,
      height: place.clientHeight,
      margin: { l: 64, r: colours.tint && !colours.groups() ? 10 : 20, t: 12, b: 56 },
      hovermode: false,
      dragmode: byId("drag").value,
      xaxis: axis(x, byId("log-x").checked, place.clientWidth - 90),
      yaxis: axis(y, byId("log-y").checked, place.clientHeight - 90),
      newselection: { line: { color: colour("--accent"), width: 1.5 } },
      images: [],
      annotations: warning(),
    };
    // Under a scale of colours that stands above the plot, plotly lays a title with a distance over the ticks.
    if (colours.tint && !colours.groups() && place.clientWidth < traces.NARROW) delete layout.xaxis.title.standoff;
    const made = window.Plotly.react(place, gathered(), layout, look.config()).then(backdrop);
    tell();
    return made;
  }

  // What the marks do not say, in words under the plot.
  function tell() {
    const several = shared.filter((mark) => mark.rows.length > 1 && !mark.near).length,
      near = shared.filter((mark) => mark.near).length,
      partial = [...new Set([x, y])].filter((dim) => dim.partial && model.count > model.front);
    legend.several(shared.filter((mark) => mark.rows.length > 1).length);
    const told = [legend.told()];
    if (legend.behind() > 4000)
      told.push("Designs behind the frontier are drawn as a density; each can be pointed at and clicked.");
    if (several)
      told.push(
        `${several === 1 ? "One mark stands" : `${text.number(several)} marks stand`} for several designs at one ` +
          "place (the number beside it says how many); a click shows one after the other.",
      );
    if (within === "error") told.push(`Grouped by the published error of the models: ${marks.told()}.`);
    else if (within !== "off")
      told.push(`Grouped: designs that differ by at most ${within} % in every objective from the one that is drawn.`);
    if (within !== "off")
      told.push(near ? `${text.number(near)} marks stand for such a group; a click draws it apart.` : "No two are.");
    if (within !== "off" && drawn < model.front) told.push(`Only the ${text.number(drawn)} drawn points are grouped.`);
    if (partial.length)
      told.push(
        `Of designs behind the frontier the page holds no ${partial.map(stored.says).join(" and no ")}, ` +
          "so they are not drawn.",
      );
    byId("plot-told").textContent = told.filter(Boolean).join(" ");
  }

  // The place of a row: its own, or that of the group it is drawn with; none for what is not drawn.
  const stands = (row) => (row < drawn ? (markOf.get(row)?.at ?? row) : row);

  function view() {
    const area = frame();
    if (!area) return null;
    const { toX, toY } = area;
    const at = (row) => {
      const [px, py] = beside.over(row, x, y);
      return [toX(px), toY(py)];
    };
    return {
      ...area,
      drawn,
      tint: colours.tint && model.front > drawn ? colours.painter() : null,
      x: (row) => toX(x.value(stands(row)) / x.scale),
      y: (row) => toY(y.value(stands(row)) / y.scale),
      beside: at,
    };
  }

  async function backdrop() {
    const v = ready && !painting && view();
    if (!v) return;
    painting = true;
    const [left, right] = place.layout.xaxis.range,
      [bottom, top] = place.layout.yaxis.range;
    const others = [...shared.map((mark) => [v.x(mark.at), v.y(mark.at)]), ...onTheStep(v)];
    await window.Plotly.relayout(place, {
      annotations: [...warning(), ...beside.names(v, x, y, place.layout, others)],
      images: [
        {
          source: cloud.paint(v),
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

  // Places on the line that joins a frontier of two objectives, so that no name is laid over it.
  function onTheStep(v) {
    const line = traces.step(
        x,
        y,
        shared.flatMap((mark) => mark.rows),
      ),
      found = [];
    for (let nth = 1; nth < line.length; nth++) {
      const [[ax, ay], [bx, by]] = [line[nth - 1], line[nth]].map((row) => [v.x(row), v.y(row)]),
        [cx, cy] = x.sense === "min" ? [bx, ay] : [ax, by];
      for (const [x0, y0, x1, y1] of [
        [ax, ay, cx, cy],
        [cx, cy, bx, by],
      ]) {
        const parts = Math.ceil(Math.hypot(x1 - x0, y1 - y0) / 6) || 1;
        if (!(parts < 1000)) continue;
        for (let part = 0; part < parts; part++)
          found.push([x0 + ((x1 - x0) * part) / parts, y0 + ((y1 - y0) * part) / parts]);
      }
    }
    return found;
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
      drawnTraces = place.data.filter((trace) => trace.x.length); // plotly has a group for each of these, in this order
    drawnTraces.forEach(({ meta }, at) => {
      if (!Array.isArray(meta) || !groups[at]) return;
      // Plotly draws no point where an axis has no place for it, as for 0 on a logarithmic one.
      const own = meta
        .map((nth) => shared[nth])
        .filter((mark) => Number.isFinite(v.x(mark.at)) && Number.isFinite(v.y(mark.at)));
      groups[at].querySelectorAll(".points path").forEach((point, nth) => {
        point.style.opacity = own[nth].rows.some((row) => model.pass[row]) ? "" : "0.12";
      });
    });
  }

  function after() {
    dim();
    circle();
    beside.absent(view(), x, y);
  }

  function circle() {
    const row = state.selected;
    ring.hidden = true;
    byId("sight-note").hidden = true;
    if (!ready || (row < 0 && !(state.reference >= 0 && references.shown()))) return;
    const v = view();
    if (!v) return;
    const [px, py] = row < 0 ? v.beside(state.reference) : [v.x(row), v.y(row)],
      box = place.getBoundingClientRect();
    if (!(px >= 0 && px <= v.width && py >= 0 && py <= v.height)) {
      byId("sight-note").hidden = false;
      return;
    }
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
    let reference = -1,
      least = 9 * 9;
    for (let at = 0; references.shown() && at < references.systems.length; at++) {
      const [sx, sy] = v.beside(at),
        far = (sx - px) ** 2 + (sy - py) ** 2;
      if (far < least) {
        least = far;
        reference = at;
      }
    }
    const row = cloud.nearest(v, px, py);
    if (reference >= 0 && (row < 0 || (v.x(row) - px) ** 2 + (v.y(row) - py) ** 2 >= least))
      return { beside: reference };
    return row >= 0 ? { row } : null;
  }

  function hover(event) {
    const found = event.buttons ? null : under(event);
    tip.hidden = !found;
    place.classList.toggle("pointing", found !== null);
    if (!found) return;
    tip.replaceChildren(
      ...("row" in found ? tips.design(found.row, markOf.get(found.row), [x, y]) : references.tip(found.beside)),
    );
    const box = byId("plot-box").getBoundingClientRect(),
      left = event.clientX - box.left,
      top = event.clientY - box.top;
    const flip = left > box.width / 2;
    tip.style.left = flip ? "" : `${left + 14}px`;
    tip.style.right = flip ? `${box.width - left + 14}px` : "";
    tip.style.top = `${Math.max(0, Math.min(top - 12, box.height - tip.offsetHeight - 4))}px`;
  }

  // The designs that share the mark of a row, in the order in which clicks show them.
  const together = (row) => markOf.get(row)?.rows ?? [row];

  // A click on designs at one place shows one after the other; on a group of near ones, it draws them apart.
  function choose(row) {
    const mark = markOf.get(row),
      rows = together(row);
    if (mark?.near) {
      open = mark.at;
      draw();
      model.select(mark.at);
      return;
    }
    if (open >= 0 && !(mark?.of >= 0)) {
      open = -1;
      draw();
    }
    const at = rows.indexOf(state.selected);
    model.select(rows.length > 1 ? rows[(at + 1) % rows.length] : row);
  }

  function inside(corners) {
    const { x: xs, y: ys } = corners;
    return (row) => {
      const px = x.value(row) / x.scale,
        py = y.value(row) / y.scale;
      let found = false;
      for (let i = 0, j = xs.length - 1; i < xs.length; j = i++) {
        if (ys[i] > py !== ys[j] > py && px < ((xs[j] - xs[i]) * (py - ys[i])) / (ys[j] - ys[i]) + xs[i])
          found = !found;
      }
      return found;
    };
  }

  // A region of the plot by its corners, in the units of the axes; two are those of a box.
  function keep(corners) {
    const [xs, ys] = [corners.x, corners.y].map((list) => Array.from(list, (v) => Number(v.toPrecision(7))));
    model.region(xs.length === 2 ? boxed(xs, ys) : inside({ x: xs, y: ys }), { x: xs, y: ys });
  }

  function boxed(xs, ys) {
    const [x0, x1] = xs.slice().sort((a, b) => a - b),
      [y0, y1] = ys.slice().sort((a, b) => a - b);
    return (row) => {
      const px = x.value(row) / x.scale,
        py = y.value(row) / y.scale;
      return px >= x0 && px <= x1 && py >= y0 && py <= y1;
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
        if (found && "row" in found) choose(found.row);
        else if (found) model.beside(found.beside);
        if (found) sheet.tapped();
      },
      true,
    );
    place.on("plotly_selected", (event) => {
      if (event && event.range) keep(event.range);
      else if (event && event.lassoPoints) keep(event.lassoPoints);
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

  const drop = () => {
    model.region(null);
    if (ready) window.Plotly.relayout(place, { selections: [] });
  };

  // What of the view a link may hold, apart from axes, colour and kinds of designs: `share` and `control` of the state.
  function shareView(state) {
    state.control("alike");
    state.share(
      "whole",
      () => (whole ? "space" : null),
      (told) => {
        if (told !== null && told !== "space") throw new Error("space is wanted");
        if (whole !== (told === "space")) byId("whole-space").click();
      },
    );
    legend.shareView(state);
    along.shareView(state);
  }

  const tints = () => [...stored.groups.flatMap(([, list]) => list), ...colours.kinds];

  function reflect() {
    stored.options(byId("x"), stored.groups, x);
    stored.options(byId("y"), stored.groups, y);
    stored.options(byId("colour"), [["alternatives and parts", colours.kinds], ...stored.groups], colours.tint, "none");
    byId("alike").value = within;
    const button = byId("whole-space");
    button.textContent = whole ? "frontier only" : "whole space";
    button.hidden = model.front < 2 || model.count === model.front;
  }

  function controls() {
    byId("log-x").checked = x !== stored.number && look.spread(x) > look.WIDE;
    byId("log-y").checked = look.spread(y) > look.WIDE;
    const error = byId("alike").querySelector('[value="error"]');
    error.disabled = !marks.published;
    if (!marks.published) error.textContent += " (none published)";
    byId("alike").closest("label").hidden = model.front < 2;
    reflect();
    for (const id of ["x", "y"])
      byId(id).addEventListener("change", () => {
        const dim = stored.byKey(byId(id).value);
        if (id === "x") x = dim;
        else y = dim;
        byId(`log-${id}`).checked = dim !== stored.number && look.spread(dim) > look.WIDE;
        drop();
        draw();
      });
    byId("colour").addEventListener("change", () => {
      colours.choose(tints().find((dim) => dim.key === byId("colour").value) || null);
    });
    for (const id of ["log-x", "log-y"]) byId(id).addEventListener("change", draw);
    byId("whole-space").addEventListener("click", () => {
      whole = !whole;
      reflect();
      draw();
    });
    byId("alike").addEventListener("change", () => {
      within = byId("alike").value;
      open = -1;
      draw();
    });
    byId("drag").addEventListener("change", () => {
      if (ready) window.Plotly.relayout(place, { dragmode: byId("drag").value });
    });
    window.matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => {
      legend.draw();
      draw();
    });
    model.listen((what) => {
      if (what === "selected") circle();
      else if (what === "filter") {
        dim();
        soon();
      } else if (what === "shown" || what === "coloured") draw();
      else if (what === "clear" && ready) window.Plotly.relayout(place, { selections: [] });
    });
    // Plots are as wide as their place: they are drawn again where that changes, also while they were hidden.
    let width = innerWidth,
      waiting = 0;
    addEventListener("resize", () => {
      if (innerWidth === width) return;
      width = innerWidth;
      clearTimeout(waiting);
      waiting = setTimeout(() => {
        draw();
        along.draw();
      }, 80);
    });
    along.controls();
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

  return {
    start,
    controls,
    keep,
    draw,
    locate,
    locateBeside,
    shareView,
    get marks() {
      return shared;
    },
  };
})();
