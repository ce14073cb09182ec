// What of the page is in a link to it, apart from what other files share of themselves.

const sharedView = (() => {
  if (!model) return null;
  const { share, control, pack, unpack } = pageState,
    { state } = model;
  const dimNamed = (name) => {
    const dim = model.named(name);
    if (!dim) throw new Error("an axis that is not on this page");
    return dim;
  };
  const part = (told) => {
    const p = Number(told);
    if (!/^[\d.e-]+$/.test(told ?? "") || !(p >= 0 && p <= 1))
      throw new Error("a part of an axis from 0 to 1 is wanted");
    return p;
  };

  function controls() {
    for (const id of ["x", "y", "colour"]) control(id);
    control("log-x", { after: "x" });
    control("log-y", { after: "y" });
    for (const what of ["dominated", "infeasible", "references"]) control(`show-${what}`, { key: what });
  }

  function axes() {
    share(
      "axes",
      () => {
        const names = parallelAxes.names();
        return names && pack([names]);
      },
      (packed) => {
        parallelAxes.take(packed === null ? null : unpack(packed)[0]);
        parallelAxes.again();
        parallel.resize();
      },
    );
    const scaled = () => model.stored.filter((dim) => dim.wanted !== undefined);
    share(
      "scales",
      () => (scaled().length ? pack(scaled().map((dim) => [dim.name, dim.wanted ? "log" : "even"])) : null),
      (packed) => {
        const wanted = new Map();
        for (const [name, scale] of packed === null ? [] : unpack(packed)) {
          const dim = dimNamed(name);
          if (!["log", "even"].includes(scale) || !model.positive(dim))
            throw new Error("a scale that this page does not know");
          wanted.set(dim, scale === "log");
        }
        for (const dim of new Set([...scaled(), ...wanted.keys()])) model.rescale(dim.place, wanted.get(dim));
      },
    );
    share(
      "keep",
      () =>
        state.brushes.size
          ? pack([...state.brushes].map(([place, span]) => [model.stored[place].name, ...span]))
          : null,
      (packed) => {
        const wanted = new Map(
          (packed === null ? [] : unpack(packed)).map(([name, low, high]) => [
            dimNamed(name).place,
            [part(low), part(high)],
          ]),
        );
        for (const place of state.brushes.keys()) if (!wanted.has(place)) model.brush(place, null);
        for (const [place, span] of wanted) model.brush(place, span);
      },
    );
  }

  function rows() {
    const usual = state.every;
    share(
      "rows",
      () => (state.every === usual ? null : state.every ? "all" : "frontier"),
      (told) => {
        if (![null, "all", "frontier"].includes(told)) throw new Error("all or frontier is wanted");
        byId((told ?? (usual ? "all" : "frontier")) === "all" ? "rows-all" : "rows-frontier").click();
      },
    );
    share(
      "sort",
      () => table.order() && pack([table.order()]),
      (packed) => table.sort(...(packed === null ? [] : unpack(packed)[0])),
    );
    share(
      "columns",
      () => table.columns() && pack([table.columns()]),
      (packed) => table.choose(packed === null ? null : unpack(packed)[0]),
    );
  }

  // A box or a free form in the plot, by its corners.
  function region() {
    share(
      "region",
      () => state.corners && pack([state.corners.x, state.corners.y]),
      (packed) => {
        if (packed === null) {
          model.region(null);
          return;
        }
        const [xs, ys, ...more] = unpack(packed).map((list) => list.map(Number));
        if (more.length || !ys || xs.length < 2 || xs.length !== ys.length || ![...xs, ...ys].every(Number.isFinite))
          throw new Error("a region of the plot is wanted");
        plot.keep({ x: xs, y: ys });
      },
    );
  }

  // The chosen design, or the system beside the space; as usual it is the one the page begins with.
  function design() {
    const beside = references.systems.map((one) => one.name);
    const now = () =>
      state.reference >= 0
        ? `beside~${beside[state.reference]}`
        : state.selected >= 0
          ? model.number(state.selected)
          : "none";
    const usual = now(),
      first = state.selected;
    share(
      "design",
      () => (now() === usual ? null : now()),
      (told) => {
        const place = told?.startsWith("beside~") ? beside.indexOf(told.slice(7)) : -1,
          row = told === null ? first : told === "none" ? -1 : model.row(told);
        if (place >= 0) model.beside(place);
        else if (row >= 0 || told === null || told === "none") model.select(row);
        else throw new Error("a design that is not on this page");
      },
      { step: true },
    );
  }

  // When everything stands as it usually does.
  function start() {
    controls();
    plot.shareView(pageState);
    more.shareView(pageState);
    region();
    axes();
    rows();
    design();
    pageState.start();
  }
  return { start };
})();
