// The headings of the parallel axes: what each is, its logarithmic scale, its brush and its place by the keyboard, its
// place by dragging; and which axes there are.

const parallelHeads = (() => {
  if (!model) return null;
  const { state } = model,
    place = byId("parallel-heads"),
    told = byId("parallel-told"),
    chooser = byId("parallel-chooser");
  let columns = [],
    drag = null;

  function build(now) {
    columns = now;
    place.replaceChildren(...columns.map(head));
    label();
    fill();
  }

  function head({ dim, left, width, head: lines, unit }) {
    const goal = dim.sense ? (dim.sense === "min" ? "minimise" : "maximise") : "";
    const handle = element(
      "button",
      {
        type: "button",
        class: "handle",
        "data-name": dim.name,
        title: dim.doc || dim.title,
        on: {
          keydown: (event) => byKey(event, dim),
          pointerdown: (event) => grasp(event, dim),
          pointermove: pull,
          pointerup: (event) => drop(event, dim),
          pointercancel: letGo,
        },
      },
      element("span", { class: "name" }, ...lines.flatMap((line, at) => (at ? [element("br"), line] : [line]))),
      unit ? element("span", { class: "unit" }, unit) : null,
      goal ? element("span", { class: "goal" }, goal) : null,
    );
    const box = element("input", {
      type: "checkbox",
      checked: dim.log,
      "aria-label": `${parallelAxes.label(dim)}: logarithmic`,
      on: {
        change: () => {
          model.rescale(dim.place, box.checked);
          const again = [...place.querySelectorAll(".axis")].find((one) => one.dataset.name === dim.name);
          if (again) again.querySelector("input").focus();
        },
      },
    });
    return element(
      "div",
      { class: "axis", "data-name": dim.name, style: { left: `${left}px`, width: `${width}px` } },
      handle,
      model.positive(dim) ? element("label", { class: "log" }, box, "log") : null,
    );
  }

  // ---- what is kept of an axis ----

  function label() {
    place.querySelectorAll(".handle").forEach((handle, k) => {
      const { dim } = columns[k],
        span = state.brushes.get(dim.place),
        name = parallelAxes.label(dim);
      const kept = span
        ? `${name}: kept from ${end(dim, span[0])} to ${end(dim, span[1])}`
        : `${name}: everything is kept`;
      handle.setAttribute(
        "aria-label",
        `${kept}. Up and down arrows raise the lower end or lower the upper end, with shift the other way; ` +
          "left and right arrows move the axis; Escape keeps everything.",
      );
      handle.setAttribute("aria-pressed", span ? "true" : "false");
    });
  }

  function end(dim, p) {
    if (!dim.ranked) return text.number(dim.at(Math.min(Math.max(p, 0), 1)) / dim.scale);
    const code = Math.min(Math.max(Math.round(p * (dim.many - 1)), 0), dim.many - 1);
    return dim.values ? text.given(dim.values[code], dim) : dim.texts[code];
  }

  function byKey(event, dim) {
    const [low, high] = state.brushes.get(dim.place) || [0, 1],
      step = dim.ranked && dim.many > 1 ? 1 / (dim.many - 1) : 0.05;
    if (event.key === "Escape" && state.brushes.has(dim.place)) model.brush(dim.place, null);
    else if (event.key === "ArrowUp")
      model.brush(dim.place, event.shiftKey ? [low, Math.min(high + step, 1)] : [Math.min(low + step, high), high]);
    else if (event.key === "ArrowDown")
      model.brush(dim.place, event.shiftKey ? [Math.max(low - step, 0), high] : [low, Math.max(high - step, low)]);
    else if (event.key === "ArrowLeft" || event.key === "ArrowRight")
      move(dim, parallelAxes.shown().indexOf(dim) + (event.key === "ArrowLeft" ? -1 : 1));
    else return;
    event.preventDefault();
    event.stopPropagation();
  }

  // ---- its place ----

  function move(dim, to) {
    parallelAxes.move(dim, to);
    parallel.resize();
    const handle = [...place.querySelectorAll(".handle")].find((one) => one.dataset.name === dim.name),
      now = parallelAxes.shown();
    handle.focus();
    told.textContent = `${parallelAxes.label(dim)} is axis ${now.indexOf(dim) + 1} of ${now.length}.`;
  }

  function grasp(event, dim) {
    if (event.button !== 0) return;
    const axis = event.currentTarget.parentElement;
    drag = { dim, axis, from: event.clientX, moved: false };
    event.currentTarget.setPointerCapture(event.pointerId);
  }

  function pull(event) {
    if (!drag) return;
    const far = event.clientX - drag.from;
    drag.moved = drag.moved || Math.abs(far) > 4;
    if (!drag.moved) return;
    drag.axis.classList.add("dragged");
    drag.axis.style.transform = `translateX(${far}px)`;
  }

  // Where a heading is let go, the axis stands; a click without a way lets a brush go.
  function drop(event, dim) {
    if (!drag) return;
    const { moved, from } = drag,
      own = columns.find((column) => column.dim === dim);
    letGo();
    if (!moved) {
      if (state.brushes.has(dim.place)) model.brush(dim.place, null);
      return;
    }
    const middle = own.left + own.width / 2 + event.clientX - from,
      others = columns.filter((column) => column !== own);
    move(dim, others.filter((column) => column.left + column.width / 2 < middle).length);
  }

  function letGo() {
    if (drag) {
      drag.axis.classList.remove("dragged");
      drag.axis.style.transform = "";
    }
    drag = null;
  }

  // ---- which axes ----

  function fill() {
    const now = parallelAxes.shown(),
      full = now.length >= parallelAxes.MOST;
    chooser.querySelector("summary").textContent = `axes (${now.length} of ${parallelAxes.choices.length})`;
    const groups = [
      ["objectives", "objective"],
      ["choices", "axis"],
      ["further quantities, of the frontier alone", "extra"],
    ].map(([title, kind]) => {
      const own = parallelAxes.choices.filter((dim) => dim.kind === kind);
      return own.length ? element("fieldset", {}, element("legend", {}, title), ...own.map(option)) : null;
    });
    function option(dim) {
      const on = now.includes(dim),
        alone = on && now.length === 1;
      const box = element("input", {
        type: "checkbox",
        checked: on,
        disabled: (full && !on) || alone,
        "data-name": dim.name,
        on: {
          change: () => {
            parallelAxes.choose(dim, box.checked);
            parallel.resize();
            const again = [...chooser.querySelectorAll("input")].find((one) => one.dataset.name === dim.name);
            if (again) again.focus();
          },
        },
      });
      return element("label", { class: "check" }, box, parallelAxes.label(dim));
    }
    const usual = element(
      "button",
      {
        type: "button",
        on: {
          click: () => {
            parallelAxes.reset();
            parallelAxes.again();
            parallel.resize();
            chooser.querySelector("button").focus();
          },
        },
      },
      "those that vary",
    );
    chooser
      .querySelector("div")
      .replaceChildren(
        ...groups.filter(Boolean),
        element("p", { class: "note" }, `At most ${parallelAxes.MOST} at once.`, " ", usual),
      );
  }

  return { build, label };
})();
