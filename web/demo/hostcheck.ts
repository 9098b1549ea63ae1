// The page that checks a host. The address is in the hash, which browsers do not send to servers.

import { byId, copyText, el, fill, icon } from "./dom.js";
import { configurations, kindOfHost } from "./hostconfig.js";
import { type Finding, judge, summary, type Verdict } from "./hostjudge.js";
import { probe } from "./hostprobe.js";
import { rewriteUrl } from "./url.js";

const WORDS: Record<Verdict, string> = {
  good: "Good",
  advice: "Could be better",
  bad: "Does not work",
  unknown: "Unknown",
};

const form = byId("check-form", HTMLFormElement);
const address = byId("address", HTMLInputElement);
const verdict = byId("verdict", HTMLDivElement);
const list = byId("findings", HTMLUListElement);
const server = byId("server", HTMLSelectElement);
const origin = byId("origin", HTMLSelectElement);
const config = byId("config", HTMLDivElement);
let running = new AbortController();

for (const { id, name } of configurations("*")) server.append(el("option", { value: id }, name));
if (location.origin !== "null") origin.append(el("option", { value: location.origin }, `pages of ${location.origin}`));
server.addEventListener("change", showConfig);
origin.addEventListener("change", showConfig);
form.addEventListener("submit", (event) => {
  event.preventDefault();
  const url = new URL(location.href);
  url.hash = `url=${encodeURIComponent(address.value.trim())}`;
  if (url.href === location.href) start();
  else location.href = url.href;
});
window.addEventListener("hashchange", start);
showConfig();
start();

function start(): void {
  running.abort();
  running = new AbortController();
  const asked = new URLSearchParams(location.hash.replace(/^#/, "")).get("url") ?? "";
  address.value = asked;
  list.hidden = true;
  fill(verdict);
  if (asked !== "") void check(asked, running.signal);
}

async function check(asked: string, signal: AbortSignal): Promise<void> {
  document.body.dataset.state = "loading";
  fill(verdict, el("p", { class: "muted" }, "Asking the host…"));
  try {
    const url = new URL(rewriteUrl(asked, document.baseURI).url, document.baseURI).href;
    const probed = await probe(url, location.href, signal, lists);
    if (signal.aborted) return;
    const findings = judge(probed);
    const sum = summary(findings);
    fill(verdict, el("p", { class: "sum", "data-verdict": sum.verdict }, mark(sum.verdict), sum.text));
    fill(list, ...findings.map(item));
    list.hidden = false;
    server.value = kindOfHost(url);
    showConfig();
    document.body.dataset.state = "ready";
  } catch (error) {
    if (signal.aborted) return;
    const text = error instanceof Error ? error.message : String(error);
    fill(verdict, el("p", { class: "sum", "data-verdict": "bad", role: "alert" }, mark("bad"), text));
    document.body.dataset.state = "error";
  }
}

/** Checks by the package's own method whether the host lists a group's folder. */
async function lists(url: string): Promise<{ listed: boolean; why: string } | null> {
  const { open } = await import("zarr-wasm");
  const node = await open(url, { consolidated: false }).catch(() => null);
  if (node?.kind !== "group") return null;
  try {
    const members = await node.members();
    const how = members[0]?.how;
    if (how === "consolidated") return null; // Consolidated metadata makes listing unnecessary.
    if (how === undefined || how === "listed") return { listed: true, why: "" };
    return { listed: false, why: "this one's members are known only from the group's attributes." };
  } catch (error) {
    return { listed: false, why: error instanceof Error ? error.message : String(error) };
  }
}

function item({ title, verdict, text, cure }: Finding): HTMLElement {
  return el(
    "li",
    { class: "finding", "data-verdict": verdict },
    mark(verdict),
    el(
      "div",
      {},
      el("h2", { class: "finding-title" }, title),
      el("p", { class: "finding-text" }, text),
      cure === "" ? null : el("p", { class: "finding-text cure" }, cure),
    ),
  );
}

function mark(verdict: Verdict): HTMLElement {
  return el("span", { class: "mark" }, icon(verdict), el("span", { class: "visually-hidden" }, `${WORDS[verdict]}: `));
}

function showConfig(): void {
  const chosen = configurations(origin.value).find(({ id }) => id === server.value);
  if (!chosen) return;
  fill(
    config,
    ...chosen.parts.map(({ where, lines }) => {
      const copy = el("button", { type: "button", class: "ghost copy" }, icon("copy"), el("span", {}, "Copy"));
      copy.addEventListener("click", () => void copyText(lines, copy));
      return el(
        "figure",
        { class: "snippet" },
        el("figcaption", {}, where),
        copy,
        el("pre", { tabindex: 0, role: "region", "aria-label": where }, lines),
      );
    }),
    el("ul", { class: "plain-list" }, ...chosen.notes.map((note) => el("li", {}, note))),
  );
}
