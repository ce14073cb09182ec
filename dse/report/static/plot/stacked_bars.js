// Where a quantity goes along an axis: at each value one bar, stacked from the parts of the best design there.

const stackedBars = (() => {
  if (!model) return null;
  const MOST = 40; // bars
  const { details } = model;
  const place = byId("breakdown-plot");
  const stacks = details ? details.stacks.filter((stack) => stack.kind === "sum") : [];
  const quantities = [...new Set(stacks.map((stack) => stack.quantity))];
  const column = (name, row) => (details.columns[name] ? details.columns[name][row] : NaN);
  const stackOf = (quantity, row) =>
    stacks.find((stack) => stack.quantity === quantity && stack.products.includes(model.products[row]));

  // chosen: { quantity, by: what is least or most in the designs that are drawn, sense, x: the axis }
  function draw({ quantity, by, sense, x }) {
    const of = lines
      .rows(x)
      .filter(
        (row) =>
          row < model.data.rows.details &&
          stackOf(quantity, row) &&
          Number.isFinite(column(quantity, row)) &&
          Number.isFinite(by.value(row)),
      );
    const across = lines.kept(x, of, MOST),
      none = { code: () => 0 },
      at = lines.best(of, by, sense, none, none, across);
    const bars = across.codes.map((code) => ({ row: at(0, 0, code), label: across.label(code) }));
    const parts = [...new Set(bars.flatMap(({ row }) => stackOf(quantity, row).parts))];
    const { unit } = stacks.find((stack) => stack.quantity === quantity);
    const most = Math.max(0, ...bars.map(({ row }) => Math.abs(column(quantity, row))));
    const { scale, shown } = text.unit(unit, most);
    const says = model.label;
    const dim = { name: quantity, title: shown ? `${says(quantity)} [${shown}]` : says(quantity) };
    // Bars stand side by side, whatever the distance of their values.
    const labels = bars.map((_, nth) => `${nth}`);
    const found = parts.map((part, nth) => ({
      type: "bar",
      name: plotlyText(says(part)),
      x: labels,
      y: bars.map(({ row }) => (stackOf(quantity, row).parts.includes(part) ? column(part, row) / scale : 0)),
      customdata: bars.map(({ row }) => row),
      marker: { color: colour(`--part-${nth % 8}`), line: { color: colour("--paper"), width: 1 } },
      hoverinfo: "text",
      hovertext: bars.map(({ row, label }) => {
        const value = column(part, row),
          share = value / column(quantity, row);
        return [
          `${stored.says(x)} ${label}`,
          `${says(part)} ${text.withUnit(value, { scale, shown })}, ${text.percent(share)}`,
          `of ${says(quantity)} ${text.withUnit(column(quantity, row), { scale, shown })}`,
          model.called(row),
        ]
          .map(plotlyText)
          .join("<br>");
      }),
    }));
    const layout = {
      ...look.layout(),
      barmode: "relative",
      bargap: bars.length > 20 ? 0.1 : 0.25,
      hovermode: "closest",
      width: place.clientWidth,
      height: place.clientHeight || 460,
      margin: { l: 64, r: 20, t: 12, b: 56 },
      xaxis: {
        title: { text: look.folded(stored.says(x), place.clientWidth - 90), standoff: 12 },
        type: "category",
        tickvals: labels,
        ticktext: bars.map(({ label }) => plotlyText(label)),
        tickfont: { color: colour("--quiet") },
        automargin: true,
      },
      yaxis: {
        ...look.axis(dim, false, undefined, 340),
        autorange: true,
        range: undefined,
        rangemode: "tozero",
        automargin: true,
      },
    };
    byId("breakdown-legend").replaceChildren(
      ...parts.map((part, nth) =>
        element(
          "span",
          {},
          element("i", { class: "swatch", style: { background: `var(--part-${nth % 8})` } }),
          says(part),
        ),
      ),
    );
    const word = sense === "min" ? "least" : "most";
    const note = [
      `Each bar is the design with the ${word} ${stored.says(by)} at that value, of the ${text.number(of.length)} ` +
        `designs on this page whose breakdown it holds${model.filtered ? " and that are kept" : ""}.`,
    ];
    if (across.left > 0) note.push(`${across.left} further values with fewer designs are left out.`);
    byId("breakdown-note").textContent = of.length ? note.join(" ") : "No design on this page has this breakdown.";
    return window.Plotly.react(place, found, layout, look.config());
  }

  return { draw, place, quantities };
})();
