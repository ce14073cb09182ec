"use strict";
// The answer: the page of a run in a frame. The old one fades while another is searched, and stays until that stands.

const answer = (() => {
  const frames = byId("frames"),
    outcome = byId("outcome");
  let shown = "", // the run that is shown
    frame = null;

  function say(text, kind = "") {
    outcome.hidden = !text;
    outcome.className = kind;
    outcome.textContent = text;
  }

  const fragment = () => {
    try {
      return frame?.contentWindow.location.hash ?? "";
    } catch {
      return "";
    }
  };

  function fade(on) {
    frame?.classList.toggle("old", on);
  }

  // The page stands when it says so; at the latest when it is loaded.
  function stands(coming) {
    return new Promise((resolve) => {
      coming.addEventListener("load", () => {
        const root = coming.contentDocument?.documentElement;
        if (!root || root.dataset.ready || !coming.contentDocument.getElementById("data")) resolve();
        else
          new MutationObserver((_, watch) => {
            if (root.dataset.ready) {
              watch.disconnect();
              resolve();
            }
          }).observe(root, { attributes: true });
        setTimeout(resolve, 4000);
      });
    });
  }

  // Show a run, with the frontier of the one before beside it.
  async function show(run, { before = "", keep = true, push = true } = {}) {
    const old = frame,
      asked = before && before !== run ? { run, before } : { run },
      coming = element("iframe", {
        class: "coming",
        title: `Page of the run ${run}`,
        src: talk.query("/page", asked) + (keep ? fragment() : ""),
        allow: "clipboard-write",
      });
    byId("empty").hidden = true;
    frames.append(coming);
    await stands(coming);
    if (!coming.isConnected) return;
    for (const other of frames.querySelectorAll("iframe")) if (other !== coming) other.remove();
    coming.classList.remove("coming");
    frame = coming;
    shown = run;
    document.title = `${run}: dse open`;
    if (push) history[old ? "pushState" : "replaceState"](asked, "", talk.query("/", asked));
  }

  // What a search ended with.
  async function ended(state) {
    if (state.status === "done" || state.status === "stopped") {
      if (!state.run) {
        fade(false);
        say(`Stopped: ${state.error?.message ?? "nothing was found yet"}.`, "warn");
        return;
      }
      const run = nameOf(state.run.folder);
      panel.refuse("");
      if (state.run.stopped)
        say(`Stopped with what was found: ${[state.run.headline, ...state.run.gap].join("; ")}.`, "warn");
      else say(`${state.run.headline}: ${counted(state.run.frontier)} designs. ${state.command ?? ""}`);
      await show(run, { before: shown });
      return;
    }
    fade(false);
    const message = state.error?.message ?? "it failed";
    panel.refuse(message);
    say(message, "bad");
    if (state.error?.other_run)
      outcome.append(" ", element("button", { type: "button", on: { click: again } }, "Search anew, keep the old run"));
  }
  const nameOf = (folder) => (folder.startsWith("runs/") ? folder.slice(5) : folder);

  let last = null;
  const again = () => last && search(last.study, last.variant, true);

  // Search a study, or a variant of it; what this tab waited for is stopped.
  async function search(study, variant = {}, fresh = false) {
    last = { study, variant };
    fade(true);
    say("");
    try {
      const state = await talk.change("/api/searches", { study, variant, tab: talk.tab, fresh });
      progress.follow(state, ended);
    } catch (error) {
      fade(false);
      say(error.message, "bad");
    }
  }

  // A study: what can be changed, and its run where there is one; else it is searched.
  async function study(name, run = "") {
    const about = await panel.show(run ? { run } : { study: name }, (variant) => search(panel.study(), variant));
    if (run) await show(run, { keep: false });
    else if (about) await search(name);
  }

  // A run: its page, and what of its study can be changed.
  async function run(name, before = "", push = true) {
    say("");
    const panelShown = panel.show({ run: name }, (variant) => search(panel.study(), variant));
    await Promise.all([panelShown, show(name, { before, keep: false, push })]);
  }

  addEventListener("popstate", (event) => {
    if (event.state?.run) show(event.state.run, { before: event.state.before ?? "", push: false });
  });

  return { study, run, search, ended, fade, shown: () => shown };
})();
