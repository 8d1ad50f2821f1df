// Copying of code and tables, and sorting of the table of models.

// Tell the reader on the button that was pressed.
function confirm(button, text) {
  const label = button.dataset.label || button.textContent;
  button.dataset.label = label;
  button.textContent = text;
  setTimeout(() => { button.textContent = label; }, 1600);
}

function copyText(text, button, select = null) {
  const fallback = () => {
    const area = make("textarea", { class: "unseen" });
    area.value = text;
    button.after(area);
    area.select();
    const done = document.execCommand("copy");
    area.remove();
    if (!done && select) select();
    confirm(button, done ? "Copied" : "Selected");
  };
  if (!navigator.clipboard) fallback();
  else navigator.clipboard.writeText(text).then(() => confirm(button, "Copied"), fallback);
}

function copyCode(button) {
  const code = button.parentNode.querySelector("code");
  copyText(code.textContent, button, () => {
    const folded = code.closest("details");
    if (folded) folded.open = true;
    getSelection().selectAllChildren(code);
  });
}

function sortTable(button) {
  const head = button.closest("th");
  const column = Array.from(head.parentNode.children).indexOf(head);
  const down = head.getAttribute("aria-sort") === "ascending";
  for (const other of head.parentNode.children) other.removeAttribute("aria-sort");
  head.setAttribute("aria-sort", down ? "descending" : "ascending");
  const body = head.closest("table").querySelector("tbody");
  const value = (row) => {
    const number = Number(row.children[column].dataset.sort.replace("inf", "Infinity"));
    return Number.isNaN(number) ? Infinity : number;
  };
  const rows = Array.from(body.rows).sort((a, b) => {
    const x = value(a), y = value(b);
    return x === y ? 0 : x < y !== down ? -1 : 1;
  });
  body.append(...rows);
}
