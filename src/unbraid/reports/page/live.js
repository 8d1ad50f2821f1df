// Charts that the script draws: parts of signals and scatter plots, and signals on narrow screens.

const WIDE = 520; // width of the drawing above which a chart takes the width of the screen
const MOST_MARKED = 200; // measured samples that are drawn as dots
const MARGIN = { left: 48, right: 12, top: 34, bottom: 46 };

// Set the size and the axes of a chart, and draw it if it is not as in the page.
function layOut(chart) {
  const { data, svg, view } = chart;
  const [, , width, height] = chart.original;
  const letters = parseFloat(getComputedStyle(document.documentElement).fontSize);
  const room = Math.round((chart.frame.clientWidth * 16) / letters); // text is as large as elsewhere
  const fitted = width > WIDE && room > 0 && room !== width;
  chart.size = fitted ? [Math.max(room, 300), height + 20] : [width, height];
  svg.setAttribute("viewBox", `0 0 ${chart.size.join(" ")}`);
  chart.resetView();
  if (fitted) {
    chart.x = makeScale(...data.x, MARGIN.left, chart.size[0] - MARGIN.right);
    chart.y = makeScale(...data.y, chart.size[1] - MARGIN.bottom, MARGIN.top);
  }
  if (view) {
    chart.x = makeScale(...view.x, data.x[2], chart.x.start, chart.x.end);
    chart.y = makeScale(...view.y, data.y[2], chart.y.start, chart.y.end);
  }
  const redrawn = fitted || Boolean(view) || Boolean(data.drawn);
  svg.classList.toggle("redrawn", redrawn);
  chart.live?.remove();
  if (redrawn) {
    chart.live = draw("g", { class: "live" }, ...drawAxes(chart), drawContent(chart));
    chart.over.before(chart.live);
  }
  moveLinks(chart);
  if (chart.place === null) chart.drawOver();
  else chart.show(chart.place);
}

function drawAxes({ x, y, data, size }) {
  const round = (pixel) => pixel.toFixed(1);
  const text = (a, b, content, kind) =>
    draw("text", { x: round(a), y: round(b), class: kind }, content);
  const across = chooseTicks(x, clamp(Math.round(size[0] / 90), 3, 12)), up = chooseTicks(y, 4);
  const grid = up.map(([value]) => `M${x.start} ${round(y.pixel(value))}H${x.end}`).join("");
  const notches = across.map(([value]) => `M${round(x.pixel(value))} ${y.start}v4`).join("");
  return [
    draw("path", { class: "grid", d: grid }),
    draw("path", { class: "axis", d: `M${x.start} ${y.start}H${x.end}${notches}` }),
    ...across.map(([value, label]) => text(x.pixel(value), y.start + 17, label, "tick middle")),
    ...up.map(([value, label]) => text(x.start - 7, y.pixel(value) + 4, label, "tick end")),
    text((x.start + x.end) / 2, y.start + 36, data.names[0], "label middle"),
    text(4, y.end - 16, data.names[1], "label"),
  ];
}

// Draw curves and dots, cut off at the axes by an SVG inside the SVG.
function drawContent({ x, y, data, reader }) {
  const [left, top, width, height] = [x.start, y.end, x.end - x.start, y.start - y.end];
  const content = draw("svg", {
    x: left, y: top, width, height, viewBox: `${left} ${top} ${width} ${height}`, class: "content",
  });
  const at = (a, b) => `${x.pixel(a).toFixed(1)} ${y.pixel(b).toFixed(1)}`;
  for (const [across, up, kind] of data.guides || []) {
    const heights = singles(up);
    const path = singles(across).map((value, k) => (k ? "L" : "M") + at(value, heights[k]));
    content.append(draw("path", { class: kind, d: path.join("") }));
  }
  const lines = reader.lines || [], below = lines.filter(({ kind }) => kind === "measured");
  for (const line of [...below, ...lines.filter((one) => !below.includes(one)).reverse()]) {
    const seen = line.kind === "measured" ? samplesInView(reader.at, x) : [];
    if (seen.length > 0 && seen.length <= MOST_MARKED) {
      const marks = seen.filter((k) => Number.isFinite(line.y[k]));
      const path = marks.map((k) => `M${at(reader.at[k], line.y[k])}h0`).join("");
      content.append(draw("path", { class: "marks strong", d: path }));
    } else content.append(draw("path", { class: line.kind, d: drawLine(reader.at, line.y, x, y) }));
  }
  const kinds = new Set((reader.dots || []).map((dot) => dot.kind));
  for (const kind of kinds) {
    const path = reader.dots.filter((dot) => dot.kind === kind && kind);
    content.append(draw("path", { class: kind, d: path.map((dot) => `M${at(dot.x, dot.y)}h0`).join("") }));
  }
  return content;
}

function samplesInView(at, x) {
  const first = nearestIndex(at, x.low), last = nearestIndex(at, x.high);
  return Array.from({ length: last - first + 1 }, (_, k) => first + k);
}

// Return the path of a line; of many values per pixel, the lowest and the highest.
function drawLine(at, values, x, y) {
  const first = Math.max(nearestIndex(at, x.low) - 1, 0);
  const last = Math.min(nearestIndex(at, x.high) + 1, at.length - 1);
  const block = Math.max(1, Math.floor((last - first + 1) / (x.end - x.start)));
  let path = "", pen = "M";
  const add = (k) => {
    path += `${pen}${x.pixel(at[k]).toFixed(1)} ${y.pixel(values[k]).toFixed(1)}`;
    pen = "L";
  };
  for (let begin = first; begin <= last; begin += block) {
    let low = -1, high = -1;
    for (let k = begin; k < Math.min(begin + block, last + 1); ++k) {
      if (!Number.isFinite(values[k])) continue;
      if (low < 0 || values[k] < values[low]) low = k;
      if (high < 0 || values[k] > values[high]) high = k;
    }
    if (low < 0) pen = "M";
    else if (low === high) add(low);
    else [low, high].sort((a, b) => a - b).forEach(add);
  }
  return path;
}

// Move the links of a scatter plot, whose order is that of its dots.
function moveLinks({ plot, reader, data, x, y }) {
  const still = { x: makeScale(...data.x, x.start, x.end), y: makeScale(...data.y, y.start, y.end) };
  for (const mark of all(".mark", plot)) {
    const dot = reader.dots[mark.dataset.place];
    const inside = dot.x >= x.low && dot.x <= x.high && dot.y >= y.low && dot.y <= y.high;
    mark.classList.toggle("outside", !inside);
    const [dx, dy] = ["x", "y"].map((axis) =>
      (axis === "x" ? x : y).pixel(dot[axis]) - still[axis].pixel(dot[axis]));
    if (dx || dy) mark.setAttribute("transform", `translate(${dx.toFixed(1)} ${dy.toFixed(1)})`);
    else mark.removeAttribute("transform");
  }
}
