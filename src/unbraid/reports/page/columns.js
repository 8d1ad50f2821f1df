// Charts of two or three models in columns: one output after the other, with the same scale.

const MOST_COMPARED_CHARTS = 8; // of a model

// Return the table of charts: rows are those of one output, along one direction if there is one.
function compareCharts(chosen) {
  const columns = chosen.map(listCharts);
  const outputs = [...new Set(columns.flat().map(({ output }) => output))];
  const rows = outputs.flatMap((output) =>
    alignCharts(columns.map((charts) => charts.filter((chart) => chart.output === output))));
  if (!rows.length) return [];
  const ranges = new Map(outputs.map((output) => [output, findRange(rows.flat(), output)]));
  const heads = chosen.map((article) => make("h3", {}, article.querySelector("h2").textContent));
  const cells = rows.flat().map((chart) =>
    make("div", { class: "card" }, ...(chart ? copyChart(chart, ranges.get(chart.output)) : [])));
  return [
    make("p", { class: "note" }, "Curves of one output have the same vertical scale, maps their own "
      + "colours. Charts in a row have the same direction where the models share it."),
    make("div", { class: `side-by-side count-${chosen.length}` }, ...heads, ...cells),
  ];
}

// Return the charts of the terms of a model; bars of weights belong to the first chart of a card.
function listCharts(article) {
  return all(".term", article).flatMap((card) => {
    const bars = all(".weights .frame", card).map((frame) => frame.querySelector("svg"));
    return all(".picture", card).map((picture, k) => ({
      picture, bars: k ? [] : bars, output: picture.dataset.output, axis: picture.dataset.axis,
      data: JSON.parse(picture.querySelector(".plot").dataset.chart),
    }));
  }).slice(0, MOST_COMPARED_CHARTS);
}

// Return rows of charts: those with the axes of the first model beside it, others in free places.
function alignCharts(columns) {
  const [first, ...others] = columns;
  const kinds = [...new Set(columns.flat().map(({ data }) => Boolean(data.grid)))].sort().reverse();
  return kinds.flatMap((map) => {
    const same = ({ data }) => Boolean(data.grid) === map;
    const left = others.map((charts) => charts.filter(same)), rows = [];
    const takeFrom = (charts, fits) => {
      const at = charts.findIndex(fits);
      return at < 0 ? null : charts.splice(at, 1)[0];
    };
    for (const chart of first.filter(same)) {
      rows.push([chart, ...left.map((charts) => takeFrom(charts, ({ axis }) => axis === chart.axis))]);
    }
    for (const row of rows) left.forEach((charts, k) => { row[k + 1] ??= takeFrom(charts, () => true); });
    while (left.some((charts) => charts.length)) {
      rows.push([null, ...left.map((charts) => takeFrom(charts, () => true))]);
    }
    return rows;
  });
}

// Return the lowest and the highest end of the vertical axes of the curves of an output.
function findRange(charts, output) {
  const ends = charts.filter((chart) => chart && chart.output === output && !chart.data.grid)
    .flatMap(({ data }) => data.y.slice(0, 2));
  return [Math.min(...ends), Math.max(...ends)];
}

// Return title, chart and bars as they are in the page, a curve in another vertical range.
function copyChart({ picture, bars, data }, range) {
  const copy = copyDrawing(picture.querySelector("svg"));
  if (!data.grid) stretch(copy, data, range);
  return [make("p", { class: "shape" }, picture.querySelector(".shape").textContent), copy,
    ...bars.map(copyDrawing)];
}

function copyDrawing(svg) {
  const copy = svg.cloneNode(true);
  all(".over, .live", copy).forEach((part) => part.remove());
  copy.classList.remove("redrawn");
  copy.removeAttribute("aria-hidden");
  return copy;
}

// Draw the axes of a chart in another vertical range, and move its curves there.
function stretch(svg, { box, x: [left, right], y: [low, high], names }, range) {
  const [start, end, bottom, top] = box, still = svg.querySelector(".still");
  const x = makeScale(left, right, 0, start, end), y = makeScale(...range, 0, bottom, top);
  const rate = (y.pixel(high) - y.pixel(low)) / (top - bottom);
  const moved = `matrix(1 0 0 ${rate} 0 ${y.pixel(low) - rate * bottom})`;
  for (const part of Array.from(still.children)) {
    if (part.matches(".grid, .axis, .tick, .label")) part.remove();
    else if (!part.matches(".density")) {
      part.setAttribute("transform", moved);
      part.setAttribute("vector-effect", "non-scaling-stroke");
    }
  }
  const size = svg.getAttribute("viewBox").split(" ").slice(2).map(Number);
  still.before(draw("g", {}, ...drawAxes({ x, y, data: { names }, size })));
}
