// A slider with a number field, the distribution of the data, and ticks at quantiles.

// Return a value with about four digits of a range.
function roundTo(value, [low, high]) {
  const unit = 10 ** Math.floor(Math.log10((high - low) / 1000));
  return high > low ? clamp(Number((Math.round(value / unit) * unit).toPrecision(12)), low, high) : value;
}

let sliderCount = 0; // for ids that connect a label with its field

// Return { row, set } of an input; `change` is called with its new value.
function makeSlider({ name, unit, range, quantiles, counts }, value, change) {
  const [low, high] = range, fixed = !(high > low);
  const id = `input-${++sliderCount}`;
  const label = make("label", { for: id, class: "name" }, make("bdi", {}, name));
  const limits = { min: low, max: high, step: fixed ? "any" : (high - low) / 400 };
  const slider = make("input", { type: "range", ...limits, "aria-label": name });
  const field = make("input", { type: "number", step: "any", id });
  const row = make("div", { class: "slider" }, label,
    make("span", { class: "field" }, field, make("span", { class: "unit" }, unit)),
    make("div", { class: "track" }, slider, drawDistribution(range, quantiles, counts)),
    make("span", { class: "ends" },
      make("span", {}, format(low, 3)), make("span", {}, format(high, 3))));
  slider.disabled = fixed;
  field.disabled = fixed;
  const set = (next) => {
    slider.value = next;
    field.value = String(next);
    row.classList.toggle("beyond", next < low || next > high);
  };
  slider.addEventListener("input", () => {
    const next = roundTo(slider.valueAsNumber, range);
    field.value = String(next);
    row.classList.remove("beyond");
    change(next);
  });
  field.addEventListener("input", () => {
    if (!Number.isFinite(field.valueAsNumber)) return;
    slider.value = field.value;
    row.classList.toggle("beyond", field.valueAsNumber < low || field.valueAsNumber > high);
    change(field.valueAsNumber);
  });
  set(value);
  return { row, set };
}

// The middle of the thumb moves over the middle part of a slider, as wide as it is less one thumb.
function drawDistribution([low, high], quantiles, counts) {
  const svg = draw("svg", {
    class: "ticks", viewBox: "0 0 100 10", preserveAspectRatio: "none", "aria-hidden": "true",
  });
  if (!(high > low)) return svg;
  const most = Math.max(...counts, 1), width = 100 / Math.max(counts.length, 1);
  const bars = counts.map((count, k) =>
    `M${(k * width).toFixed(1)} 10v${((-7 * count) / most).toFixed(1)}h${width.toFixed(1)}V10Z`);
  svg.append(draw("path", { class: "density", d: bars.join("") }));
  for (const value of quantiles) {
    const place = ((100 * (value - low)) / (high - low)).toFixed(1);
    svg.append(draw("path", { class: "tick-mark", d: `M${place} 10V0` }));
  }
  return svg;
}
