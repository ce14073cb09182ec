// Numbered rings on the plot around the designs that are marked, in their order.

const marked = (() => {
  if (!model) return null;
  const box = byId("plot-box"),
    places = byId("marked");

  function draw() {
    const area = document.documentElement.dataset.plot === "ready" && box.querySelector(".nsewdrag");
    places.replaceChildren();
    if (!area) return;
    const frame = box.getBoundingClientRect(),
      inner = area.getBoundingClientRect();
    // Rings that nearly touch have one label, so that none lies over another.
    const labels = [];
    model.state.marked.forEach((row, at) => {
      const [x, y] = plot.locate(row);
      if (!(x >= inner.left && x <= inner.right && y >= inner.top && y <= inner.bottom)) return;
      const ring = element("i", { style: { left: `${x - frame.left}px`, top: `${y - frame.top}px` } }),
        near = labels.find((label) => Math.abs(label.x - x) < 40 && Math.abs(label.y - y) < 14);
      if (near) near.told.textContent += ` ${at + 1}`;
      else {
        const told = element("b", {}, at + 1);
        ring.append(told);
        labels.push({ x, y, told });
      }
      places.append(ring);
    });
  }

  model.listen((what) => {
    if (what === "marked") draw();
  });
  new MutationObserver(() => {
    if (document.documentElement.dataset.plot !== "ready") return;
    for (const event of ["plotly_afterplot", "plotly_relayout"]) byId("plot").on(event, draw);
    draw();
  }).observe(document.documentElement, { attributeFilter: ["data-plot"] });
  return { draw };
})();
