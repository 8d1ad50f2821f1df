// A click on a chart moves the inputs so that their point is there.

const LEAST_PIVOT = 1e-9; // of the squared lengths of two axes: below it they are parallel

// Return an axis as [weights of the inputs over their spreads], or null if it is a curve.
function findGradient(part, { weights, spreads }) {
  if (!part || part.g) return null;
  const slopes = spreads.map(() => 0);
  for (const [d, weight] of part.z || []) weights[d].forEach((w, l) => { slopes[l] += weight * w; });
  for (const [l, weight] of part.p || []) slopes[l] += weight * spreads[l];
  return slopes.some((slope) => slope) ? slopes : null;
}

// Return the smallest change of the free inputs, over their spreads, that changes the axes by steps.
function solveSteps(rows, steps, free) {
  const [a, b] = rows.map((row) => row.map((slope, l) => (free[l] ? slope : 0)));
  const aa = dot(a, a);
  if (!b) return aa > 0 ? a.map((slope) => (slope * steps[0]) / aa) : null;
  const ab = dot(a, b), bb = dot(b, b), pivot = aa * bb - ab * ab;
  if (!(pivot > LEAST_PIVOT * aa * bb)) return null;
  const first = (bb * steps[0] - ab * steps[1]) / pivot, second = (aa * steps[1] - ab * steps[0]) / pivot;
  return a.map((slope, l) => first * slope + second * b[l]);
}

// Return the point nearest to another one, within the ranges, at which the axes have their targets.
function movePoint(point, rows, targets, locate, { spreads, ranges }) {
  const next = point.slice(), free = ranges.map(([low, high]) => high > low);
  for (let round = 0; round <= point.length; ++round) {
    const here = locate(next);
    const change = solveSteps(rows, targets.map((target, k) => target - here[k]), free);
    if (!change) break;
    const wanted = next.map((value, l) => value + change[l] * spreads[l]);
    const left = wanted.map((value, l) => free[l] && (value < ranges[l][0] || value > ranges[l][1]));
    wanted.forEach((value, l) => { if (free[l]) next[l] = clamp(value, ...ranges[l]); });
    if (!left.some(Boolean)) break;
    left.forEach((outside, l) => { if (outside) free[l] = false; });
  }
  return next.map((value, l) => (value === point[l] ? value : roundTo(value, ranges[l])));
}
