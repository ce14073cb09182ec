// The frontier of the possible designs wherever the unknowns are moved. Comparisons of inexact columns are widened and
// narrowed by a guard: where both give one frontier, it is that of the whole program.

const moved = (() => {
  const GUARD = 1e-12;
  const EXACT = 0,
    RELATIVE = 1,
    LOGARITHM = 2; // small errors of the value itself; exp makes them relative
  const inexact = new Set(["exp", "log", "log2", "log10", "expm1", "log1p", "cbrt", "power", "float_power"]);
  const logarithms = new Set(["log", "log2", "log10", "log1p"]);
  const compared = new Set(["less", "less_equal", "greater", "greater_equal", "equal", "not_equal"]);
  const kept = new Set(["multiply", "divide", "sqrt", "absolute", "negative", "positive", "square", "reciprocal"]);
  for (const name of ["cbrt", "minimum", "maximum", "clip"]) kept.add(name);
  const ofTruths = new Set(["logical_and", "logical_or", "logical_xor", "logical_not"]);

  const bytes = (told) => Uint8Array.from(atob(told), (c) => c.charCodeAt(0)).buffer;
  const floats = (told) => new Float64Array(bytes(told));
  const places = (told) => new Uint16Array(bytes(told));

  // What is known of the error of a step from those of its operands; null: nothing.
  function kindOf(name, kinds, values) {
    const worst = Math.max(...kinds);
    const small = (at) => values[at].length === 1 && Math.abs(values[at][0]) <= 1;
    if (worst === EXACT) return inexact.has(name) ? (logarithms.has(name) ? LOGARITHM : RELATIVE) : EXACT;
    if (ofTruths.has(name) || compared.has(name)) return worst === RELATIVE ? EXACT : null;
    if (name === "where")
      return kinds[0] === EXACT && !(kinds.includes(RELATIVE) && worst === LOGARITHM) ? worst : null;
    if (logarithms.has(name)) return worst === RELATIVE && name !== "log1p" ? LOGARITHM : null;
    if (name === "add" || name === "subtract") {
      // An error of a logarithm beside a relative one of another size says nothing.
      return kinds.includes(RELATIVE) && worst === LOGARITHM ? null : worst;
    }
    if (worst === LOGARITHM) {
      if (name === "exp" || name === "negative" || name === "positive") return name === "exp" ? RELATIVE : LOGARITHM;
      if (name === "multiply" && (kinds[0] === EXACT ? small(0) : kinds[1] === EXACT && small(1))) return LOGARITHM;
      if (name === "divide" && kinds[1] === EXACT && values[1].length === 1 && Math.abs(values[1][0]) >= 1)
        return LOGARITHM;
      return null;
    }
    if (name === "power" || name === "float_power")
      return kinds[1] === EXACT && values[1].length === 1 && Math.abs(values[1][0]) <= 100 ? RELATIVE : null;
    return kept.has(name) ? RELATIVE : null;
  }

  function prepared(product) {
    const { rows } = product;
    const values = product.columns.map(([told, index]) => {
      const given = floats(told);
      return index ? Float64Array.from(places(index), (at) => given[at]) : given;
    });
    const inputs = values.length;
    for (let at = 0; at < product.inputs.length; at++) values.push(new Float64Array(1));
    for (const constant of floats(product.constants)) values.push(Float64Array.of(constant));
    for (const table of product.tables) values.push(floats(table));
    const first = values.length;
    const kinds = values.map(() => EXACT);
    let loose = false;
    const list = product.steps.map(([name, operands]) => {
      const given = operands.map((operand) => values[operand]);
      const whole = steps.tables[name] ?? [];
      const count = given.some((value, at) => value.length > 1 && !whole.includes(at)) ? rows : 1;
      const own = operands.map((operand) => kinds[operand]);
      const kind = kindOf(name, own, given);
      if (kind === null) loose = true;
      kinds.push(kind ?? RELATIVE);
      values.push(new Float64Array(count));
      const guarded = Math.max(...own) !== EXACT;
      return {
        name,
        given,
        count,
        into: values.at(-1),
        compares: guarded && compared.has(name),
        adds: guarded && (name === "add" || name === "subtract") && !own.includes(LOGARITHM) ? name : "",
      };
    });
    return {
      ...product,
      values,
      inputs,
      first,
      kinds,
      list,
      loose,
      at: places(product.positions),
      classes: places(product.classes),
      unsure: new Uint8Array(rows),
    };
  }

  // Repeat the steps of one alternative; tells whether a difference of inexact values was met.
  function repeat(product, unknowns, position) {
    let { loose } = product;
    product.inputs_of(unknowns, position);
    product.unsure.fill(0);
    for (const { name, given, count, into, compares, adds } of product.list) {
      steps.apply(name, given, count, into);
      if (!compares && !adds) continue;
      const [a, b] = given,
        i = a.length > 1 ? 1 : 0,
        j = b.length > 1 ? 1 : 0;
      for (let row = 0; row < count; row++) {
        const x = a[row * i],
          y = b[row * j];
        if (compares) {
          if (Math.abs(x - y) > 2 * GUARD * Math.max(Math.abs(x), Math.abs(y))) continue;
          if (count === 1) product.unsure.fill(1);
          else product.unsure[row] = 1;
        } else if (x !== 0 && y !== 0 && x < 0 !== (adds === "add" ? y < 0 : y > 0)) loose = true;
      }
    }
    return loose;
  }

  // Which points are on the frontier: points are rows of `d` values to be minimised, `chosen` those that count.
  function frontier(points, d, chosen) {
    const order = Array.from(chosen).sort((a, b) => {
      for (let k = 0; k < d; k++) {
        const by = points[a * d + k] - points[b * d + k];
        if (by !== 0) return by;
      }
      return a - b;
    });
    const found = [];
    for (const one of order) {
      let beaten = false;
      for (let at = found.length - 1; at >= 0 && !beaten; at--) beaten = beats(points, d, found[at], one);
      if (!beaten) found.push(one);
    }
    return found;
  }

  function beats(points, d, one, other) {
    let less = false;
    for (let k = 0; k < d; k++) {
      const a = points[one * d + k],
        b = points[other * d + k];
      if (a > b) return false;
      if (a < b) less = true;
    }
    return less;
  }

  // The same with a guard on inexact columns: `sign` 1: surely, -1: possibly.
  function guarded(points, d, inexactly, one, other, sign) {
    let less = false;
    for (let k = 0; k < d; k++) {
      const a = points[one * d + k],
        b = points[other * d + k];
      const slack = inexactly[k] ? sign * 2 * GUARD * Math.max(Math.abs(a), Math.abs(b)) : 0;
      if (a > b - slack) return false;
      if (a < b - slack || (sign < 0 && slack !== 0)) less = true;
    }
    return less;
  }

  function made(stored) {
    const d = stored.objectives.length,
      n = stored.candidates.length;
    const signs = stored.objectives.map((one) => (one.sense === "max" ? -1 : 1));
    const products = stored.products.map((product) => {
      const ready = prepared(product);
      ready.inputs_of = (unknowns, position) => {
        product.inputs.forEach((terms, at) => {
          let value = position[terms[0]];
          if (unknowns[terms[0]].relative) {
            value = 1;
            for (const term of terms) {
              const { weight } = unknowns[term];
              value += weight === 1 ? position[term] : position[term] * weight;
            }
          }
          ready.values[ready.inputs + at][0] = value;
        });
      };
      return ready;
    });
    const interpolates = products.some((one) => one.steps.some(([name]) => name === "interp"));
    const inexactly = signs.map((_, k) => products.some((one) => one.kinds[one.objectives[k]] !== EXACT));
    const points = new Float64Array(n * d),
      feasible = new Uint8Array(n),
      unsure = new Uint8Array(n),
      classOf = new Float64Array(n);
    products.forEach((product, nth) => {
      product.at.forEach((place, at) => {
        classOf[place] = nth * 65536 + product.classes[at];
      });
    });

    function move(position) {
      let loose = interpolates && !stored.interpolated,
        wrong = 0;
      for (const product of products) {
        if (repeat(product, stored.unknowns, position)) loose = true;
        const results = product.objectives.map((place) => product.values[place]);
        const limits = product.limits.map((place) => product.values[place]);
        product.at.forEach((place, at) => {
          const row = product.classes[at];
          let met = 1,
            finite = true;
          for (const limit of limits) if (limit[limit.length > 1 ? row : 0] === 0) met = 0;
          for (let k = 0; k < d; k++) {
            const value = results[k][results[k].length > 1 ? row : 0];
            if (!Number.isFinite(value)) finite = false;
            points[place * d + k] = signs[k] * value + 0;
          }
          if (met && !finite) wrong += 1;
          feasible[place] = met && finite ? 1 : 0;
          unsure[place] = product.unsure[row];
        });
      }
      const chosen = [],
        sure = [],
        any = [];
      for (let at = 0; at < n; at++) {
        if (feasible[at]) chosen.push(at);
        if (feasible[at] && !unsure[at]) sure.push(at);
        if (feasible[at] || unsure[at]) any.push(at);
      }
      const front = frontier(points, d, chosen);
      return { front, chosen, near: near(front, sure, any), loose, wrong, position };
    }

    // Designs of which the last bits, that libraries round differently, decide.
    function near(front, sure, any) {
      if (!inexactly.some(Boolean) && sure.length === any.length) return [];
      const strong = sure.length === any.length ? front : frontier(points, d, sure);
      const left = any.filter(
        (at) => !strong.some((other) => other !== at && guarded(points, d, inexactly, other, at, 1)),
      );
      const on = new Set(front);
      return left.filter(
        (at) =>
          !on.has(at) ||
          unsure[at] ||
          left.some((other) => classOf[other] !== classOf[at] && guarded(points, d, inexactly, other, at, -1)),
      );
    }

    // Each objective scaled to 0 at its best and 1 at its worst on the frontier: the least sum.
    function knee(front) {
      const low = signs.map((_, k) => Math.min(...front.map((at) => points[at * d + k])));
      const high = signs.map((_, k) => Math.max(...front.map((at) => points[at * d + k])));
      const away = (at) =>
        signs.reduce((sum, _, k) => {
          const width = high[k] - low[k];
          return sum + (points[at * d + k] - low[k]) / (width > 0 ? width : 1);
        }, 0);
      return front.reduce((best, at) => (best === null || away(at) < away(best) ? at : best), null);
    }

    const value = (at, k) => signs[k] * points[at * d + k];
    const begin = stored.unknowns.map((one) => one.nominal);
    return { move, knee, value, begin, stored, feasible, inexactly };
  }

  // The nearest value of one unknown, upwards or downwards, at which a design is no longer on the frontier.
  function leaves(model, position, which, design, end, count = 32) {
    const on = (value) => model.move(position.with(which, value)).front.includes(design);
    const from = position[which];
    let before = from;
    for (let nth = 1; nth <= count; nth++) {
      let value = from + ((end - from) * nth) / count;
      if (on(value)) {
        before = value;
        continue;
      }
      for (let halving = 0; halving < 30; halving++) {
        const middle = (before + value) / 2;
        if (on(middle)) before = middle;
        else value = middle;
      }
      return value;
    }
    return null;
  }

  return { made, leaves };
})();
