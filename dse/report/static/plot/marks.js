// Which designs of the frontier share a mark of the plot: those at one place, and, where it is wanted, those that
// differ by so little in every objective that the model cannot tell them apart.

const marks = (() => {
  if (!model) return null;
  const { data, objectives } = model;
  const errors = data.errors; // of each objective, by alternative: published mean relative error, or null
  const published = errors.some((known) => known.some((error) => error !== null));

  // By which share a design may differ from another, in each objective; `within`: "off", "error", or a percentage.
  function tolerances(within, row) {
    if (within !== "error") return objectives.map(() => Number(within) / 100);
    return errors.map((known) => known[model.products[row]] ?? 0);
  }

  // Groups of rows, each with the row it stands for first. Designs that are proposed come before others, then the best
  // by the first objective; each takes all that are near it and not taken yet.
  function near(rows, within) {
    const [first] = objectives,
      sign = first.sense === "min" ? 1 : -1,
      proposed = new Set(data.picks.map((pick) => pick.row)),
      order = rows
        .slice()
        .sort((a, b) => proposed.has(b) - proposed.has(a) || sign * (first.value(a) - first.value(b)) || a - b),
      taken = new Set(),
      found = [];
    for (const row of order) {
      if (taken.has(row)) continue;
      const room = tolerances(within, row).map((share, k) => share * Math.abs(objectives[k].near[row]) * (1 + 1e-12));
      const own = order.filter(
        (other) =>
          !taken.has(other) &&
          objectives.every((o, k) => other === row || Math.abs(o.near[other] - o.near[row]) <= room[k]),
      );
      for (const other of own) taken.add(other);
      found.push([row, ...own.filter((other) => other !== row)]);
    }
    return found;
  }

  // The marks for two dimensions: [{ at: the row whose place it has, rows, near: whether it stands for a group }].
  // `open`: a row whose group is drawn apart.
  function make(rows, x, y, within, open) {
    const single = [],
      groups = within === "off" ? rows.map((row) => [row]) : near(rows, within);
    for (const group of groups) {
      const opened = group.length > 1 && group.includes(open);
      if (opened) for (const row of group) single.push({ at: row, rows: [row], near: false, of: group[0] });
      else single.push({ at: group[0], rows: group, near: group.length > 1, of: -1 });
    }
    const places = new Map(),
      found = [];
    for (const mark of single) {
      const key = `${x.value(mark.at)} ${y.value(mark.at)}`,
        same = places.get(key);
      if (same) {
        same.rows = [...same.rows, ...mark.rows];
        same.near = same.near || mark.near;
      } else {
        places.set(key, mark);
        found.push(mark);
      }
    }
    return found;
  }

  // What the model's error is, in words.
  function told() {
    const of = objectives.map((o, k) => {
      const known = errors[k].filter((error) => error !== null);
      return known.length
        ? `${stored.says(o)} ${text.percent(Math.max(...known))}`
        : `${stored.says(o)}: none is published, so only equal values count as alike`;
    });
    return of.join("; ");
  }

  return { make, published, told };
})();
