// Recorded steps repeated over typed arrays: the same floating-point program as in NumPy, operation by operation. No
// code is made of them. What libraries round differently (exp, log, powers) is followed as inexact.

const steps = (() => {
  // Towards the even of two neighbours that are as near.
  const rint = (x) => {
    if (!Number.isFinite(x) || Math.abs(x) >= 4503599627370496) return x;
    const low = Math.floor(x),
      part = x - low;
    const whole = part < 0.5 ? low : part > 0.5 ? low + 1 : low % 2 === 0 ? low : low + 1;
    return whole === 0 && (x < 0 || Object.is(x, -0)) ? -0 : whole;
  };
  // Of the sign of the divisor.
  const remainder = (a, b) => {
    const rest = a % b;
    if (b === 0 || Number.isNaN(rest)) return rest;
    if (rest === 0) return b < 0 ? -0 : 0;
    return b < 0 !== rest < 0 ? rest + b : rest;
  };
  const floorDivide = (a, b) => {
    if (b === 0) return a / b;
    const rest = a % b;
    if (Number.isNaN(rest)) return NaN;
    let whole = (a - rest) / b;
    if (rest !== 0 && b < 0 !== rest < 0) whole -= 1;
    if (whole === 0) return a / b < 0 || Object.is(a / b, -0) ? -0 : 0;
    const low = Math.floor(whole);
    return whole - low > 0.5 ? low + 1 : low;
  };
  // NaN goes on; of equal ones (zeros of two signs) the first.
  const least = (a, b) => (a < b || Number.isNaN(a) ? a : Number.isNaN(b) ? b : a === b ? a : b);
  const most = (a, b) => (a > b || Number.isNaN(a) ? a : Number.isNaN(b) ? b : a === b ? a : b);
  // How many entries of a rising table are below a value, or not above it; NaN is above all.
  const searched = (right) => (table, x) => {
    let from = 0,
      to = table.length;
    while (from < to) {
      const middle = (from + to) >> 1,
        entry = table[middle];
      const before = Number.isNaN(x) ? right || !Number.isNaN(entry) : right ? entry <= x : entry < x;
      if (before) from = middle + 1;
      else to = middle;
    }
    return from;
  };
  const after = searched(true);
  const interp = (x, knots, values) => {
    const last = knots.length - 1;
    if (Number.isNaN(x)) return x;
    if (x < knots[0]) return values[0];
    if (x > knots[last] || last === 0) return values[last];
    const at = after(knots, x) - 1;
    if (at === last || knots[at] === x) return values[at];
    const slope = (values[at + 1] - values[at]) / (knots[at + 1] - knots[at]);
    let found = slope * (x - knots[at]) + values[at];
    if (Number.isNaN(found)) {
      found = slope * (x - knots[at + 1]) + values[at + 1];
      if (Number.isNaN(found) && values[at] === values[at + 1]) found = values[at];
    }
    return found;
  };
  const power = (x, y) => (x === 1 || (x === -1 && Math.abs(y) === Infinity) ? 1 : x ** y);
  const lookup = (table, at) => (at > -1 && at < table.length ? table[Math.trunc(at)] : NaN);

  const one = {
    sqrt: Math.sqrt,
    floor: Math.floor,
    ceil: Math.ceil,
    trunc: Math.trunc,
    rint,
    absolute: Math.abs,
    negative: (x) => -x,
    positive: (x) => x,
    square: (x) => x * x,
    reciprocal: (x) => 1 / x,
    logical_not: (x) => Number(x === 0),
    isfinite: (x) => Number(Number.isFinite(x)),
    isnan: (x) => Number(Number.isNaN(x)),
    isinf: (x) => Number(Math.abs(x) === Infinity),
    exp: Math.exp,
    log: Math.log,
    log2: Math.log2,
    log10: Math.log10,
    expm1: Math.expm1,
    log1p: Math.log1p,
    cbrt: Math.cbrt,
  };
  const two = {
    add: (a, b) => a + b,
    subtract: (a, b) => a - b,
    multiply: (a, b) => a * b,
    divide: (a, b) => a / b,
    floor_divide: floorDivide,
    remainder,
    minimum: least,
    maximum: most,
    less: (a, b) => Number(a < b),
    less_equal: (a, b) => Number(a <= b),
    greater: (a, b) => Number(a > b),
    greater_equal: (a, b) => Number(a >= b),
    equal: (a, b) => Number(a === b),
    not_equal: (a, b) => Number(a !== b),
    logical_and: (a, b) => Number(a !== 0 && b !== 0),
    logical_or: (a, b) => Number(a !== 0 || b !== 0),
    logical_xor: (a, b) => Number((a !== 0) !== (b !== 0)),
    power,
    float_power: power,
    lookup,
    "searchsorted left": searched(false),
    "searchsorted right": after,
  };
  const three = {
    where: (chosen, a, b) => (chosen !== 0 ? a : b),
    clip: (x, low, high) => least(most(x, low), high),
    interp,
  };
  const tables = { lookup: [0], interp: [1, 2], "searchsorted left": [0], "searchsorted right": [0] };

  // One step over `count` rows. An operand is an array of one entry per row or of one entry; a table is given whole.
  function apply(name, operands, count, into) {
    const whole = tables[name] ?? [];
    const at = operands.map((operand, place) => (whole.includes(place) || operand.length === 1 ? 0 : 1));
    const [a, b, c] = operands,
      [i, j, k] = at;
    if (Object.hasOwn(one, name)) {
      const f = one[name];
      for (let row = 0; row < count; row++) into[row] = f(a[row * i]);
    } else if (Object.hasOwn(two, name)) {
      const f = two[name];
      if (whole.length) for (let row = 0; row < count; row++) into[row] = f(a, b[row * j]);
      else for (let row = 0; row < count; row++) into[row] = f(a[row * i], b[row * j]);
    } else if (Object.hasOwn(three, name)) {
      const f = three[name];
      if (whole.length) for (let row = 0; row < count; row++) into[row] = f(a[row * i], b, c);
      else for (let row = 0; row < count; row++) into[row] = f(a[row * i], b[row * j], c[row * k]);
    } else throw new Error(`unknown step ${name}`);
    return into;
  }

  return { apply, tables };
})();
