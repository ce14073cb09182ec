// How plots of the page look: axes, titles that fold, ticks; the same for all of them.

const look = (() => {
  if (!model) return null;
  const WIDE = 50; // ratio of the largest to the smallest value from which an axis starts logarithmic

  const goal = (dim) => (dim.sense ? (dim.sense === "min" ? ", lower is better" : ", higher is better") : "");

  // From a value, in the unit of its axis, to pixels between two ends.
  function toPixels({ type, range: [low, high] }, start, end) {
    const log = type === "log",
      slope = (end - start) / (high - low);
    return (value) => start + slope * ((log ? Math.log10(value) : value) - low);
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

  // 1, 2, 5 on a logarithmic axis of some decades, whole powers on a longer one: plotly would crowd it.
  const steps = ([low, high]) =>
    high - low <= 0.7 ? {} : high - low <= 3.2 ? { dtick: "D2" } : { dtick: Math.ceil((high - low) / 8) };

  // A title in as many lines as it needs in a room of so many pixels.
  function folded(title, room) {
    const most = Math.max(10, Math.floor(room / 7)),
      found = [""];
    for (const word of title.split(" ")) {
      const longer = `${found.at(-1)} ${word}`.trim();
      if (longer.length > most && found.at(-1)) found.push(word);
      else found[found.length - 1] = longer;
    }
    return found.map(plotlyText).join("<br>");
  }

  // What all axes of plots have alike; `room`: pixels along the axis.
  function axis(dim, log, range, room) {
    const grid = colour("--grid");
    return {
      title: { text: folded(dim.title + goal(dim), room), standoff: 12 },
      type: log ? "log" : "linear",
      range,
      autorange: false,
      gridcolor: grid,
      linecolor: grid,
      tickcolor: grid,
      zeroline: false,
      showline: true,
      ...(log ? steps(range) : {}),
      ticks: "outside",
      automargin: true,
      nticks: 8,
      exponentformat: "none",
      tickformat: log ? ",~g" : "",
      tickfont: { color: colour("--quiet") },
    };
  }

  // What all plots of the page have alike.
  const layout = () => ({
    font: { family: "system-ui, sans-serif", size: 13, color: colour("--ink") },
    paper_bgcolor: "rgba(0,0,0,0)",
    plot_bgcolor: "rgba(0,0,0,0)",
    separators: ".\u202f",
    showlegend: false,
    modebar: { bgcolor: "rgba(0,0,0,0)", color: colour("--quiet"), activecolor: colour("--accent") },
  });
  const config = () => ({
    displaylogo: false,
    showSendToCloud: false,
    plotlyServerURL: "",
    modeBarButtonsToRemove: ["autoScale2d", "select2d", "lasso2d", "zoom2d", "pan2d"],
    toImageButtonOptions: { filename: model.data.name, scale: 2 },
  });

  return { WIDE, goal, toPixels, spread, folded, axis, layout, config };
})();
