import {badge, el, getJson, getNames, keyName, shortHash, showError, table, tone, verdictBadge} from "/site/dom.js";

const page = document.getElementById("page");
const WORDS = {R: "reproduced", D: "diverged", I: "inconclusive", ".": "not audited"};

function banner(run) {
  return el("div", {class: `banner ${tone(run)}`, id: "sentence"}, run.sentence,
    el("small", {}, `${run.level}: ${run.levelClaim}`));
}

function modelNote(run) {
  const digest = new URLSearchParams(location.search).get("model");
  const file = run.released.find((released) => released.sha256 === digest);
  return file === undefined ? null
    : el("p", {id: "model-note"}, "The file you gave is ", el("strong", {}, file.name), " of this run (SHA-256 ",
      el("code", {}, file.sha256), ").");
}

function strip(run) {
  const marks = [...run.coverage.strip];
  return [
    el("div", {class: "strip", id: "strip", role: "img",
      "aria-label": `${run.coverage.coveredSteps} of ${run.steps} steps covered`},
    marks.map((mark, step) => el("span", {class: mark === "." ? "" : mark, title: `step ${step}: ${WORDS[mark] ?? mark}`}))),
    el("div", {class: "legend"}, Object.entries(WORDS).map(([mark, word]) =>
      el("span", {}, el("i", {class: mark === "." ? "" : mark}), word))),
    el("p", {}, `${run.coverage.coveredSteps} of ${run.steps} steps are covered by `
      + `${run.coverage.minimumReplicas} or more accepted auditors.`),
  ];
}

function power(run) {
  return table(["bad units in the run", "chance that the audits hit one"],
    run.detectionPower.map((row) => [
      el("td", {class: "num"}, row.badSteps), el("td", {class: "num"}, `${(100 * row.probability).toFixed(1)} %`)]));
}

/** Without a pointer over the chart the legend has no values to show. */
function markIdle(chart) {
  chart.root.classList.toggle("idle", chart.cursor.idx === undefined || chart.cursor.idx === null);
}

function lossChart(run) {
  const place = el("div", {class: "chart", id: "loss-chart"});
  if (run.loss.length === 0) {
    place.append(el("p", {class: "quiet"}, "The recording is not on this portal, so its loss curve cannot be drawn."));
    return place;
  }
  const ink = getComputedStyle(document.documentElement).getPropertyValue("--ink");
  const good = getComputedStyle(document.documentElement).getPropertyValue("--good");
  const axis = {stroke: ink, grid: {stroke: "rgba(128,128,128,.2)"}};
  requestAnimationFrame(() => new uPlot({
    width: Math.max(260, place.clientWidth - 20), height: 260,
    scales: {x: {time: false}},
    series: [{label: "step"}, {label: "loss", stroke: good, width: 2, value: (_, v) => v === null ? "–" : v.toFixed(4)}],
    hooks: {init: [markIdle], setCursor: [markIdle]},
    axes: [{...axis, label: "step"}, {...axis, label: "loss (nats per token)"}],
  }, [run.loss.map((_, step) => step), run.loss], place));
  return place;
}

function difference(verdict) {
  const first = verdict.firstDifference;
  if (first === undefined) return verdict.reason ?? "";
  const parts = [];
  if (first.step !== undefined) parts.push(`step ${first.step}`);
  if (first.worker !== undefined) parts.push(`worker ${first.worker}`);
  if (first.microBatch !== undefined) parts.push(`micro-batch ${first.microBatch}`);
  if (first.operator !== undefined) parts.push(`operator ${first.operator}`);
  if (first.tensor !== undefined) parts.push(`tensor ${first.tensor}`);
  if (first.index !== undefined) parts.push(`element ${first.index}`);
  if (first.expectedBits !== undefined) parts.push(`recorded ${first.expectedBits}`);
  if (first.computedBits !== undefined) parts.push(`replayed ${first.computedBits}`);
  return parts.join(", ");
}

