// The legend of the plot: what shapes and colours mean, how many designs have them, and buttons that hide a kind or
// leave it alone.

const legend = (() => {
  if (!model) return null;
  const { data, state } = model;
  const place = byId("legend");
  let hidden = new Set(), // groups that are switched off
    whose = null,
    shared = 0; // marks of several designs
  let dominated = 0,
    infeasible = 0;
  for (let i = model.front; i < model.count; i++)
    if (model.kinds[i] === DOMINATED) dominated++;
    else infeasible++;
  const outside = Array.from({ length: model.front }, (_, row) => model.outside[row] > 0).filter(Boolean).length;
  const mixed = outside > 0 && outside < model.front; // only then does a hollow mark say anything

  const MEANT = [
    "On the frontier whatever the numbers that are not known",
    "On the frontier in half of the draws of what is not known, or more",
    "On the frontier in fewer than half of the draws",
  ];
  // A ring that is full, has a dot in it, or is empty, as the marks are.
  function sureGlyph(level) {
    const NS = "http://www.w3.org/2000/svg",
      svg = document.createElementNS(NS, "svg"),
      ring = (radius, fill) => {
        const circle = document.createElementNS(NS, "circle");
        for (const [key, value] of Object.entries({ r: radius, fill, stroke: "currentColor", "stroke-width": 0.25 }))
          circle.setAttribute(key, value);
        svg.append(circle);
      };
    svg.setAttribute("viewBox", "-1.25 -1.25 2.5 2.5");
    svg.setAttribute("aria-hidden", "true");
    svg.setAttribute("class", "glyph");
    ring(1, level ? "none" : "currentColor");
    if (level === 1) ring(0.25, "currentColor");
    return svg;
  }

  const key = (kind, name, many) =>
    element("span", {}, element("i", { class: `key ${kind}` }), `${name} (${text.number(many)})`);

  function hide(groups) {
    hidden = groups;
    const { of } = colours.groups() || {};
    model.hide(hidden.size ? (row) => hidden.has(of(row)) : null);
  }

  function entry(group, all) {
    const on = !hidden.has(group),
      others = all.filter((one) => one !== group);
    const alone = on && others.length > 0 && others.every((one) => hidden.has(one));
    const many = `${group.name}, ${text.number(group.count)} ${group.count === 1 ? "design" : "designs"}`;
    return element(
      "span",
      { class: on ? "kind" : "kind off" },
      element(
        "button",
        {
          type: "button",
          class: "kind-toggle",
          "aria-pressed": String(on),
          "aria-label": `${many}: ${on ? "shown" : "hidden"}`,
          title: on ? `hide ${group.name}` : `show ${group.name}`,
          on: {
            click: () => {
              const next = new Set(hidden);
              if (!next.delete(group)) next.add(group);
              hide(next);
            },
          },
        },
        colours.glyph(group),
        `${group.name} (${text.number(group.count)})`,
      ),
      others.length
        ? element(
            "button",
            {
              type: "button",
              class: "kind-only",
              "aria-label": alone ? `show all, not only ${group.name}` : `show only ${group.name}`,
              on: { click: () => hide(alone ? new Set() : new Set(others)) },
            },
            alone ? "all" : "only",
          )
        : null,
    );
  }

  // The button that had the focus has it again.
  function draw() {
    const groups = colours.groups();
    if (whose !== colours.tint) {
      whose = colours.tint;
      if (hidden.size) hide(new Set());
    }
    if (state.hidden === null) hidden = new Set();
    const focus = [...place.querySelectorAll("button")].indexOf(document.activeElement);
    const front = data.exact ? "frontier" : "best found";
    place.replaceChildren();
    if (groups) {
      place.append(
        element("span", { class: "quiet" }, `${stored.says(colours.tint)}:`),
        ...groups.groups.map((group) => entry(group, groups.groups)),
      );
      if (groups.rest.length)
        place.append(
          element(
            "span",
            { class: "quiet", title: groups.rest.join(", ") },
            `more than ${colours.MOST} kinds: the ${colours.MOST - 1} with most designs have a mark of their own`,
          ),
        );
    } else place.append(key("front", front, model.front));
    const old = before.key();
    if (old) place.append(old);
    if (model.sureKnown) {
      const many = [0, 0, 0];
      for (let row = 0; row < model.front; row++) many[model.leastSure([row])] += 1;
      for (const [level, words] of [data.sure_words, "likely", "possible"].entries())
        if (many[level])
          place.append(
            element("span", { title: MEANT[level] }, sureGlyph(level), `${words} (${text.number(many[level])})`),
          );
    }
    if (mixed && !model.sureKnown)
      place.append(element("span", {}, element("i", { class: "key open" }), `extrapolated (${text.number(outside)})`));
    if (dominated && state.dominated) place.append(key("dominated", "dominated", dominated));
    if (infeasible && state.infeasible) place.append(key("infeasible", "infeasible", infeasible));
    const besides = references.systems,
      breaking = besides.filter((one) => references.broken(one).length).length;
    if (besides.length && state.references) {
      if (breaking < besides.length) place.append(key("reference", references.name, besides.length - breaking));
      if (breaking) place.append(key("reference open", `${references.name}, a constraint broken`, breaking));
    }
    if (shared)
      place.append(
        element(
          "span",
          {},
          element("b", { class: "many" }, "n"),
          `designs here (${text.number(shared)} ${shared === 1 ? "mark" : "marks"})`,
        ),
      );
    if (focus >= 0) place.querySelectorAll("button")[focus]?.focus();
  }

  // Boxes that switch whole kinds of designs, and references, on and off.
  function toggles() {
    for (const [what, many] of [
      ["dominated", dominated],
      ["infeasible", infeasible],
      ["references", references.systems.length],
    ]) {
      const box = byId(`show-${what}`);
      if (what === "infeasible" && !model.front) box.checked = true; // nothing else is there
      box.addEventListener("change", () => model.show(what, box.checked));
      box.parentElement.hidden = many === 0;
      model.state[what] = box.checked;
    }
    byId("references-name").textContent = references.name;
    model.listen((what) => {
      if (what === "shown" || what === "coloured" || what === "clear") draw();
    });
    draw();
  }

  // The kinds that are hidden, by their names, for a link.
  function shareView({ share, pack, unpack }) {
    share(
      "hidden",
      () => (hidden.size ? pack([[...hidden].map((group) => group.name)]) : null),
      (packed) => {
        const groups = colours.groups()?.groups || [],
          names = packed === null ? [] : unpack(packed)[0],
          found = names.map((name) => groups.find((group) => group.name === name));
        if (found.includes(undefined)) throw new Error("a kind that is not in the legend");
        hide(new Set(found));
      },
    );
  }

  // What the marks do not say.
  const told = () =>
    mixed && model.sureKnown
      ? `${text.number(outside)} of ${text.number(model.front)} designs of the frontier are extrapolated, outside ` +
        "the range a model was validated on; the table marks them with *."
      : outside && !mixed
        ? "Every design of the frontier is extrapolated: outside the range a model was validated on."
        : "";

  function several(many) {
    if (many === shared) return;
    shared = many;
    draw();
  }

  // How many designs behind the frontier are shown.
  const behind = () => (state.dominated ? dominated : 0) + (state.infeasible ? infeasible : 0);

  return { toggles, draw, several, mixed, told, behind, shareView };
})();
