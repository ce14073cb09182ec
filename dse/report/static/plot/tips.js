// What is told of a design that the pointer is at.

const tips = (() => {
  if (!model) return null;
  const { dims, objectives } = model;

  // Of a design that the pointer is at, and of the mark it is drawn with; `over`: those over the axes.
  function design(row, mark, over) {
    const rows = mark?.rows ?? [row],
      lines = [];
    if (rows.length > 1) {
      lines.push(
        element(
          "b",
          {},
          mark.near
            ? `${text.number(rows.length)} designs here, alike; a click draws them apart`
            : `${text.number(rows.length)} designs here; a click shows the next`,
        ),
      );
    }
    const chosen = rows.includes(model.state.selected) ? model.state.selected : rows[0];
    lines.push(element("b", {}, `${model.called(chosen)}, ${model.kind(chosen)}`));
    for (const dim of over)
      if (dim.kind === "extra" || dim.kind === "part")
        lines.push(element("span", {}, `${stored.says(dim)} ${text.withUnit(dim.value(chosen), dim)}`));
    for (const o of objectives)
      lines.push(element("span", {}, `${stored.says(o)} ${text.withUnit(o.value(chosen), o)}`));
    for (const a of dims)
      if (a.kind === "axis" && a.codes[chosen] < a.many)
        lines.push(element("span", { class: "quiet" }, `${stored.says(a)} ${a.marked(chosen)}`));
    if (model.constraint(chosen)) lines.push(element("span", { class: "bad" }, `violates ${model.constraint(chosen)}`));
    if (model.extrapolated(chosen))
      lines.push(element("span", { class: "warn" }, `extrapolated in ${model.extrapolated(chosen)}`));
    return lines;
  }

  return { design };
})();
