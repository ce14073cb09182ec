// Keys of the page: arrows go from design to design in the order of the table, Escape clears.

const keys = (() => {
  if (!model) return null;
  const own = "input, select, textarea, summary, button, a, [role=tab], [role=tablist], .scroll, .scroller, #detail";

  // Further along the table by so many designs, from its beginning where none is chosen.
  function go(steps) {
    const rows = table.rows();
    if (!rows.length) return;
    const at = rows.indexOf(model.state.selected),
      next = at < 0 && Number.isFinite(steps) ? (steps > 0 ? 0 : rows.length - 1) : at + steps;
    model.select(rows[Math.min(Math.max(next, 0), rows.length - 1)]);
  }

  const step = (event, keyed) => {
    const steps = keyed[event.key];
    if (!steps || event.ctrlKey || event.metaKey || event.altKey || event.shiftKey) return false;
    event.preventDefault();
    go(steps);
    return true;
  };

  byId("plot-box").addEventListener("keydown", (event) => {
    const all = { ArrowRight: 1, ArrowDown: 1, ArrowLeft: -1, ArrowUp: -1, End: Infinity, Home: -Infinity };
    if (event.target.id === "plot-box" && step(event, all)) event.stopPropagation();
  });

  document.addEventListener("keydown", (event) => {
    // Escape closes the list of a select, and leaves a field.
    if (event.defaultPrevented || event.target.closest?.("select, input:not([type=checkbox]), textarea")) return;
    if (event.key === "Escape") {
      const open = event.target.closest?.("details.chooser[open], details.keys[open]");
      if (open) {
        open.open = false;
        open.querySelector("summary").focus();
      } else if (model.filtered || model.state.marked.length) model.clear();
      else if (model.state.selected >= 0) model.select(-1);
    } else if (!event.target.closest?.(own)) step(event, { ArrowRight: 1, ArrowLeft: -1 });
  });

  return { go };
})();
