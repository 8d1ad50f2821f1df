// One chart: its values are read with the pointer, by touch and with the arrow keys.

const charts = new WeakMap(); // by the element of class plot

class Chart {
  constructor(plot) {
    this.plot = plot;
    this.frame = plot.parentNode;
    this.svg = plot.querySelector("svg");
    this.data = JSON.parse(plot.dataset.chart);
    this.reader = makeReader(this.data);
    this.place = null;
    this.point = null; // where a point of the inputs is, in values of the axes
    this.size = this.svg.getAttribute("viewBox").split(" ").slice(2).map(Number);
    this.resetView();
    this.over = draw("g", { class: this.data.grid ? "over map" : "over" });
    this.svg.append(this.over);
    this.readout = make("div", { class: "readout", hidden: "" });
    this.frame.append(this.readout);
    this.tools = make("div", { class: "tools" });
    this.frame.append(this.tools);
    if (!plot.querySelector("a")) this.becomeSlider();
    this.listen();
    if (this.data.zoom) addZoom(this);
    this.tools.append(makeTable(this));
  }

  // Show other values in the same axes; the zoom is reset.
  replaceData(data) {
    this.data = data;
    this.reader = makeReader(data);
    this.view = null;
    this.place = null;
    this.readout.hidden = true;
    this.plot.setAttribute("aria-valuemax", String(this.reader.length - 1));
    this.tools.querySelector(".values").replaceWith(makeTable(this));
    layOut(this);
  }

  // Show the chart as it is in the page.
  resetView() {
    const { box, x, y, pitch } = this.data;
    const [left, right, bottom, top] = box || [0, this.size[0], this.size[1] - 2, 2];
    this.x = makeScale(...(x || [0, 1, 0]), left, right);
    this.y = makeScale(...(y || [this.size[1] / pitch, 0, 0]), bottom, top);
  }

  // Assistive technology steps through the values of a slider and reads their text.
  becomeSlider() {
    const label = this.svg.getAttribute("aria-label");
    const slider = {
      role: "slider", tabindex: "0", "aria-label": label, "aria-valuemin": "0",
      "aria-valuemax": String(this.reader.length - 1), "aria-valuenow": "0",
      "aria-valuetext": "arrow keys read the values",
    };
    for (const [key, value] of Object.entries(slider)) this.plot.setAttribute(key, value);
    this.svg.setAttribute("aria-hidden", "true");
  }

  listen() {
    const { plot } = this;
    plot.addEventListener("pointermove", (event) => this.follow(event));
    plot.addEventListener("pointerdown", (event) => this.follow(event));
    plot.addEventListener("pointerleave", (event) => {
      if (event.pointerType === "mouse") this.hide();
    });
    plot.addEventListener("keydown", (event) => this.press(event));
    plot.addEventListener("focusin", (event) => {
      const mark = event.target.closest(".mark");
      if (mark) this.show(Number(mark.dataset.place));
    });
    plot.addEventListener("focusout", () => this.hide());
  }

  // Return the values of the axes under the pointer.
  locate(event) {
    const area = this.svg.getBoundingClientRect(), [width, height] = this.size;
    const x = ((event.clientX - area.left) * width) / area.width;
    const y = ((event.clientY - area.top) * height) / area.height;
    return [this.x.value(x), this.y.value(y), x, y];
  }

  follow(event) {
    if (this.dragging || !this.reader.length) return;
    const [x, y] = this.locate(event);
    this.show(this.reader.nearest(x, y, this));
  }

  press(event) {
    if (event.key === "Escape") return this.hide();
    if (event.target !== this.plot || event.shiftKey || event.ctrlKey || event.altKey) return;
    const { length } = this.reader, page = Math.max(1, Math.round(length / 10));
    let place = this.place ?? Math.floor(length / 2);
    if (event.key === "Home") place = 0;
    else if (event.key === "End") place = length - 1;
    else if (event.key === "PageUp") place = clamp(place + page, 0, length - 1);
    else if (event.key === "PageDown") place = clamp(place - page, 0, length - 1);
    else if (!event.key.startsWith("Arrow")) return;
    else if (this.place !== null) place = this.reader.move(place, event.key);
    event.preventDefault();
    this.show(place);
    if (this.data.zoom) keepInView(this, this.reader.marks(place)[0]);
  }

  // Show the values at a place of the reader.
  show(place) {
    if (!(place >= 0)) return;
    this.place = place;
    const parts = this.reader.read(place);
    this.readout.replaceChildren(...parts.map(([name, value, kind]) =>
      make("span", kind ? { class: `key ${kind}` } : {}, make("b", {}, name), value && ` ${value}`)));
    this.readout.hidden = false;
    const text = parts.map(([name, value]) => `${name} ${value}`.trim()).join("; ");
    this.plot.setAttribute("aria-valuenow", String(place));
    this.plot.setAttribute("aria-valuetext", text);
    this.drawOver();
    this.position();
  }

  hide() {
    this.place = null;
    this.readout.hidden = true;
    this.drawOver();
  }

  // Mark where a point of the inputs is.
  setPoint(x, y) {
    this.point = { x, y };
    this.drawOver();
  }

  // Put the text beside the cursor, on the side where there is room.
  position() {
    const mark = this.reader.marks(this.place)[0];
    const share = mark ? this.x.pixel(mark.x) / this.size[0] : 0.5;
    const left = share < 0.5;
    this.readout.style.left = left ? `calc(${(100 * share).toFixed(2)}% + 10px)` : "auto";
    this.readout.style.right = left ? "auto" : `calc(${(100 * (1 - share)).toFixed(2)}% + 10px)`;
  }

  // Draw the cursor, marks on the curves, and the point of the inputs.
  drawOver() {
    const { x, y } = this, parts = [];
    const inside = (mark) => mark.x >= x.low && mark.x <= x.high && Number.isFinite(mark.y);
    if (this.place !== null) {
      const marks = this.reader.marks(this.place).filter(inside);
      const place = marks[0] && x.pixel(marks[0].x).toFixed(1);
      if (place) parts.push(draw("path", { class: "cursor", d: `M${place} ${y.start}V${y.end}` }));
      for (const mark of marks) {
        const [a, b] = [x.pixel(mark.x), y.pixel(mark.y)].map((pixel) => pixel.toFixed(1));
        if (mark.kind === "cross") {
          parts.push(draw("path", { class: "cursor", d: `M${x.start} ${b}H${x.end}` }));
        } else parts.push(draw("circle", { class: `spot ${mark.kind || ""}`, cx: a, cy: b, r: 4 }));
      }
    }
    if (this.point && inside(this.point)) {
      const a = clamp(x.pixel(this.point.x), x.start, x.end);
      const b = clamp(y.pixel(this.point.y), y.end, y.start);
      const across = this.data.grid ? `M${x.start} ${b.toFixed(1)}H${x.end}` : "";
      parts.push(draw("path", { class: "here", d: `M${a.toFixed(1)} ${y.start}V${y.end}${across}` }));
      const diamond = `M${a.toFixed(1)} ${b.toFixed(1)}m-6 0l6-6 6 6-6 6Z`;
      parts.push(draw("path", { class: "here diamond", d: diamond }));
    }
    this.over.replaceChildren(...parts);
  }
}

// Return the chart of an element.
function chartOf(plot) {
  if (!charts.has(plot)) charts.set(plot, new Chart(plot));
  return charts.get(plot);
}
