// The values of a chart as a table, which is folded until it is opened.

const MOST_ROWS = 50; // of a table that is shown; all rows are copied

function makeTable(chart) {
  const details = make("details", { class: "values" }, make("summary", {}, "Table"));
  details.addEventListener("toggle", () => {
    if (details.open && details.children.length === 1) details.append(...listValues(chart.reader));
  });
  return details;
}

function listValues(reader) {
  const [head, rows] = reader.table();
  const count = Math.min(MOST_ROWS, rows.length);
  const shown = Array.from({ length: count }, (_, k) =>
    rows[Math.round((k * (rows.length - 1)) / Math.max(count - 1, 1))]);
  const cell = (value) => (typeof value === "number" ? format(value) : value);
  const body = shown.map((row) => make("tr", {}, ...row.map((value) => make("td", {}, cell(value)))));
  const table = make(
    "table", {},
    make("thead", {}, make("tr", {}, ...head.map((name) => make("th", { scope: "col" }, name)))),
    make("tbody", {}, ...body),
  );
  const text = [head, ...rows].map((row) => row.join("\t")).join("\n");
  const button = makeButton(`Copy ${rows.length} rows`, "Copy all rows", () => copyText(text, button));
  const note = count < rows.length ? `${count} of ${rows.length} rows are shown.` : "";
  return [
    make("p", { class: "note" }, button, ` ${note}`),
    make("div", { class: "scroll", tabindex: "0", role: "group", "aria-label": "table" }, table),
  ];
}
