"use strict";
// Studies as text: checked while one types, each fault at its line; saved and searched.

const studies = (() => {
  const PAUSE = 400; // ms without a key, after which the text is checked
  const text = byId("text"),
    gutter = byId("gutter"),
    said = byId("study-said");
  let open = null, // { study, text, own }
    timer = 0,
    asking = null,
    faults = [];

  async function list() {
    try {
      const { studies: every } = await talk.get("/api/studies");
      const buttons = (own) =>
        every
          .filter((entry) => entry.own === own)
          .map((entry) =>
            element(
              "button",
              {
                type: "button",
                title: entry.question,
                "aria-current": String(entry.study === open?.study),
                on: { click: () => load(entry.study) },
              },
              entry.study,
            ),
          );
      byId("study-list").replaceChildren(
        element("h2", {}, "Studies of this folder"),
        ...(buttons(true).length ? buttons(true) : [element("p", { class: "quiet" }, "none yet")]),
        element("h2", {}, "Studies of dse"),
        ...buttons(false),
      );
    } catch (error) {
      said.textContent = error.message;
    }
  }

  async function load(name) {
    try {
      open = await talk.get("/api/text", { study: name });
      text.value = open.text;
      byId("study-name").textContent = name;
      byId("save-name").value = open.own ? open.file : `my-${open.file}`;
      said.textContent = open.own ? "" : "It comes with dse: saved under a name of your own.";
      for (const button of byId("study-list").querySelectorAll("button"))
        button.setAttribute("aria-current", String(button.textContent === name));
      faults = [];
      draw();
      check();
    } catch (error) {
      said.textContent = error.message;
    }
  }

  function draw() {
    const wrong = new Set(faults.map((fault) => fault.line)),
      lines = text.value.split("\n").length;
    gutter.replaceChildren(
      ...Array.from({ length: lines }, (_, at) =>
        element("div", { class: wrong.has(at + 1) ? "wrong" : null }, String(at + 1)),
      ),
    );
    gutter.scrollTop = text.scrollTop;
    byId("faults").replaceChildren(
      ...faults.map((fault) =>
        element(
          "li",
          {},
          element(
            "button",
            { type: "button", on: { click: () => go(fault.line) } },
            `line ${fault.line}: ${fault.message}`,
          ),
        ),
      ),
    );
    text.setAttribute("aria-invalid", String(faults.length > 0));
  }

  function go(line) {
    const at = text.value
      .split("\n")
      .slice(0, line - 1)
      .reduce((sum, one) => sum + one.length + 1, 0);
    text.focus();
    text.setSelectionRange(at, at + (text.value.split("\n")[line - 1] ?? "").length);
    text.scrollTop = Math.max(0, (line - 5) * parseFloat(getComputedStyle(text).lineHeight));
  }

  async function check() {
    asking?.abort();
    asking = new AbortController();
    const now = text.value;
    try {
      const checked = await talk.change("/api/check", { text: now, study: open?.study ?? "" }, asking.signal);
      if (text.value !== now) return;
      faults = checked.faults;
      draw();
      const notes = checked.notes?.join(" ") ?? "";
      said.textContent = faults.length
        ? `${faults.length === 1 ? "one fault" : `${faults.length} faults`}`
        : checked.designs === null
          ? notes
          : `sound: ${counted(checked.designs)} designs`;
    } catch (error) {
      if (error.name !== "AbortError") said.textContent = error.message;
    }
  }

  async function save() {
    const name = byId("save-name").value.trim(),
      same = open?.own && name === open.file;
    try {
      const saved = await talk.change("/api/text", { study: name, text: text.value, before: same ? open.text : null });
      open = { study: saved.study, text: text.value, own: true, file: saved.study };
      byId("study-name").textContent = saved.study;
      said.textContent = `Saved as ${saved.study}.`;
      await list();
      return saved.study;
    } catch (error) {
      said.textContent = error.message;
      return null;
    }
  }

  async function search() {
    if (!open) return;
    const unchanged = text.value === open.text;
    const name = unchanged ? open.study : await save();
    if (!name) return;
    shell.to("answer");
    answer.study(name);
  }

  text.addEventListener("input", () => {
    clearTimeout(timer);
    timer = setTimeout(check, PAUSE);
    if (gutter.children.length !== text.value.split("\n").length) draw();
  });
  text.addEventListener("scroll", () => {
    gutter.scrollTop = text.scrollTop;
  });
  text.addEventListener("keydown", (event) => {
    if ((event.ctrlKey || event.metaKey) && event.key === "s") {
      event.preventDefault();
      save();
    }
  });
  byId("save-text").addEventListener("click", save);
  byId("run-study").addEventListener("click", search);

  return { list, load };
})();
