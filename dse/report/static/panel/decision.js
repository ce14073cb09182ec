// The decision table at the top of the page: names of designs choose them, and the chosen one is marked.

(() => {
  const place = byId("decision");
  if (!model || !place) return;
  const lines = [...place.querySelectorAll("tbody tr[data-row]")];
  for (const line of lines)
    line.addEventListener("click", () => {
      if (String(getSelection())) return;
      model.select(Number(line.dataset.row));
      sheet.show();
    });
  const mark = () => {
    for (const line of lines) {
      const here = Number(line.dataset.row) === model.state.selected;
      line.classList.toggle("here", here);
      line.querySelector("button").setAttribute("aria-pressed", String(here));
    }
  };
  model.listen((what) => {
    if (what === "selected") mark();
  });
  mark();
})();
