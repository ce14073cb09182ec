"use strict";
// The parts of the page that are folded: a link of the table of contents opens the part it leads to.

(() => {
  const parts = [...document.querySelectorAll("details.part")];
  for (const link of document.querySelectorAll("nav.contents a")) {
    const part = document.getElementById(link.getAttribute("href").slice(1));
    if (!part) continue;
    link.addEventListener("click", (event) => {
      event.preventDefault(); // the fragment of the address is that of the view
      part.open = true;
      part.scrollIntoView({ block: "start" });
      part.querySelector("summary").focus({ preventScroll: true });
    });
  }
  // On paper nothing can be opened.
  addEventListener("beforeprint", () => {
    for (const part of parts) {
      part.dataset.open = part.open;
      part.open = true;
    }
  });
  addEventListener("afterprint", () => {
    for (const part of parts) part.open = part.dataset.open === "true";
  });
})();
