// The tabs over the plot: the scatter plot, lines along an axis, a breakdown along an axis; and what is chosen there.

const along = (() => {
  if (!model) return null;
  const { objectives } = model;
  const TABS = ["scatter", "lines", "breakdown"];
  const tab = (name) => byId(`tab-${name}`),
    panel = (name) => byId(`panel-${name}`);
  let shown = "scatter",
    started = false;

  const numbers = stored.groups.map(([label, list]) => [label, list.filter((dim) => dim !== stored.number)]);
  const over = [
    ["axes", stored.axes],
    ["further quantities", stored.counts],
  ];
  const texts = colours.kinds.filter((dim) => model.dims.includes(dim));
  const splits = [
    ["alternatives and parts", texts],
    ["axes", stored.axes],
    ["further quantities", stored.counts],
  ];
  const flat = (groups) => groups.flatMap(([, list]) => list);
  const varying = (list, least = 2) =>
    list
      .map((dim) => [dim, stored.taken(dim)])
      .filter(([, many]) => many >= least)
      .sort((a, b) => b[1] - a[1])
      .map(([dim]) => dim);

  // What an objective is best at; anything else is told apart by a chooser.
  const senseOf = (dim) => dim.sense || "min";
  const [x] = [...varying(stored.axes), ...varying(stored.counts)],
    ofLine = (() => {
      const several = [...texts, ...stored.axes].filter((dim) => dim !== x && stored.taken(dim) > 1);
      return several.find((dim) => stored.taken(dim) <= colours.MOST) || null;
    })();
  const chosen = { y: objectives[0], x: x || flat(over)[0] || null, line: ofLine, panel: null, every: false };
  chosen.sense = senseOf(chosen.y);
  const quantities = stackedBars.quantities;
  const first = quantities.find((name) => objectives.some((o) => o.name === name)) || quantities[0];
  const objectiveOf = (name) => objectives.find((o) => o.name === name);
  const stacked = { quantity: first, by: objectiveOf(first) || objectives[0], x: chosen.x };
  stacked.sense = senseOf(stacked.by);

  const clickable = new Set();
  // A plot is made when it is first seen: plotly asks its place for its width.
  function draw() {
    if (!started || shown === "scatter") return;
    const { place } = shown === "lines" ? lines : stackedBars;
    if (!clickable.has(place)) place.replaceChildren();
    if (shown === "lines" && chosen.x) lines.draw(chosen);
    if (shown === "breakdown") stackedBars.draw(stacked);
    if (clickable.has(place)) return;
    clickable.add(place);
    place.on("plotly_click", ({ points }) => {
      const row = points[0]?.customdata;
      if (Number.isInteger(row)) model.select(row);
    });
  }

  function show(name, focus = false) {
    shown = name;
    for (const one of TABS) {
      const on = one === name;
      tab(one).setAttribute("aria-selected", String(on));
      tab(one).tabIndex = on ? 0 : -1;
      panel(one).hidden = !on;
    }
    byId("plot-box").hidden = name !== "scatter";
    if (focus) tab(name).focus();
    if (name === "scatter") plot.draw();
    else draw();
  }

  const open = () => TABS.filter((name) => !tab(name).hidden);

  function byKey(event) {
    const all = open(),
      at = all.indexOf(shown);
    const to = { ArrowRight: at + 1, ArrowLeft: at - 1, Home: 0, End: all.length - 1 }[event.key];
    if (to === undefined) return;
    event.preventDefault();
    show(all[(to + all.length) % all.length], true);
  }

  function reflect() {
    stored.options(byId("lines-y"), numbers, chosen.y);
    stored.options(byId("lines-x"), over, chosen.x);
    stored.options(byId("lines-line"), splits, chosen.line, "none");
    stored.options(byId("lines-panel"), splits, chosen.panel, "none");
    byId("lines-sense").value = chosen.sense;
    byId("lines-all").checked = chosen.every;
    stored.options(byId("breakdown-x"), splits, stacked.x);
    stored.options(byId("breakdown-by"), [["objectives", objectives]], stacked.by);
    byId("breakdown-of").replaceChildren(
      ...quantities.map((name) =>
        element("option", { value: name, selected: name === stacked.quantity }, model.label(name)),
      ),
    );
  }

  const find = (groups, key) => flat(groups).find((dim) => dim.key === key) || null;

  function controls() {
    tab("lines").hidden = !chosen.x;
    tab("breakdown").hidden = !quantities.length || !flat(splits).length;
    if (!stacked.x) [stacked.x] = flat(splits);
    byId("plot-tabs").hidden = open().length < 2;
    for (const name of TABS) {
      tab(name).addEventListener("click", () => show(name));
      tab(name).addEventListener("keydown", byKey);
    }
    reflect();
    const on = (id, change) =>
      byId(id).addEventListener("change", () => {
        change(byId(id));
        draw();
      });
    on("lines-y", (box) => {
      chosen.y = find(numbers, box.value);
      chosen.sense = senseOf(chosen.y);
      byId("lines-sense").value = chosen.sense;
    });
    on("lines-x", (box) => (chosen.x = find(over, box.value)));
    on("lines-line", (box) => (chosen.line = find(splits, box.value)));
    on("lines-panel", (box) => (chosen.panel = find(splits, box.value)));
    on("lines-sense", (box) => (chosen.sense = box.value));
    on("lines-all", (box) => (chosen.every = box.checked));
    on("breakdown-of", (box) => {
      stacked.quantity = box.value;
      stacked.by = objectiveOf(box.value) || stacked.by;
      stacked.sense = senseOf(stacked.by);
      byId("breakdown-by").value = stacked.by.key;
    });
    on("breakdown-by", (box) => {
      stacked.by = find([["objectives", objectives]], box.value);
      stacked.sense = senseOf(stacked.by);
    });
    on("breakdown-x", (box) => (stacked.x = find(splits, box.value)));
    model.listen((what) => {
      if (what === "filter" || what === "shown" || what === "coloured") draw();
    });
    matchMedia("(prefers-color-scheme: dark)").addEventListener("change", draw);
  }

  // Plotly is there.
  function start() {
    started = true;
    draw();
  }

  // What of this a link may hold; what another choice sets as usual comes after it.
  function shareView({ share, control }) {
    share(
      "tab",
      () => (shown === TABS[0] ? null : shown),
      (told) => {
        const name = told ?? TABS[0];
        if (!open().includes(name)) throw new Error("a plot that is not on this page");
        show(name);
      },
    );
    for (const id of ["lines-y", "lines-x", "lines-line", "lines-panel", "lines-all"]) control(id);
    control("lines-sense", { after: "lines-y" });
    for (const id of ["breakdown-of", "breakdown-x"]) control(id);
    control("breakdown-by", { after: "breakdown-of" });
  }

  return { controls, start, draw, show, shareView };
})();
