// The constraints of a design: their two sides, what is to spare, and which of them bind or are violated.

const limits = (() => {
  if (!model) return null;
  const { data, details } = model,
    E = element;

  const column = (name, row) => details.columns[name][row];

  // Each constraint with its two sides, what is to spare of it, and whether it is met, binds or is violated.
  function of(row) {
    return data.constraints.map((told, at) => {
      const limit = row < data.rows.details && details ? details.limits[at] : null,
        known = model.kinds[row] !== INFEASIBLE ? "met" : model.violated[row] === at + 1 ? "violated" : "";
      const left = limit && limit.left ? column(limit.left, row) : NaN,
        right = limit && limit.left ? column(limit.right, row) : NaN;
      if (!Number.isFinite(left) || !Number.isFinite(right))
        return { told, state: known, words: "", spare: "", relative: NaN };
      const unit = text.unit(limit.unit, Math.max(Math.abs(left), Math.abs(right)));
      const slack = limit.relation.startsWith("<") ? right - left : left - right,
        relative = right ? slack / Math.abs(right) : NaN;
      const far = (size, share) => (Number.isFinite(share) ? text.percent(share) : text.withUnit(size, unit));
      const spare = slack >= 0 ? `${far(slack, relative)} to spare` : `${far(-slack, -relative)} beyond`;
      const met = slack > 0 || (slack === 0 && limit.relation.includes("=")) || model.kinds[row] !== INFEASIBLE;
      const state = met ? (relative < details.binding || slack === 0 ? "binds" : "met") : "violated";
      const words = `${text.withUnit(left, unit)}, limit ${text.withUnit(right, unit)}: ${spare}`;
      return { told, state, words, spare, relative: slack === 0 ? 0 : relative };
    });
  }

  function list(row) {
    const lines = of(row).map(({ told, state, words }) =>
      E(
        "li",
        { class: state },
        E("code", {}, told),
        state ? E("span", { class: `mark ${{ violated: "bad", binds: "warn", met: "good" }[state]}` }, state) : null,
        words ? E("span", { class: "quiet" }, words) : null,
      ),
    );
    return lines.length ? [E("h4", {}, "Constraints"), E("ul", { class: "limits" }, ...lines)] : [];
  }

  return { of, list };
})();
