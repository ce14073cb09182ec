// The frontier of the run before, behind that of this one: faded circles, on axes of objectives that both have.

const before = (() => {
  const other = model?.data.before;
  if (!other) return { traces: () => [], widened: (_, __, low, high) => [low, high], key: () => null };
  const columns = new Map(Object.entries(other.objectives).map(([name, packed]) => [name, model.array(packed)]));
  const of = (dim) => (dim.kind === "objective" ? columns.get(dim.name) : undefined);

  function traces(x, y) {
    const xs = of(x),
      ys = of(y);
    if (!xs || !ys) return [];
    return [
      {
        type: "scatter",
        mode: "markers",
        name: plotlyText(`before: ${other.name}`),
        hoverinfo: "skip",
        showlegend: false,
        meta: "before",
        x: xs.map((v) => v / x.scale),
        y: ys.map((v) => v / y.scale),
        marker: { size: 11, opacity: 0.8, symbol: "circle-open", color: colour("--quiet"), line: { width: 1.5 } },
        selected: { marker: { opacity: 0.8 } },
        unselected: { marker: { opacity: 0.8 } },
      },
    ];
  }

  // The range with the other frontier in it.
  function widened(dim, log, low, high) {
    for (const v of of(dim) ?? []) {
      const p = log ? Math.log10(v / dim.scale) : v / dim.scale;
      if (!Number.isFinite(p)) continue;
      low = Math.min(low, p);
      high = Math.max(high, p);
    }
    return [low, high];
  }

  const key = () =>
    element("span", {}, element("i", { class: "key before" }), `before: ${other.name} (${text.number(other.designs)})`);

  return { traces, widened, key };
})();
