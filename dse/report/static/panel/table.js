// The table of the designs that are chosen: sorted by any column, and only the rows in sight are in the document.

const table = (() => {
  if (!model) return null;
  const ROW = 32,
    SPARE = 12;
  const place = byId("table"),
    chooser = byId("table-chooser"),
    { data, dims, extras, objectives } = model;
  const MOST = 12; // columns; with more of them, what the study shows besides waits to be asked for
  const usual = dims.length + extras.length <= MOST ? [] : extras.map((extra) => extra.name);
  let off = new Set(usual); // names of columns that are left out
  let order = new Int32Array(0),
    sorted = { key: null, down: false },
    columns = [],
    body = null,
    drawn = [0, 0],
    wide = [],
    settled = false;

  function makeColumns(all = false) {
    const found = [
      {
        name: "design",
        numeric: true,
        value: (row) => model.numeric(row),
        text: (row) => text.grouped(model.number(row)),
      },
      {
        name: "design name",
        label: "name",
        numeric: true,
        value: (row) => model.place(row),
        text: (row) => model.name(row) || "–",
      },
    ];
    if (model.state.every || all)
      found.push({ name: "status", numeric: false, value: (row) => model.kinds[row], text: (row) => model.kind(row) });
    const add = (dim) => {
      const column = {
        name: dim.name,
        label: dim.label,
        unit: dim.shown,
        doc: dim.doc,
        numeric: dim.numeric,
        value: dim.value,
        text: dim.text,
      };
      if (dim.numeric) {
        const sample = [];
        const every = model.state.every || !model.front ? model.count : model.front,
          step = Math.max(1, Math.floor(every / 4000));
        if (dim.kind === "axis") sample.push(...Array.from(dim.values.subarray(0, 4000), (v) => v / dim.scale));
        else for (let i = 0; i < every; i += step) sample.push(dim.value(i) / dim.scale);
        const write = text.writer(sample, dim.kind === "axis" || step === 1);
        column.text = (row) => write(dim.value(row) / dim.scale);
      } else column.text = (row) => dim.marked(row) || "–";
      column.axis = dim.kind === "axis";
      column.sure = model.confidences.some((one) => one.of === dim.name);
      if (dim.sense) column.goal = dim.sense === "min" ? "minimise" : "maximise";
      found.push(column);
    };
    objectives.forEach(add);
    dims.filter((dim) => dim.kind === "axis").forEach(add);
    for (const extra of extras) {
      const write = extra.values && text.writer(Array.from(extra.values, (v) => v / extra.scale));
      const value = extra.values ? extra.value : extra.text;
      found.push({
        name: extra.name,
        label: extra.label,
        unit: extra.shown,
        doc: extra.doc,
        numeric: extra.numeric,
        value,
        text: write ? (row) => write(value(row) / extra.scale) : (row) => value(row) || "–",
      });
    }
    if (data.extrapolated.texts.length > 1)
      found.push({
        name: "extrapolated",
        numeric: false,
        value: (row) => model.extrapolated(row),
        text: (row) => model.extrapolated(row),
      });
    if ((model.state.every || all) && data.constraints.length)
      found.push({
        name: "violates",
        numeric: false,
        value: (row) => model.constraint(row),
        text: (row) => model.constraint(row) || "–",
      });
    return found;
  }

  // Choices that all designs of the table have alike are said once, under it.
  function split(every) {
    const rows = model.state.every ? model.count : model.front,
      alike = [];
    const left = every.filter((column) => {
      if (rows < 2 || !(column.axis || column.name === "extrapolated")) return true;
      const first = column.text(0);
      for (let row = 1; row < rows; row++) if (column.text(row) !== first) return true;
      if (first && first !== "–")
        alike.push(
          column.name === "extrapolated"
            ? `extrapolated in ${first}`
            : `${says(column)} ${first}${column.unit ? ` ${column.unit}` : ""}`,
        );
      return false;
    });
    byId("table-common").textContent = alike.length ? `all: ${alike.join(", ")}` : "";
    return left;
  }

  const says = (column) => column.label || column.name;

  // ---- which columns ----

  function fill(every) {
    const own = every.filter((column) => column.name !== "design");
    const shown = own.filter((column) => !off.has(column.name)).length;
    chooser.querySelector("summary").textContent = `columns (${shown + 1} of ${own.length + 1})`;
    chooser.querySelector("div").replaceChildren(
      element(
        "fieldset",
        { "aria-label": "Columns of the table" },
        ...own.map((column) => {
          const box = element("input", {
            type: "checkbox",
            checked: !off.has(column.name),
            "data-name": column.name,
            on: {
              change: () => {
                if (box.checked) off.delete(column.name);
                else off.add(column.name);
                build();
                [...chooser.querySelectorAll("input")].find((one) => one.dataset.name === column.name)?.focus();
              },
            },
          });
          return element("label", { class: "check" }, box, says(column));
        }),
      ),
    );
  }

  // The names of columns that are left out, where they are not the usual ones; and back.
  const left = () => (off.size === usual.length && usual.every((name) => off.has(name)) ? null : [...off]);
  function choose(names) {
    const wanted = names === null ? usual : names.filter(Boolean);
    if (!wanted.every((name) => makeColumns(true).some((column) => column.name === name)))
      throw new Error("a column that this page does not know");
    off = new Set(wanted);
    build();
  }

  function build() {
    const every = split(makeColumns());
    fill(every);
    columns = every.filter((column) => !off.has(column.name));
    const heads = columns.map((column) => {
      const button = element(
        "button",
        { type: "button", title: column.doc || null, on: { click: () => sortBy(column) } },
        element("span", { class: "name" }, ...breakable(says(column))),
        column.unit ? element("span", { class: "unit" }, ` [${column.unit}]`) : null,
        column.goal ? element("span", { class: "goal" }, column.goal) : null,
      );
      return element("th", { scope: "col", class: column.numeric ? "n" : null }, button);
    });
    wide = columns.map(() => 0);
    body = element("tbody");
    place.replaceChildren(
      element("table", { "aria-rowcount": model.count + 1 }, element("thead", {}, element("tr", {}, ...heads)), body),
    );
    mark();
    refresh();
  }

  function mark() {
    const heads = place.querySelectorAll("thead th");
    columns.forEach((column, at) => {
      if (column.name === sorted.key) heads[at].setAttribute("aria-sort", sorted.down ? "descending" : "ascending");
      else heads[at].removeAttribute("aria-sort");
    });
  }

  // The column the table is sorted by, and whether downwards; and back.
  const sortedBy = () => (sorted.key === null ? null : [sorted.key, ...(sorted.down ? ["down"] : [])]);
  function sort(key = null, way = "") {
    if (key !== null && !columns.some((column) => column.name === key))
      throw new Error("a column that this page does not know");
    sorted = { key, down: way === "down" };
    mark();
    refresh();
  }

  function sortBy(column) {
    sorted = { key: column.name, down: sorted.key === column.name && !sorted.down };
    mark();
    refresh();
  }

  function refresh() {
    order = model.rows();
    const column = columns.find((one) => one.name === sorted.key);
    if (column) {
      const way = sorted.down ? -1 : 1;
      const keys = new Map();
      for (const row of order) keys.set(row, column.value(row));
      const missing = (key) => key === "" || key !== key;
      order.sort((a, b) => {
        const one = keys.get(a),
          other = keys.get(b),
          lack = missing(one) - missing(other);
        if (lack || missing(one)) return lack || a - b;
        return (
          way * (typeof one === "string" ? one.localeCompare(other, undefined, { numeric: true }) : one - other) ||
          a - b
        );
      });
    }
    const every = model.state.every ? "" : " on the frontier";
    byId("count").textContent =
      `${text.number(order.length)} design${order.length === 1 ? "" : "s"}${every}${model.filtered ? ", chosen" : ""}`;
    byId("clear").hidden = !model.filtered;
    drawn = [-1, -1];
    draw();
  }

  function draw() {
    const first = Math.max(0, Math.floor(place.scrollTop / ROW) - SPARE);
    const last = Math.min(order.length, first + Math.ceil(600 / ROW) + 2 * SPARE);
    if (first === drawn[0] && last === drawn[1]) return;
    drawn = [first, last];
    const spacer = (rows) =>
      rows
        ? element(
            "tr",
            { class: "spacer", "aria-hidden": "true" },
            element("td", { colspan: columns.length, style: { height: `${rows * ROW}px` } }),
          )
        : "";
    const rows = [spacer(first)];
    for (let at = first; at < last; at++) {
      const row = order[at];
      const kind = model.kinds[row] === INFEASIBLE ? "infeasible" : model.kinds[row] === DOMINATED ? "dominated" : null;
      const cells = columns.map((column, c) => {
        const told = column.text(row);
        wide[c] = Math.max(wide[c], told.length);
        return element("td", { class: column.numeric ? "n" : column.sure ? "whole" : null }, told);
      });
      const line = element(
        "tr",
        {
          "data-row": row,
          "aria-rowindex": at + 2,
          "aria-selected": row === model.state.selected ? "true" : "false",
          class: kind,
        },
        ...cells,
      );
      if (model.outside[row]) line.classList.add("outside");
      rows.push(line);
    }
    if (!order.length)
      rows.push(
        element(
          "tr",
          {},
          element(
            "td",
            { colspan: columns.length, class: "none" },
            model.filtered ? "Nothing is chosen: the selection leaves no design." : "No design.",
          ),
        ),
      );
    rows.push(spacer(order.length - last));
    body.replaceChildren(...rows.filter(Boolean));
    // Columns only ever widen, so that the table does not jump while it is scrolled.
    place.querySelectorAll("thead th").forEach((head, c) => {
      head.style.minWidth = `${Math.min(wide[c], 34) * (columns[c].numeric ? 0.56 : 0.44) + 1.1}em`;
    });
  }

  function show(row) {
    for (const line of body.querySelectorAll("tr[data-row]"))
      line.setAttribute("aria-selected", Number(line.dataset.row) === row ? "true" : "false");
  }

  function reveal(row) {
    const at = order.indexOf(row);
    if (at < 0) return;
    const top = at * ROW,
      head = place.querySelector("thead").offsetHeight,
      room = place.clientHeight - head - ROW;
    if (top < place.scrollTop) place.scrollTop = top;
    else if (top > place.scrollTop + room) place.scrollTop = top - room;
    draw();
  }

  place.addEventListener("scroll", draw, { passive: true });
  place.addEventListener("click", (event) => {
    const line = event.target.closest("tr[data-row]");
    if (line) model.select(Number(line.dataset.row));
  });
  place.addEventListener("keydown", (event) => {
    const step = { ArrowDown: 1, ArrowUp: -1, PageDown: 10, PageUp: -10, End: Infinity, Home: -Infinity }[event.key];
    if (!step || event.target.closest("button") || !order.length) return;
    event.preventDefault();
    const at = order.indexOf(model.state.selected);
    const next = at < 0 ? 0 : Math.min(Math.max(at + step, 0), order.length - 1);
    model.select(order[next]);
    reveal(order[next]);
  });
  model.listen((what) => {
    if (what === "rows") build();
    else if (what === "filter" || what === "shown") refresh();
    else if (what === "selected") {
      show(model.state.selected);
      if (settled) reveal(model.state.selected);
      settled = true;
    }
  });
  window.addEventListener("beforeprint", () => {
    drawn = [-1, -1];
    draw();
  });
  return { build, rows: () => order, order: sortedBy, sort, columns: left, choose };
})();