function verdicts(run, names) {
  if (run.verdicts.length === 0) return el("p", {class: "quiet"}, "No verdict has been logged for this run.");
  return table(["unit", "verdict", "chosen", "auditor", "replayed on", "first difference or reason", "proof"],
    run.verdicts.map((verdict) => [
      el("code", {}, verdict.unit),
      el("span", {}, verdictBadge(verdict.verdict), verdict.grade === undefined ? null : ` ${verdict.grade}`),
      verdict.drawn ? "drawn" : "spot check (counts in no coverage)",
      keyName(names, verdict.auditor),
      verdict.confirmedBy === undefined ? verdict.backend : `${verdict.backend}, confirmed by ${verdict.confirmedBy}`,
      difference(verdict),
      el("span", {}, el("a", {href: `/api/v1/entries/${verdict.logIndex}/bundle`, download: `verdict-${verdict.logIndex}.sigstore.json`},
        "bundle"), ` · log index ${verdict.logIndex}`),
    ]));
}

function facts(run, names) {
  const rows = [
    ["run id", el("code", {}, run.runId)],
    ["trainer", names.get(run.trainerKey) ?? "a key that this portal does not know"],
    ["trainer key", el("code", {}, run.trainerKey)],
    ["numeric profile", run.profile ?? "not on this portal"],
    ["dataset root", el("code", {}, run.datasetRoot)],
    ["descriptor", el("code", {}, run.descriptorDigest)],
    ["state after the last committed step", el("code", {}, run.stateRoot)],
    ["challenges drawn by", run.beaconModes.length === 0 ? "not challenged yet" : run.beaconModes.join(", ")],
  ];
  for (const file of run.released) rows.push([`released ${file.name}`, el("code", {}, file.sha256)]);
  return el("dl", {class: "facts"}, rows.flatMap(([name, value]) => [el("dt", {}, name), el("dd", {}, value)]));
}

function commitments(run) {
  return table(["commitment", "steps", "log index", "final"], run.commitments.map((commitment) => [
    el("span", {}, commitment.sequence === 0 ? "OPEN " : `${commitment.sequence} `, shortHash(commitment.digest)),
    el("td", {class: "num"}, commitment.endStep), el("td", {class: "num"}, commitment.logIndex),
    commitment.final ? badge("final", "good") : ""]));
}

function challenges(run, names) {
  if (run.challenges.length === 0) return el("p", {class: "quiet"}, "No auditor has drawn units yet.");
  return table(["auditor", "beacon", "log index", "units drawn"], run.challenges.map((challenge) => [
    keyName(names, challenge.auditor), challenge.beaconMode, el("td", {class: "num"}, challenge.logIndex),
    el("code", {}, challenge.units.join(" "))]));
}

function otherRuns(run) {
  if (run.otherRuns.length === 0) return null;
  return el("div", {}, el("h2", {}, "Other runs on this dataset"),
    el("ul", {class: "proof"}, run.otherRuns.map((other) => el("li", {},
      el("a", {href: `/runs/${other.runId}`}, shortHash(other.runId)), ` ${other.sentence}`))));
}

function render([run, names]) {
  document.title = `${run.sentence} · Bitwitness`;
  page.replaceChildren(...[
    el("h1", {}, "Run ", el("code", {}, run.runId.slice(0, 16))),
    banner(run), modelNote(run),
    el("h2", {}, "Which steps were replayed"), ...strip(run),
    el("div", {class: "two"},
      el("div", {}, el("h2", {}, "Loss"), lossChart(run)),
      el("div", {}, el("h2", {}, "What the sample is worth"), power(run))),
    el("h2", {}, "Verdicts"), verdicts(run, names),
    el("h2", {}, "How the units were chosen"), challenges(run, names),
    el("h2", {}, "What the trainer committed"), facts(run, names), commitments(run),
    el("div", {class: "two"},
      el("div", {}, el("h2", {}, "Proven"), el("ul", {class: "proof"}, run.proven.map((line) => el("li", {}, line)))),
      el("div", {}, el("h2", {}, "Not proven"), el("ul", {class: "proof"}, run.notProven.map((line) => el("li", {}, line))))),
    otherRuns(run),
  ].filter((node) => node !== null));
}

Promise.all([getJson(`/api/v1${location.pathname}`), getNames()]).then(render, (failure) => showError(page, failure));
