import {el, getJson, shortHash, showError, table} from "/site/dom.js";

async function show() {
  const place = document.getElementById("entries");
  try {
    const log = await getJson("/api/v1/log");
    document.getElementById("checkpoint").textContent = log.checkpoint;
    place.replaceChildren(table(["index", "what", "run", "signed by"], log.entries.map((entry) => [
      el("td", {class: "num"}, entry.index),
      entry.summary,
      entry.runId === undefined ? "" : el("a", {href: `/runs/${entry.runId}`}, shortHash(entry.runId)),
      shortHash(entry.signer),
    ])));
  } catch (failure) {
    showError(place, failure);
  }
}

show();
