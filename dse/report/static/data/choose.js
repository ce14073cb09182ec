// Help to choose: from one design on, each objective may improve, stay, worsen to a value or do as it may; the nearest
// designs of the frontier are marked at once, with what they give and take.

const choose = (() => {
  if (!model || !model.front) return null;
  const { data, objectives, state } = model;
  const WORDS = { free: "as it may", improve: "improve", keep: "keep", worsen: "may worsen to" };
  const place = byId("wishes"),
    list = byId("wish-found"),
    told = byId("wish-told"),
    begin = byId("wish-begin"),
    again = byId("wish-again"),
    only = byId("wish-only");
  let base = -1,
    asked = objectives.map(() => ({ is: "free", to: NaN }));
  const label = (o) => o.label || o.name;
  const any = () => asked.some(({ is }) => is !== "free");

  // ---- the form ----

  const fields = objectives.map((o, at) => {
    const here = element("span", { class: "here" }),
      unit = element("span", { class: "unit" }, o.shown),
      value = element("input", {
        type: "number",
        step: "any",
        "aria-label": `${label(o)} may worsen to${o.shown ? `, in ${o.shown}` : ""}`,
        on: {
          input: () => {
            asked[at].to = value.value.trim() === "" ? NaN : Number(value.value) * o.scale;
            answer();
          },
        },
      }),
      select = element(
        "select",
        {
          "aria-label": label(o),
          "data-objective": o.name,
          on: {
            change: () => {
              wish(at, select.value);
              answer();
            },
          },
        },
        ...wishes.CLASSES.map((one) => element("option", { value: one }, WORDS[one])),
      ),
      worse = element("span", { class: "worse" }, value, unit);
    place.append(element("div", { class: "wish" }, element("span", { class: "name" }, label(o)), here, select, worse));
    return { here, value, select, worse };
  });

  // The value to which an objective may worsen is at first a tenth worse than now.
  function wish(at, is, to = NaN) {
    const o = objectives[at];
    asked[at].is = is;
    if (is === "worsen" && Number.isFinite(to)) asked[at].to = to;
    else if (is === "worsen" && base >= 0) {
      const now = o.value(base) / o.scale;
      asked[at].to = Number((now + (o.sense === "min" ? 0.1 : -0.1) * Math.abs(now)).toPrecision(3)) * o.scale;
    }
    fields[at].value.value = Number.isFinite(asked[at].to) ? Number((asked[at].to / o.scale).toPrecision(12)) : "";
  }

  function from(row) {
    base = row;
    objectives.forEach((o, at) => {
      asked[at].from = base < 0 ? NaN : o.value(base);
      fields[at].here.textContent = base < 0 ? "" : text.withUnit(o.value(base), o);
    });
  }

  // ---- the answer ----

  const sentence = (at) => {
    const o = objectives[at],
      { is, to } = asked[at];
    return is === "worsen"
      ? `${label(o)} at ${o.sense === "min" ? "most" : "least"} ${text.withUnit(to, o)}`
      : is === "keep"
        ? `${label(o)} no worse`
        : `${label(o)} better`;
  };

  function why({ broken, many, least }) {
    const which = broken.map(sentence).join(" and ");
    const designs = `${text.number(many)} design${many === 1 ? " meets" : "s meet"} the other wishes`;
    if (broken.length > 1) return `“${which}” together; ${designs}.`;
    const o = objectives[broken[0]],
      change = asked[broken[0]].from;
    const off = change ? `, ${text.change((least - change) / Math.abs(change))} from here` : "";
    return `“${which}”: without it ${designs}; the nearest has ${text.withUnit(least, o)}${off}.`;
  }

  function trade(row) {
    return objectives.map((o) => {
      const was = o.value(base),
        is = o.value(row),
        better = (o.sense === "min" ? 1 : -1) * (is - was) < 0;
      const change = is === was ? "=" : was ? text.change((is - was) / Math.abs(was)) : text.withUnit(is, o);
      return element(
        "span",
        { class: is === was ? "same" : better ? "better" : "worse", title: text.withUnit(is, o) },
        `${change} ${label(o)}`,
      );
    });
  }

  function summary({ rows, many, prevented }) {
    const where = model.front === data.frontier ? "of the frontier" : "of the frontier on this page";
    if (many) {
      const which = many === 1 ? `1 design ${where} meets this` : `${text.number(many)} designs ${where} meet this`;
      return many > rows.length ? `${which}; the nearest ${rows.length}:` : `${which}:`;
    }
    if (!prevented.length) return "There is no other design on the frontier.";
    return `No design ${where} meets this. What prevents it: ${prevented.slice(0, 3).map(why).join(" ")}`;
  }

  const missing = () =>
    asked.flatMap(({ is, to }, at) => (is === "worsen" && !Number.isFinite(to) ? [label(objectives[at])] : []));

  function answer() {
    fields.forEach(({ select, worse }, at) => {
      select.value = asked[at].is;
      worse.hidden = asked[at].is !== "worsen";
    });
    again.hidden = only.disabled = !any();
    list.replaceChildren();
    const lacking = missing();
    if (!any() || base < 0 || lacking.length) {
      model.mark([]);
      keep(null);
      told.textContent = lacking.length
        ? `No number is given for ${lacking.join(" and ")}.`
        : any() && base < 0
          ? "Choose a design of the frontier to begin from."
          : "";
      return;
    }
    const found = wishes.look(base, asked);
    told.textContent = summary(found);
    list.append(
      ...found.rows.map((row) =>
        element(
          "li",
          {},
          element(
            "button",
            { type: "button", class: "link", on: { click: () => model.select(row) } },
            model.called(row),
          ),
          ...trade(row),
        ),
      ),
    );
    model.mark(found.rows, base);
    keep(only.checked ? wishes.all(asked) : null);
  }

  let kept = false;
  function keep(test) {
    if (!test && !kept) return;
    kept = test !== null;
    model.within(test && ((row) => model.kinds[row] !== INFEASIBLE && test(row)));
  }

  // ---- from where ----

  // Until there is a wish the chosen design is the beginning; then a button makes it so.
  function follow() {
    const chosen = state.selected >= 0 && state.selected < model.front ? state.selected : -1;
    if (!any() || base < 0) {
      if (chosen >= 0 || base < 0) from(chosen);
    }
    byId("wish-base").textContent = base < 0 ? "a design of the frontier" : model.called(base);
    begin.hidden = chosen < 0 || chosen === base;
    list.querySelectorAll("button").forEach((button, at) => {
      button.setAttribute("aria-pressed", String(state.marked[at] === state.selected));
    });
  }
  begin.addEventListener("click", () => {
    from(state.selected);
    answer();
    follow();
    place.querySelector("select").focus();
  });
  again.addEventListener("click", () => {
    clear();
    place.querySelector("select").focus();
  });
  only.addEventListener("change", answer);

  function clear() {
    asked = objectives.map(() => ({ is: "free", to: NaN }));
    only.checked = false;
    from(-1);
    follow();
    answer();
  }

  model.listen((what) => {
    if (what === "selected") {
      const before = base;
      follow();
      if (before < 0 && any()) answer();
    } else if (what === "clear" && (any() || only.checked)) clear();
  });

  // ---- in the link ----

  const read = () =>
    any() && base >= 0
      ? pageState.pack([
          [model.number(base), ...(only.checked ? ["only"] : [])],
          ...objectives.flatMap((o, at) => {
            const { is, to } = asked[at];
            return is === "free" ? [] : [[o.name, is, ...(is === "worsen" ? [to] : [])]];
          }),
        ])
      : null;

  function write(packed) {
    if (packed === null) {
      clear();
      return;
    }
    const [[number, which], ...given] = pageState.unpack(packed),
      row = model.row(number);
    if (!(row >= 0 && row < model.front)) throw new Error("a design that is not on this page");
    const found = given.map(([name, is, to]) => {
      const at = objectives.findIndex((o) => o.name === name);
      if (at < 0 || !wishes.CLASSES.includes(is)) throw new Error("a wish that this page does not know");
      if (is === "worsen" && !Number.isFinite(Number(to))) throw new Error("a wish without a number");
      return [at, is, Number(to)];
    });
    asked = objectives.map(() => ({ is: "free", to: NaN }));
    from(row);
    for (const [at, is, to] of found) wish(at, is, to);
    only.checked = which === "only";
    answer();
    follow();
  }

  pageState.share("wishes", read, write);
  return { follow, answer };
})();
