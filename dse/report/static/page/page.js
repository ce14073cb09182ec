// Puts the page together: what needs no plot at once, the plot after it has been painted.

(() => {
  if (!model) return;
  const { data } = model;

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
  byId("picks").hidden = !data.picks.length;
  byId("help").hidden = !choose;

  // ---- notes, buttons ----

  const drawn = Math.min(model.front, 2000),
    notes = [...data.notes];
  if (drawn < model.front)
    notes.push(
      `${text.number(drawn)} of the frontier's designs are drawn as points with their details, the rest as dots.`,
    );
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
      sheet.show();
    });
  }
  for (const button of document.querySelectorAll(".references button")) {
    button.addEventListener("click", () => {
      model.beside(Number(button.dataset.reference));
      sheet.show();
    });
  }
  legend.toggles();
  plot.controls();
  // The plot takes what the first screen has left under question, decisions and legend.
  const fit = () =>
    document.documentElement.style.setProperty(
      "--plot-top",
      `${Math.round(byId("plot").getBoundingClientRect().top + scrollY)}px`,
    );
  fit();
  table.build();
  parallel.resize();
  if (data.picks.length) model.select(data.picks[0].row);
  else detail.draw();
  more.listen((key) => {
    if (key === "designs") parallel.resize();
  });
  sharedView.start();
  more.arrive();
  let width = innerWidth;
  addEventListener("resize", () => {
    if (innerWidth !== width) {
      width = innerWidth;
      fit();
      if (!byId("more-designs").hidden) parallel.resize();
    }
  });
  matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => parallel.draw(true));
  document.documentElement.dataset.ready = String(Math.round(performance.now()));
  // Two frames later the page has been painted.
  requestAnimationFrame(() => requestAnimationFrame(() => setTimeout(plot.start, 50)));
})();
