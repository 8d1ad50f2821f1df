// A slider with a number field, the distribution of the data, and ticks at quantiles.

// Return a value with about four digits of a range.
function roundTo(value, [low, high]) {
  const unit = 10 ** Math.floor(Math.log10((high - low) / 1000));
  return high > low ? clamp(Number((Math.round(value / unit) * unit).toPrecision(12)), low, high) : value;
}

let sliderCount = 0; // for ids that connect a label with its field

// Return the end of a range as text, rounded to the inside: the text itself is in the range.
function formatInside(end, [low, high]) {
  if (!(high > low)) return format(end, 3);
  const digits = [3, 4].find((count) => {
    const next = Number(end.toPrecision(count));
    return Math.abs(next - end) < 0.01 * (high - low) && next >= low && next <= high;
  });
  if (digits) return format(Number(end.toPrecision(digits)), digits);
  const unit = 10 ** Math.floor(Math.log10((high - low) / 100));
  const inside = (end === low ? Math.ceil(end / unit) : Math.floor(end / unit)) * unit;
  return format(Number(inside.toPrecision(12)), 12);
}

// Return { row, set } of an input; `change` is called with its new value. `beyond` is what a number
// outside the range is called.
function makeSlider(options, value, change) {
  const { name, unit, range, quantiles, counts, beyond = "Beyond the data." } = options;
  const [low, high] = range, fixed = !(high > low);
  const id = `input-${++sliderCount}`;
  const label = make("label", { for: id, class: "name" }, make("bdi", {}, name));
  const limits = { min: low, max: high, step: fixed ? "any" : (high - low) / 400 };
  const slider = make("input", { type: "range", ...limits, "aria-label": name });
  const field = make("input", { type: "number", step: "any", id });
  const note = make("span", { class: "field-note", role: "status" });
  const row = make("div", { class: "slider" }, label,
    make("span", { class: "field" }, field, make("span", { class: "unit" }, unit)),
    make("div", { class: "track" }, slider, drawDistribution(range, quantiles, counts)),
    make("span", { class: "ends" },
      make("span", {}, formatInside(low, range)), make("span", {}, formatInside(high, range))),
    note);
  slider.disabled = fixed;
  field.disabled = fixed;
  let used = value; // the last number
  const mark = (text) => {
    row.classList.toggle("beyond", Boolean(text));
    note.textContent = text;
  };
  const judge = (next) => mark(next < low || next > high ? beyond : "");
  const set = (next) => {
    used = next;
    slider.value = next;
    field.value = String(next);
    judge(next);
  };
  slider.addEventListener("input", () => {
    set(roundTo(slider.valueAsNumber, range));
    change(used);
  });
  const take = () => {
    const next = field.valueAsNumber;
    if (!Number.isFinite(next)) return mark(`No number: ${format(used, 6)} is still used.`);
    if (next === used) return judge(next);
    used = next;
    slider.value = field.value;
    judge(next);
    change(next);
  };
  field.addEventListener("input", take);
  field.addEventListener("change", take);
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
