"use strict";
// The three views, and what the page begins with: a run, a study, or the list of runs.

const shell = (() => {
  const tabs = [...document.querySelectorAll('header [role="tab"]')];

  function to(name) {
    for (const tab of tabs) {
      const on = tab.id === `tab-${name}`;
      tab.setAttribute("aria-selected", String(on));
      tab.tabIndex = on ? 0 : -1;
      byId(tab.getAttribute("aria-controls")).hidden = !on;
    }
    if (name === "runs") runs.draw();
    if (name === "studies") studies.list();
  }

  for (const [at, tab] of tabs.entries()) {
    tab.addEventListener("click", () => to(tab.id.slice(4)));
    tab.addEventListener("keydown", (event) => {
      const step = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
      if (!step) return;
      const next = tabs[(at + step + tabs.length) % tabs.length];
      to(next.id.slice(4));
      next.focus();
    });
  }

  // The search that this tab waited for before it was loaded anew.
  async function resumed() {
    const number = progress.waitedFor();
    if (!number) return false;
    const { searches } = await talk.get("/api/searches");
    const state = searches.find((own) => own.search === number) ?? { search: number, since: Date.now() / 1000 };
    progress.follow(state, (last) => {
      if (last.status === "failed" && !last.search) progress.forget();
      else answer.ended(last);
    });
    answer.fade(true);
    return true;
  }

  async function start() {
    const begin = JSON.parse(byId("begin").textContent),
      asked = new URLSearchParams(location.search),
      run = asked.get("run") ?? begin.run,
      study = asked.get("study") ?? begin.study;
    byId("folder").textContent = begin.folder;
    const waits = progress.waitedFor() !== null;
    if (run) await answer.run(run, asked.get("before") ?? "");
    else if (study && !waits) await answer.study(study);
    else if (study) await panel.show({ study }, (variant) => answer.search(panel.study(), variant));
    else if (!waits) to("runs");
    await resumed();
    document.documentElement.dataset.live = "ready";
  }

  return { to, start };
})();

shell.start();
