// The short list at the top of the page: its rows select, and its objectives show what they consist of.

const shortlist = (() => {
  const place = byId("short");
  if (!model || !place) return null;
  const { data, details, objectives } = model,
    bodies = [...place.querySelectorAll("tbody")];

  function pick(body) {
    if (body.dataset.row !== undefined) model.select(Number(body.dataset.row));
    else if (body.dataset.reference !== undefined) model.beside(Number(body.dataset.reference));
    sheet.show();
  }

  // The sum that an objective is in a line of the list: { whole, parts: [[name, value]] }, or null.
  function sumOf(body, name) {
    if (body.dataset.reference !== undefined) {
      const stack = data.references[Number(body.dataset.reference)].stacks.find(
        (one) => one.kind === "sum" && one.quantity === name,
      );
      return stack ? { whole: stack.value, parts: Object.entries(stack.parts) } : null;
    }
    const row = Number(body.dataset.row);
    if (!details || !(row < data.rows.details)) return null;
    const stack = details.stacks.find(
      (one) => one.kind === "sum" && one.quantity === name && one.products.includes(model.products[row]),
    );
    return stack
      ? { whole: details.columns[name][row], parts: stack.parts.map((part) => [part, details.columns[part][row]]) }
      : null;
  }

  // One scale for all lines, so that lengths can be compared; a part has one colour in all of them.
  function bars(objective) {
    const found = bodies.map((body) => sumOf(body, objective.name)),
      sums = found.filter((sum) => sum && sum.whole > 0);
    const most = Math.max(...sums.map((sum) => sum.whole)),
      names = [...new Set(sums.flatMap((sum) => sum.parts.map(([name]) => name)))];
    const tint = (name) => `var(--part-${names.indexOf(name) % 8})`;
    bodies.forEach((body, at) => {
      const sum = found[at],
        cell = [...body.querySelectorAll("td[data-objective]")].find((one) => one.dataset.objective === objective.name);
      if (!sum || !(sum.whole > 0) || !cell) return;
      const parts = sum.parts.filter(([, value]) => value > 0),
        told = parts.map(([name, value]) => `${model.label(name)} ${text.percent(value / sum.whole)}`);
      cell.append(
        element(
          "div",
          {
            class: "sum",
            role: "img",
            "aria-label": told.join(", "),
            title: told.join("\n"),
            style: { width: `${(100 * sum.whole) / most}%` },
          },
          ...parts.map(([name, value]) =>
            element("i", { style: { "flex-grow": value / sum.whole, background: tint(name) } }),
          ),
        ),
      );
    });
    const used = names.filter((name) =>
      sums.some((sum) => sum.parts.some(([part, value]) => part === name && value > 0.005 * sum.whole)),
    );
    return used.length
      ? element(
          "p",
          {},
          element("span", { class: "what" }, `${objective.label}: `),
          ...used.map((name) =>
            element(
              "span",
              {},
              element("i", { class: "swatch", style: { background: tint(name) } }),
              model.label(name),
            ),
          ),
        )
      : null;
  }

  for (const body of bodies)
    body.addEventListener("click", () => {
      if (!String(getSelection())) pick(body);
    });
  byId("short-legend").append(...objectives.map(bars).filter(Boolean));
  const mark = () => {
    for (const body of bodies) {
      const here =
        body.dataset.row !== undefined
          ? Number(body.dataset.row) === model.state.selected
          : Number(body.dataset.reference) === model.state.reference;
      body.classList.toggle("here", here);
      body.querySelector("button").setAttribute("aria-pressed", String(here));
    }
  };
  model.listen((what) => {
    if (what === "selected") mark();
  });
  return { mark };
})();
