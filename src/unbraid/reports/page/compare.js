// Two or three models of a scan side by side; rows in which they differ are marked.

const COMPARED_POINTS = 300; // at which outputs are compared
const DIFFERENCE = "rms difference of the outputs from the first model";
const comparison = document.getElementById("comparison");
const rivals = all("select.rival");

// Show the models that are chosen: the one below, and one or two others.
function compareModels() {
  if (!comparison) return;
  const keys = [choice.value, ...rivals.map((select) => select.value)].filter(Boolean);
  const chosen = [...new Set(keys)].map((key) => document.getElementById(key));
  comparison.hidden = chosen.length < 2;
  if (chosen.length < 2) return comparison.replaceChildren();
  comparison.replaceChildren(
    make("h2", {}, "Comparison"),
    make("p", { class: "note" }, "Rows in which the models differ are marked with ≠. "
      + "Differences are taken between the 5 and 95 % quantiles of the inputs."),
    make("div", { class: "scroll" }, makeComparison(chosen)),
    ...compareResponses(chosen),
    ...compareCharts(chosen),
  );
  addHints(comparison);
}

// Return what the section of a model says, as [name, text] pairs.
function readModel(article) {
  const text = (element) => element.textContent.trim();
  const pairs = (list, name, value) => all(list, article).map((e) =>
    [text(e.querySelector(name)), text(e.querySelector(value))]);
  const figures = pairs(".numbers > div", "dt", "dd");
  const settings = pairs(".facts > div", "dt", "dd");
  const checks = all(".check", article).map((check) =>
    [check.dataset.check, text(check.lastElementChild)]);
  const sentences = all(".words", article).map((words, k) => [`description ${k + 1}`, text(words)]);
  const kinds = all(".errors thead th", article).slice(1).map(text);
  const errors = all(".errors tbody tr", article).flatMap((row) => kinds.map((kind, k) =>
    [`${kind} of ${text(row.cells[0])}`, text(row.cells[k + 1])]));
  return new Map([["verdict", text(article.querySelector(".verdict"))],
    ...figures, ...errors, ...checks, ...sentences, ...settings]);
}

function makeComparison(chosen) {
  const columns = chosen.map(readModel), first = chosen[0];
  const differences = chosen.map((article, k) => (k ? measureDifference(first, article) : ""));
  columns.forEach((column, k) => column.set(DIFFERENCE, differences[k]));
  const names = [...new Set(columns.flatMap((column) => [...column.keys()]))]
    .filter((name) => name !== DIFFERENCE);
  if (differences.some(Boolean)) names.splice(1, 0, DIFFERENCE);
  const rows = names.map((name) => {
    const cells = columns.map((column) => column.get(name) || "");
    const differs = new Set(cells).size > 1;
    return make("tr", differs ? { class: "differs" } : {},
      make("th", { scope: "row" }, differs ? "≠ " : "", name),
      ...cells.map((cell) => make("td", {}, cell)));
  });
  const head = make("tr", {}, make("th", {}, ""), ...chosen.map((article) =>
    make("th", { scope: "col" }, article.querySelector("h2").textContent)));
  return make("table", { class: "comparison" }, make("thead", {}, head), make("tbody", {}, ...rows));
}

// Return the rms difference of the outputs at points between the 5 and 95 % quantiles.
function measureDifference(...articles) {
  const places = articles.map((article) => article.querySelector(".what-if"));
  if (!places.every(Boolean)) return "";
  const data = places.map((place) => JSON.parse(place.dataset.whatIf));
  if (new Set(data.map(({ inputs, outputs }) => `${inputs.length} ${outputs.length}`)).size > 1) return "";
  const models = data.map(({ model }) => makeFunction(model)), { inputs, outputs } = data[0];
  const squares = outputs.map(() => 0);
  for (let k = 1; k <= COMPARED_POINTS; ++k) {
    const p = inputs.map(({ quantiles }, l) => // an evenly spread sequence
      quantiles[0] + (quantiles[4] - quantiles[0]) * ((k * Math.sqrt(PRIMES[l % PRIMES.length])) % 1));
    const [a, b] = models.map((model) => model.evaluate(p));
    a.forEach((value, o) => { squares[o] += (value - b[o]) ** 2 / COMPARED_POINTS; });
  }
  return outputs.map(([name, , spread], o) =>
    `${name}: ${format((100 * Math.sqrt(squares[o])) / (spread || 1), 2)} % of its spread`).join(", ");
}

const PRIMES = [2, 3, 5, 7, 11, 13, 17, 19, 23, 29, 31, 37, 41, 43, 47, 53];

// Return a chart with the step responses of dynamic models.
function compareResponses(chosen) {
  const places = chosen.map((article) => article.querySelector(".responses"));
  if (!places.every(Boolean)) return [];
  const data = places.map((place) => JSON.parse(place.dataset.responses));
  const { inputs, outputs, time } = data[0];
  const settings = {
    base: inputs.map(({ base }) => base), channel: 0, kind: "step",
    amplitude: inputs[0].amplitudes[3],
  };
  const models = data.map(({ model }) => makeStepModel(model));
  const count = Math.max(...models.map((model) => findLength(model, settings)));
  const runs = models.map((model) => respond(model, settings, count).y);
  const frame = makeFrame(720, 240, withUnit(...outputs[0]));
  const lines = runs.map((y, k) =>
    [chosen[k].querySelector("h2").textContent, fill(y.map((row) => row[0]), count), `line-${k}`]);
  const end = (count - 1) * (time || 1);
  showLines(chartOf(frame.firstChild), time ? "time (s)" : "sample", [0, end, count], lines);
  const title = `Response to a step of ${format(settings.amplitude, 3)} in ${inputs[0].name}`;
  const keys = lines.map(([name, , kind]) => make("span", { class: `key ${kind}` }, `${name} `));
  return [make("h3", {}, title), make("p", { class: "note" }, ...keys),
    make("figure", { class: "signals" }, frame)];
}
