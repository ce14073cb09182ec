// Every number the page holds of designs, as dimensions that may stand on an axis: objectives, axes, further
// quantities, and parts of objectives. The last two are held of some designs only, mostly those of the frontier.

const stored = (() => {
  if (!model) return null;
  const { dims, extras, details, objectives, front } = model;
  const says = (dim) => dim.label || model.label(dim.name);
  const unitOf = (unit, values) => {
    let most = 0;
    for (const v of values) if (Number.isFinite(v)) most = Math.max(most, Math.abs(v));
    return text.unit(unit, most);
  };
  const made = (fields) => ({
    numeric: true,
    partial: true, // designs behind the frontier have none
    ...fields,
    title: fields.shown ? `${says(fields)} [${fields.shown}]` : says(fields),
    text: (row) => text.number(fields.value(row) / fields.scale),
  });

  const number = {
    name: "design number",
    title: "design number",
    kind: "number",
    key: "design number",
    numeric: true,
    value: model.numeric,
    scale: 1,
    shown: "",
    text: (row) => text.grouped(model.number(row)),
  };
  for (const dim of [...dims, ...model.confidences]) dim.key = `${dim.kind}:${dim.name}`;
  const further = extras
    .filter((extra) => extra.numeric)
    .map((extra) =>
      made({
        ...extra,
        kind: "extra",
        key: `also:${extra.name}`,
        value: (row) => (row < front ? extra.values[row] : NaN),
      }),
    );
  const known = new Set([...dims, ...further].map((dim) => dim.name));
  const units = new Map();
  if (details) {
    for (const stack of details.stacks)
      for (const name of [stack.quantity, ...stack.parts]) units.set(name, stack.unit);
  }
  const parts = [...units]
    .filter(([name]) => !known.has(name) && details.columns[name])
    .map(([name, unit]) => {
      const column = details.columns[name];
      return made({
        name,
        unit,
        ...unitOf(unit, column),
        kind: "part",
        key: `part:${name}`,
        partial: column.length <= front,
        value: (row) => (row < column.length ? column[row] : NaN),
      });
    });
  const axes = dims.filter((dim) => dim.kind === "axis" && dim.numeric);
  const groups = [
    ["objectives", objectives.length === 1 ? [...objectives, number] : objectives],
    ["further quantities", further],
    ["axes", axes],
    ["parts of quantities", parts],
  ];
  const all = groups.flatMap(([, list]) => list);
  const byKey = (key) => all.find((dim) => dim.key === key) || null;

  // What takes few values, so that designs fall into levels: { many, code, label, value }. A code of `many`: none.
  const MOST = 64;
  function levels(dim) {
    if (dim.kind === "axis") {
      const label = (code) => (dim.texts ? dim.texts[code] : text.given(dim.values[code], dim));
      return { many: dim.many, code: (row) => dim.codes[row], label, value: (code) => dim.values?.[code] };
    }
    const values = [...new Set(Array.from({ length: front }, (_, row) => dim.value(row)))]
      .filter(Number.isFinite)
      .sort((a, b) => a - b);
    const code = new Map(values.map((value, at) => [value, at]));
    return {
      many: values.length,
      code: (row) => code.get(dim.value(row)) ?? values.length,
      label: (at) => text.given(values[at], dim),
      value: (at) => values[at],
    };
  }
  // Of the frontier or, without one, of all: how many values are taken.
  function taken(dim) {
    const { many, code } = levels(dim),
      found = new Set();
    for (let row = 0; row < (front || model.count); row++) if (code(row) < many) found.add(code(row));
    return found.size;
  }
  const counts = further.filter((dim) => {
    const many = new Set(Array.from({ length: front }, (_, row) => dim.value(row))).size;
    return many > 1 && many <= Math.min(MOST, Math.max(2, front / 2));
  });

  // The entries of a chooser, grouped by what they are.
  function options(select, lists, chosen, none = "") {
    select.replaceChildren(
      ...(none ? [element("option", { value: "", selected: !chosen }, none)] : []),
      ...lists
        .filter(([, list]) => list.length)
        .map(([label, list]) =>
          element(
            "optgroup",
            { label },
            ...list.map((dim) => element("option", { value: dim.key, selected: dim === chosen }, says(dim))),
          ),
        ),
    );
  }

  return { groups, axes, counts, number, levels, taken, says, byKey, options };
})();
