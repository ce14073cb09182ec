// The systems beside the space: labelled points over whatever stands on the axes of the plot, and their panel.
// They are no rows of the model: nothing brushes, ranks, exports or counts them.

const references = (() => {
  if (!model) return null;
  const { data, objectives, state } = model,
    systems = data.references,
    E = element;
  const groups = [...new Set(systems.map((one) => one.reference))];
  const name = groups.length === 1 ? groups[0] : "references";
  const has = (values, key) => Object.hasOwn(values, key) && Number.isFinite(values[key]);

  // The value over an axis in SI: computed, else measured, else NaN.
  function value(at, dim) {
    const one = systems[at],
      key = dim.name;
    return has(one.values, key) ? one.values[key] : has(one.measured, key) ? one.measured[key] : NaN;
  }

  const measuredOnly = (at, dim) => !has(systems[at].values, dim.name) && has(systems[at].measured, dim.name);
  const broken = (one) => one.constraints.filter((item) => item.met === false).map((item) => item.text);
  const shown = () => state.references && systems.length > 0;

  // ---- labels: each beside its point where there is room, farther off with a line, or not at all ----

  const FONT = 11,
    HIGH = 15,
    NEAR = [
      ["l", 1, 0],
      ["r", -1, 0],
      ["c", 0, -1],
      ["c", 0, 1],
      ["l", 1, -1],
      ["r", -1, -1],
      ["l", 1, 1],
      ["r", -1, 1],
    ];
  const pen = document.createElement("canvas").getContext("2d");

  function box(point, [side, dx, dy], reach) {
    const x = point.x + dx * reach,
      y = point.y + dy * (side === "c" ? reach + 3 : reach * 0.9);
    const left = side === "l" ? x : side === "r" ? x - point.width : x - point.width / 2;
    return { left, right: left + point.width, top: y - HIGH / 2, bottom: y + HIGH / 2, x, y, side, far: reach > 20 };
  }

  // points: { at, x, y } in pixels. Returns those that have room for their label, with its box.
  function labels(points, width, height, others) {
    pen.font = `${FONT}px system-ui, sans-serif`;
    for (const point of points) point.width = pen.measureText(systems[point.at].name).width + 4;
    const taken = points.map((p) => ({ left: p.x - 6, right: p.x + 6, top: p.y - 6, bottom: p.y + 6 })),
      found = [];
    const meets = (a, b) => a.left < b.right && b.left < a.right && a.top < b.bottom && b.top < a.bottom;
    const near = [...points].sort((a, b) => a.x - b.x || a.y - b.y);
    for (const point of near) {
      let best = null,
        least = Infinity;
      for (const reach of [9, 30, 55]) {
        for (const place of NEAR) {
          const one = box(point, place, reach);
          if (
            one.left < 0 ||
            one.right > width ||
            one.top < 0 ||
            one.bottom > height ||
            taken.some((other) => meets(one, other))
          )
            continue;
          const cost =
            reach * 2 +
            12 *
              others.filter((o) => o[0] > one.left && o[0] < one.right && o[1] > one.top && o[1] < one.bottom).length +
            NEAR.indexOf(place);
          if (cost < least) {
            least = cost;
            best = one;
          }
        }
      }
      if (best) {
        taken.push(best);
        found.push({ ...point, box: best });
      }
    }
    return found;
  }

  // ---- words ----

  const dimOf = (key) => model.dims.find((dim) => dim.name === key) || model.extras.find((extra) => extra.name === key);
  const written = (key, v) => {
    if (typeof v === "string") return v;
    const dim = dimOf(key),
      unit = dim ? dim.unit : data.reference_units[key];
    return text.withUnit(v, dim && dim.scale ? dim : text.unit(unit, Math.abs(v)));
  };
  const off = (computed, measured) =>
    measured ? ` (computed ${text.change((computed - measured) / Math.abs(measured))})` : "";

  function measured(one) {
    return Object.entries(one.measured).map(([key, v]) => [
      model.label(key),
      written(key, v) + (has(one.values, key) ? off(one.values[key], v) : ""),
    ]);
  }

  function tip(at) {
    const one = systems[at],
      lines = [E("b", {}, `${one.name}, beside the space`)];
    for (const o of objectives)
      lines.push(
        E(
          "span",
          {},
          has(one.values, o.name) ? `${o.label} ${text.withUnit(one.values[o.name], o)}` : `${o.label} not computed`,
        ),
      );
    for (const [key, told] of measured(one)) lines.push(E("span", { class: "quiet" }, `${key} measured ${told}`));
    for (const [key, told] of Object.entries(one.parameters))
      if (told !== one.name) lines.push(E("span", { class: "quiet" }, `${model.label(key)} ${told}`));
    for (const told of broken(one)) lines.push(E("span", { class: "bad" }, `breaks ${told}`));
    if (one.extrapolated) lines.push(E("span", { class: "warn" }, `extrapolated in ${one.extrapolated}`));
    if (one.synthetic) lines.push(E("span", { class: "warn" }, "synthetic, no real system"));
    return lines;
  }

  function panel(at) {
    const one = systems[at],
      marks = [E("span", { class: "mark" }, "beside the space")];
    if (one.extrapolated)
      marks.push(
        E(
          "span",
          { class: "mark warn", title: "Outside the range a model was validated on" },
          `extrapolated in ${one.extrapolated}`,
        ),
      );
    if (one.synthetic) marks.push(E("span", { class: "mark warn" }, "synthetic, no real system"));
    const goals = objectives.map((o) => [
        o.label,
        has(one.values, o.name) ? text.withUnit(one.values[o.name], o) : "–",
        o.doc,
      ]),
      also = model.extras
        .filter((extra) => Object.hasOwn(one.values, extra.name))
        .map((extra) => [extra.label, written(extra.name, one.values[extra.name]), extra.doc]);
    const of = (kind) => one.stacks.filter((stack) => stack.kind === kind && stack.value !== 0),
      parts = (stack) => Object.entries(stack.parts).map(([key, v]) => ({ name: model.label(key), value: v })),
      titled = (words, content, small) =>
        content.length ? [E("h4", {}, words, small ? E("small", {}, small) : null), ...content] : [];
    const mark = { true: ["good", "met"], false: ["bad", "broken"], null: ["", "not known"] };
    const limits = one.constraints.map((item) =>
      E("li", {}, E("code", {}, item.text), E("span", { class: `mark ${mark[item.met][0]}` }, mark[item.met][1])),
    );
    const told = of("max").map((stack) => E("li", {}, breakdowns.setBy(model.label(stack.quantity), parts(stack))));
    const entries = [
      [
        "objectives",
        [
          ...titled("Objectives", [detail.pairs(goals)], "computed as those of a design"),
          ...titled("Measured", Object.keys(one.measured).length ? [detail.pairs(measured(one))] : []),
          ...titled("Also", also.length ? [detail.pairs(also)] : []),
        ],
      ],
      [
        "parameters",
        [
          ...titled("Parameters", [
            detail.pairs(Object.entries(one.parameters).map(([key, told]) => [model.label(key), told])),
          ]),
          ...detail.held(one.validation),
        ],
      ],
      [
        "breakdown",
        detail.or(
          titled(
            "Where it goes",
            of("sum").map((stack) =>
              breakdowns.breakdown(model.label(stack.quantity), stack.unit, stack.value, parts(stack)),
            ),
          ),
          "No breakdown of it is on this page.",
        ),
      ],
      [
        "bounds",
        detail.or(
          [
            ...titled("What binds", told.length ? [E("ul", { class: "sentences" }, ...told)] : []),
            ...titled(
              "Bounds",
              of("max").map((stack) => breakdowns.bottleneck(model.label(stack.quantity), stack.unit, parts(stack))),
            ),
            ...titled("Constraints", limits.length ? [E("ul", { class: "limits" }, ...limits)] : []),
          ],
          "No bounds of it are on this page.",
        ),
      ],
      ["sources", one.command ? detail.command(one.command) : []],
    ];
    const notes = one.notes.map((note) => E("p", { class: "warn" }, `${note[0].toUpperCase()}${note.slice(1)}.`));
    return {
      lines: [E("h3", {}, one.name), E("p", { class: "marks" }, ...marks), ...notes],
      entries: entries.filter(([, content]) => content.length).map(([key, content]) => ({ key, name: key, content })),
    };
  }

  return { systems, name, value, measuredOnly, broken, shown, labels, tip, panel, FONT };
})();
