// The panel of the selected design: parameters, objectives, breakdowns, bounds, constraints, and what beats it.

const detail = (() => {
  if (!model) return null;
  const { data, dims, objectives, extras, details } = model;
  const place = byId("detail");
  const E = element;

  function pairs(entries) {
    return E("dl", { class: "pairs" }, ...entries.flatMap(([name, value, title]) => [E("dt", { title: title || null }, name), E("dd", {}, value)]));
  }

  function head(row) {
    const kind = model.kind(row), bad = model.kinds[row] === INFEASIBLE;
    const marks = [E("span", { class: `mark ${bad ? "bad" : model.kinds[row] === FRONTIER ? "good" : ""}` }, kind === "frontier" ? "on the frontier" : kind)];
    const beyond = model.extrapolated(row);
    if (beyond) marks.push(E("span", { class: "mark warn", title: "Outside the range a model was validated on" }, `extrapolated in ${beyond}`));
    if (data.synthetic) marks.push(E("span", { class: "mark warn" }, "synthetic data"));
    return [E("h3", {}, `Design ${text.grouped(model.number(row))}`), E("p", { class: "marks" }, ...marks)];
  }

  function verdict(row) {
    if (model.kinds[row] === INFEASIBLE) {
      const broken = model.constraint(row);
      return broken ? E("p", {}, "It violates ", E("code", {}, broken), " first.") : E("p", {}, "It violates a constraint.");
    }
    if (model.kinds[row] !== DOMINATED) return null;
    const by = model.dominator(row);
    if (by < 0) return E("p", {}, "No design of the frontier on this page beats it.");
    const told = objectives.map((o) => {
      const here = o.value(row), there = o.near[by];
      if (here === there || !here) return `${o.name} ${text.withUnit(there, o)}`;
      const change = (there - here) / Math.abs(here);
      return `${o.name} ${text.withUnit(there, o)} (${change > 0 ? "+" : "−"}${text.percent(Math.abs(change))})`;
    });
    return E("p", {}, "Beaten by ", E("button", { type: "button", class: "link", on: { click: () => model.select(by) } }, `design ${text.grouped(model.number(by))}`), `: ${told.join(", ")}.`);
  }

  function parameters(row) {
    const entries = dims.filter((dim) => dim.kind === "axis" && dim.codes[row] < dim.many).map((dim) => [dim.name, dim.text(row), dim.doc]);
    return entries.length ? [E("h4", {}, "Parameters"), pairs(entries)] : [];
  }

  // Each objective on a line from its best (left) to its worst (right) value on the frontier.
  function goals(row) {
    const rows = objectives.map((o) => {
      const v = o.value(row), span = Math.abs(o.worst - o.best);
      const at = span > 0 ? Math.abs(v - o.best) / span * (((o.sense === "min") === (v >= o.best)) ? 1 : -1) : 0;
      const rank = row < model.front ? (o.ranks[row] === 1 ? "best" : `${text.number(o.ranks[row])} of ${text.number(data.frontier)}`) : model.front && Number.isFinite(v) && o.best ? `${text.number(v / o.best, 3)} × best` : "";
      const dot = Number.isFinite(at) && model.front ? E("i", { class: at > 1.0001 ? "dot far" : "dot", style: { left: `${100 * Math.min(Math.max(at, 0), 1)}%` } }) : null;
      return E("div", { class: "goal-row" },
        E("span", { class: "what", title: o.doc || null }, o.name), E("b", {}, text.withUnit(v, o)),
        E("span", { class: "track", title: `from the best on the frontier, ${text.withUnit(o.best, o)}, to the worst, ${text.withUnit(o.worst, o)}` }, dot), E("span", { class: "rank" }, rank));
    });
    return [E("h4", {}, "Objectives", E("small", {}, "best to worst on the frontier")), E("div", { class: "goals" }, ...rows)];
  }

  const column = (name, row) => (details.columns[name] ? details.columns[name][row] : NaN);

  function stacks(row, kind) {
    return details.stacks.filter((stack) => stack.kind === kind && stack.products.includes(model.products[row]) && column(stack.quantity, row) !== 0 && Number.isFinite(column(stack.quantity, row)));
  }

  function breakdown(stack, row) {
    const whole = column(stack.quantity, row), column_ = { ...text.unit(stack.unit, Math.abs(whole)) };
    const parts = stack.parts.map((name, at) => ({ name, value: column(name, row), tint: `var(--part-${at % 8})` }));
    const sum = parts.reduce((total, part) => total + Math.max(part.value, 0), 0) || 1;
    parts.sort((a, b) => b.value - a.value);
    const bar = E("div", { class: "stack", role: "img", "aria-label": parts.map((p) => `${p.name} ${text.percent(p.value / whole)}`).join(", ") },
      ...parts.map((part) => E("i", { style: { width: `${100 * Math.max(part.value, 0) / sum}%`, background: part.tint }, title: `${part.name}: ${text.withUnit(part.value, column_)}, ${text.percent(part.value / whole)}` })));
    const lines = parts.map((part) => E("tr", {}, E("td", {}, E("i", { class: "swatch", style: { background: part.tint } }), part.name), E("td", { class: "n" }, text.withUnit(part.value, column_)), E("td", { class: "n" }, text.percent(part.value / whole))));
    return E("div", { class: "breakdown" }, E("p", { class: "title" }, stack.quantity, E("b", {}, text.withUnit(whole, column_))), bar, E("table", { class: "plain" }, E("tbody", {}, ...lines)));
  }

  // One axis for all bounds; the longest stem binds, the others say how far below it they are.
  function bottleneck(stack, row) {
    const parts = stack.parts.map((name) => ({ name, value: column(name, row) })).sort((a, b) => b.value - a.value);
    const most = parts[0].value, column_ = text.unit(stack.unit, Math.abs(most));
    const lines = parts.map((part, at) => {
      const binds = at === 0 || part.value === most, share = most > 0 ? Math.max(part.value / most, 0) : 0;
      return E("div", { class: binds ? "bound binds" : "bound" },
        E("span", { class: "what" }, part.name), E("b", {}, text.withUnit(part.value, column_)),
        E("span", { class: "stem" }, E("i", { style: { width: `${100 * share}%` } })), E("span", { class: "rank" }, binds ? "binds" : `${text.percent(1 - share)} below`));
    });
    const ticks = E("div", { class: "ticks", "aria-hidden": "true" }, E("span", {}, "0"), E("span", {}, text.withUnit(most / 2, column_)), E("span", {}, text.withUnit(most, column_)));
    return E("div", { class: "breakdown" }, E("p", { class: "title" }, stack.quantity, E("small", {}, "the largest bound")), E("div", { class: "bounds" }, ...lines, ticks));
  }

  // Designs one step away along one axis, with what the step changes; only where the page holds the whole space.
  function neighbours(row) {
    const axes = dims.filter((dim) => dim.kind === "axis" && dim.name !== "alternative" && !dim.of);
    const sure = new Map(dims.filter((dim) => dim.of).map((dim) => [dim.of, dim]));
    const told = (dim, i) => dim.text(i) + (sure.has(dim.name) && sure.get(dim.name).text(i) ? ` (confidence: ${sure.get(dim.name).text(i)})` : "");
    if (!data.complete || !axes.length) return [];
    const found = [];
    for (let i = 0; i < model.count; i++) {
      if (model.products[i] !== model.products[row]) continue;
      let step = null, away = 0;
      for (let k = 0; k < axes.length && away < 2; k++) {
        const by = axes[k].codes[i] - axes[k].codes[row];
        if (by) { away += Math.abs(by); step = { axis: axes[k], by, at: k, row: i }; }
      }
      if (away === 1) found.push(step);
    }
    if (!found.length) return [];
    found.sort((a, b) => a.at - b.at || a.by - b.by);
    const change = (o, i) => {
      const here = o.value(row), there = o.value(i), by = (there - here) / Math.abs(here);
      if (!Number.isFinite(by)) return E("td", { class: "n" }, text.withUnit(there, o));
      const better = by !== 0 && by < 0 === (o.sense === "min");
      return E("td", { class: `n ${by === 0 ? "quiet" : better ? "better" : "worse"}` }, by === 0 ? "=" : `${by > 0 ? "+" : "−"}${text.percent(Math.abs(by))}`);
    };
    const lines = found.map((step) => E("tr", {}, E("td", {}, E("button", { type: "button", class: "link", title: `design ${model.number(step.row)}`, on: { click: () => model.select(step.row) } }, `${step.axis.name} ${told(step.axis, step.row)}`), model.kinds[step.row] === INFEASIBLE ? E("span", { class: "bad" }, " infeasible") : null), ...objectives.map((o) => change(o, step.row))));
    const heads = E("tr", {}, E("th", { scope: "col" }, "with"), ...objectives.map((o) => E("th", { scope: "col", class: "n" }, o.name)));
    return [E("h4", {}, "One step away"), E("div", { class: "steps" }, E("table", { class: "plain" }, E("thead", {}, heads), E("tbody", {}, ...lines)))];
  }

  function limits(row) {
    if (!data.constraints.length) return [];
    const lines = data.constraints.map((told, at) => {
      const limit = row < data.rows.details && details ? details.limits[at] : null;
      const left = limit && limit.left ? column(limit.left, row) : NaN, right = limit && limit.left ? column(limit.right, row) : NaN;
      let words = "", mark = model.kinds[row] !== INFEASIBLE ? "met" : model.violated[row] === at + 1 ? "violated" : "";
      if (Number.isFinite(left) && Number.isFinite(right)) {
        const unit = text.unit(limit.unit, Math.max(Math.abs(left), Math.abs(right)));
        const slack = limit.relation.startsWith("<") ? right - left : left - right, relative = right ? slack / Math.abs(right) : NaN;
        words = `${text.withUnit(left, unit)}, limit ${text.withUnit(right, unit)}: `;
        words += slack >= 0 ? `${Number.isFinite(relative) ? text.percent(relative) : text.withUnit(slack, unit)} to spare` : `${Number.isFinite(relative) ? text.percent(-relative) : text.withUnit(-slack, unit)} beyond`;
        const met = slack > 0 || (slack === 0 && limit.relation.includes("=")) || model.kinds[row] !== INFEASIBLE;
        mark = met ? (relative < details.binding || slack === 0 ? "binds" : "met") : "violated";
      }
      return E("li", { class: mark }, E("code", {}, told), mark ? E("span", { class: `mark ${{ violated: "bad", binds: "warn", met: "good" }[mark]}` }, mark) : null, words ? E("span", { class: "quiet" }, words) : null);
    });
    return [E("h4", {}, "Constraints"), E("ul", { class: "limits" }, ...lines)];
  }

  // The pictures stand in their own section of the page; the panel shows copies of those of the design.
  function pictures(row) {
    const found = model.pictures.map((rows, at) => (rows.has(row) ? byId(`picture-${at}`).querySelector(".drawing") : null)).filter(Boolean);
    return found.length ? [E("h4", {}, "In pictures"), ...found.map((drawing) => drawing.cloneNode(true))] : [];
  }

  function command(row) {
    if (!data.command) return [];
    const told = `${data.command} ${model.number(row)}`;
    const button = E("button", { type: "button", id: "copy" }, "copy");
    const say = (words) => { button.textContent = words; setTimeout(() => { button.textContent = "copy"; }, 1500); };
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
    if (row < 0) {
      place.replaceChildren(E("p", { class: "note" }, "Click on a design, in the plot or in the table, to see where its time and energy go."));
      return;
    }
    const content = [...head(row), verdict(row), ...goals(row), ...parameters(row), ...pictures(row)];
    const also = row < model.front ? extras.map((extra) => [extra.name, extra.texts ? extra.texts[row] || "–" : text.withUnit(extra.values[row], text.unit(extra.unit, Math.abs(extra.values[row]))), extra.doc]) : [];
    if (row < data.rows.details) {
      const bounds = stacks(row, "max"), sums = stacks(row, "sum");
      if (bounds.length) content.push(E("h4", {}, "Bounds"), ...bounds.map((stack) => bottleneck(stack, row)));
      if (sums.length) content.push(E("h4", {}, "Where it goes"), ...sums.map((stack) => breakdown(stack, row)));
    }
    content.push(...limits(row), ...neighbours(row));
    if (also.length) content.push(E("h4", {}, "Also"), pairs(also));
    if (row >= data.rows.details && data.missing) content.push(E("p", { class: "note" }, data.missing));
    content.push(...command(row));
    place.replaceChildren(...content.filter(Boolean));
    place.scrollTop = 0;
  }

  model.listen((what) => { if (what === "selected") draw(); });
  return { draw };
})();
