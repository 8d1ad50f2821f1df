// Boxes that scroll sideways say so, and folded sections are printed.

function addHints(root) {
  for (const box of all(".scroll, pre", root)) {
    const hint = make("p", { class: "hint", "aria-hidden": "true" }, "scroll sideways →");
    const update = () => { hint.hidden = box.scrollWidth <= box.clientWidth + 1; };
    box.after(hint);
    update();
    new ResizeObserver(update).observe(box);
    if (!box.hasAttribute("tabindex")) box.setAttribute("tabindex", "0");
  }
}

function unfoldForPrint() {
  let opened = [];
  window.addEventListener("beforeprint", () => {
    opened = all("details:is(.section, .more):not([open])");
    for (const section of opened) section.open = true;
  });
  window.addEventListener("afterprint", () => {
    for (const section of opened) section.open = false;
  });
}
