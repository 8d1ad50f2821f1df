// Parts of an output: weighted sums of branches g, standardised directions z and inputs p.

// Return all values at a point of the inputs.
function makeEvaluator({ model: data, directions: { weights, mean, spread } }) {
  const model = makeFunction(data);
  const rows = matrix(weights, data.sizes[0]), means = doubles(mean), spreads = doubles(spread);
  return (p) => {
    const s = model.sums(p), g = model.values(s);
    const x = p.map((value, l) => (spreads[l] > 0 ? (value - means[l]) / spreads[l] : 0));
    const z = rows.map((row) => dot(row, x));
    return { p, s, g, z, outputs: model.outputs(g, p), outside: model.outside(s) };
  };
}

// Return the value of a part.
function sumPart(part, values) {
  let total = part.c || 0;
  for (const key of ["g", "z", "p"]) {
    for (const [index, weight] of part[key] || []) total += weight * values[key][index];
  }
  return total;
}

// Return where a point is in a chart, in values of its axes.
function locatePoint(trace, values) {
  if ("branch" in trace) return [values.s[trace.branch], values.g[trace.branch]];
  return [sumPart(trace.x, values), sumPart(trace.y, values)];
}
