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
      key,
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
          has(one.values, o.name) ? `${o.name} ${text.withUnit(one.values[o.name], o)}` : `${o.name} not computed`,
        ),
      );
    for (const [key, told] of measured(one)) lines.push(E("span", { class: "quiet" }, `${key} measured ${told}`));
    for (const [key, told] of Object.entries(one.parameters))
      if (told !== one.name) lines.push(E("span", { class: "quiet" }, `${key} ${told}`));
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
    const content = [E("h3", {}, one.name), E("p", { class: "marks" }, ...marks)];
    const goals = objectives.map((o) => [
      o.name,
      has(one.values, o.name) ? text.withUnit(one.values[o.name], o) : "–",
      o.doc,
    ]);
    content.push(E("h4", {}, "Objectives", E("small", {}, "computed as those of a design")), detail.pairs(goals));
    if (Object.keys(one.measured).length) content.push(E("h4", {}, "Measured"), detail.pairs(measured(one)));
    const also = model.extras
      .filter((extra) => Object.hasOwn(one.values, extra.name))
      .map((extra) => [extra.name, written(extra.name, one.values[extra.name]), extra.doc]);
    content.push(
      E("h4", {}, "Parameters"),
      detail.pairs(Object.entries(one.parameters)),
      ...detail.held(one.validation),
    );
    const of = (kind) => one.stacks.filter((stack) => stack.kind === kind && stack.value !== 0);
    const parts = (stack) => Object.entries(stack.parts).map(([key, v]) => ({ name: key, value: v }));
    if (of("max").length)
      content.push(
        E("h4", {}, "Bounds"),
        ...of("max").map((stack) => detail.bottleneck(stack.quantity, stack.unit, parts(stack))),
      );
    if (of("sum").length)
      content.push(
        E("h4", {}, "Where it goes"),
        ...of("sum").map((stack) => detail.breakdown(stack.quantity, stack.unit, stack.value, parts(stack))),
      );
    if (one.constraints.length) {
      const mark = { true: ["good", "met"], false: ["bad", "broken"], null: ["", "not known"] };
      content.push(
        E("h4", {}, "Constraints"),
        E(
          "ul",
          { class: "limits" },
          ...one.constraints.map((item) =>
            E("li", {}, E("code", {}, item.text), E("span", { class: `mark ${mark[item.met][0]}` }, mark[item.met][1])),
          ),
        ),
      );
    }
    if (also.length) content.push(E("h4", {}, "Also"), detail.pairs(also));
    content.push(...one.notes.map((note) => E("p", { class: "warn" }, `${note[0].toUpperCase()}${note.slice(1)}.`)));
    if (one.command) content.push(...detail.command(one.command));
    return content;
  }

  return { systems, name, value, measuredOnly, broken, shown, labels, tip, panel, FONT };
})();
