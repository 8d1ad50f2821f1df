// What can be read from a chart. A reader has a number of places; every place has text, and marks
// in values of the axes. `move` returns the next place for an arrow key.

function makeReader(data) {
  if (data.at) return readLines(data);
  if (data.grid) return readGrid(data);
  if (data.dots) return readDots(data);
  if (data.bins) return readBins(data);
  return readBars(data);
}

const step = (place, count, key) =>
  clamp(place + ({ ArrowRight: 1, ArrowUp: 1, ArrowLeft: -1, ArrowDown: -1 })[key], 0, count - 1);

// Curves over a common abscissa, with the number of data points there.
function readLines(data) {
  const at = axisValues(data.at);
  const lines = data.lines.map(([name, y, kind]) => ({ name, y: singles(y), kind }));
  const bins = data.bins && [axisValues(data.bins[0]), singles(data.bins[1])];
  const shown = lines.filter((line) => line.kind);
  const count = (x) => {
    const [edges, counts] = bins;
    return counts[clamp(edges.findLastIndex((edge) => edge <= x), 0, counts.length - 1)];
  };
  return {
    at, lines: shown, length: at.length,
    nearest: (x) => nearestIndex(at, x),
    move: (place, key) => step(place, at.length, key),
    read(place) {
      const sample = data.seconds ? `, sample ${Math.round(at[place] / data.seconds)}` : "";
      const parts = [[data.names[0], format(at[place]) + sample]];
      for (const { name, y, kind } of lines) {
        parts.push([name, format(settle(y[place], data.y[1] - data.y[0])), kind]);
      }
      if (bins) parts.push(["data", `${count(at[place])} points here`]);
      return parts;
    },
    marks: (place) => shown.map(({ y, kind }) => ({ x: at[place], y: y[place], kind })),
    table: () => [
      [data.names[0], ...lines.map((line) => line.name)],
      at.map((x, k) => [x, ...lines.map((line) => line.y[k])]),
    ],
  };
}

// Points of a scatter plot, read one by one in the order of the horizontal axis.
function readDots(data) {
  const dots = data.dots.flatMap(([name, x, y, kind, labels]) => {
    const heights = singles(y);
    return singles(x).map((value, k) => ({ name, x: value, y: heights[k], kind, label: labels[k] }));
  });
  const order = dots.map((_, k) => k).sort((a, b) => dots[a].x - dots[b].x);
  return {
    dots, length: dots.length,
    nearest(x, y, scales) {
      const far = ({ x: a, y: b }) =>
        Math.hypot(scales.x.pixel(a) - scales.x.pixel(x), scales.y.pixel(b) - scales.y.pixel(y));
      return dots.reduce((best, dot, k) => (far(dot) < far(dots[best]) ? k : best), 0);
    },
    move: (place, key) => order[step(order.indexOf(place), order.length, key)],
    read(place) {
      const { name, x, y, label } = dots[place];
      if (label) return [[label, ""]];
      return [[name, ""], [data.names[0], format(x)], [data.names[1], format(y)]];
    },
    marks: (place) => [dots[place]],
    table: () => [
      dots.some((dot) => dot.label) ? ["", ...data.names] : data.names,
      dots.map(({ x, y, label }) => (label ? [label, x, y] : [x, y])),
    ],
  };
}

function readBins(data) {
  const edges = axisValues(data.bins[0]), counts = singles(data.bins[1]);
  const middle = (k) => (edges[k] + edges[k + 1]) / 2;
  return {
    length: counts.length,
    nearest: (x) => clamp(edges.findLastIndex((edge) => edge <= x), 0, counts.length - 1),
    move: (place, key) => step(place, counts.length, key),
    read: (k) => [
      [data.names[0], `${format(edges[k], 3)} to ${format(edges[k + 1], 3)}`],
      [data.names[1], format(counts[k])],
    ],
    marks: (k) => [{ x: middle(k), y: counts[k], kind: "count" }],
    table: () => [
      [`${data.names[0]} from`, "to", data.names[1]],
      Array.from(counts, (count, k) => [edges[k], edges[k + 1], count]),
    ],
  };
}

// Values over a grid of two axes.
function readGrid(data) {
  const [name, across, up, packed] = data.grid;
  const x = axisValues(across), y = axisValues(up), values = levels(packed);
  const range = Math.max(...values.filter(Number.isFinite).map(Math.abs));
  return {
    length: values.length,
    nearest: (a, b) => nearestIndex(y, b) * x.length + nearestIndex(x, a),
    move(place, key) {
      const row = Math.floor(place / x.length), column = place % x.length;
      if (key === "ArrowLeft" || key === "ArrowRight") {
        return row * x.length + step(column, x.length, key);
      }
      return step(row, y.length, key) * x.length + column;
    },
    read: (k) => [
      [data.names[0], format(x[k % x.length])],
      [data.names[1], format(y[Math.floor(k / x.length)])],
      [name, format(settle(values[k], range))],
    ],
    marks: (k) => [{ x: x[k % x.length], y: y[Math.floor(k / x.length)], kind: "cross" }],
    table: () => [
      [...data.names, name],
      values.map((value, k) => [x[k % x.length], y[Math.floor(k / x.length)], value]),
    ],
  };
}

// Names with numbers, one below the other.
function readBars(data) {
  return {
    length: data.bars.length,
    nearest: (x, y) => clamp(Math.floor(y), 0, data.bars.length - 1),
    move: (place, key) =>
      step(place, data.bars.length, { ArrowUp: "ArrowLeft", ArrowDown: "ArrowRight" }[key] || key),
    read: (k) => [[data.bars[k][0], format(data.bars[k][1])]],
    marks: () => [],
    table: () => [data.names, data.bars],
  };
}
