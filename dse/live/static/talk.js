"use strict";
// Talking with the server: JSON, with the word that changes need; and elements made from data, as text only.

const talk = (() => {
  const word = document.querySelector('meta[name="dse-word"]').content;

  async function answer(response) {
    const kind = response.headers.get("content-type") ?? "";
    const body = kind.startsWith("application/json")
      ? await response.json()
      : { error: (await response.text()).trim() };
    if (!response.ok) throw new Error(body.error ?? `the server answers ${response.status}`);
    return body;
  }

  async function asked(path, options) {
    let response;
    try {
      response = await fetch(path, options);
    } catch (error) {
      if (error.name === "AbortError") throw error;
      throw new Error("the server does not answer: begin it again with dse open; what was found is kept", {
        cause: error,
      });
    }
    return answer(response);
  }

  const query = (path, values) => `${path}?${new URLSearchParams(values)}`;
  const get = (path, values = {}) => asked(Object.keys(values).length ? query(path, values) : path, {});
  const change = (path, document, signal) =>
    asked(path, {
      method: "POST",
      headers: { "content-type": "application/json", "x-dse-word": word },
      body: JSON.stringify(document),
      signal,
    });

  // Of this tab, as long as it is open: a second change here stops the first, and no other tab's.
  const TAB = "dse-live-tab";
  let tab = sessionStorage.getItem(TAB);
  if (!tab) {
    tab = crypto.randomUUID();
    sessionStorage.setItem(TAB, tab);
  }

  return { get, change, query, tab };
})();

const byId = (id) => document.getElementById(id);

function element(name, attributes = {}, ...content) {
  const made = document.createElement(name);
  for (const [key, value] of Object.entries(attributes)) {
    if (value === null || value === undefined || value === false) continue;
    if (key === "on") for (const [event, listener] of Object.entries(value)) made.addEventListener(event, listener);
    else if (key === "value") made.value = value;
    else made.setAttribute(key, value === true ? "" : value);
  }
  made.append(...content.flat().filter((piece) => piece !== null && piece !== undefined && piece !== ""));
  return made;
}

const counted = (number) => (number ?? 0).toLocaleString("en").replaceAll(",", "\u202f");
