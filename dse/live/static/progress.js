"use strict";
// A search as it goes on: what it does, how far it is, how to stop it; its end is told to whoever waits.

const progress = (() => {
  const SEARCH = "dse-live-search";
  let source = null,
    state = null,
    ended = null,
    timer = 0;

  function words() {
    const seconds = Math.max(0, Math.round(Date.now() / 1000 - state.since));
    if (state.status === "stops") return "stopping at the end of this round …";
    const far = state.designs
      ? `: ${counted(state.decided)} of ${counted(state.designs)} designs decided, ${counted(state.frontier)} found`
      : "";
    const left =
      state.seconds && seconds >= 2 ? `, about ${Math.max(1, Math.round(state.seconds - seconds))} s left` : "";
    return `${state.phase || "beginning"}${state.decided ? far : ""}; ${seconds} s${left}`;
  }

  function draw() {
    byId("progress").hidden = !state;
    if (!state) return;
    byId("doing").textContent = words();
    byId("stop").textContent = state.status === "stops" ? "Stop at once" : "Stop";
    const bar = byId("done");
    if (state.decided && state.designs) bar.value = state.decided / state.designs;
    else bar.removeAttribute("value");
  }

  function close() {
    source?.close();
    clearInterval(timer);
    source = null;
    state = null;
    draw();
  }

  // Follow a search to its end.
  function follow(begun, whenEnded) {
    close();
    state = begun;
    ended = whenEnded;
    sessionStorage.setItem(SEARCH, begun.search);
    source = new EventSource(`/api/searches/${encodeURIComponent(begun.search)}/events`);
    source.addEventListener("message", (event) => {
      state = JSON.parse(event.data);
      if (["done", "stopped", "refused", "failed"].includes(state.status)) {
        const last = state;
        close();
        sessionStorage.removeItem(SEARCH);
        ended(last);
      } else draw();
    });
    source.addEventListener("error", () => {
      if (source?.readyState !== EventSource.CLOSED) return;
      close();
      ended({ status: "failed", error: { message: "the server does not answer; what was found is kept" } });
    });
    timer = setInterval(draw, 500);
    draw();
  }

  // After a reload: the search that this tab waited for, if the server still knows it.
  const waitedFor = () => sessionStorage.getItem(SEARCH);
  const forget = () => sessionStorage.removeItem(SEARCH);

  byId("stop").addEventListener("click", async () => {
    if (!state) return;
    state = { ...state, status: "stops" };
    draw();
    await talk.change(`/api/searches/${encodeURIComponent(state.search)}/stop`, {}).catch(() => {});
  });

  return { follow, waitedFor, forget, busy: () => state !== null };
})();
