// Zoom and pan of signals and scatter plots: buttons, a dragged range, two fingers, keys.

const ZOOM_STEP = 1.6; // of one press of a button
const PAN_STEP = 0.25; // of the range that is shown
const MOST_ZOOM = 1e4;
const LEAST_DRAG = 6; // pixels: a shorter one is a click

function addZoom(chart) {
  chart.view = null;
  chart.original = chart.svg.getAttribute("viewBox").split(" ").map(Number);
  const both = chart.data.zoom === "xy";
  const buttons = [
    makeButton("+", "Zoom in", () => zoomAbout(chart, 1 / ZOOM_STEP)),
    makeButton("−", "Zoom out", () => zoomAbout(chart, ZOOM_STEP)),
    makeButton("←", "Move left", () => pan(chart, -PAN_STEP, 0)),
    makeButton("→", "Move right", () => pan(chart, PAN_STEP, 0)),
    ...(both ? [
      makeButton("↑", "Move up", () => pan(chart, 0, PAN_STEP)),
      makeButton("↓", "Move down", () => pan(chart, 0, -PAN_STEP)),
    ] : []),
    makeButton("Reset", "Reset the zoom", () => setView(chart, null)),
  ];
  chart.moves = buttons.slice(1);
  chart.tools.append(make("span", { class: "drag" }, "drag a range to zoom"),
    make("span", { class: "zoom", role: "group", "aria-label": "zoom" }, ...buttons));
  followFingers(chart);
  chart.plot.addEventListener("dblclick", () => setView(chart, null));
  chart.plot.addEventListener("keydown", (event) => pressZoom(chart, event));
  chart.plot.addEventListener("wheel", (event) => {
    if (!event.ctrlKey) return; // the page scrolls
    event.preventDefault();
    const [x, y] = chart.locate(event);
    zoomAbout(chart, event.deltaY > 0 ? ZOOM_STEP : 1 / ZOOM_STEP, x, y);
  }, { passive: false });
  new ResizeObserver(() => layOut(chart)).observe(chart.frame);
  enableMoves(chart);
}

// Charts of one output over the same time are zoomed together.
function linked(chart) {
  const figure = chart.frame.closest("figure");
  if (chart.data.zoom !== "x" || !figure) return [chart];
  const same = ({ data }) => data.zoom === "x" && data.x.join() === chart.data.x.join();
  return all(".plot", figure).map(chartOf).filter(same);
}

function enableMoves(chart) {
  for (const button of chart.moves) button.disabled = !chart.view;
  chart.plot.style.touchAction = chart.view && chart.data.zoom === "xy" ? "none" : "pan-y";
}

// Show a range of the axes; null is everything.
function setView(chart, view) {
  for (const other of linked(chart)) {
    other.view = view && fitView(other, view);
    enableMoves(other);
    layOut(other);
  }
}

// Return a range inside that of the data; signals get the height of what is in the range.
function fitView(chart, view) {
  const { data, reader } = chart;
  const x = limit(view.x, data.x);
  if (data.zoom === "xy") return { x, y: limit(view.y, data.y) };
  const first = nearestIndex(reader.at, x[0]), last = nearestIndex(reader.at, x[1]);
  const seen = reader.lines.flatMap(({ y }) => Array.from(y.slice(first, last + 1)));
  const finite = seen.filter(Number.isFinite);
  const low = finite.reduce((a, b) => Math.min(a, b), Infinity);
  const high = finite.reduce((a, b) => Math.max(a, b), -Infinity);
  const room = 0.06 * (high - low);
  return { x, y: high > low ? [low - room, high + room] : data.y.slice(0, 2) };
}

function limit([low, high], [least, most, log]) {
  const scale = makeScale(least, most, log, 0, 1); // shares of the whole range
  const width = clamp(scale.pixel(high) - scale.pixel(low), 1 / MOST_ZOOM, 1);
  const start = clamp(scale.pixel(low), 0, 1 - width);
  return [scale.value(start), scale.value(start + width)];
}

// Change the range by a factor about a place, by default the middle.
function zoomAbout(chart, factor, ...place) {
  const ranges = [chart.x, chart.y].map((scale, k) => {
    const middle = k in place ? scale.pixel(place[k]) : (scale.start + scale.end) / 2;
    return [scale.start, scale.end].map((end) => scale.value(middle + factor * (end - middle)));
  });
  const whole = factor > 1 && isWhole(ranges[0], chart.data.x);
  setView(chart, whole ? null : { x: ranges[0], y: ranges[1] });
}

const isWhole = ([low, high], [least, most]) => low <= least && high >= most;

