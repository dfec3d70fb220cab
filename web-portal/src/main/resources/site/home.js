import {badge, el, getJson, getNames, keyName, shortHash, showError, tone} from "/site/dom.js";

const drop = document.getElementById("drop");
const input = document.getElementById("drop-file");
const progress = document.getElementById("drop-progress");
const state = document.getElementById("drop-state");

function say(place, text, bad = false) {
  place.textContent = text;
  place.classList.toggle("bad", bad);
}

/** Goes to the page of the run that released this file, or says that the log knows nothing of it. */
async function findModel(digest, place) {
  try {
    const found = await getJson(`/api/v1/models/${digest}`);
    location.href = `/runs/${found.runId}?model=${digest}`;
  } catch (failure) {
    say(place, failure.status === 404
      ? `Nothing in this log speaks of ${digest}. That proves nothing about the file, good or bad.`
      : failure.message, true);
  }
}

function hash(file) {
  progress.hidden = false;
  progress.value = 0;
  say(state, `Hashing ${file.name} (${file.size.toLocaleString("en")} bytes) in this browser…`);
  const worker = new Worker("/site/hash-worker.js");
  worker.onmessage = ({data}) => {
    if (data.done !== undefined) progress.value = data.done;
    if (data.error !== undefined) say(state, data.error, true);
    if (data.digest !== undefined) {
      say(state, `SHA-256 ${data.digest}`);
      findModel(data.digest, state);
    }
    if (data.digest !== undefined || data.error !== undefined) worker.terminate();
  };
  worker.onerror = () => say(state, "This browser could not start the hashing worker.", true);
  worker.postMessage(file);
}

drop.addEventListener("click", () => input.click());
drop.addEventListener("keydown", (event) => {
  if (event.key === "Enter" || event.key === " ") {
    event.preventDefault();
    input.click();
  }
});
input.addEventListener("click", (event) => event.stopPropagation());
input.addEventListener("change", () => input.files.length > 0 && hash(input.files[0]));
for (const kind of ["dragenter", "dragover"]) {
  drop.addEventListener(kind, (event) => {
    event.preventDefault();
    drop.classList.add("over");
  });
}
drop.addEventListener("dragleave", () => drop.classList.remove("over"));
drop.addEventListener("drop", (event) => {
  event.preventDefault();
  drop.classList.remove("over");
  const file = event.dataTransfer.files[0];
  if (file === undefined) say(state, "That was not a file.", true);
  else hash(file);
});

document.getElementById("lookup").addEventListener("submit", (event) => {
  event.preventDefault();
  findModel(document.getElementById("digest").value.trim().toLowerCase(), document.getElementById("lookup-state"));
});

async function listRuns() {
  const place = document.getElementById("runs");
  try {
    const [{runs}, names] = await Promise.all([getJson("/api/v1/runs"), getNames()]);
    if (runs.length === 0) {
      place.replaceChildren(el("p", {class: "quiet"}, "No run has been logged yet."));
      return;
    }
    place.replaceChildren(...runs.map((run) => el("a", {class: `card ${tone(run)}`, href: `/runs/${run.runId}`},
      el("div", {class: "sentence"}, run.sentence),
      el("div", {class: "quiet"}, "run ", shortHash(run.runId), ` · ${run.steps} steps · `,
        badge(run.level, run.failed ? "bad" : "good"), ` · trainer `, keyName(names, run.trainerKey)))));
  } catch (failure) {
    showError(place, failure);
  }
}

listRuns();
