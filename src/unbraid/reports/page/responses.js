// Step and sine responses of a dynamic model, simulated in the page.

const WARM_UP = 3000; // samples at the base level before the response begins
const MOST_SAMPLES = 2000; // of a response
const SMALL = 1e-4; // of the amplitude: the response there is linear

// Return inputs and outputs of a response; it begins after `lead` samples at rest.
function respond(model, { base, channel, amplitude, kind, period }, count, lead = 0) {
  const rest = simulate(model, Array.from({ length: WARM_UP }, () => base));
  if (rest.y.length < WARM_UP) return { u: [], y: [] };
  const wave = (t) => (t < 0 ? 0 : kind === "step" ? 1 : Math.sin((2 * Math.PI * t) / period));
  const u = Array.from({ length: count }, (_, k) =>
    base.map((level, i) => (i === channel ? level + amplitude * wave(k - lead) : level)));
  return { u, y: simulate(model, u, rest.state).y };
}

// Return after how many samples a step response has settled, as a length to show.
function findLength(model, settings) {
  const { y } = respond(model, { ...settings, kind: "step" }, MOST_SAMPLES);
  if (y.length < MOST_SAMPLES) return Math.max(y.length, 20);
  const last = y[y.length - 1];
  const sizes = last.map((_, o) => Math.max(...y.map((row) => Math.abs(row[o] - last[o])), 1e-300));
  const open = y.findLastIndex((row) => row.some((value, o) => Math.abs(value - last[o]) > 0.02 * sizes[o]));
  return clamp(Math.round(1.5 * open), 30, MOST_SAMPLES);
}

class Responses {
  constructor(place) {
    const data = JSON.parse(place.dataset.responses);
    this.data = data;
    this.model = makeStepModel(data.model);
    this.settings = {
      base: data.inputs.map(({ base, range }) => roundTo(base, range)),
      channel: 0, kind: "step", period: 40,
    };
    this.controls = make("div", { class: "inputs" });
    this.message = make("p", { class: "beyond-note", role: "status" });
    const frames = this.makeFrames();
    place.append(this.controls, make("figure", { class: "signals" }, this.message, ...frames));
    this.charts = frames.map((frame) => chartOf(frame.firstChild));
    this.choose(0);
  }

  makeFrames() {
    const { outputs } = this.data;
    const frames = outputs.map(([name, unit]) => makeFrame(720, 220, withUnit(name, unit)));
    return [...frames, makeFrame(720, 150, "input")];
  }

  // Show the controls of an input.
  choose(channel) {
    const { data: { inputs }, settings } = this, input = inputs[channel];
    const span = [0, input.reach];
    settings.channel = channel;
    const room = 0.99 * (input.range[1] - settings.base[channel]); // in which the model is known
    settings.amplitude = roundTo(room > 0 ? Math.min(input.amplitudes[3], room) : input.amplitudes[3], span);
    const slider = (options, value, set) =>
      makeSlider({ unit: "", counts: [], quantiles: [], beyond: "Beyond the slider.", ...options }, value, (next) => {
        set(next);
        this.update();
      }).row;
    this.period = slider({ name: "period in samples", range: [4, 400] }, settings.period,
      (value) => { settings.period = Math.max(value, 2); });
    this.period.hidden = settings.kind === "step";
    const names = inputs.map(({ name }) => name);
    this.controls.replaceChildren(
      ...(inputs.length > 1 ? [makeSelect("Input", names, channel, (k) => this.choose(k))] : []),
      makeSelect("Signal", KINDS, KINDS.indexOf(settings.kind), (k) => this.chooseKind(KINDS[k])),
      slider({ ...input, name: "amplitude", range: span, quantiles: input.amplitudes },
        settings.amplitude, (value) => { settings.amplitude = value; }),
      slider({ ...input, name: `base level of ${input.name}` }, settings.base[channel],
        (value) => { settings.base[channel] = value; }),
      this.period,
    );
    this.update();
  }

  chooseKind(kind) {
    this.settings.kind = kind;
    this.period.hidden = kind === "step";
    this.update();
  }