// Move the range by shares of itself.
function pan(chart, right, up) {
  const move = (scale, share) => {
    const shift = share * (scale.end - scale.start);
    return [scale.value(scale.start + shift), scale.value(scale.end + shift)];
  };
  if (chart.view) setView(chart, { x: move(chart.x, right), y: move(chart.y, up) });
}

function pressZoom(chart, event) {
  const actions = {
    "+": () => zoomAbout(chart, 1 / ZOOM_STEP), "=": () => zoomAbout(chart, 1 / ZOOM_STEP),
    "-": () => zoomAbout(chart, ZOOM_STEP), 0: () => setView(chart, null),
  };
  const moves = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, 1], ArrowDown: [0, -1] };
  const move = event.shiftKey && moves[event.key];
  if (event.ctrlKey || event.altKey || !(actions[event.key] || move)) return;
  event.preventDefault();
  if (move) pan(chart, PAN_STEP * move[0], PAN_STEP * move[1]);
  else actions[event.key]();
}

// Pan so far that a mark is in the range that is shown.
function keepInView(chart, mark) {
  if (!chart.view) return;
  const width = chart.view.x[1] - chart.view.x[0];
  if (mark.x < chart.view.x[0]) pan(chart, (mark.x - chart.view.x[0]) / width - 0.1, 0);
  if (mark.x > chart.view.x[1]) pan(chart, (mark.x - chart.view.x[1]) / width + 0.1, 0);
}

// A mouse drags a range, or pans with Shift; one finger pans, two fingers zoom.
function followFingers(chart) {
  const { plot } = chart, fingers = new Map();
  const spread = () => {
    const [a, b] = [...fingers.values()];
    return Math.hypot(a.clientX - b.clientX, a.clientY - b.clientY);
  };
  plot.addEventListener("pointerdown", (event) => {
    if (event.button || event.target.closest("a")) return;
    fingers.set(event.pointerId, event);
    chart.start = { event, place: chart.locate(event) };
    chart.pans = event.pointerType !== "mouse" || event.shiftKey;
    if (event.pointerType === "mouse") plot.setPointerCapture(event.pointerId);
  });
  plot.addEventListener("pointermove", (event) => {
    if (!fingers.has(event.pointerId)) return;
    const before = fingers.get(event.pointerId);
    if (fingers.size === 2) {
      const wide = spread();
      fingers.set(event.pointerId, event);
      const [x, y] = chart.locate(event);
      if (wide > 0 && spread() > 0) zoomAbout(chart, wide / spread(), x, y);
    } else if (chart.pans) dragView(chart, before, event);
    else dragRange(chart, event);
    fingers.set(event.pointerId, event);
  });
  const release = (event) => {
    if (fingers.delete(event.pointerId)) endDrag(chart);
  };
  plot.addEventListener("pointerup", release);
  plot.addEventListener("pointercancel", release);
}

function dragView(chart, before, event) {
  if (!chart.view) return;
  const [, , x, y] = chart.locate(event), [, , a, b] = chart.locate(before);
  pan(chart, (a - x) / (chart.x.end - chart.x.start), (b - y) / (chart.y.end - chart.y.start));
}

// Show the range between where the mouse was pressed and where it is.
function dragRange(chart, event) {
  const [, , x, y] = chart.locate(event), [, , a, b] = chart.start.place;
  const moved = Math.hypot(event.clientX - chart.start.event.clientX,
    event.clientY - chart.start.event.clientY);
  if (moved < LEAST_DRAG && !chart.dragging) return;
  if (!chart.dragging) chart.hide();
  const cut = (value, scale) =>
    clamp(value, Math.min(scale.start, scale.end), Math.max(scale.start, scale.end));
  const across = [a, x].map((value) => cut(value, chart.x)).sort((p, q) => p - q);
  const down = chart.data.zoom === "xy"
    ? [b, y].map((value) => cut(value, chart.y)).sort((p, q) => p - q)
    : [chart.y.end, chart.y.start];
  chart.dragging = { across, down };
  chart.over.replaceChildren(draw("rect", {
    class: "range", x: across[0], y: down[0], width: across[1] - across[0], height: down[1] - down[0],
  }));
}

function endDrag(chart) {
  const range = chart.dragging;
  chart.dragging = null;
  if (!range) return;
  const { across, down } = range;
  if (across[1] - across[0] < LEAST_DRAG || down[1] - down[0] < LEAST_DRAG) return chart.drawOver();
  setView(chart, {
    x: across.map((pixel) => chart.x.value(pixel)),
    y: [down[1], down[0]].map((pixel) => chart.y.value(pixel)),
  });
}
