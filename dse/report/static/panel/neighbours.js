// Designs one step away along one axis: what the step changes in every objective, or which limit it breaks.

const neighbours = (() => {
  if (!model) return null;
  const { data, dims, objectives } = model,
    E = element;
  const stored = data.neighbours && {
    ...data.neighbours,
    ...Object.fromEntries(
      ["rows", "counts", "axis", "label", "up", "place", "broken"].map((key) => [
        key,
        model.array(data.neighbours[key]),
      ]),
    ),
    differences: data.neighbours.differences.map(model.array),
  };
  const first = new Map(); // row of the page to its first step
  if (stored) {
    let at = 0;
    stored.rows.forEach((row, place) => {
      first.set(row, [at, at + stored.counts[place]]);
      at += stored.counts[place];
    });
  }

  // A step: { axis, label, row (-1: not on the page), number, broken, changes }; changes are of the objectives, SI.
  function kept(row) {
    const [from, to] = first.get(row),
      found = [];
    for (let at = from; at < to; at++) {
      const axis = stored.axes[stored.axis[at]],
        stride = BigInt(stored.strides[model.products[row]][axis]),
        here = BigInt(model.number(row));
      found.push({
        axis,
        label: stored.labels[stored.label[at]],
        row: stored.place[at] - 1,
        number: String(stored.up[at] ? here + stride : here - stride),
        broken: stored.broken[at] ? data.constraints[stored.broken[at] - 1] : "",
        feasible: !stored.broken[at],
        changes: stored.differences.map((column) => column[at]),
      });
    }
    return found;
  }

  // Where the page holds the whole space, the neighbours of any design stand on it.
  function onPage(row) {
    const axes = dims.filter((dim) => dim.kind === "axis" && dim.name !== "alternative"),
      found = [];
    for (let i = 0; i < model.count; i++) {
      if (model.products[i] !== model.products[row]) continue;
      let step = null,
        away = 0;
      for (let k = 0; k < axes.length && away < 2; k++) {
        const by = axes[k].codes[i] - axes[k].codes[row];
        if (by) {
          away += Math.abs(by);
          step = { at: k, by, row: i };
        }
      }
      if (away === 1) found.push(step);
    }
    found.sort((a, b) => a.at - b.at || a.by - b.by);
    return found.map((step) => ({
      axis: axes[step.at].name,
      label: axes[step.at].marked(step.row),
      row: step.row,
      number: model.number(step.row),
      broken: model.constraint(step.row),
      feasible: model.kinds[step.row] !== INFEASIBLE,
      changes: objectives.map((o) => o.value(step.row) - o.value(row)),
    }));
  }

  const of = (row) => (first.has(row) ? kept(row) : stored && data.complete ? onPage(row) : null);

  function change(o, row, by) {
    const here = o.value(row),
      there = text.withUnit(here + by, o);
    if (!Number.isFinite(by / here)) return E("td", { class: "n" }, there);
    const better = by < 0 === (o.sense === "min");
    return E(
      "td",
      { class: `n ${by === 0 ? "quiet" : better ? "better" : "worse"}`, title: `${o.label}: ${there}` },
      by === 0 ? "=" : text.change(by / Math.abs(here)),
    );
  }

  function line(step, row) {
    const words = [E("span", { class: "quiet" }, model.label(step.axis)), " "];
    const told = step.row >= 0 ? model.called(step.row) : `design ${text.grouped(step.number)}`,
      frontier = step.row >= 0 && model.kinds[step.row] === FRONTIER;
    words.push(
      step.row >= 0
        ? E(
            "button",
            { type: "button", class: "link", title: told, on: { click: () => model.select(step.row) } },
            step.label,
          )
        : E("span", { title: told }, step.label),
    );
    if (frontier) words.push(" ", E("span", { class: "mark good" }, data.exact ? "frontier" : "best found"));
    if (!step.feasible)
      words.push(E("span", { class: "bad limit" }, step.broken ? `infeasible: breaks ${step.broken}` : "infeasible"));
    return E("tr", {}, E("td", {}, ...words), ...objectives.map((o, at) => change(o, row, step.changes[at])));
  }

  function tab(row) {
    const steps = of(row);
    if (!steps || !steps.length) {
      const why = steps
        ? "No axis has another value beside the one of this design."
        : data.neighbours
          ? `The page holds the steps of ${text.number(first.size)} of its designs, those on the frontier first; ` +
            "the command under “sources” tells those of any design."
          : `The page holds no steps. ${data.missing}`;
      return [E("p", { class: "note" }, why)];
    }
    const heads = E(
      "tr",
      {},
      E("th", { scope: "col" }, "with"),
      ...objectives.map((o) => E("th", { scope: "col", class: "n" }, o.label, " ", E("small", {}, o.sense))),
    );
    const told =
      "Each line: one value of one axis replaced by the next one, all others kept; what that changes, in percent.";
    return [
      E("h4", {}, "One step away"),
      E("p", { class: "note" }, told),
      E(
        "div",
        { class: "steps" },
        E("table", { class: "plain" }, E("thead", {}, heads), E("tbody", {}, ...steps.map((step) => line(step, row)))),
      ),
    ];
  }

  return { of, tab };
})();
