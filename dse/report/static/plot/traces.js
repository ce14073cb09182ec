// The frontier as traces of plotly: one for each kind, the scale of colours, numbers beside marks of several designs.

const traces = (() => {
  if (!model) return null;
  const FILL = ["", "-open-dot", "-open"]; // certain, likely, possible
  const NARROW = 520; // pixels of a plot from which on the scale of colours has room beside it
  const NUMBERED = 80; // marks of several designs up to which each has its number
  const { objectives } = model;

  // One trace for each kind, so that it has its shape and colour.
  function markers(group, own, over, nth, style) {
    const hollow = own.map((mark) => legend.mixed && model.outside[mark.at] > 0),
      shape = colours.shape(group),
      sure = own.map((mark) => model.leastSure(mark.rows));
    return {
      type: "scatter",
      mode: "markers",
      name: group ? plotlyText(group.name) : "frontier",
      hoverinfo: "skip",
      showlegend: false,
      meta: own.map((mark) => nth.get(mark)),
      x: Float64Array.from(own, (mark) => over.x(mark.at)),
      y: Float64Array.from(own, (mark) => over.y(mark.at)),
      marker: {
        opacity: 1,
        symbol: own.map((mark, at) => shape + (model.sureKnown ? FILL[sure[at]] : hollow[at] ? "-open" : "")),
        ...style,
        size: style.size * colours.size(group),
        line: {
          width: hollow.map((one, at) => ((model.sureKnown ? sure[at] > 0 : one) ? 2 : 0.7)),
          color: colour("--paper"),
          ...style.line,
        },
      },
      selected: { marker: { opacity: 1 } },
      unselected: { marker: { opacity: 1 } },
    };
  }

  // The scale of colours: beside the plot, or above it where that is narrow.
  function bar(dim, place) {
    const narrow = place.clientWidth < NARROW;
    return {
      colorscale: colours.scale(),
      cmin: colours.reach(dim)[0],
      cmax: colours.reach(dim)[1],
      showscale: true,
      colorbar: {
        title: {
          text: look.folded(dim.title + look.goal(dim), narrow ? place.clientWidth - 110 : place.clientHeight - 90),
          side: narrow ? "top" : "right",
        },
        ...(narrow ? { orientation: "h", y: 1.02, yanchor: "bottom", len: 1, nticks: 5 } : {}),
        outlinewidth: 0,
        thickness: 12,
        tickfont: { color: colour("--quiet") },
      },
    };
  }

  // How many designs share a mark, beside it.
  function numbers(shared, over) {
    const several = shared.filter((mark) => mark.rows.length > 1);
    if (!several.length || several.length > NUMBERED) return [];
    return [
      {
        type: "scatter",
        mode: "text",
        name: "designs at one place",
        hoverinfo: "skip",
        showlegend: false,
        x: several.map((mark) => over.x(mark.at)),
        y: several.map((mark) => over.y(mark.at)),
        text: several.map((mark) => ` ${mark.rows.length}`),
        textposition: "top right",
        textfont: { size: 11, color: colour("--ink") },
      },
    ];
  }

  // Lines from the design that stands for a group to the others of it.
  function spider(shared, over) {
    const own = shared.filter((mark) => mark.of >= 0),
      from = own.length ? own[0].of : -1;
    if (from < 0) return [];
    const ends = (value) => own.flatMap((mark) => [value(from), value(mark.at), null]);
    return [
      {
        type: "scatter",
        mode: "lines",
        hoverinfo: "skip",
        showlegend: false,
        line: { color: colour("--pick"), width: 1 },
        x: ends(over.x),
        y: ends(over.y),
      },
    ];
  }

  // The rows of the frontier in the order in which a line joins them; none where two objectives do not tell it all.
  function step(x, y, rows) {
    const both = objectives.length === 2 && x !== y && objectives.includes(x) && objectives.includes(y);
    if (!both || rows.length < 2) return [];
    return rows.slice().sort((a, b) => x.value(a) - x.value(b) || y.value(a) - y.value(b));
  }

  // The traces of the frontier and of the references. `shared`: the marks; `rows`: of the designs they stand for.
  function make({ x, y, rows, shared, place }) {
    const nth = new Map(shared.map((mark, at) => [mark, at])),
      over = { x: (row) => x.value(row) / x.scale, y: (row) => y.value(row) / y.scale };
    const found = before.traces(x, y),
      joined = step(x, y, rows),
      { tint } = colours,
      groups = colours.groups();
    if (joined.length) {
      found.push({
        type: "scatter",
        mode: "lines",
        hoverinfo: "skip",
        showlegend: false,
        line: { color: colour("--quiet"), width: 1, shape: x.sense === "min" ? "hv" : "vh" },
        x: Float64Array.from(joined, over.x),
        y: Float64Array.from(joined, over.y),
      });
    }
    found.push(...spider(shared, over));
    const size = shared.length > 500 ? 6 : shared.length > 60 ? 8 : 10;
    if (groups) {
      const { of } = groups;
      for (const group of [...groups.groups, undefined]) {
        const own = shared.filter((mark) => of(mark.at) === group);
        if (own.length) found.push(markers(group, own, over, nth, { size, color: colours.paint(group) }));
      }
    } else {
      const front = colour("--front"),
        paper = colour("--paper"),
        open = (mark) => (model.sureKnown ? model.leastSure(mark.rows) > 0 : legend.mixed && model.outside[mark.at]),
        edge = shared.map((mark) => (open(mark) ? front : paper));
      const style = { size, color: tint ? shared.map((mark) => tint.value(mark.at) / tint.scale) : front };
      if (tint) Object.assign(style, bar(tint, place));
      else style.line = { color: edge };
      found.push(markers(null, shared, over, nth, style));
    }
    return [...found, ...numbers(shared, over), ...beside.traces(x, y)];
  }

  return { make, step, NARROW };
})();
