// Selection of a model of a scan.

const models = all("article.model");
const choice = document.getElementById("choice");
const announcement = document.getElementById("status");
const go = document.getElementById("go");
const first = models.find((model) => !model.hidden);

// Show one model and mark it in the charts, the list and the table.
function showModel(key) {
  const chosen = models.find((model) => model.id === key);
  if (!chosen) return false;
  for (const model of models) model.hidden = model !== chosen;
  for (const link of all("a.point")) {
    const here = link.dataset.model === key;
    if (here) link.setAttribute("aria-current", "true");
    else link.removeAttribute("aria-current");
    link.setAttribute("tabindex", here ? "0" : "-1");
    if (here) link.parentNode.append(link);
  }
  for (const row of all("tr[data-row]")) {
    if (row.dataset.row === key) row.setAttribute("aria-current", "true");
    else row.removeAttribute("aria-current");
  }
  if (choice) choice.value = key;
  if (go) go.setAttribute("href", "#" + key);
  prepare(chosen);
  compareModels();
  return true;
}

function selectModel(key, follow) {
  if (!showModel(key)) return;
  if (location.hash !== "#" + key) history.pushState(null, "", "#" + key);
  const heading = document.getElementById(key).querySelector("h2");
  if (announcement && heading) announcement.textContent = "Shown below: " + heading.textContent;
  if (follow && heading) {
    heading.focus({ preventScroll: true });
    heading.scrollIntoView();
  }
}

function showAddress() {
  const key = decodeURIComponent(location.hash.slice(1));
  if (!showModel(key) && first) showModel(first.id);
}

// Points are links in the order of their axis: arrow keys go from one to the next.
function stepThroughPoints(group) {
  const order = all("a.point", group);
  group.addEventListener("keydown", (event) => {
    const at = order.indexOf(event.target.closest("a.point"));
    if (at < 0 || event.shiftKey) return;
    const last = order.length - 1;
    const to = {
      ArrowRight: Math.min(at + 1, last),
      ArrowDown: Math.min(at + 1, last),
      ArrowLeft: Math.max(at - 1, 0),
      ArrowUp: Math.max(at - 1, 0),
      Home: 0,
      End: last,
    }[event.key];
    if (to !== undefined) {
      order[to].setAttribute("tabindex", "0");
      order[to].focus();
      if (to !== at) order[at].setAttribute("tabindex", "-1");
    } else if (event.key === " " || event.key === "Enter") {
      selectModel(order[at].dataset.model, false);
      order[at].focus();
    } else return;
    event.preventDefault();
  });
}