  update() {
    const { model, settings, data } = this;
    const length = settings.kind === "step"
      ? findLength(model, settings)
      : Math.round(clamp(5 * settings.period, 60, MOST_SAMPLES));
    const lead = Math.max(2, Math.round(length / 12)), count = length + lead;
    const { u, y } = respond(model, settings, count, lead);
    const slight = { ...settings, amplitude: SMALL * settings.amplitude };
    const small = respond(model, slight, count, lead).y;
    this.warn(y.length, lead, count);
    data.outputs.forEach(([name], o) => {
      const values = fill(y.map((row) => row[o]), count);
      const scaled = small.map((row) => small[0][o] + (row[o] - small[0][o]) / SMALL);
      const lines = [[name, values, "simulated"], ["linearised at the base level", fill(scaled, count), "linear"]];
      this.redraw(this.charts[o], count, lead, lines);
    });
    const { channel } = settings, input = u.map((row) => row[channel]);
    const lines = [[data.inputs[channel].name, input, "line-0"]];
    this.redraw(this.charts[data.outputs.length], count, lead, lines);
  }

  warn(simulated, lead, count) {
    const text = simulated > 0
      ? `The response diverges after ${simulated - lead} samples. `
      : "The model diverges at this base level. ";
    this.message.textContent = (simulated < count ? text : "") + this.findExcess();
  }

  // Return that the input leaves the range of the record, if it does.
  findExcess() {
    const { base, channel, amplitude, kind } = this.settings;
    const { name, unit, range: [low, high], known } = this.data.inputs[channel];
    const ends = [base[channel], base[channel] + amplitude];
    if (kind === "sine") ends.push(base[channel] - amplitude);
    const room = 1e-9 * (high - low);
    if (!known || (Math.min(...ends) >= low - room && Math.max(...ends) <= high + room)) return "";
    const reach = `${format(Math.min(...ends), 3)} to ${format(Math.max(...ends), 3)}`;
    return `The input ${withUnit(name, unit)} goes from ${reach}, beyond the record `
      + `(${format(low, 3)} to ${format(high, 3)}): the model extrapolates.`;
  }

  redraw(chart, count, lead, lines) {
    const { time } = this.data, step = time || 1;
    const at = [-lead * step, (count - 1 - lead) * step, count];
    showLines(chart, time ? "time (s)" : "sample", at, lines);
  }
}

const KINDS = ["step", "sine"];

// Show lines over evenly spaced abscissae, with a range that contains them.
function showLines(chart, name, at, lines) {
  const shown = (value) => Number.isFinite(value) && Math.abs(value) < 1e9;
  const values = lines.flatMap(([, y]) => y).filter(shown);
  const low = Math.min(...values, Infinity), high = Math.max(...values, -Infinity);
  const room = 0.08 * (high - low) || Math.abs(low) || 1;
  const y = values.length ? [low - room, high + room, 0] : [0, 1, 0];
  const names = [name, chart.data.names[1]];
  chart.replaceData({ ...chart.data, names, at, lines, x: [at[0], at[1], 0], y });
}

const withUnit = (name, unit) => (unit ? `${name} [${unit}]` : name);
const fill = (values, count) => Array.from({ length: count }, (_, k) => values[k] ?? NaN);

function makeSelect(label, names, chosen, change) {
  const select = make("select", {}, ...names.map((name, k) => make("option", { value: k }, name)));
  select.value = String(chosen);
  select.addEventListener("change", () => change(Number(select.value)));
  return make("label", { class: "choice" }, `${label} `, select);
}

// Return a frame for a chart that is drawn by the script alone.
function makeFrame(width, height, label) {
  const svg = draw("svg", { class: "chart", viewBox: `0 0 ${width} ${height}`, "aria-label": label });
  const plot = make("div", { class: "plot" }, svg);
  plot.dataset.chart = JSON.stringify({
    names: ["", label], drawn: true, zoom: "x", at: [0, 1, 2], lines: [["", [0, 0], ""]],
    x: [0, 1, 0], y: [0, 1, 0],
    box: [MARGIN.left, width - MARGIN.right, height - MARGIN.bottom, MARGIN.top],
  });
  return make("div", { class: "frame" }, plot);
}
