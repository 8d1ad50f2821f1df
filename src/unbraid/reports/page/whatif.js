// What if: sliders for the inputs; outputs, marks on the charts and contributions follow.

class WhatIf {
  constructor(place) {
    const data = JSON.parse(place.dataset.whatIf);
    this.data = data;
    this.article = place.closest("article");
    this.evaluate = makeEvaluator(data);
    const { weights, spread } = data.directions;
    this.frame = {
      weights: matrix(weights, data.inputs.length), spreads: doubles(spread),
      ranges: data.inputs.map(({ range }) => range),
    };
    this.start = data.inputs.map(({ quantiles, range }) => roundTo(quantiles[2], range));
    this.point = this.start.slice();
    this.shown = 0; // the output whose contributions are shown
    this.sliders = data.inputs.map((input, l) =>
      makeSlider(input, this.point[l], (value) => { this.point[l] = value; this.update(); }));
    place.append(...this.layOutOutputs(), this.layOutInputs());
    this.charts = all(".plot", this.article).map(chartOf).filter((chart) => chart.data.trace);
    for (const chart of this.charts) this.listen(chart);
    new ResizeObserver(() => this.update()).observe(this.waterfall.parentNode);
    this.update();
  }

  layOutInputs() {
    const rows = this.sliders.map(({ row }) => row), main = new Set(this.data.main);
    const rest = rows.filter((_, l) => !main.has(l));
    const title = `${rest.length} more inputs, with less effect`;
    return make("div", { class: "inputs" },
      ...rows.filter((_, l) => main.has(l)),
      rest.length ? make("details", {}, make("summary", {}, title), ...rest) : "");
  }

  layOutOutputs() {
    const { outputs, steps } = this.data;
    this.numbers = outputs.map(() => make("output", { class: "number" }));
    const rows = outputs.map(([name, unit], o) => make("div", { class: "result" },
      make("bdi", {}, name), make("span", {}, this.numbers[o], make("span", { class: "unit" }, unit))));
    const few = make("div", { class: "results" }, ...rows.slice(0, 6));
    const more = rows.length > 6
      ? make("details", {}, make("summary", {}, `${rows.length - 6} more outputs`), ...rows.slice(6))
      : "";
    this.warning = make("span", { class: "beyond-note", role: "status" });
    const reset = makeButton("Reset to the medians", "Reset to the medians of all inputs",
      () => this.set(this.start));
    few.append(more, make("p", { class: "reset" }, reset, this.warning));
    this.waterfall = draw("svg", { class: "chart waterfall", role: "img" });
    const choice = make("select", { "aria-label": "output whose contributions are shown" },
      ...outputs.slice(0, steps.length).map(([name], o) => make("option", { value: o }, name)));
    choice.addEventListener("change", () => { this.shown = Number(choice.value); this.update(); });
    return [few, make("div", { class: "outcome" },
      make("p", { class: "note" }, "Contributions to ", steps.length > 1 ? choice : outputs[0][0]),
      this.waterfall)];
  }

  // A click on a chart moves the inputs of its axes there.
  listen(chart) {
    const { x, y } = chart.data.trace, parts = chart.data.grid ? [x, y] : [x];
    const rows = parts.map((part) => findGradient(part, this.frame));
    if (rows.includes(null)) return;
    chart.plot.classList.add("pick");
    chart.plot.addEventListener("click", (event) => {
      const locate = (p) => parts.map((part) => sumPart(part, this.evaluate(p)));
      this.set(movePoint(this.point, rows, chart.locate(event).slice(0, rows.length), locate, this.frame));
    });
  }

  set(point) {
    this.point = point.slice();
    this.sliders.forEach(({ set }, l) => set(point[l]));
    this.update();
  }

  update() {
    const values = this.evaluate(this.point), { outputs, steps } = this.data;
    values.outputs.forEach((value, o) => { this.numbers[o].textContent = format(value); });
    const beyond = values.outside.filter(Boolean).length;
    this.warning.textContent = beyond
      ? `Beyond the data along ${beyond} of ${values.outside.length} branches: the model extrapolates.`
      : "";
    const o = this.shown, name = outputs[o][0];
    if (steps[o]) drawWaterfall(this.waterfall, listSteps(steps[o], values), name, values.outputs[o]);
    for (const chart of this.charts) chart.setPoint(...locatePoint(chart.data.trace, values));
  }
}
