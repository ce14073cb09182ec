// What the numbers of a design consist of: sums as stacked bars, maxima and rates as stems, and what binds in words.

const breakdowns = (() => {
  if (!model) return null;
  const { data, details } = model,
    E = element;

  const column = (name, row) => (details.columns[name] ? details.columns[name][row] : NaN);

  function stacks(row, kind) {
    return details.stacks.filter(
      (stack) =>
        stack.kind === kind &&
        stack.products.includes(model.products[row]) &&
        column(stack.quantity, row) !== 0 &&
        Number.isFinite(column(stack.quantity, row)),
    );
  }

  const partsOf = (stack, row) => stack.parts.map((name) => ({ name: model.label(name), value: column(name, row) }));

  const LABELLED = 0.05; // share of a bar from which on a part is labelled, where it is wide enough on the screen

  // A part keeps its colour from design to design; from the ninth on, the colours come again, hatched.
  function tint(at) {
    return { class: `part-${at % 8}${at >= 8 ? " again" : ""}`, style: { "--tint": `var(--part-${at % 8})` } };
  }

  function breakdown(quantity, unit, whole, given) {
    const column_ = { ...text.unit(unit, Math.abs(whole)) };
    const parts = given.map((part, at) => ({ ...part, look: tint(at) }));
    const sum = parts.reduce((total, part) => total + Math.max(part.value, 0), 0) || 1;
    parts.sort((a, b) => b.value - a.value);
    const bar = E(
      "div",
      {
        class: "stack",
        role: "img",
        "aria-label": `${quantity}: ${parts.map((p) => `${p.name} ${text.percent(p.value / whole)}`).join(", ")}`,
      },
      ...parts.map((part) => {
        const share = Math.max(part.value, 0) / sum;
        return E(
          "i",
          {
            class: part.look.class,
            style: { ...part.look.style, width: `${100 * share}%` },
            title: `${part.name}: ${text.withUnit(part.value, column_)}, ${text.percent(part.value / whole)}`,
          },
          share >= LABELLED ? E("b", {}, text.percent(part.value / whole)) : null,
        );
      }),
    );
    const lines = parts.map((part) =>
      E(
        "tr",
        {},
        E("td", {}, E("i", { class: `swatch ${part.look.class}`, style: part.look.style }), part.name),
        E("td", { class: "n" }, text.withUnit(part.value, column_)),
        E("td", { class: "n" }, text.percent(part.value / whole)),
      ),
    );
    return E(
      "div",
      { class: "breakdown" },
      E("p", { class: "title" }, quantity, E("b", {}, text.withUnit(whole, column_))),
      E("div", { class: "beside" }, bar, E("table", { class: "plain" }, E("tbody", {}, ...lines))),
    );
  }

  // One axis for all bounds; the longest stem binds, the others say how far below it they are.
  function bottleneck(quantity, unit, given) {
    const parts = [...given].sort((a, b) => b.value - a.value);
    const most = parts[0].value,
      column_ = text.unit(unit, Math.abs(most));
    const lines = parts.map((part, at) => {
      const binds = at === 0 || part.value === most,
        share = most > 0 ? Math.max(part.value / most, 0) : 0;
      return E(
        "div",
        { class: binds ? "bound binds" : "bound" },
        E("span", { class: "what" }, part.name),
        E("b", {}, text.withUnit(part.value, column_)),
        E("span", { class: "stem" }, E("i", { style: { width: `${100 * share}%` } })),
        E("span", { class: "rank" }, binds ? "binds" : `${text.percent(1 - share)} below`),
      );
    });
    const ticks = E(
      "div",
      { class: "ticks", "aria-hidden": "true" },
      E("span", {}, "0"),
      E("span", {}, text.withUnit(most / 2, column_)),
      E("span", {}, text.withUnit(most, column_)),
    );
    return E(
      "div",
      { class: "breakdown" },
      E("p", { class: "title" }, quantity, E("small", {}, "the largest bound")),
      E("div", { class: "bounds" }, ...lines, ticks),
    );
  }

  const ratesOf = (row) =>
    details.rates.filter(
      (axis) => axis.products.includes(model.products[row]) && Number.isFinite(column(axis.achieved, row)),
    );

  // The bounds of an axis in this design, as `rate_bounds` of the package finds them: the tightest first.
  function rateBounds(axis, row) {
    const cost = (name) => column(name, row),
      rate = (name) => (cost(name) <= 0 ? Infinity : 1 / cost(name));
    const maxima = new Map(axis.maxima),
      inner = new Map(axis.inner),
      within = new Set(inner.values());
    const todo = [...maxima.keys()].filter((name) => !within.has(name)),
      reached = new Set(),
      binding = new Set();
    while (todo.length) {
      const name = todo.pop();
      if (reached.has(name)) continue;
      reached.add(name);
      for (const part of maxima.get(name)) {
        if (cost(part) !== cost(name)) continue;
        if (inner.has(part)) todo.push(inner.get(part));
        else binding.add(`${name} ${part}`);
      }
    }
    const found = new Map();
    for (const [name, parts] of maxima) {
      for (const part of parts) {
        const from = inner.get(part) || "",
          binds = binding.has(`${name} ${part}`);
        if (from && cost(part) === cost(from)) continue;
        if (!found.has(part) || binds) found.set(part, { name: part, value: rate(part), of: name, binds, from });
      }
    }
    return [...found.values()].sort((a, b) => a.value - b.value);
  }

  // One axis: every bound a stem, what is achieved the first one and a line through all.
  function rateAxis(axis, row) {
    const achieved = 1 / column(axis.achieved, row),
      bounds = rateBounds(axis, row);
    const stems = bounds.filter((bound) => Number.isFinite(bound.value)),
      free = bounds.filter((bound) => !Number.isFinite(bound.value));
    const values = [achieved, ...stems.map((bound) => bound.value)].filter((value) => value > 0);
    const most = Math.max(...values),
      spread = most / Math.min(...values),
      column_ = text.unit(axis.unit, most);
    const low = spread > 10 ? Math.min(...values) / 1.5 : 0;
    const at = (value) => (low ? Math.max(0, Math.log(value / low) / Math.log(most / low)) : value / most);
    const back = (share) => (low ? low * (most / low) ** share : most * share);
    const line = (name, value, kind, rank) =>
      E(
        "div",
        { class: `bound ${kind}` },
        E("span", { class: "what" }, name),
        E("b", {}, text.withUnit(value, column_)),
        E(
          "span",
          { class: "stem" },
          E("em", { style: { left: `${100 * at(achieved)}%` } }),
          E("i", { style: { width: `${100 * at(value)}%` } }),
        ),
        E("span", { class: "rank", title: rank.endsWith("×") ? "times what is achieved" : null }, rank),
      );
    const lines = [line(model.label(axis.achieved), achieved, "achieved", "achieved")];
    for (const bound of stems) {
      const kind = bound.binds ? "binds" : bound.from ? "between" : "";
      lines.push(
        line(model.label(bound.name), bound.value, kind, bound.binds ? "binds" : text.times(bound.value / achieved)),
      );
    }
    const ticks = E(
      "div",
      { class: "ticks", "aria-hidden": "true" },
      ...[0, 0.5, 1].map((share) => E("span", {}, text.given(Number(back(share).toPrecision(2)), column_))),
    );
    const told = stems
      .filter((bound) => bound.binds || bound.from)
      .map((bound) =>
        bound.binds
          ? `${model.label(bound.name)} sets ${model.label(bound.of)}`
          : `${model.label(bound.name)} is on top of ${model.label(bound.from)}`,
      );
    if (free.length) told.push(`no limit from ${free.map((bound) => model.label(bound.name)).join(", ")}`);
    const note = told.length ? E("p", { class: "note" }, told.join("; ")) : null;
    const words = `1 / ${model.label(axis.achieved)}${low ? ", logarithmic" : ""}`;
    return E(
      "div",
      { class: "breakdown rates" },
      E("p", { class: "title" }, axis.rate + (column_.shown ? ` [${column_.shown}]` : ""), E("small", {}, words)),
      E("div", { class: "bounds" }, ...lines, ticks),
      note,
    );
  }

  // ---- what binds, in words ----

  const named = (names) => (names.length > 1 ? `${names.slice(0, -1).join(", ")} and ${names.at(-1)}` : names[0]);

  // Of a maximum: which part sets it, and how far the next is below.
  function setBy(quantity, given) {
    const parts = [...given].sort((a, b) => b.value - a.value),
      most = parts[0].value;
    const first = parts.filter((part) => part.value === most),
      next = parts.find((part) => part.value < most);
    const rest = next && most > 0 ? `; next is ${next.name}, ${text.percent(1 - next.value / most)} below` : "";
    return `${quantity} is set by ${named(first.map((part) => part.name))}${rest}.`;
  }

  function binds(row) {
    const told = [];
    if (details && row < data.rows.details) {
      const axes = ratesOf(row),
        drawn = new Set(axes.flatMap((axis) => axis.maxima.map(([name]) => name)));
      for (const axis of axes) {
        const bounds = rateBounds(axis, row),
          first = bounds.filter((bound) => bound.binds),
          next = bounds.find((bound) => !bound.binds && !bound.from && Number.isFinite(bound.value));
        if (!first.length) continue;
        const above = next
          ? `; next is ${model.label(next.name)}, at ${text.times(next.value * column(axis.achieved, row))}`
          : "";
        told.push(`${axis.rate}: bound by ${named(first.map((bound) => model.label(bound.name)))}${above}.`);
      }
      for (const stack of stacks(row, "max"))
        if (!drawn.has(stack.quantity)) told.push(setBy(model.label(stack.quantity), partsOf(stack, row)));
    }
    const known = limits.of(row),
      hard = known.filter((limit) => limit.state === "violated" || limit.state === "binds");
    for (const { told: limit, state, spare } of hard)
      told.push(`${limit} ${state === "binds" ? "binds" : "is violated"}${spare ? `: ${spare}` : ""}.`);
    const [near] = known.filter((limit) => limit.relative >= 0).sort((a, b) => a.relative - b.relative);
    if (!hard.length && near) told.push(`No constraint binds; the tightest is ${near.told}: ${near.spare}.`);
    return told.length
      ? [E("h4", {}, "What binds"), E("ul", { class: "sentences" }, ...told.map((one) => E("li", {}, one)))]
      : [];
  }

  function bounds(row) {
    const axes = ratesOf(row),
      drawn = new Set(axes.flatMap((axis) => axis.maxima.map(([name]) => name)));
    const maxima = stacks(row, "max").filter((stack) => !drawn.has(stack.quantity));
    return axes.length || maxima.length
      ? [
          E("h4", {}, "Bounds"),
          ...axes.map((axis) => rateAxis(axis, row)),
          ...maxima.map((stack) => bottleneck(model.label(stack.quantity), stack.unit, partsOf(stack, row))),
        ]
      : [];
  }

  // Objectives first; sums that are one part and nothing else come last.
  function rank(stack, row) {
    const at = data.objectives.findIndex((o) => o.quantity === stack.quantity);
    const parts = partsOf(stack, row).filter((part) => part.value !== 0).length;
    return at >= 0 ? at : data.objectives.length + (parts > 1 ? 0 : 1);
  }

  function sums(row) {
    const found = stacks(row, "sum").sort((a, b) => rank(a, row) - rank(b, row));
    return found.length
      ? [
          E("h4", {}, "Where it goes"),
          ...found.map((stack) =>
            breakdown(model.label(stack.quantity), stack.unit, column(stack.quantity, row), partsOf(stack, row)),
          ),
        ]
      : [];
  }

  return { breakdown, bottleneck, bounds, sums, binds, setBy };
})();
