// On a narrow screen a tap on a design lays its card over the lower half of the screen, and the plot stays in sight.

const sheet = (() => {
  if (!model) return null;
  const card = byId("detail"),
    narrow = matchMedia("(max-width: 40rem)");
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
    if (!narrow.matches) return;
    if (!card.contains(close)) card.append(close);
    isOpen = true;
    card.classList.add("sheet");
    close.hidden = false;
  }
  // The card in sight, wherever on the page its design was chosen.
  function show() {
    if (narrow.matches) open();
    else card.scrollIntoView({ block: "nearest" });
  }
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
    if (what === "selected" && isOpen) card.append(close);
  });
  return { open, show };
})();
