// The requests of the page to stores, with their purposes and totals.

import type { RequestEvent } from "zarr-wasm";
import { el, fill } from "./dom.js";
import { formatBytes, formatCount } from "./format.js";
import { DOCUMENTS } from "./url.js";

/** The largest numbers of kept requests and of shown rows. */
const KEPT = 2000;
const SHOWN = 400;

/** The texts of a request, or of a read from the cache. */
interface TrafficRow {
  readonly kind: "request" | "cache" | "failed";
  readonly what: string;
  readonly key: string;
  readonly status: string;
  readonly size: string;
  readonly time: string;
  readonly at: string;
}

/** Returns the purpose of a requested key; `arrays` are the paths of the known arrays. */
export function purposeOf(key: string, arrays: readonly string[]): string {
  const path = key.replace(/\?.*$/, "");
  const name = path.slice(path.lastIndexOf("/") + 1);
  const folder = path.slice(0, path.lastIndexOf("/")) || "/";
  if (DOCUMENTS.includes(name) || name === "attributes.json") return `metadata of ${folder}`;
  if (name === "") return `list of ${folder}`;
  const array = arrays
    .filter((one) => one === "/" || path.startsWith(`${one}/`))
    .sort((a, b) => b.length - a.length)[0];
  if (array !== undefined && (array !== "/" || /^\/(c\/)?[\d./]+$/.test(path))) return `chunk of ${array}`;
  return "object";
}

/** Formats an event. */
export function rowOf(event: RequestEvent, arrays: readonly string[], origin: number): TrafficRow {
  const { key, range, source, status, bytes, merged, start, ms, error, attempt, method } = event;
  const part = range
    ? "suffixLength" in range
      ? `, the last ${formatCount(range.suffixLength)} bytes`
      : `, bytes ${formatCount(range.offset)}–${formatCount(range.offset + range.length - 1)}`
    : "";
  // A 404 or 410 is a regular answer.
  const failed = source === "request" && error !== undefined && status !== 404 && status !== 410;
  const asked =
    source === "cache" ? "kept" : source === "shared" ? "shared" : status === 0 ? "no answer" : String(status);
  return {
    kind: failed ? "failed" : source === "request" ? "request" : "cache",
    what: `${purposeOf(key, arrays)}${merged > 1 ? `, ${merged} reads in one` : ""}${attempt > 0 ? `, try ${attempt + 1}` : ""}`,
    key: `${method === "HEAD" ? "HEAD " : ""}${key}${part}`,
    status: asked,
    size: source === "request" ? formatBytes(bytes) : "",
    time: source === "request" ? `${ms < 10 ? ms.toFixed(1) : Math.round(ms)} ms` : "",
    at: `${((start - origin) / 1000).toFixed(2)} s`,
  };
}

/** Records requests, and shows them on demand. */
export class Traffic {
  readonly #panel: HTMLElement;
  readonly #button: HTMLButtonElement;
  readonly #arrays: () => readonly string[];
  readonly #events: RequestEvent[] = [];
  #requests = 0;
  #bytes = 0;
  #kept = 0;
  #failed = 0;
  #drawing = false;
  readonly #total = el("p", { class: "muted" });
  readonly #body = el("tbody");

  /** The bytes of all answers. */
  get bytes(): number {
    return this.#bytes;
  }

  constructor(panel: HTMLElement, button: HTMLButtonElement, arrays: () => readonly string[]) {
    this.#panel = panel;
    this.#button = button;
    this.#arrays = arrays;
    const close = (): void => {
      this.open = false;
      this.#button.focus();
    };
    fill(
      panel,
      el(
        "div",
        { class: "network-head" },
        el("h2", { id: "network-title" }, "Requests"),
        this.#total,
        el("button", { type: "button", class: "ghost", onclick: () => this.clear() }, "Clear"),
        el("button", { type: "button", class: "ghost", onclick: close }, "Close"),
      ),
      el(
        "div",
        { class: "table-scroll", tabindex: 0, role: "region", "aria-label": "List of requests" },
        el(
          "table",
          {},
          el(
            "thead",
            {},
            el(
              "tr",
              {},
              ...["Purpose", "Key", "Answer", "Size", "Time", "At"].map((name) => el("th", { scope: "col" }, name)),
            ),
          ),
          this.#body,
        ),
      ),
    );
    button.addEventListener("click", () => {
      this.open = !this.open;
    });
  }

  get open(): boolean {
    return !this.#panel.hidden;
  }

  set open(open: boolean) {
    this.#panel.hidden = !open;
    this.#button.setAttribute("aria-expanded", String(open));
    this.#soon();
  }

  add(event: RequestEvent): void {
    this.#events.push(event);
    if (this.#events.length > KEPT) this.#events.shift();
    if (event.source === "request") {
      this.#requests++;
      this.#bytes += event.bytes;
      if (event.error !== undefined && event.status !== 404 && event.status !== 410) this.#failed++;
    } else this.#kept++;
    this.#soon();
  }

  clear(): void {
    this.#events.length = 0;
    this.#requests = this.#bytes = this.#kept = this.#failed = 0;
    this.#soon();
  }

  #soon(): void {
    if (this.#drawing) return;
    this.#drawing = true;
    requestAnimationFrame(() => {
      this.#drawing = false;
      this.#draw();
    });
  }

  #draw(): void {
    const total = `${formatCount(this.#requests)} request${this.#requests === 1 ? "" : "s"}, ${formatBytes(this.#bytes)}`;
    this.#button.textContent = this.#requests === 0 ? "No requests" : total;
    if (!this.open) return;
    const failed = this.#failed > 0 ? `, ${formatCount(this.#failed)} failed` : "";
    this.#total.textContent = `${total}${failed}; ${formatCount(this.#kept)} reads needed none`;
    const arrays = this.#arrays();
    fill(
      this.#body,
      ...this.#events
        .slice(-SHOWN)
        .reverse()
        .map((event) => {
          const row = rowOf(event, arrays, performance.timeOrigin);
          const cells = [row.what, row.key, row.status, row.size, row.time, row.at];
          return el("tr", { "data-kind": row.kind }, ...cells.map((text) => el("td", { title: text }, text)));
        }),
    );
  }
}
