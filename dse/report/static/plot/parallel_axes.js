// Which parallel axes there are, in which order, and where each with its heading and its ticks has room: every axis has
// a column of its own, as wide as its longest word, so that no text is cut and none lies over another.

const parallelAxes = (() => {
  if (!model) return null;
  const MOST = 12, // axes at once
    PAD = 12, // from the left end of a column to its axis
    GAP = 10, // between the texts of one column and the next
    LINE = 12, // height of a line of a tick
    HEAD = "600 12px system-ui, sans-serif",
    TICK = "11px system-ui, sans-serif";
  const { state } = model,
    choices = model.stored.filter((dim) => dim.numeric || dim.kind === "axis").filter((dim) => !dim.of),
    usual = choices.filter((dim) => dim.kind !== "extra"),
    pen = document.createElement("canvas").getContext("2d");
  let chosen = null; // by hand; else those that vary
  const label = (dim) => dim.label || dim.name;

  // ---- which, and in which order ----

  // Objectives, and what varies on the frontier: an axis on which all of it agrees decides nothing. Where the frontier
  // has one design or none, those that vary among the designs shown.
  function varying() {
    const last = model.front > 1 ? model.front : undefined;
    const found = usual.filter(
      (dim) => state.brushes.has(dim.place) || dim.kind === "objective" || model.varies(dim, last),
    );
    if (found.length <= MOST) return found;
    const rank = (dim) => (state.brushes.has(dim.place) ? 0 : dim.kind === "objective" ? 1 : 2);
    const first = found.toSorted((a, b) => rank(a) - rank(b)).slice(0, MOST);
    return found.filter((dim) => first.includes(dim));
  }
  let automatic = varying();
  const shown = () => chosen || (automatic.length ? automatic : usual.slice(0, 1));

  // Kinds of designs were shown or hidden: other axes may have a choice left.
  function again() {
    automatic = varying();
  }

  function choose(dim, on) {
    const now = shown().slice();
    if (on && !now.includes(dim) && now.length < MOST) now.push(dim);
    else if (!on && now.includes(dim) && now.length > 1) now.splice(now.indexOf(dim), 1);
    chosen = now;
  }

  function move(dim, to) {
    const now = shown().filter((one) => one !== dim);
    now.splice(Math.min(Math.max(to, 0), now.length), 0, dim);
    chosen = now;
  }

  const reset = () => {
    chosen = null;
  };

  // The names in their order, where they were chosen by hand.
  const names = () => chosen && chosen.map((dim) => dim.name);
  function take(wanted) {
    const found = wanted && [...new Set(wanted)].map((name) => choices.find((dim) => dim.name === name));
    if (found && (found.some((dim) => !dim) || found.length > MOST)) throw new Error("axes that are not on this page");
    chosen = found && found.length ? found : null;
  }

  // ---- texts in lines ----

  // The words of a text with what stands between them; a long name may also break after a mark.
  const words = (told) => told.split(/(?<=\s|[_\-,;/](?!\s))/);

  function lines(told, font, room) {
    pen.font = font;
    const found = [];
    for (const word of words(told)) {
      const longer = found.length ? found.at(-1) + word : word;
      if (found.length && pen.measureText(longer.trimEnd()).width > room) found.push(word);
      else found.splice(-1, 1, longer);
    }
    return found.map((line) => line.trim());
  }

  const widest = (found, font) => {
    pen.font = font;
    return Math.max(0, ...found.map((line) => pen.measureText(line).width));
  };

  // The least room in which a text has at most so many lines: its longest word, or more.
  function least(told, font, most) {
    let room = widest(
      words(told).map((word) => word.trim()),
      font,
    );
    while (lines(told, font, room).length > most) room *= 1.1;
    return room;
  }

  // ---- ticks ----

  // [position, text] of each.
  function ticks(dim) {
    model.positions(dim);
    const lacking = dim.kind === "axis" && dim.codes.includes(dim.many) ? [[-1, "none"]] : [];
    if (!dim.ranked) {
      const parts = dim.at(0) === dim.at(1) ? [0] : [0, 0.25, 0.5, 0.75, 1];
      return [...parts.map((p) => [p, text.number(dim.at(p) / dim.scale, 3)]), ...lacking];
    }
    const step = Math.max(1, Math.ceil(dim.many / 12)),
      found = [];
    for (let code = 0; code < dim.many; code += step) {
      const told = dim.values
          ? text.grouped(String(Number((dim.values[code] / dim.scale).toPrecision(6))))
          : dim.texts[code],
        sure = dim.sureOf(code);
      found.push([dim.many > 1 ? code / (dim.many - 1) : 0.5, sure ? `${told} · ${sure}` : told]);
    }
    return [...found, ...lacking];
  }

  // ---- columns ----

  // For each axis: { dim, left, width, x, head: lines, ticks: [position, lines] }, `tall` pixels from end to end.
  function columns(width, tall) {
    const found = shown().map((dim) => {
      const every = ticks(dim),
        between = every.filter(([p]) => p >= 0).map(([p]) => p);
      const apart = between.length > 1 ? (between[1] - between[0]) * tall : tall,
        most = Math.max(1, Math.floor(apart / LINE));
      const told = label(dim),
        unit = dim.shown ? `[${dim.shown}]` : "";
      const room = Math.ceil(
        Math.max(
          46, // "minimise", "log" and its box
          dim.sense ? 54 : 0,
          least(told, HEAD, 3),
          widest([unit], HEAD),
          ...every.map(([p, one]) => least(one, TICK, p < 0 ? 1 : p ? most : Math.min(most, 2)) + 4),
        ),
      );
      // So much more would leave every tick on one line.
      const wish = Math.max(
        0,
        5 +
          widest(
            every.map(([, one]) => one),
            TICK,
          ) -
          room,
      );
      return { dim, every, room, told, unit, wish };
    });
    const rest = Math.max(0, width - found.reduce((sum, one) => sum + one.room + PAD + GAP, 0)),
      wished = found.reduce((sum, one) => sum + one.wish, 0),
      share = wished > rest ? rest / wished : 1,
      even = (rest - share * wished) / found.length;
    let left = 0;
    return found.map(({ dim, every, room, told, unit, wish }) => {
      const spare = share * wish + even;
      const column = {
        dim,
        left,
        width: room + PAD + GAP + spare,
        x: left + PAD,
        unit,
        head: lines(told, HEAD, Math.max(room, Math.min(room + spare, 110))),
        ticks: every.map(([p, one]) => [p, lines(one, TICK, room + spare - 4)]),
      };
      left += column.width;
      return column;
    });
  }

  return { MOST, choices, shown, again, choose, move, reset, names, take, columns, label };
})();
