"use strict";
// The runs of the folder: listed, noted, renamed, compared, taken along.

const runs = (() => {
  const place = byId("run-list"),
    said = byId("runs-said"),
    chosen = new Set();
  const say = (text) => {
    said.textContent = text;
  };

  async function draw() {
    try {
      const { runs: every } = await talk.get("/api/runs");
      for (const name of chosen) if (!every.some((own) => own.run === name)) chosen.delete(name);
      place.replaceChildren(
        every.length ? table(every) : element("p", { class: "quiet" }, "There is no run here yet."),
      );
      button();
    } catch (error) {
      say(error.message);
    }
  }

  const button = () => {
    byId("compare").disabled = chosen.size < 2;
    byId("compare").textContent = chosen.size > 1 ? `Compare the ${chosen.size} chosen` : "Compare the chosen";
  };

  const head = [
    "chosen",
    "run",
    "question",
    "made",
    "designs",
    "frontier",
    "how exact",
    "what it decides",
    "note",
    "to do",
  ];

  const table = (every) =>
    element(
      "table",
      {},
      element("thead", {}, element("tr", {}, ...head.map((text) => element("th", { scope: "col" }, text)))),
      element("tbody", {}, ...every.map(line)),
    );

  function line(own) {
    const box = element("input", { type: "checkbox", checked: chosen.has(own.run), "aria-label": `choose ${own.run}` });
    box.addEventListener("change", () => {
      if (box.checked) chosen.add(own.run);
      else chosen.delete(own.run);
      button();
    });
    const link = element("a", { href: talk.query("/", { run: own.run }) }, own.run);
    link.addEventListener("click", (event) => {
      if (event.ctrlKey || event.metaKey || event.shiftKey) return;
      event.preventDefault();
      shell.to("answer");
      answer.run(own.run);
    });
    const made = own.made ? own.made.slice(0, 16).replace("T", " ") : "";
    const exact = own.fault ? element("span", { class: "fault" }, own.fault) : own.headline;
    return element(
      "tr",
      {},
      element("td", {}, box),
      element("td", {}, own.made && !own.fault ? link : own.run),
      element(
        "td",
        {},
        own.question,
        own.changes?.length ? element("div", { class: "quiet" }, own.changes.join(" ")) : "",
      ),
      element("td", {}, made),
      element("td", { class: "n" }, own.designs ? counted(own.designs) : ""),
      element("td", { class: "n" }, own.frontier === undefined ? "" : counted(own.frontier)),
      element("td", {}, exact),
      element("td", {}, own.decision),
      element("td", {}, note(own)),
      element("td", {}, acts(own)),
    );
  }

  function note(own) {
    const input = element("input", {
      value: own.note.trim(),
      "aria-label": `note on ${own.run}`,
      placeholder: "a note",
    });
    input.addEventListener("change", async () => {
      try {
        await talk.change("/api/note", { run: own.run, note: input.value });
        say(`The note on ${own.run} is kept.`);
      } catch (error) {
        say(error.message);
      }
    });
    return input;
  }

  function acts(own) {
    const copy = element("button", { type: "button" }, "copy link");
    copy.addEventListener("click", async () => {
      const link = new URL(talk.query("/", { run: own.run }), location.href).href;
      try {
        await navigator.clipboard.writeText(link);
        say("The link is copied; it opens in this browser, while dse open runs.");
      } catch {
        say(link);
      }
    });
    const rename = element("button", { type: "button" }, "rename");
    rename.addEventListener("click", () => {
      const input = element("input", { value: own.run, "aria-label": `new name of ${own.run}` });
      rename.replaceWith(input);
      input.select();
      input.addEventListener("keydown", (event) => {
        if (event.key === "Escape") input.replaceWith(rename);
      });
      input.addEventListener("change", async () => {
        try {
          await talk.change("/api/rename", { run: own.run, name: input.value.trim() });
          say(`${own.run} is called ${input.value.trim()} now.`);
          await draw();
        } catch (error) {
          say(error.message);
        }
      });
    });
    const form = element(
      "select",
      { "aria-label": `export ${own.run}` },
      element("option", { value: "" }, "export …"),
      ...["csv", "parquet", "json", "markdown"].map((kind) => element("option", { value: kind }, kind)),
    );
    form.addEventListener("change", () => {
      if (!form.value) return;
      element("a", { href: talk.query("/export", { run: own.run, format: form.value }), download: "" }).click();
      form.value = "";
    });
    return element("div", { class: "acts" }, copy, rename, form);
  }

  byId("compare").addEventListener("click", () => {
    const address = `/comparison?${new URLSearchParams([...chosen].map((name) => ["run", name]))}`;
    byId("comparison").replaceChildren(
      element("iframe", { src: address, title: `Comparison of ${[...chosen].join(", ")}` }),
    );
  });

  return { draw };
})();
