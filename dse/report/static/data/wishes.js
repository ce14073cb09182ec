// What designs of the frontier meet wishes that begin from one of them, in the manner of NIMBUS (Miettinen and Mäkelä
// 2006): each objective is to improve, to stay, may worsen to a value, or is free. The designs are all on the page, so
// each is looked at, and the answer is exact for them.

const wishes = (() => {
  if (!model) return null;
  const { objectives, front } = model;
  const CLASSES = ["free", "improve", "keep", "worsen"],
    MOST = 5; // designs that are proposed
  const sign = (o) => (o.sense === "min" ? 1 : -1);

  // Whether a value meets a wish: { is: class, to: the value it may worsen to, from: that of the first design }.
  function meets(o, value, { is, to, from }) {
    if (is === "improve") return sign(o) * (value - from) < 0;
    if (is === "keep") return sign(o) * (value - from) <= 0;
    return is !== "worsen" || sign(o) * (value - to) <= 0;
  }

  // How far a value is from the best of its objective, 1 being the worst of the frontier.
  const distance = (o, row) => Math.abs(o.value(row) - o.best) / (Math.abs(o.worst - o.best) || 1);

  // The rows that meet all wishes, the best first: that whose worst improved objective is nearest to its best, of equal
  // ones that with the least sum over all objectives. Where none does: the fewest wishes that have to be given up,
  // as { broken: places of objectives, many: designs that then meet the others, least: nearest value of the first }.
  function look(base, asked) {
    const improved = objectives.filter((_, at) => asked[at].is === "improve"),
      met = [],
      broken = new Map();
    for (let row = 0; row < front; row++) {
      if (row === base || (base >= 0 && objectives.every((o) => o.value(row) === o.value(base)))) continue;
      const lacking = [];
      objectives.forEach((o, at) => {
        if (!meets(o, o.value(row), asked[at])) lacking.push(at);
      });
      if (lacking.length) {
        const key = lacking.join(" "),
          known = broken.get(key) || { broken: lacking, rows: [] };
        known.rows.push(row);
        broken.set(key, known);
        continue;
      }
      met.push({
        row,
        far: Math.max(0, ...improved.map((o) => distance(o, row))),
        sum: objectives.reduce((sum, o) => sum + distance(o, row), 0),
      });
    }
    met.sort((a, b) => a.far - b.far || a.sum - b.sum || a.row - b.row);
    const fewest = Math.min(...[...broken.values()].map((one) => one.broken.length));
    const prevented = [...broken.values()]
      .filter((one) => one.broken.length === fewest)
      .map((one) => {
        const o = objectives[one.broken[0]],
          values = one.rows.map((row) => o.value(row));
        return {
          broken: one.broken,
          many: one.rows.length,
          least: o.sense === "min" ? Math.min(...values) : Math.max(...values),
        };
      })
      .sort((a, b) => b.many - a.many);
    return { rows: met.slice(0, MOST).map(({ row }) => row), many: met.length, prevented };
  }

  // Whether a row meets all wishes.
  const all = (asked) => (row) => objectives.every((o, at) => meets(o, o.value(row), asked[at]));

  return { CLASSES, look, all };
})();
