// The card of a design in sight: a tap on a telephone lays it over the lower half of the screen, and the plot stays in
// sight; who chooses a design below the plot, in the table or on the axes, has it in the corner of the window.

const sheet = (() => {
  if (!model) return null;
  const card = byId("detail"),
    below = byId("more"),
    narrow = matchMedia("(max-width: 40rem)");
  const LEAST = 100; // pixels of it that count as in sight
  let isOpen = false;

  const close = element(
    "button",
    { type: "button", id: "close-card", "aria-label": "Close the card of this design", hidden: true },
    "✕",
  );
  function shut() {
    isOpen = false;
    card.classList.remove("sheet");
    close.hidden = true;
  }
  function open() {
    if (!card.contains(close)) card.append(close);
    isOpen = true;
    card.classList.add("sheet");
    close.hidden = false;
  }
  const inSight = () => {
    const { top, bottom } = card.getBoundingClientRect();
    return bottom > LEAST && top < innerHeight - LEAST;
  };
  // Wherever on the page its design was chosen.
  function show() {
    if (narrow.matches || !inSight()) open();
  }
  function tapped() {
    if (narrow.matches) open();
  }
  // Back at the plot the card has its place again.
  addEventListener("scroll", () => {
    if (isOpen && !narrow.matches && byId("plot-box").getBoundingClientRect().bottom > LEAST) shut();
  });
  close.addEventListener("click", shut);
  narrow.addEventListener("change", shut);
  document.addEventListener(
    "keydown",
    (event) => {
      if (event.key !== "Escape" || !isOpen) return;
      event.preventDefault();
      shut();
    },
    true,
  );
  // The panel is filled anew for each design.
  model.listen((what) => {
    if (what !== "selected") return;
    if (isOpen) card.append(close);
    else if (below && below.contains(document.activeElement) && !inSight()) open();
  });
  return { show, tapped };
})();
