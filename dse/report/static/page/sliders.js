// Sliders of what is not known, and the frontier that follows them: counts, plot, table, and what is best.

const sliders = (() => {
  const E = element,
    STEPS = 1000,
    ROWS = 30;
  const place = byId("moved"),
    given = byId("sliders");
  if (!place || !given) return null;
  const stored = JSON.parse(given.textContent);
  if (!stored) return null;
  const model = moved.made(stored);
  const { objectives, unknowns, candidates, labels } = stored;
  const begin = model.move(model.begin),
    atBegin = new Set(begin.front);
  const units = objectives.map((one, k) => {
    let largest = 0;
    for (const at of begin.front) largest = Math.max(largest, Math.abs(model.value(at, k)));
    return text.unit(one.unit, largest);
  });
  const first = candidates.map((_, at) => objectives.map((_, k) => model.value(at, k)));
  const state = { position: model.begin, chosen: null, x: 0, y: Math.min(1, objectives.length - 1), found: begin };
  const figure = (at, k) => text.number(model.value(at, k) / units[k].scale);
  const named = (name) => worded(stored.names, name);
  const title = (k) => `${named(objectives[k].name)}${units[k].shown ? ` [${units[k].shown}]` : ""}`;

  function worded(names, name) {
    return names && Object.hasOwn(names, name) ? names[name] : name.replaceAll("_", " ");
  }
  function shown(one, value) {
    if (one.relative) return value === 0 ? "0 %" : text.change(one.weight * value);
    const unit = text.unit(one.unit, Math.max(Math.abs(one.from), Math.abs(one.to)));
    return `${text.number(value / unit.scale)} ${unit.shown}`.trim();
  }

  const controls = unknowns.map((one, which) => {
    const told = E("output", { for: `slider-${which}` });
    const input = E("input", {
      type: "range",
      id: `slider-${which}`,
      min: 0,
      max: STEPS,
      step: 1,
      on: {
        input: () => {
          const share = Number(input.value) / STEPS;
          const value = share === 1 ? one.to : one.from + (one.to - one.from) * share;
          go(state.position.with(which, value));
        },
      },
    });
    return { one, input, told, row: E("label", { class: "slider" }, E("span", {}, named(one.name)), input, told) };
  });
  const reset = E("button", { type: "button", id: "sliders-reset", on: { click: () => go(model.begin) } }, "reset");
  const count = E("p", { id: "moved-count", "aria-live": "polite" }),
    best = E("p", { id: "moved-best" }),
    leaving = E("p", { id: "moved-leaves", class: "note", "aria-live": "polite" });
  const canvas = E("canvas", { role: "img", class: "moved-plot" });
  const list = E("tbody", {});
  const unlisted = E("p", { class: "note" });
  const axis = (key, name) =>
    E(
      "label",
      {},
      `${name} `,
      E(
        "select",
        {
          on: {
            change: (event) => {
              state[key] = Number(event.target.value);
              draw();
            },
          },
        },
        ...objectives.map((_, k) => E("option", { value: k, selected: k === state[key] }, title(k))),
      ),
    );

  function words({ front, near, loose, wrong }) {
    const gone = begin.front.filter((at) => !front.includes(at)).length,
      come = front.filter((at) => !atBegin.has(at)).length;
    const changed = gone || come ? `, ${come} new, ${gone} gone` : "";
    const sure = loose
      ? "near-ties may fall differently"
      : near.length
        ? `${near.length} near-ties, marked ≈`
        : "exact here";
    const odd = wrong ? `; ${wrong} designs have an objective that is no number here` : "";
    return `${front.length} of ${candidates.length} possible designs on the frontier${changed}; ${sure}${odd}`;
  }

  function go(position) {
    state.position = position;
    state.found = model.move(position);
    draw();
  }

  function draw() {
    const { front, near } = state.found,
      knee = model.knee(front),
      close = new Set(near);
    controls.forEach(({ one, input, told }, which) => {
      const value = state.position[which];
      input.value = String(Math.round((STEPS * (value - one.from)) / (one.to - one.from)));
      input.setAttribute("aria-valuetext", shown(one, value));
      told.textContent = shown(one, value);
    });
    reset.disabled = state.position.every((value, which) => value === model.begin[which]);
    count.textContent = words(state.found);
    const bests = objectives.map((one, k) => {
      const at = front.reduce((a, b) => (a === null || bettered(k, b, a) ? b : a), null);
      const unit = units[k].shown ? ` ${units[k].shown}` : "";
      const word = one.sense === "max" ? "most" : "least";
      return at === null ? "" : `${word} ${named(one.name)}: ${figure(at, k)}${unit} (${labels[at]})`;
    });
    best.textContent = front.length
      ? `${[...bests, `knee: ${labels[knee]}`].join("; ")}.`
      : "No design meets its limits here.";
    list.replaceChildren(...front.slice(0, ROWS).map((at) => rowOf(at, close.has(at), at === knee)));
    unlisted.textContent = front.length > ROWS ? `${front.length - ROWS} more are not listed.` : "";
    paint(new Set(front), knee);
  }

  const bettered = (k, one, other) =>
    objectives[k].sense === "max"
      ? model.value(one, k) > model.value(other, k)
      : model.value(one, k) < model.value(other, k);

  function rowOf(at, close, isKnee) {
    const choose = E(
      "button",
      { type: "button", "aria-pressed": String(state.chosen === at), on: { click: () => chooseOne(at) } },
      text.grouped(String(candidates[at])),
    );
    const mark = [close ? "≈" : "", isKnee ? "knee" : "", atBegin.has(at) ? "" : "new"].filter(Boolean).join(", ");
    return E(
      "tr",
      { "data-design": candidates[at] },
      E("td", { class: "n" }, choose),
      E("td", {}, labels[at]),
      ...objectives.map((_, k) => E("td", { class: "n" }, figure(at, k))),
      E("td", {}, mark),
    );
  }

  // Where the chosen design leaves the frontier: 64 values scanned along each unknown, then bisected.
  function chooseOne(at) {
    state.chosen = at;
    const found = unknowns.flatMap((one, which) =>
      [one.from, one.to].flatMap((end) => {
        const value = moved.leaves(model, state.position, which, at, end);
        return value === null ? [] : [`${named(one.name)} = ${shown(one, value)}`];
      }),
    );
    go(state.position);
    leaving.textContent = found.length
      ? `Design ${candidates[at]} leaves the frontier at ${found.join(", or at ")} (the first change found each way).`
      : `Design ${candidates[at]} stays on the frontier wherever one of these is moved alone (64 values of each).`;
    list.querySelector(`[data-design="${candidates[at]}"] button`)?.focus();
  }

  function paint(front, knee) {
    const width = canvas.clientWidth,
      height = canvas.clientHeight,
      scale = devicePixelRatio || 1;
    if (!width) return;
    canvas.width = width * scale;
    canvas.height = height * scale;
    const pen = canvas.getContext("2d");
    pen.scale(scale, scale);
    const { x, y } = state;
    const seen = candidates.map((_, at) => at).filter((at) => front.has(at) || atBegin.has(at));
    const range = (k) => {
      const values = seen.flatMap((at) => [model.value(at, k), first[at][k]]).filter(Number.isFinite);
      const low = Math.min(...values),
        high = Math.max(...values);
      return [low - 0.05 * (high - low), high + 0.05 * (high - low) || 1];
    };
    const [left, right] = range(x),
      [bottom, top] = range(y);
    const across = (v) => ((v - left) / (right - left || 1)) * (width - 20) + 10,
      up = (v) => height - 48 - ((v - bottom) / (top - bottom || 1)) * (height - 60);
    const mark = (at, style, size, alpha) => {
      pen.globalAlpha = alpha;
      pen.fillStyle = style;
      pen.beginPath();
      pen.arc(across(model.value(at, x)), up(model.value(at, y)), size, 0, 7);
      pen.fill();
    };
    for (const at of candidates.keys())
      if (!front.has(at) && model.feasible[at]) mark(at, colour("--dominated"), 2, 0.25);
    for (const at of begin.front) if (!front.has(at)) mark(at, colour("--infeasible"), 4, 0.4);
    for (const at of front) mark(at, colour(atBegin.has(at) ? "--front" : "--good"), 4.5, 1);
    for (const at of [knee, state.chosen])
      if (at !== null) {
        pen.globalAlpha = 1;
        pen.strokeStyle = colour("--pick");
        pen.lineWidth = 2;
        pen.beginPath();
        pen.arc(across(model.value(at, x)), up(model.value(at, y)), at === knee ? 8 : 11, 0, 7);
        pen.stroke();
      }
    pen.globalAlpha = 1;
    pen.fillStyle = colour("--quiet");
    pen.font = "13px system-ui, sans-serif";
    const figureAt = (v, k) => text.number(v / units[k].scale, 3);
    pen.fillText(`${title(y)} ↑ ${figureAt(bottom, y)} to ${figureAt(top, y)}`, 10, height - 22);
    pen.fillText(`${title(x)} → ${figureAt(left, x)} to ${figureAt(right, x)}`, 10, height - 5);
    canvas.setAttribute("aria-label", `${front.size} designs on the frontier; the table below holds them`);
  }

  place.append(
    E("div", { class: "slider-list" }, ...controls.map(({ row }) => row)),
    E("div", { class: "bar" }, reset, ...(objectives.length > 1 ? [axis("x", "x"), axis("y", "y")] : [])),
    count,
    best,
    canvas,
    E(
      "div",
      { class: "scroll", tabindex: 0, role: "region", "aria-label": "The frontier at the moved values" },
      E(
        "table",
        {},
        E(
          "thead",
          {},
          E(
            "tr",
            {},
            ...["design", "what", ...objectives.map((_, k) => title(k)), ""].map((told, at) =>
              E("th", { scope: "col", class: at === 1 || at > objectives.length + 1 ? null : "n" }, told),
            ),
          ),
        ),
        list,
      ),
    ),
    unlisted,
    leaving,
  );
  draw();
  more.listen(draw); // nothing is painted while it is hidden
  let width = innerWidth;
  addEventListener("resize", () => {
    if (innerWidth !== width) {
      width = innerWidth;
      draw();
    }
  });
  matchMedia("(prefers-color-scheme: dark)").addEventListener("change", draw);
  return { model, go, state };
})();
