import {el, getJson, getNames, keyName, shortHash, showError, table} from "/site/dom.js";

async function show() {
  const place = document.getElementById("entries");
  try {
    const [log, names] = await Promise.all([getJson("/api/v1/log"), getNames()]);
    document.getElementById("checkpoint").textContent = log.checkpoint;
    place.replaceChildren(table(["index", "what", "run", "signed by"], log.entries.map((entry) => [
      el("td", {class: "num"}, entry.index),
      entry.summary,
      entry.runId === undefined ? "" : el("a", {href: `/runs/${entry.runId}`}, shortHash(entry.runId)),
      keyName(names, entry.signer),
    ])));
  } catch (failure) {
    showError(place, failure);
  }
}

show();
