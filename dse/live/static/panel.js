"use strict";
// The panel: what of a study can be changed, as fields; what is changed is a variant, as `dse run` reads it.

const panel = (() => {
  const PAUSE = 350; // ms after a change, so that a row of changes begins one search
  const form = byId("changes");
  let about = null, // what the server says can be changed
    fields = [], // each gives its part of the variant, and can be put back
    whenChanged = () => {},
    timer = 0,
    limits = null;

  // ---- the variant ----

  function variant() {
    const made = { set: {}, where: [], also: [], minimize: [], maximize: [], without: {}, uncertain: {} };
    for (const field of fields) field.give(made);
    for (const key of Object.keys(made)) if (!Object.keys(made[key]).length) delete made[key];
    const name = form.elements["variant-name"]?.value.trim();
    return name ? { ...made, name } : made;
  }
  const leaveOut = (made, name, value) => {
    (made.without[name] ??= []).push(value);
  };

  function changed(event) {
    if (event?.target?.closest(".foot")) return;
    for (const field of fields) field.mark?.();
    clearTimeout(timer);
    if (form.elements["at-once"].checked) timer = setTimeout(() => whenChanged(variant()), PAUSE);
    tell();
  }

  function tell() {
    const made = variant(),
      quoted = (text) => (/^[A-Za-z0-9_.,=@/+-]+$/.test(text) ? text : `"${text.replace(/(["\\$`])/g, "\\$1")}"`),
      words = [
        ...Object.entries(made.set ?? {}).map(([name, value]) => `--set ${quoted(`${name}=${value}`)}`),
        ...(made.where ?? []).map((text) => `--where ${quoted(text)}`),
        ...(made.minimize ?? []).map((name) => `--min ${name}`),
        ...(made.maximize ?? []).map((name) => `--max ${name}`),
        ...Object.entries(made.without ?? {}).flatMap(([name, all]) =>
          all.map((value) => `--without ${quoted(`${name}=${value}`)}`),
        ),
        ...Object.entries(made.uncertain ?? {}).map(([name, text]) => `--uncertain ${quoted(`${name}=${text}`)}`),
        ...(made.name ? [`--name ${made.name}`] : []),
      ];
    form.querySelector("code").textContent = ["dse run", quoted(about.study_address ?? about.study), ...words].join(
      " ",
    );
    form.querySelector("#back").disabled = !words.length;
    form.querySelector("#save").disabled = !words.length;
  }

  // ---- fields ----

  const group = (title, open, ...rows) =>
    rows.flat().length ? element("details", { open }, element("summary", {}, title), ...rows.flat()) : null;

  // A value the study sets, or an assumption it rests on.
  function value(own) {
    const id = `value-${own.name.replaceAll(/\s+/g, "-")}`,
      input = element("input", {
        id,
        value: own.value,
        placeholder: own.value === "" ? "several" : "",
        spellcheck: "false",
        list: own.unit && about.units[own.unit]?.length ? `unit-${own.unit}` : null,
        "aria-describedby": `${id}-hint`,
      }),
      hint = [own.doc, own.unit && `unit: ${(about.units[own.unit] ?? [own.unit]).slice(0, 4).join(", ")}`, own.range]
        .filter(Boolean)
        .join("; "),
      row = element(
        "div",
        { class: "row", title: own.source || null },
        element("label", { for: id }, own.label),
        input,
        element("span", { class: "hint quiet", id: `${id}-hint` }, hint),
      );
    const now = () => input.value.trim();
    fields.push({
      key: `--set ${own.name}`,
      row,
      input,
      give: (made) => {
        if (now() && now() !== own.value) made.set[own.name] = now();
      },
      mark: () => row.classList.toggle("changed", now() !== own.value && now() !== ""),
      take: (given) => {
        input.value = given.set?.[own.name] ?? own.value;
      },
    });
    return row;
  }

  const relations = (chosen) =>
    ["<=", ">=", "<", ">"].map((sign) => element("option", { value: sign, selected: sign === chosen }, sign));

  // A limit of the study: moved, or left out.
  function limit(own, nth) {
    const id = `limit-${nth}`,
      held = element("input", { type: "checkbox", id: `${id}-held`, checked: true }),
      input = element("input", { id, value: own.quantity ? own.value : own.text, spellcheck: "false" }),
      sign = own.quantity
        ? element("select", { "aria-label": `relation of ${own.label}` }, relations(own.relation))
        : null,
      row = element(
        "div",
        { class: own.quantity ? "row limit" : "row limit whole", title: own.text },
        held,
        element("label", { class: "name", for: id }, own.quantity ? own.label : "condition"),
        sign,
        input,
      );
    held.setAttribute("aria-label", `hold ${own.text}`);
    const text = () => (own.quantity ? `${own.quantity} ${sign.value} ${input.value.trim()}` : input.value.trim());
    const moved = () =>
      input.value.trim() !== (own.quantity ? own.value : own.text) || (sign && sign.value !== own.relation);
    fields.push({
      key: own.text,
      row,
      input,
      give: (made) => {
        if (held.checked && !moved()) return;
        leaveOut(made, "limit", own.text);
        if (held.checked && input.value.trim()) made.where.push(text());
      },
      mark: () => row.classList.toggle("changed", !held.checked || Boolean(moved())),
      take: (given) => {
        const gone = given.without?.limit?.includes(own.text) ?? false,
          parts = (given.where ?? []).map((one) => one.match(/^\s*(\S+)\s*(<=|>=|<|>)\s*(.+?)\s*$/)),
          at = gone && own.quantity ? parts.findIndex((one) => one?.[1] === own.quantity) : -1;
        held.checked = !gone || at >= 0;
        input.value = at >= 0 ? parts[at][3] : own.quantity ? own.value : own.text;
        if (sign) sign.value = at >= 0 ? parts[at][2] : own.relation;
        if (at >= 0) given.where.splice(at, 1); // what is left are limits that the study has not
      },
    });
    return row;
  }

  // A limit more.
  function further(text = "") {
    const match = text.match(/^\s*([A-Za-z_][\w@]*)\s*(<=|>=|<|>)\s*(.+?)\s*$/),
      quantity = element("input", {
        value: match?.[1] ?? text,
        list: "quantities",
        placeholder: "quantity",
        spellcheck: "false",
        "aria-label": "quantity of a further limit",
      }),
      sign = element("select", { "aria-label": "relation of a further limit" }, relations(match?.[2] ?? "<=")),
      input = element("input", {
        value: match?.[3] ?? "",
        placeholder: "value, unit",
        spellcheck: "false",
        "aria-label": "value of a further limit",
      }),
      away = element("button", { type: "button", "aria-label": "remove this limit" }, "×"),
      row = element("div", { class: "row limit" }, away, quantity, sign, input);
    const field = {
      key: "--where",
      row,
      input,
      further: true,
      give: (made) => {
        if (quantity.value.trim() && input.value.trim())
          made.where.push(`${quantity.value.trim()} ${sign.value} ${input.value.trim()}`);
      },
      take: () => {
        row.remove();
        fields = fields.filter((own) => own !== field);
      },
    };
    away.addEventListener("click", () => {
      field.take();
      changed();
    });
    quantity.addEventListener("change", () => {
      const unit = about.quantities.find((own) => own.quantity === quantity.value.trim())?.unit;
      input.placeholder = unit ? `value, ${(about.units[unit] ?? [unit])[0]}` : "value";
    });
    fields.push(field);
    return row;
  }

  // What of an axis, a choice or the alternatives is in: boxes.
  function ticks(name, label, entries, more) {
    const boxes = entries.map((entry) => {
      const box = element("input", { type: "checkbox", checked: true });
      return {
        box,
        label: entry.label,
        row: element(
          "label",
          { title: entry.doc || null },
          box,
          entry.label,
          entry.confidence ? element("span", { class: "quiet" }, ` ${entry.confidence}`) : "",
        ),
      };
    });
    const summary = element("summary", { class: "name" }),
      row = element(
        "details",
        {},
        summary,
        element("div", { class: "ticks", role: "group", "aria-label": label }, ...boxes.map((own) => own.row)),
        more ? element("p", { class: "hint quiet" }, `${counted(more)} more values cannot be ticked off here`) : "",
      );
    const many = () => boxes.filter((own) => own.box.checked).length;
    const mark = () => {
      row.classList.toggle("changed", many() < boxes.length);
      summary.textContent = `${label}: ${counted(many() + (more ?? 0))} of ${counted(boxes.length + (more ?? 0))}`;
    };
    mark();
    fields.push({
      key: `--without ${name}`,
      row,
      input: boxes[0]?.box,
      give: (made) => {
        for (const own of boxes) if (!own.box.checked) leaveOut(made, name, own.label);
      },
      mark,
      take: (given) => {
        for (const own of boxes) own.box.checked = !(given.without?.[name] ?? []).map(String).includes(own.label);
      },
    });
    return boxes.length > 1 || more ? row : null;
  }

  // The objectives: of each quantity whether the least or the most of it is wanted.
  function objectives() {
    const list = element("div", {}),
      add = element("input", {
        list: "quantities",
        placeholder: "one more quantity",
        "aria-label": "one more objective",
      });
    let rows = [];
    const line = (quantity, sense) => {
      const label = about.quantities.find((own) => own.quantity === quantity)?.label ?? quantity,
        choose = element(
          "select",
          { "aria-label": `sense of ${label}` },
          element("option", { value: "min", selected: sense === "min" }, "least"),
          element("option", { value: "max", selected: sense === "max" }, "most"),
        ),
        away = element("button", { type: "button", "aria-label": `no objective: ${label}` }, "×"),
        row = element("div", { class: "row wide" }, element("span", { class: "name" }, label), choose, away),
        own = { quantity, choose, row };
      away.addEventListener("click", () => {
        if (rows.length === 1) return;
        rows = rows.filter((other) => other !== own);
        row.remove();
        changed();
      });
      rows.push(own);
      list.append(row);
    };
    const take = (given) => {
      rows = [];
      list.replaceChildren();
      const other = [
        ...(given.minimize ?? []).map((name) => [name, "min"]),
        ...(given.maximize ?? []).map((name) => [name, "max"]),
      ];
      for (const [name, sense] of other.length ? other : about.objectives.map((own) => [own.quantity, own.sense]))
        line(name, sense);
    };
    const same = () =>
      rows.length === about.objectives.length &&
      rows.every(
        (own, at) => own.quantity === about.objectives[at].quantity && own.choose.value === about.objectives[at].sense,
      );
    add.addEventListener("change", (event) => {
      event.stopPropagation();
      const name = add.value.trim();
      if (!name || rows.some((own) => own.quantity === name)) return;
      line(name, "min");
      add.value = "";
      changed();
    });
    const row = element("div", {}, list, add);
    fields.push({
      key: "--min",
      row,
      input: add,
      give: (made) => {
        if (same()) return;
        for (const own of rows) made[own.choose.value === "min" ? "minimize" : "maximize"].push(own.quantity);
      },
      mark: () => list.classList.toggle("changed", !same()),
      take,
    });
    take({});
    return row;
  }

  // ---- building ----

  const lists = () => [
    element(
      "datalist",
      { id: "quantities" },
      ...about.quantities.map((own) => element("option", { value: own.quantity }, own.label)),
    ),
    ...Object.entries(about.units).map(([unit, known]) =>
      element("datalist", { id: `unit-${unit}` }, ...known.map((one) => element("option", { value: `1 ${one}` }))),
    ),
  ];

  function build(given) {
    about = given;
    fields = [];
    const prices = [...about.values, ...about.assumptions].filter((own) => own.price),
      others = about.values.filter((own) => !own.price),
      assumed = about.assumptions.filter((own) => !own.price),
      parts = about.axes.filter((own) => own.part),
      numbers = about.axes.filter((own) => !own.part),
      addLimit = element("button", { type: "button" }, "one more limit");
    limits = element("div", {}, ...about.limits.map(limit));
    const doubts = about.unknown.map(unknown),
      addDoubt = element("button", { type: "button", id: "add-doubt" }, "one more error");
    addDoubt.addEventListener("click", () => {
      addDoubt.before(doubted());
      fields.at(-1).row.querySelector("input").focus();
    });
    addLimit.addEventListener("click", () => {
      limits.append(further());
      fields.at(-1).row.querySelector("input").focus();
    });
    form.replaceChildren(
      element("h2", {}, about.study),
      element("p", { class: "quiet" }, about.question),
      about.code.length
        ? element("p", { class: "hint quiet" }, `A search runs the Python files it names: ${about.code.join(", ")}.`)
        : "",
      ...[
        group("Limits", true, limits, addLimit),
        group("Prices and cost weights", true, ...prices.map(value)),
        group("Prices of parts", false, ...about.part_prices.map(value)),
        group("Objectives", true, objectives()),
        group("Values the study sets", true, ...others.map(value)),
        group(
          "Parts in and out",
          true,
          ...[...about.choices.map((own) => ticks(own.name, own.label, own.members)), ...parts.map(axisTicks)].filter(
            Boolean,
          ),
        ),
        group("Values of axes", false, ...numbers.map(axisTicks).filter(Boolean)),
        group("Errors: what is not known", false, ...doubts, addDoubt),
        group("Assumptions", false, ...assumed.map(value)),
      ].filter(Boolean),
      foot(),
      ...lists(),
    );
    take(about.variant ?? {}, about.variant_name ?? "");
  }
  const axisTicks = (own) => ticks(own.name, own.label, own.values, own.more);

  // What is not known of a quantity, in words: "within 10 %", "error 5 %", "from 1 W to 2 W", "none".
  function unknown(own) {
    const id = `unknown-${own.quantity}`,
      input = element("input", { id, value: own.text, spellcheck: "false" }),
      row = element("div", { class: "row" }, element("label", { for: id }, own.label), input);
    const now = () => input.value.trim();
    fields.push({
      key: `--uncertain ${own.quantity}`,
      row,
      input,
      give: (made) => {
        if (now() !== own.text) made.uncertain[own.quantity] = now() || "none";
      },
      mark: () => row.classList.toggle("changed", now() !== own.text),
      take: (given) => {
        input.value = given.uncertain?.[own.quantity] ?? own.text;
      },
    });
    return row;
  }

  // One more quantity of which not all is known.
  function doubted(quantity = "", text = "") {
    const name = element("input", {
        value: quantity,
        list: "quantities",
        placeholder: "quantity",
        spellcheck: "false",
        "aria-label": "one more quantity that is not known",
      }),
      input = element("input", {
        value: text,
        placeholder: "within 10 %",
        spellcheck: "false",
        "aria-label": "what is not known of it",
      }),
      row = element("div", { class: "row" }, name, input);
    const field = {
      key: "--uncertain",
      row,
      input,
      further: true,
      give: (made) => {
        if (name.value.trim() && input.value.trim()) made.uncertain[name.value.trim()] = input.value.trim();
      },
      take: () => {
        row.remove();
        fields = fields.filter((own) => own !== field);
      },
    };
    fields.push(field);
    return row;
  }

  function foot() {
    const name = element("input", {
      name: "variant-name",
      placeholder: "name of the variant",
      "aria-label": "name of the variant",
      size: "16",
      spellcheck: "false",
    });
    return element(
      "div",
      { class: "foot" },
      element("button", { type: "submit", class: "main" }, "Search"),
      element("label", {}, element("input", { type: "checkbox", name: "at-once", checked: true }), " as I change"),
      element("button", { type: "button", id: "back", on: { click: back } }, "As the study says"),
      name,
      element("button", { type: "button", id: "save", on: { click: save } }, "Save as study"),
      element("p", { class: "hint", id: "panel-said", role: "status" }),
      element("code", { tabindex: "0", "aria-label": "the same as a command" }),
    );
  }

  function take(given, name) {
    for (const field of fields.filter((own) => own.further)) field.take();
    const rest = structuredClone(given);
    for (const field of fields) field.take(rest);
    for (const text of rest.where ?? []) limits.append(further(text));
    const known = new Set(about.unknown.map((own) => own.quantity));
    for (const [name, text] of Object.entries(rest.uncertain ?? {}))
      if (!known.has(name)) form.querySelector("#add-doubt").before(doubted(name, text));
    form.elements["variant-name"].value = name ?? "";
    for (const field of fields) field.mark?.();
    tell();
  }

  function back() {
    take({}, "");
    whenChanged({});
  }

  async function save() {
    const said = byId("panel-said"),
      name = form.elements["variant-name"].value.trim();
    if (!name) {
      said.textContent = "A study needs a name: write one into the field before.";
      form.elements["variant-name"].focus();
      return;
    }
    const plain = { ...variant(), name: null };
    try {
      const saved = await talk.change("/api/save", { study: about.study_address, variant: plain, name });
      said.textContent = `Saved: dse run ${saved.study}`;
    } catch (error) {
      said.textContent = error.message;
    }
  }

  // What the server refuses stands at the field it is of.
  function refuse(message) {
    for (const fault of form.querySelectorAll(".row .fault, details .fault")) fault.remove();
    if (!message || !about) return false;
    const field = fields.find((own) => message.includes(own.key) || (own.further && message.includes("--where")));
    if (!field) return false;
    field.row.append(element("span", { class: "fault", role: "alert" }, message));
    field.row.closest("details")?.setAttribute("open", "");
    field.row.scrollIntoView({ block: "nearest" });
    return true;
  }

  form.addEventListener("change", changed);
  form.addEventListener("submit", (event) => {
    event.preventDefault();
    clearTimeout(timer);
    if (about) {
      tell();
      whenChanged(variant());
    }
  });
  byId("fold").addEventListener("click", () => {
    const folded = byId("side").classList.toggle("folded");
    byId("fold").setAttribute("aria-expanded", String(!folded));
  });
  if (matchMedia("(max-width: 50rem)").matches) byId("fold").click();

  // Show what of a study, or of the study of a run, can be changed.
  async function show(asked, listener) {
    whenChanged = listener;
    try {
      const given = await talk.get("/api/panel", asked);
      build({ ...given, study_address: given.address });
    } catch (error) {
      about = null;
      form.replaceChildren(element("p", { class: "quiet" }, `Nothing can be changed here: ${error.message}`));
    }
    return about;
  }

  return { show, refuse, variant, study: () => about?.study_address ?? null };
})();
