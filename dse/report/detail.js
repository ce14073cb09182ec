// The panel of the selected design: parameters, objectives, breakdowns, bounds, constraints, and what beats it.

const detail = (() => {
  if (!model) return null;
  const { data, dims, objectives, extras, details } = model;
  const place = byId("detail");
  const E = element;

  function pairs(entries) {
    return E(
      "dl",
      { class: "pairs" },
      ...entries.flatMap(([name, value, title]) => [E("dt", { title: title || null }, name), E("dd", {}, value)]),
    );
  }

  function head(row) {
    const kind = model.kind(row),
      bad = model.kinds[row] === INFEASIBLE;
    const marks = [
      E(
        "span",
        { class: `mark ${bad ? "bad" : model.kinds[row] === FRONTIER ? "good" : ""}` },
        kind === "frontier" ? "on the frontier" : kind,
      ),
    ];
    const beyond = model.extrapolated(row);
    if (beyond)
      marks.push(
        E(
          "span",
          { class: "mark warn", title: "Outside the range a model was validated on" },
          `extrapolated in ${beyond}`,
        ),
      );
    if (data.synthetic) marks.push(E("span", { class: "mark warn" }, "synthetic data"));
    return [E("h3", {}, `Design ${text.grouped(model.number(row))}`), E("p", { class: "marks" }, ...marks)];
  }

  function verdict(row) {
    if (model.kinds[row] === INFEASIBLE) {
      const broken = model.constraint(row);
      return broken
        ? E("p", {}, "It violates ", E("code", {}, broken), " first.")
        : E("p", {}, "It violates a constraint.");
    }
    if (model.kinds[row] !== DOMINATED) return null;
    const by = model.dominator(row);
    if (by < 0) return E("p", {}, "No design of the frontier on this page beats it.");
    const told = objectives.map((o) => {
      const here = o.value(row),
        there = o.near[by];
      if (here === there || !here) return `${o.name} ${text.withUnit(there, o)}`;
      const change = (there - here) / Math.abs(here);
      return `${o.name} ${text.withUnit(there, o)} (${text.change(change)})`;
    });
    return E(
      "p",
      {},
      "Beaten by ",
      E(
        "button",
        { type: "button", class: "link", on: { click: () => model.select(by) } },
        `design ${text.grouped(model.number(by))}`,
      ),
      `: ${told.join(", ")}.`,
    );
  }

  const marked = (dim, row) =>
    dim.sure(row)
      ? E(
          "span",
          {},
          dim.text(row),
          " ",
          E("small", { class: "sure", title: "How sure the figures of this part are" }, `· ${dim.sure(row)}`),
        )
      : dim.text(row);

  function parameters(row) {
    const entries = dims
      .filter((dim) => dim.kind === "axis" && dim.codes[row] < dim.many)
      .map((dim) => [dim.name, marked(dim, row), dim.doc]);
    return entries.length ? [E("h4", {}, "Parameters"), pairs(entries)] : [];
  }

  function held(lines) {
    return lines.length
      ? [
          E("h4", {}, "How well laws held for real machines"),
          E("ul", { class: "note held" }, ...lines.map((line) => E("li", {}, line))),
        ]
      : [];
  }

  // Each objective on a line from its best (left) to its worst (right) value on the frontier.
  function goals(row) {
    const rows = objectives.map((o) => {
      const v = o.value(row),
        span = Math.abs(o.worst - o.best);
      const [best, worst] = [text.withUnit(o.best, o), text.withUnit(o.worst, o)];
      const at = span > 0 ? (Math.abs(v - o.best) / span) * ((o.sense === "min") === v >= o.best ? 1 : -1) : 0;
      const rank =
        row < model.front
          ? o.ranks[row] === 1
            ? "best"
            : `${text.number(o.ranks[row])} of ${text.number(data.frontier)}`
          : model.front && Number.isFinite(v) && o.best
            ? `${text.times(v / o.best)} best`
            : "";
      const dot =
        Number.isFinite(at) && model.front
          ? E("i", {
              class: at > 1.0001 ? "dot far" : "dot",
              style: { left: `${100 * Math.min(Math.max(at, 0), 1)}%` },
            })
          : null;
      return E(
        "div",
        { class: "goal-row" },
        E("span", { class: "what", title: o.doc || null }, o.name),
        E("b", {}, text.withUnit(v, o)),
        E("span", { class: "track", title: `from the best on the frontier, ${best}, to the worst, ${worst}` }, dot),
        E("span", { class: "rank" }, rank),
      );
    });
    return [
      E("h4", {}, "Objectives", E("small", {}, "best to worst on the frontier")),
      E("div", { class: "goals" }, ...rows),
    ];
  }

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

  const partsOf = (stack, row) => stack.parts.map((name) => ({ name, value: column(name, row) }));

  function breakdown(quantity, unit, whole, given) {
    const column_ = { ...text.unit(unit, Math.abs(whole)) };
    const parts = given.map((part, at) => ({ ...part, tint: `var(--part-${at % 8})` }));
    const sum = parts.reduce((total, part) => total + Math.max(part.value, 0), 0) || 1;
    parts.sort((a, b) => b.value - a.value);
    const bar = E(
      "div",
      {
        class: "stack",
        role: "img",
        "aria-label": parts.map((p) => `${p.name} ${text.percent(p.value / whole)}`).join(", "),
      },
      ...parts.map((part) =>
        E("i", {
          style: { width: `${(100 * Math.max(part.value, 0)) / sum}%`, background: part.tint },
          title: `${part.name}: ${text.withUnit(part.value, column_)}, ${text.percent(part.value / whole)}`,
        }),
      ),
    );
    const lines = parts.map((part) =>
      E(
        "tr",
        {},
        E("td", {}, E("i", { class: "swatch", style: { background: part.tint } }), part.name),
        E("td", { class: "n" }, text.withUnit(part.value, column_)),
        E("td", { class: "n" }, text.percent(part.value / whole)),
      ),
    );
    return E(
      "div",
      { class: "breakdown" },
      E("p", { class: "title" }, quantity, E("b", {}, text.withUnit(whole, column_))),
      bar,
      E("table", { class: "plain" }, E("tbody", {}, ...lines)),
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
    const lines = [line(axis.achieved, achieved, "achieved", "achieved")];
    for (const bound of stems) {
      const kind = bound.binds ? "binds" : bound.from ? "between" : "";
      lines.push(line(bound.name, bound.value, kind, bound.binds ? "binds" : text.times(bound.value / achieved)));
    }
    const ticks = E(
      "div",
      { class: "ticks", "aria-hidden": "true" },
      ...[0, 0.5, 1].map((share) => E("span", {}, text.given(Number(back(share).toPrecision(2)), column_))),
    );
    const told = stems
      .filter((bound) => bound.binds || bound.from)
      .map((bound) => (bound.binds ? `${bound.name} sets ${bound.of}` : `${bound.name} is on top of ${bound.from}`));
    if (free.length) told.push(`no limit from ${free.map((bound) => bound.name).join(", ")}`);
    const note = told.length ? E("p", { class: "note" }, told.join("; ")) : null;
    const words = `1 / ${axis.achieved}${low ? ", logarithmic" : ""}`;
    return E(
      "div",
      { class: "breakdown rates" },
      E("p", { class: "title" }, axis.rate + (column_.shown ? ` [${column_.shown}]` : ""), E("small", {}, words)),
      E("div", { class: "bounds" }, ...lines, ticks),
      note,
    );
  }

  // Designs one step away along one axis, with what the step changes; only where the page holds the whole space.
  function neighbours(row) {
    const axes = dims.filter((dim) => dim.kind === "axis" && dim.name !== "alternative");
    if (!data.complete || !axes.length) return [];
    const found = [];
    for (let i = 0; i < model.count; i++) {
      if (model.products[i] !== model.products[row]) continue;
      let step = null,
        away = 0;
      for (let k = 0; k < axes.length && away < 2; k++) {
        const by = axes[k].codes[i] - axes[k].codes[row];
        if (by) {
          away += Math.abs(by);
          step = { axis: axes[k], by, at: k, row: i };
        }
      }
      if (away === 1) found.push(step);
    }
    if (!found.length) return [];
    found.sort((a, b) => a.at - b.at || a.by - b.by);
    const change = (o, i) => {
      const here = o.value(row),
        there = o.value(i),
        by = (there - here) / Math.abs(here);
      if (!Number.isFinite(by)) return E("td", { class: "n" }, text.withUnit(there, o));
      const better = by !== 0 && by < 0 === (o.sense === "min");
      return E(
        "td",
        { class: `n ${by === 0 ? "quiet" : better ? "better" : "worse"}` },
        by === 0 ? "=" : text.change(by),
      );
    };
    const lines = found.map((step) =>
      E(
        "tr",
        {},
        E(
          "td",
          {},
          E(
            "button",
            {
              type: "button",
              class: "link",
              title: `design ${model.number(step.row)}`,
              on: { click: () => model.select(step.row) },
            },
            `${step.axis.name} ${step.axis.marked(step.row)}`,
          ),
          model.kinds[step.row] === INFEASIBLE ? E("span", { class: "bad" }, " infeasible") : null,
        ),
        ...objectives.map((o) => change(o, step.row)),
      ),
    );
    const heads = E(
      "tr",
      {},
      E("th", { scope: "col" }, "with"),
      ...objectives.map((o) => E("th", { scope: "col", class: "n" }, o.name)),
    );
    return [
      E("h4", {}, "One step away"),
      E("div", { class: "steps" }, E("table", { class: "plain" }, E("thead", {}, heads), E("tbody", {}, ...lines))),
    ];
  }

  function limits(row) {
    if (!data.constraints.length) return [];
    const lines = data.constraints.map((told, at) => {
      const limit = row < data.rows.details && details ? details.limits[at] : null;
      const left = limit && limit.left ? column(limit.left, row) : NaN,
        right = limit && limit.left ? column(limit.right, row) : NaN;
      let words = "",
        mark = model.kinds[row] !== INFEASIBLE ? "met" : model.violated[row] === at + 1 ? "violated" : "";
      if (Number.isFinite(left) && Number.isFinite(right)) {
        const unit = text.unit(limit.unit, Math.max(Math.abs(left), Math.abs(right)));
        const slack = limit.relation.startsWith("<") ? right - left : left - right,
          relative = right ? slack / Math.abs(right) : NaN;
        words = `${text.withUnit(left, unit)}, limit ${text.withUnit(right, unit)}: `;
        words +=
          slack >= 0
            ? `${Number.isFinite(relative) ? text.percent(relative) : text.withUnit(slack, unit)} to spare`
            : `${Number.isFinite(relative) ? text.percent(-relative) : text.withUnit(-slack, unit)} beyond`;
        const met = slack > 0 || (slack === 0 && limit.relation.includes("=")) || model.kinds[row] !== INFEASIBLE;
        mark = met ? (relative < details.binding || slack === 0 ? "binds" : "met") : "violated";
      }
      return E(
        "li",
        { class: mark },
        E("code", {}, told),
        mark ? E("span", { class: `mark ${{ violated: "bad", binds: "warn", met: "good" }[mark]}` }, mark) : null,
        words ? E("span", { class: "quiet" }, words) : null,
      );
    });
    return [E("h4", {}, "Constraints"), E("ul", { class: "limits" }, ...lines)];
  }

  // What a percent more of an input would change; known of the designs of the short list.
  function effects(row) {
    const known = data.short.effects[data.short.rows.indexOf(row)] || [];
    const signed = (v) => (v ? `${v > 0 ? "+" : "−"}${Number(Math.abs(v).toPrecision(3))}` : "0"),
      kinds = { numeric: "numeric", steps: "in steps" };
    const both = (above, below) => `${signed(above)}${below === null ? "" : ` / ${signed(below)}`} %`;
    const note = (kind, below, alone) =>
      [kinds[kind], alone && below === null && "one side"].filter(Boolean).join(", ");
    const noted = (words) => (words ? E("small", {}, ` ${words}`) : null);
    const sided = known.flat().some(([, , , , , below]) => below !== null);
    const lists = known.map((list, at) =>
      list.length
        ? [
            E("tr", {}, E("th", { colspan: 3, scope: "rowgroup" }, objectives[at].name)),
            ...list.map(([input, value, unit, elasticity, kind, below, alone]) =>
              E(
                "tr",
                {},
                E("td", {}, input),
                E(
                  "td",
                  { class: "n quiet" },
                  value === null ? "–" : text.withUnit(value, text.unit(unit, Math.abs(value))),
                ),
                E("td", { class: "n" }, both(elasticity, below), noted(note(kind, below, alone))),
              ),
            ),
          ]
        : [],
    );
    return lists.flat().length
      ? [
          E("h4", {}, "What a percent more would change", E("small", {}, "largest effects")),
          E("table", { class: "plain effects" }, E("tbody", {}, ...lists.flat())),
          sided ? E("p", { class: "note" }, "x / y: as the input rises / as it falls.") : null,
        ]
      : [];
  }

  // The pictures stand in their own section of the page; the panel shows copies of those of the design.
  function pictures(row) {
    const found = model.pictures
      .map((rows, at) => (rows.has(row) ? byId(`picture-${at}`).querySelector(".drawing") : null))
      .filter(Boolean);
    return found.length ? [E("h4", {}, "In pictures"), ...found.map((drawing) => drawing.cloneNode(true))] : [];
  }

  function command(told) {
    const button = E("button", { type: "button", id: "copy" }, "copy");
    const say = (words) => {
      button.textContent = words;
      setTimeout(() => {
        button.textContent = "copy";
      }, 1500);
    };
    button.addEventListener("click", async () => {
      try {
        await navigator.clipboard.writeText(told);
        say("copied");
      } catch {
        getSelection().selectAllChildren(line);
        say(document.execCommand("copy") ? "copied" : "press Ctrl+C");
      }
    });
    const line = E("code", {}, told);
    return [E("h4", {}, "Every number with its source"), E("div", { class: "command" }, line, button)];
  }

  function draw() {
    const row = model.state.selected;
    if (model.state.reference >= 0) {
      place.replaceChildren(...references.panel(model.state.reference));
      place.scrollTop = 0;
      return;
    }
    if (row < 0) {
      place.replaceChildren(
        E(
          "p",
          { class: "note" },
          "Click on a design, in the plot or in the table, to see where its time and energy go.",
        ),
      );
      return;
    }
    const content = [...head(row), verdict(row), ...goals(row), ...parameters(row), ...held(model.validation(row))];
    content.push(...pictures(row));
    const also =
      row < model.front
        ? extras.map((extra) => [
            extra.name,
            extra.texts
              ? extra.texts[row] || "–"
              : text.withUnit(extra.values[row], text.unit(extra.unit, Math.abs(extra.values[row]))),
            extra.doc,
          ])
        : [];
    if (row < data.rows.details) {
      const axes = ratesOf(row),
        drawn = new Set(axes.flatMap((axis) => axis.maxima.map(([name]) => name)));
      const bounds = stacks(row, "max").filter((stack) => !drawn.has(stack.quantity)),
        sums = stacks(row, "sum");
      if (axes.length || bounds.length)
        content.push(
          E("h4", {}, "Bounds"),
          ...axes.map((axis) => rateAxis(axis, row)),
          ...bounds.map((stack) => bottleneck(stack.quantity, stack.unit, partsOf(stack, row))),
        );
      if (sums.length)
        content.push(
          E("h4", {}, "Where it goes"),
          ...sums.map((stack) =>
            breakdown(stack.quantity, stack.unit, column(stack.quantity, row), partsOf(stack, row)),
          ),
        );
    }
    content.push(...limits(row), ...neighbours(row), ...effects(row));
    if (also.length) content.push(E("h4", {}, "Also"), pairs(also));
    if (row >= data.rows.details && data.missing) content.push(E("p", { class: "note" }, data.missing));
    if (data.command) content.push(...command(`${data.command} ${model.number(row)}`));
    place.replaceChildren(...content.filter(Boolean));
    place.scrollTop = 0;
  }

  model.listen((what) => {
    if (what === "selected") draw();
  });
  return { draw, pairs, held, breakdown, bottleneck, command };
})();
