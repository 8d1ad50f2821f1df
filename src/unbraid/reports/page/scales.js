// Maps from values to pixels, and ticks.

// Return a linear or logarithmic map; `low` and `high` lie at the pixels `start` and `end`.
function makeScale(low, high, log, start, end) {
  const map = log ? Math.log10 : (value) => value;
  const back = log ? (value) => 10 ** value : (value) => value;
  const rate = (end - start) / (map(high) - map(low));
  return {
    low, high, log, start, end,
    pixel: (value) => clamp(start + (map(value) - map(low)) * rate, -9999, 9999),
    value: (pixel) => back(map(low) + (pixel - start) / rate),
  };
}

// Return about `count` round numbers of a scale, with their texts.
function chooseTicks(scale, count) {
  if (scale.log && scale.high > 30 * scale.low) return chooseLogTicks(scale, count);
  const size = 10 ** Math.floor(Math.log10((scale.high - scale.low) / count));
  const candidates = [1, 2, 5, 10, 20].map((factor) => {
    const step = factor * size, ticks = [];
    const last = Math.floor(scale.high / step + 1e-9);
    for (let k = Math.ceil(scale.low / step - 1e-9); k <= last; ++k) ticks.push(k * step);
    return ticks;
  });
  const distance = (ticks) => Math.abs(ticks.length - count);
  const ticks = candidates.reduce((best, next) => (distance(next) < distance(best) ? next : best));
  const step = ticks.length > 1 ? ticks[1] - ticks[0] : Math.abs(ticks[0]) || 1;
  const largest = Math.max(...ticks.map(Math.abs));
  const digits = clamp(Math.ceil(Math.log10(largest / step) + 1.001), 1, 12);
  return ticks.map((value) => [value, format(settle(value, step), digits)]);
}

function chooseLogTicks(scale, count) {
  const first = Math.ceil(Math.log10(scale.low)), last = Math.floor(Math.log10(scale.high));
  const step = Math.max(1, Math.ceil((last - first + 1) / count)), ticks = [];
  for (let k = first; k <= last; k += step) {
    ticks.push([10 ** k, k >= -3 && k <= 3 ? format(10 ** k) : `10${raise(k)}`]);
  }
  return ticks;
}
