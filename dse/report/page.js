// Puts the page together: what needs no plot at once, the plot after it has been painted.

(() => {
  if (!model) return;
  const { data, objectives } = model;
  const MOST_COLUMNS = 12; // of the table; with more of them, what the study shows besides waits to be asked for
  const MOST_BESIDE = 10; // parallel axes beside the panel; more of them get the whole width of the page

  // ---- help to pick ----

  const told = byId("pick-told"),
    buttons = byId("pick-buttons");
  const say = (words) => {
    told.textContent = words;
  };
  for (const pick of data.picks) {
    buttons.append(
      element(
        "button",
        {
          type: "button",
          title: pick.told,
          on: {
            click: () => {
              model.select(pick.row);
              say(`${pick.name}: ${pick.told}.`);
            },
          },
        },
        pick.name,
      ),
    );
  }
  const which = byId("within-objective");
  which.append(...objectives.map((o, at) => element("option", { value: at }, o.name)));
  byId("within-go").addEventListener("click", () => {
    const o = objectives[Number(which.value)],
      share = Math.max(0, Number(byId("within").value) || 0) / 100,
      most = share * Math.abs(o.best) * (1 + 1e-12);
    const near = (row) => Math.abs(o.value(row) - o.best) <= most;
    model.within((row) => model.kinds[row] !== INFEASIBLE && near(row));
    const rest = objectives.filter((other) => other !== o);
    let best = -1,
      least = Infinity;
    for (let row = 0; row < model.front; row++) {
      if (!near(row)) continue;
      let far = 0;
      for (const other of rest.length ? rest : [o])
        far += Math.abs(other.value(row) - other.best) / (Math.abs(other.worst - other.best) || 1);
      if (far < least) {
        least = far;
        best = row;
      }
    }
    if (best >= 0) model.select(best);
    const names = rest.map((other) => other.name).join(" and ") || o.name;
    say(
      `Kept: designs at most ${text.number(100 * share)} % worse in ${o.name} than its best; selected: of these, ` +
        `the one on the frontier with the best ${names}` +
        `${rest.length > 1 ? " (least sum, each scaled from best to worst)" : ""}.`,
    );
  });
  if (!data.picks.length) byId("picks").hidden = true;

  // ---- legend, toggles, buttons ----

  let dominated = 0,
    infeasible = 0;
  for (let i = model.front; i < model.count; i++)
    if (model.kinds[i] === DOMINATED) dominated++;
    else infeasible++;
  const key = (kind, name, many) =>
    element("span", {}, element("i", { class: `key ${kind}` }), `${name} (${text.number(many)})`);
  byId("legend").append(
    key("front", data.exact ? "frontier" : "best found", model.front),
    ...(data.extrapolated.texts.length > 1
      ? [element("span", {}, element("i", { class: "key open" }), "extrapolated")]
      : []),
    ...(dominated ? [key("dominated", "dominated", dominated)] : []),
    ...(infeasible ? [key("infeasible", "infeasible", infeasible)] : []),
  );
  for (const [what, many] of [
    ["dominated", dominated],
    ["infeasible", infeasible],
  ]) {
    const box = byId(`show-${what}`);
    box.addEventListener("change", () => model.show(what, box.checked));
    box.parentElement.hidden = many === 0;
    model.state[what] = box.checked;
  }
  const beside = references.systems,
    breaking = beside.filter((one) => references.broken(one).length).length;
  if (beside.length) byId("legend").append(key("reference", references.name, beside.length));
  if (breaking) byId("legend").append(key("reference open", `${references.name}, a constraint broken`, breaking));
  byId("references-name").textContent = references.name;
  const on = byId("show-references");
  on.addEventListener("change", () => model.show("references", on.checked));
  on.parentElement.hidden = beside.length === 0;
  model.state.references = on.checked;
  const drawn = Math.min(model.front, 2000),
    notes = [...data.notes];
  if (drawn < model.front)
    notes.push(
      `${text.number(drawn)} of the frontier's designs are drawn as points with their details, the rest as dots.`,
    );
  if (model.count - model.front > 4000)
    notes.push("The others are drawn as a density; each can be pointed at and clicked.");
  byId("plot-note").textContent = notes.join(" ");
  byId("table-note").textContent = [
    data.extrapolated.texts.length > 1
      ? "* extrapolated: some quantities lie outside the range a model was validated on; " +
        "they are named with the design."
      : "",
    model.front < data.frontier ? `The whole frontier is in ${data.place}.` : "",
    data.single && model.count > model.front
      ? "Objectives of the designs behind the frontier are stored with seven digits."
      : "",
  ]
    .filter(Boolean)
    .join(" ");
  if (!model.front) model.state.every = true;
  const [few, every] = [byId("rows-frontier"), byId("rows-all")];
  const press = (on) => {
    few.setAttribute("aria-pressed", String(!on));
    every.setAttribute("aria-pressed", String(on));
  };
  few.addEventListener("click", () => {
    press(false);
    model.every(false);
  });
  every.addEventListener("click", () => {
    press(true);
    model.every(true);
  });
  press(model.state.every);
  byId("clear").addEventListener("click", () => {
    model.clear();
    say("");
  });
  byId("export").addEventListener("click", () => {
    const place = URL.createObjectURL(new Blob(["\ufeff", csv(table.rows())], { type: "text/csv;charset=utf-8" }));
    const link = element("a", { href: place, download: `${data.name}${model.filtered ? "-selection" : ""}.csv` });
    link.click();
    setTimeout(() => URL.revokeObjectURL(place), 10000);
  });

  for (const button of document.querySelectorAll(".picture button")) {
    button.addEventListener("click", () => {
      model.select(Number(button.dataset.row));
      byId("detail").scrollIntoView({ block: "nearest" });
    });
  }
  for (const button of document.querySelectorAll(".references button")) {
    button.addEventListener("click", () => {
      model.beside(Number(button.dataset.reference));
      byId("detail").scrollIntoView({ block: "nearest" });
    });
  }
  const also = byId("show-also");
  also.addEventListener("change", () => {
    model.state.also = also.checked;
    table.build();
  });
  also.parentElement.hidden = !model.extras.length;
  document.querySelector(".work").classList.toggle("wide", model.dims.length > MOST_BESIDE);
  also.checked = model.state.also = model.dims.length + model.extras.length <= MOST_COLUMNS;
  plot.controls();
  table.build();
  parallel.resize();
  if (data.picks.length) model.select(data.picks[0].row);
  else detail.draw();
  let width = innerWidth;
  addEventListener("resize", () => {
    if (innerWidth !== width) {
      width = innerWidth;
      parallel.resize();
    }
  });
  matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => parallel.draw(true));
  document.documentElement.dataset.ready = String(Math.round(performance.now()));
  // Two frames later the page has been painted.
  requestAnimationFrame(() => requestAnimationFrame(() => setTimeout(plot.start, 50)));
})();
