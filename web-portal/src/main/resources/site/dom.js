// Small helpers for building pages. Text from the log is hostile: it enters the page only as text nodes and
// attribute values, never as HTML.

/** Builds an element: el("td", {class: "num"}, "12", child). Strings become text nodes. */
export function el(name, attributes = {}, ...children) {
  const node = document.createElement(name);
  for (const [key, value] of Object.entries(attributes)) {
    if (value === undefined || value === null || value === false) continue;
    node.setAttribute(key, value === true ? "" : String(value));
  }
  for (const child of children.flat()) {
    if (child === undefined || child === null) continue;
    node.append(typeof child === "object" ? child : document.createTextNode(String(child)));
  }
  return node;
}

/** Fetches JSON; a failure carries the server's own sentence. */
export async function getJson(path) {
  const answer = await fetch(path, {headers: {Accept: "application/json"}});
  const body = await answer.json().catch(() => ({}));
  if (!answer.ok) {
    const failure = new Error(body.error ?? `the portal answered ${answer.status} for ${path}`);
    failure.status = answer.status;
    throw failure;
  }
  return body;
}

/** good | bad | open: the colour of a run. */
export function tone(run) {
  if (run.failed) return "bad";
  return run.units.audited > 0 && run.units.inconclusive === 0 ? "good" : "open";
}

export function shortHash(hex) {
  return el("code", {title: hex}, `${hex.slice(0, 12)}…`);
}

/** The names of keys, by the portal's trust folder and its registrars; a page that lacks them shows the keys. */
export async function getNames() {
  const {names} = await getJson("/api/v1/names").catch(() => ({names: {}}));
  return new Map(Object.entries(names));
}

/** A key by its name where the portal knows one; the whole key id is in the title. */
export function keyName(names, hex) {
  if (hex === "") return null;
  const name = names.get(hex);
  return name === undefined ? shortHash(hex) : el("span", {class: "key", title: hex}, name);
}

export function badge(text, kind) {
  return el("span", {class: `badge ${kind ?? ""}`}, text);
}

export function verdictBadge(verdict) {
  const kind = {REPRODUCED: "good", DIVERGED: "bad", INCONCLUSIVE: "open"}[verdict] ?? "";
  return badge(verdict, kind);
}

export function table(headings, rows) {
  return el("div", {class: "scroll"}, el("table", {},
    el("thead", {}, el("tr", {}, headings.map((heading) => el("th", {scope: "col"}, heading)))),
    el("tbody", {}, rows.map((cells) => el("tr", {}, cells.map((cell) =>
      cell instanceof Node && cell.nodeName === "TD" ? cell : el("td", {}, cell)))))));
}

export function showError(place, failure) {
  place.replaceChildren(el("p", {class: "state bad"}, failure.message));
}
