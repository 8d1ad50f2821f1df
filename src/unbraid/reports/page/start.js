// Connect the page with its script.

// Make the charts of a part of the page that is seen for the first time.
function prepare(part) {
  if (part.dataset.ready) return;
  part.dataset.ready = "yes";
  addHints(part);
  for (const plot of all(".plot", part)) chartOf(plot);
  for (const place of all(".what-if", part)) new WhatIf(place);
  for (const place of all(".responses", part)) new Responses(place);
}

document.addEventListener("click", (event) => {
  const link = event.target.closest("a[data-model], a#go");
  if (link) {
    event.preventDefault();
    selectModel(link.dataset.model || link.getAttribute("href").slice(1), !link.matches(".point"));
    return;
  }
  const button = event.target.closest("button");
  if (button && button.matches(".copy")) copyCode(button);
  if (button && button.matches(".sort")) sortTable(button);
});
if (choice) choice.addEventListener("change", () => selectModel(choice.value, false));
for (const select of rivals) select.addEventListener("change", compareModels);
window.addEventListener("popstate", showAddress);
window.addEventListener("hashchange", showAddress);
for (const group of all("g.points")) stepThroughPoints(group);
for (const part of all(".picker, .all")) prepare(part);
unfoldForPrint();
showAddress();
