// Evaluation of W g(V' p) + offset, and simulation of dynamic models, as in Python.

const dot = (a, b) => a.reduce((sum, value, k) => sum + value * b[k], 0);

// Return the rows of a packed matrix.
function matrix(text, columns) {
  const values = doubles(text);
  const count = columns ? values.length / columns : 0;
  return Array.from({ length: count }, (_, k) => values.slice(k * columns, (k + 1) * columns));
}

// Every kind of curve as a function of z, or of t = (z - low) rate - 1.
const CURVES = {
  pieces({ breaks: starts, table }) {
    const breaks = doubles(starts), rows = matrix(table, doubles(table).length / breaks.length);
    return (z) => {
      let low = 0, high = breaks.length - 1;
      while (low < high) {
        const middle = (low + high + 1) >> 1;
        if (z >= breaks[middle]) low = middle;
        else high = middle - 1;
      }
      return rows[low].reduce((value, c) => value * (z - breaks[low]) + c);
    };
  },
  legendre({ c: packed }) {
    const c = doubles(packed);
    return (t) => {
      let below = 1, current = t, value = 0;
      c.forEach((weight, index) => {
        const k = index + 1;
        value += weight * current;
        [below, current] = [current, ((2 * k + 1) * t * current - k * below) / (k + 1)];
      });
      return value;
    };
  },
  waves({ line, rows: packed }) {
    const rows = matrix(packed, 3);
    return (t) => rows.reduce(
      (sum, [f, sine, cosine]) => sum + sine * Math.sin(f * t) + cosine * Math.cos(f * t), line * t);
  },
  bumps({ width, rows: packed }) {
    const rows = matrix(packed, 2);
    return (t) => rows.reduce(
      (sum, [centre, height]) => sum + height * Math.exp(-0.5 * ((t - centre) / width) ** 2), 0);
  },
};

// Return a branch with its extrapolation.
function makeBranch(data) {
  const curve = CURVES[data.kind](data), { low, rate, tails, bounds } = data;
  const inner = data.kind === "pieces" ? curve : (z) => curve((z - low) * rate - 1);
  if (tails) {
    return (z) => {
      const inside = clamp(z, tails[0], tails[1]);
      return inner(inside) + (z < inside ? tails[2] : tails[3]) * (z - inside);
    };
  }
  return bounds ? (z) => (z < bounds[0] || z > bounds[1] ? NaN : inner(z)) : inner;
}

// Return the steps of an evaluation: sums s = V' p, values g(s), outputs.
function makeFunction(data) {
  const [m, n, r] = data.sizes;
  const V = matrix(data.V, m), W = matrix(data.W, r), offset = doubles(data.offset);
  const linear = data.linear && matrix(data.linear, m);
  const branches = data.branches.map(makeBranch);
  const model = {
    sums: (p) => V.map((v) => dot(v, p)),
    values: (s) => branches.map((branch, i) => branch(s[i])),
    outputs: (g, p) => Array.from({ length: n }, (_, o) =>
      offset[o] + (r ? dot(W[o], g) : 0) + (linear ? dot(linear[o], p) : 0)),
    outside: (s) => data.intervals.map(([low, high], i) => s[i] < low || s[i] > high),
  };
  model.evaluate = (p) => model.outputs(model.values(model.sums(p)), p);
  return model;
}

// Return the equations of one sample: outputs and the next state.
function makeStepModel(data) {
  const map = makeFunction(data.map), [states, , outputs] = data.sizes;
  const limit = (y) => (data.bounds
    ? y.map((value, o) => clamp(value, data.bounds[o][0] ?? -Infinity, data.bounds[o][1] ?? Infinity))
    : y);
  return {
    start: new Array(states).fill(0),
    step(u, state) {
      const known = [...state, ...u];
      const q = map.evaluate(data.arguments.map((index) => known[index]));
      const all = [...known, ...q];
      return [limit(q.slice(q.length - outputs)), data.updates.map((index) => all[index])];
    },
  };
}

// Simulate inputs one by one; the result ends where the model diverges.
function simulate(model, inputs, state = model.start) {
  const y = [];
  for (const u of inputs) {
    const [output, next] = model.step(u, state);
    if (![...output, ...next].every((value) => Math.abs(value) < 1e12)) break;
    y.push(output);
    state = next;
  }
  return { y, state };
}
