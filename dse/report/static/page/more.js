// What lies below the first screen, in tabs. A link opens the tab it shares, or the one that holds the place it names.

const more = (() => {
  const place = byId("more");
  if (!model || !place) return null;
  const list = place.querySelector("[role=tablist]"),
    tabsOf = [...list.querySelectorAll("[role=tab]")],
    panels = tabsOf.map((tab) => byId(tab.getAttribute("aria-controls"))),
    listeners = [];
  const BELOW = ["show", "axes", "scales", "rows", "sort", "columns"]; // keys of a link to what lies here
  let now = 0;

  function open(at, { focus = false } = {}) {
    now = at;
    tabsOf.forEach((tab, nth) => {
      tab.setAttribute("aria-selected", String(nth === at));
      tab.tabIndex = nth === at ? 0 : -1;
      panels[nth].hidden = nth !== at;
    });
    if (focus) tabsOf[at].focus({ preventScroll: true });
    for (const listen of listeners) listen(tabsOf[at].dataset.show);
  }

  // Bring an element of any panel into sight: its tab, the folds around it, and it.
  function reveal(target) {
    const at = panels.findIndex((panel) => panel.contains(target));
    if (at >= 0 && at !== now) open(at);
    for (let part = target.closest("details"); part; part = part.parentElement.closest("details")) part.open = true;
    target.scrollIntoView({ block: "start" });
  }

  tabsOf.forEach((tab, at) => {
    tab.addEventListener("click", () => open(at));
    tab.addEventListener("keydown", (event) => {
      const last = tabsOf.length - 1,
        to = { ArrowRight: at === last ? 0 : at + 1, ArrowLeft: at ? at - 1 : last, Home: 0, End: last };
      if (!Object.hasOwn(to, event.key) || event.ctrlKey || event.altKey || event.metaKey) return;
      event.preventDefault();
      event.stopPropagation();
      open(to[event.key], { focus: true });
    });
  });
  // The fragment of the address is that of the view, so a link within the page does not change it.
  for (const link of document.querySelectorAll('a[href^="#"]')) {
    const target = byId(link.getAttribute("href").slice(1));
    if (!target) continue;
    link.addEventListener("click", (event) => {
      event.preventDefault();
      reveal(target);
      (target.querySelector("summary") || tabsOf[now]).focus({ preventScroll: true });
    });
  }
  // On paper nothing can be opened.
  const folds = [...document.querySelectorAll("details.part")];
  addEventListener("beforeprint", () => {
    for (const panel of panels) panel.hidden = false;
    for (const fold of folds) {
      fold.dataset.open = fold.open;
      fold.open = true;
    }
  });
  addEventListener("afterprint", () => {
    open(now);
    for (const fold of folds) fold.open = fold.dataset.open === "true";
  });
  list.hidden = false;
  open(0);

  function shareView({ share }) {
    share(
      "show",
      () => (now ? tabsOf[now].dataset.show : null),
      (given) => {
        const at = given === null ? 0 : tabsOf.findIndex((tab) => tab.dataset.show === given);
        if (at < 0) throw new Error("a part that is not on this page");
        open(at);
      },
    );
  }

  // Where a link leads: to what it shares, when that lies below; a fragment without "=" names a place.
  function arrive() {
    const hash = location.hash.slice(1);
    if (hash.includes("=")) {
      if (hash.split("&").some((piece) => BELOW.includes(piece.split("=")[0]))) place.scrollIntoView();
    } else if (hash) {
      const target = byId(decodeURIComponent(hash));
      if (target) reveal(target);
    }
  }
  addEventListener("hashchange", () => {
    if (!location.hash.includes("=")) arrive();
  });

  return { open, reveal, shareView, arrive, listen: (listener) => listeners.push(listener) };
})();
