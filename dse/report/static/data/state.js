// The view of the page in the fragment of its address: a link opens the same view, "back" the one before. Each piece of
// the view is shared under a key by two functions: `read()` gives it as a text, or null where it is as usual;
// `write(text)` puts it back, null as usual, and throws an error that says what is wrong. Texts of a fragment are
// looked up among names and numbers of the page, and shown as text; nothing else is done with them.

const pageState = (() => {
  if (!model) return null;
  const LONGEST = 30000, // characters of a fragment
    PAUSE = 250; // ms: browsers refuse more than some hundred changes of the address in half a minute
  const entries = new Map(),
    told = byId("link-told");
  let started = false,
    restoring = false,
    timer = 0,
    last = "",
    lastSteps = "";

  // `step`: a change is a step that "back" undoes.
  function share(key, read, write, { step = false } = {}) {
    entries.set(key, { read, write, step });
  }

  // The value of a select, or whether a box is checked.
  function control(id, { key = id, after = null } = {}) {
    const place = byId(id);
    if (!place) return;
    const box = place.type === "checkbox",
      now = () => (box ? String(place.checked) : place.value),
      usual = now();
    share(
      key,
      () => (now() === usual && !(after && entries.get(after)?.read()) ? null : now()),
      (given) => {
        const wanted = given ?? usual,
          known = box
            ? ["true", "false"].includes(wanted)
            : [...place.options].some((option) => option.value === wanted && !option.disabled);
        if (!known) throw new Error("not on this page");
        if (wanted === now()) return;
        if (box) place.checked = wanted === "true";
        else place.value = wanted;
        place.dispatchEvent(new Event("change", { bubbles: true }));
      },
    );
  }

  // Lists of lists of texts as one text, with marks that addresses leave as they are: a~b!c~d.
  const pack = (lists) =>
    lists
      .map((list) =>
        list
          .map((one) => String(one).replace(/[%~!]/g, (mark) => `%${mark.charCodeAt(0).toString(16).toUpperCase()}`))
          .join("~"),
      )
      .join("!");
  const unpack = (packed) => packed.split("!").map((list) => list.split("~").map(decodeURIComponent));

  // ---- writing ----

  function fragment() {
    const found = [];
    for (const [key, { read }] of entries) {
      const now = read();
      if (now !== null && now !== undefined) found.push(`${key}=${encodeURIComponent(now)}`);
    }
    return found.join("&");
  }
  const steps = () => JSON.stringify([...entries.values()].filter(({ step }) => step).map(({ read }) => read()));
  const page = () => location.href.split("#")[0];
  const address = () => {
    const now = fragment();
    return now ? `${page()}#${now}` : page();
  };

  function update() {
    timer = 0;
    const now = fragment();
    if (!started || restoring || now === last) return;
    const way = steps() === lastSteps ? "replaceState" : "pushState";
    last = now;
    lastSteps = steps();
    try {
      history[way](null, "", address());
    } catch {
      started = false; // a page within another may not change its address; the link can still be copied
    }
  }
  const changed = () => {
    if (started && !timer) timer = setTimeout(update, PAUSE);
  };

  // ---- reading ----

  // A fragment without "=" leads to a place on the page, and is none of ours.
  const ours = (hash) => hash === "" || hash.includes("=");

  function pieces(hash) {
    const found = new Map();
    for (const piece of hash.split("&").filter(Boolean)) {
      const at = piece.indexOf("=");
      found.set(decodeURIComponent(piece.slice(0, Math.max(at, 0))), decodeURIComponent(piece.slice(at + 1)));
    }
    return found;
  }

  function restore(hash) {
    const faults = [];
    let given = new Map();
    try {
      if (hash.length > LONGEST) throw new Error("too long");
      given = pieces(hash);
    } catch {
      faults.push("it cannot be read");
    }
    restoring = true;
    for (const [key, entry] of entries) {
      const wanted = given.get(key) ?? null;
      try {
        if (wanted !== (entry.read() ?? null)) entry.write(wanted);
      } catch (error) {
        faults.push(`${key}: ${error.message}`);
        entry.write(null);
      }
    }
    restoring = false;
    const strange = [...given.keys()].filter((key) => !entries.has(key)).map((key) => `“${key.slice(0, 30)}”`);
    if (strange.length) faults.push(`this page knows no ${strange.slice(0, 3).join(", ")}`);
    told.textContent = faults.length ? `Part of the link was left out: ${faults.join("; ")}.` : "";
    last = fragment();
    lastSteps = steps();
  }

  // Once everything that is shared has its usual state.
  function start() {
    const hash = location.hash.slice(1);
    last = fragment();
    lastSteps = steps();
    if (hash && ours(hash)) restore(hash);
    started = true;
    model.listen(changed);
    for (const event of ["change", "click", "keyup", "pointerup"]) document.addEventListener(event, changed);
    addEventListener("popstate", () => {
      const now = location.hash.slice(1);
      if (ours(now) && now !== last) restore(now);
    });
    byId("copy-link").addEventListener("click", copy);
  }

  async function copy() {
    const link = address(),
      field = byId("link-text");
    try {
      await navigator.clipboard.writeText(link);
      told.textContent = "The link to this view is copied.";
      field.hidden = true;
    } catch {
      field.hidden = false;
      field.value = link;
      field.select();
      told.textContent = "Copy the link from the box.";
    }
  }

  return { share, control, pack, unpack, start, address };
})();
