"use strict";
(() => {
  const all = (selector, root = document) => Array.from(root.querySelectorAll(selector));
  const models = all("article.model");
  const choice = document.getElementById("choice");
  const status = document.getElementById("status");
  const go = document.getElementById("go");
  const first = models.find((model) => !model.hidden);

  // Show one model and mark it in the charts, the list and the table.
  function show(key) {
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
    return true;
  }

  function selectModel(key, follow) {
    if (!show(key)) return;
    if (location.hash !== "#" + key) history.pushState(null, "", "#" + key);
    const heading = document.getElementById(key).querySelector("h2");
    if (status && heading) status.textContent = "Shown below: " + heading.textContent;
    if (follow && heading) {
      heading.focus({ preventScroll: true });
      heading.scrollIntoView();
    }
  }

  function fromAddress() {
    const key = decodeURIComponent(location.hash.slice(1));
    if (!show(key) && first) show(first.id);
  }

  // Points are links in the order of their axis: arrow keys go from one to the next.
  for (const group of all("g.points")) {
    const order = all("a.point", group);
    group.addEventListener("keydown", (event) => {
      const at = order.indexOf(event.target.closest("a.point"));
      if (at < 0) return;
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

  document.addEventListener("click", (event) => {
    const link = event.target.closest("a[data-model], a#go");
    if (link) {
      event.preventDefault();
      selectModel(link.dataset.model || link.getAttribute("href").slice(1), !link.matches(".point"));
      return;
    }
    const button = event.target.closest("button");
    if (button && button.matches(".copy")) copy(button);
    if (button && button.matches(".sort")) sort(button);
  });
  if (choice) choice.addEventListener("change", () => selectModel(choice.value, false));
  window.addEventListener("popstate", fromAddress);
  window.addEventListener("hashchange", fromAddress);

  function copy(button) {
    const code = button.parentNode.querySelector("code");
    const label = button.dataset.label || button.textContent;
    button.dataset.label = label;
    const done = (text) => {
      button.textContent = text;
      setTimeout(() => { button.textContent = label; }, 1600);
    };
    const select = () => {
      const folded = code.closest("details");
      if (folded) folded.open = true;
      getSelection().selectAllChildren(code);
      done(document.execCommand("copy") ? "Copied" : "Selected");
    };
    if (!navigator.clipboard) select();
    else navigator.clipboard.writeText(code.textContent).then(() => done("Copied"), select);
  }

  function sort(button) {
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

  fromAddress();
})();
