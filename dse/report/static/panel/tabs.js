// Tabs after the pattern of the ARIA authoring practices: one is in the order of the tab key, arrow keys choose.

const tabs = (() => {
  const E = element;

  // entries: { key, name, content }. Returns the list of tabs and their panels; `choose(key)` is told what is chosen.
  function build(id, label, entries, chosen, choose) {
    const at = Math.max(
      0,
      entries.findIndex((entry) => entry.key === chosen),
    );
    const made = entries.map((entry) =>
      E(
        "button",
        {
          type: "button",
          role: "tab",
          id: `${id}-tab-${entry.key}`,
          "aria-controls": `${id}-${entry.key}`,
          "data-tab": entry.key,
        },
        entry.name,
      ),
    );
    const panels = entries.map((entry) =>
      E(
        "div",
        { role: "tabpanel", id: `${id}-${entry.key}`, "aria-labelledby": `${id}-tab-${entry.key}`, tabindex: 0 },
        ...entry.content,
      ),
    );
    const show = (which) => {
      made.forEach((tab, place) => {
        tab.setAttribute("aria-selected", String(place === which));
        tab.tabIndex = place === which ? 0 : -1;
        panels[place].hidden = place !== which;
      });
    };
    const pick = (which) => {
      show(which);
      made[which].focus();
      choose(entries[which].key);
    };
    const last = made.length - 1;
    made.forEach((tab, place) => {
      const to = { ArrowLeft: place ? place - 1 : last, ArrowRight: place < last ? place + 1 : 0, Home: 0, End: last };
      tab.addEventListener("click", () => pick(place));
      tab.addEventListener("keydown", (event) => {
        if (!Object.hasOwn(to, event.key) || event.ctrlKey || event.altKey || event.metaKey) return;
        event.preventDefault();
        event.stopPropagation();
        pick(to[event.key]);
      });
    });
    show(at);
    return { list: E("div", { role: "tablist", "aria-label": label }, ...made), panels };
  }

  return { build };
})();
