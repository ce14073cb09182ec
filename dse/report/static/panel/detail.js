// The panel of the selected design: what it is stays in sight, what is known of it stands in tabs that scroll.

const detail = (() => {
  if (!model) return null;
  const { data, dims, objectives, extras } = model;
  const place = byId("detail");
  const E = element,
    head = E("div", { class: "panel-head", "aria-live": "polite" }),
    body = E("div", { class: "panel-body" });
  const MOST_CHOICES = 6; // in its heading; all stand under parameters
  let chosen = "objectives"; // the tab, kept when another design is chosen

  function pairs(entries) {
    return E(
      "dl",
      { class: "pairs" },
      ...entries.flatMap(([name, value, title]) => [E("dt", { title: title || null }, name), E("dd", {}, value)]),
    );
  }

  function title(row) {
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
    const number = text.grouped(model.number(row)),
      named = "Its name: the place on the frontier in the order of the first objective";
    const heading =
      row < model.front
        ? E("h3", {}, E("span", { title: named }, model.name(row)), " ", E("small", {}, `design ${number}`))
        : E("h3", {}, `Design ${number}`);
    return [heading, E("p", { class: "what" }, inShort(row)), E("p", { class: "marks" }, ...marks)];
  }

  // What it is, by the choices in which designs of the frontier differ.
  const telling = dims.filter(
    (dim) => dim.kind === "axis" && model.varies(dim, model.front > 1 ? model.front : undefined),
  );
  const inShort = (row) =>
    telling
      .filter((dim) => dim.codes[row] < dim.many)
      .slice(0, MOST_CHOICES)
      .map((dim) => (dim.texts ? dim.text(row) : `${dim.label} ${dim.text(row)}`))
      .join(", ");

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
      if (here === there || !here) return `${o.label} ${text.withUnit(there, o)}`;
      const change = (there - here) / Math.abs(here);
      return `${o.label} ${text.withUnit(there, o)} (${text.change(change)})`;
    });
    return E(
      "p",
      {},
      "Beaten by ",
      E("button", { type: "button", class: "link", on: { click: () => model.select(by) } }, model.called(by)),
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
      .map((dim) => [dim.label, marked(dim, row), dim.doc]);
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
        E("span", { class: "what", title: o.doc || null }, o.label),
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
            E("tr", {}, E("th", { colspan: 3, scope: "rowgroup" }, objectives[at].label)),
            ...list.map(([input, value, unit, elasticity, kind, below, alone]) =>
              E(
                "tr",
                {},
                E("td", {}, model.label(input)),
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

  // What stands in the panel: the lines of the head, and the tabs; the chosen one is kept where the new ones have it.
  function fill(lines, entries) {
    const focused = body.contains(document.activeElement),
      { list, panels } = tabs.build("detail", "What is known of it", entries, chosen, (key) => {
        chosen = key;
        body.scrollTop = 0;
      });
    head.replaceChildren(...lines.filter(Boolean));
    body.replaceChildren(...panels);
    place.replaceChildren(head, list, body);
    body.scrollTop = 0;
    if (focused) panels.find((panel) => !panel.hidden).focus({ preventScroll: true });
  }

  const also = (row) =>
    extras.map((extra) => [
      extra.label,
      extra.texts
        ? extra.texts[row] || "–"
        : text.withUnit(extra.values[row], text.unit(extra.unit, Math.abs(extra.values[row]))),
      extra.doc,
    ]);

  // What a tab without content says.
  const or = (content, words) => (content.length ? content : [E("p", { class: "note" }, words)]);

  function draw() {
    const row = model.state.selected;
    if (model.state.reference >= 0) {
      const { lines, entries } = references.panel(model.state.reference);
      fill(lines, entries);
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
    const held_ = row < data.rows.details,
      missing = held_ ? "" : data.missing,
      shown = pictures(row),
      more = row < model.front && extras.length ? [E("h4", {}, "Also"), pairs(also(row))] : [];
    const entries = [
      ["objectives", [...goals(row), ...more]],
      ["parameters", or([...parameters(row), ...held(model.validation(row))], "No axis varies on this page.")],
      ["breakdown", or(held_ ? breakdowns.sums(row) : [], missing || "No quantity of this design is a sum of parts.")],
      [
        "bounds",
        or(
          [...breakdowns.binds(row), ...(held_ ? breakdowns.bounds(row) : []), ...limits.list(row)],
          missing || "No quantity of this design is a maximum, and nothing is constrained.",
        ),
      ],
      ["neighbours", [...neighbours.tab(row), ...effects(row)]],
      ["pictures", shown],
      [
        "sources",
        [
          ...(missing ? [E("p", { class: "note" }, missing)] : []),
          ...(data.command ? command(`${data.command} ${model.number(row)}`) : []),
        ],
      ],
    ];
    fill(
      [...title(row), verdict(row)],
      entries.filter(([, content]) => content.length).map(([key, content]) => ({ key, name: key, content })),
    );
  }

  model.listen((what) => {
    if (what === "selected") draw();
  });
  return { draw, pairs, held, command, or };
})();
