// Plotly is unpacked and started after everything else works, and while hands rest: it takes a second in which no
// click is answered.

const loading = (() => {
  let touched = -Infinity;
  for (const event of ["pointerdown", "pointermove", "keydown", "wheel"])
    addEventListener(
      event,
      () => {
        touched = performance.now();
      },
      { passive: true, capture: true },
    );
  const calm = async () => {
    do await new Promise((done) => setTimeout(done, 30));
    while (performance.now() - touched < 300);
  };

  async function plotly() {
    const packed = byId("plotly").textContent;
    if (typeof DecompressionStream === "undefined")
      throw new Error(
        "this browser cannot unpack the plot (it has no DecompressionStream, which browsers have since 2023); " +
          "everything else on the page works",
      );
    const raw = atob(packed),
      bytes = new Uint8Array(raw.length);
    for (let i = 0; i < bytes.length; i++) bytes[i] = raw.charCodeAt(i);
    const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("gzip"));
    const script = document.createElement("script");
    const source = await new Response(stream).text();
    await calm();
    script.textContent = source;
    document.head.append(script); // runs at once; the policy allows it by its hash
    byId("plotly").remove();
    if (!window.Plotly) throw new Error("the plot could not be started");
    await calm();
  }

  return { plotly };
})();
