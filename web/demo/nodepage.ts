// The page of a group. A dataset has its dimensions, coordinates and variables, and any other group
// its members.

import type { DatasetDescription, Described, GroupDescription, Variable } from "zarr-wasm/describe";
import { el, fill, icon } from "./dom.js";
import { formatBytes, formatCount, formatShape, prettyJson } from "./format.js";
import { busy, whenSeen } from "./seen.js";
import type { Hierarchy } from "./store.js";

/** The number of rows that a list shows at first. */
const ROWS = 300;
/** The concurrent reads of extents, and the concurrent pictures. */
const EXTENTS = 4;
const PICTURES = 2;

interface NodePageEvents {
  /** The person chose a node. */
  open(path: string): void;
  /** Draws a thumbnail of an array. Returns false if there is none. */
  thumbnail(path: string, canvas: HTMLCanvasElement, signal: AbortSignal): Promise<boolean>;
}

/** Shows a dataset or a group. The signal aborts reads. */
export function showNodePage(
  host: HTMLElement,
  description: DatasetDescription | GroupDescription,
  store: Hierarchy,
  events: NodePageEvents,
  signal: AbortSignal,
): void {
  const parts: (Node | null)[] = [conventions(description), problems(description)];
  if (description.kind === "dataset") parts.push(...dataset(description, store, events, signal));
  else parts.push(members(description, store, events));
  parts.push(attributes(description.node.attrs));
  fill(host, ...parts);
  if (description.kind === "dataset") void showGroups(host, description, store, events, signal);
}

/**
 * Shows groups below a dataset, such as those of a tree of datasets. If they cannot be listed, the
 * tree of contents says so.
 */
async function showGroups(
  host: HTMLElement,
  { path }: DatasetDescription,
  store: Hierarchy,
  events: NodePageEvents,
  signal: AbortSignal,
): Promise<void> {
  const { items } = await store.children(path).catch(() => ({ items: [] }));
  const groups = items.filter(({ kind }) => kind !== "array");
  if (signal.aborted || groups.length === 0) return;
  const buttons = groups
    .slice(0, ROWS)
    .map((one) => el("button", { type: "button", class: "ghost", onclick: () => events.open(one.path) }, one.name));
  host.append(section(`Groups (${formatCount(groups.length)})`, el("div", { class: "buttons" }, ...buttons)));
}

/** Lists the detected conventions. */
export function conventions({ conventions }: Described): HTMLElement | null {
  if (conventions.length === 0) return null;
  return el(
    "ul",
    { class: "chips", "aria-label": "Conventions" },
    ...conventions.map(({ name, version }) => el("li", { class: "chip" }, `${name}${version ? ` ${version}` : ""}`)),
  );
}

/** Lists the violations of conventions. */
export function problems({ problems }: Described): HTMLElement | null {
  if (problems.length === 0) return null;
  const many = problems.length > 3;
  return el(
    "details",
    { class: "problems", open: !many },
    el(
      "summary",
      {},
      `${problems.length} ${problems.length === 1 ? "thing is" : "things are"} not as the conventions require`,
    ),
    el(
      "ul",
      { class: "plain-list" },
      ...problems.slice(0, ROWS).map(({ path, message }) => el("li", {}, el("code", {}, path), ` ${message}`)),
    ),
  );
}

function dataset(
  it: DatasetDescription,
  store: Hierarchy,
  events: NodePageEvents,
  signal: AbortSignal,
): (HTMLElement | null)[] {
  // The stored type, as in the contents.
  const typeOf = ({ path, dtype }: Variable) =>
    el("td", { class: "cell" }, el("code", {}, store.known(path)?.dtype ?? dtype));
  const dimensions = section(
    "Dimensions",
    el(
      "ul",
      { class: "chips" },
      ...it.dimensions.map(({ name, length }) =>
        el("li", { class: "chip" }, el("b", {}, name), ` ${formatCount(length)}`),
      ),
    ),
  );
  const spans = new Map(it.coordinates.map(({ name }) => [name, [extentCell(), extentCell()] as const]));
  const coordinates = table(
    "Coordinates",
    ["Name", "Dimensions", "From", "To", "Units", "Type"],
    it.coordinates.map((one) => [
      nameCell(one, events),
      el("td", { class: "cell" }, one.dimensions.join(", ")),
      ...(spans.get(one.name) ?? []),
      el("td", { class: "cell" }, one.units),
      typeOf(one),
    ]),
  );
  const first = it.first?.value;
  const pictures: (readonly [path: string, canvas: HTMLCanvasElement])[] = [];
  const variables = table(
    "Variables",
    ["Picture", "Name", "Dimensions", "Units", "Chunks", "Type", "Size"],
    it.variables.map((one) => [
      pictureCell(one, pictures),
      nameCell(one, events, one.path === first),
      el("td", { class: "cell" }, sizes(one)),
      el("td", { class: "cell" }, one.units),
      el("td", { class: "cell" }, one.chunks.length > 0 ? formatShape(one.chunks) : ""),
      typeOf(one),
      el("td", { class: "cell number" }, one.bytes > 0 ? formatBytes(one.bytes) : ""),
    ]),
  );
  void readExtents(it, spans, signal);
  drawPictures(pictures, events, signal);
  return [it.dimensions.length > 0 ? dimensions : null, variables, coordinates];
}

const sizes = ({ dimensions, shape }: Variable): string =>
  dimensions.map((name, d) => `${name} ${formatCount(shape[d] ?? 0)}`).join(" × ") || "one value";

/**
 * Returns the cell of a thumbnail. It has no text, because the row's names and numbers describe the
 * array.
 */
function pictureCell({ path, shape }: Variable, pictures: (readonly [string, HTMLCanvasElement])[]): HTMLElement {
  const cell = el("td", { class: "thumb" });
  if (shape.length === 0 || shape.every((n) => n < 2)) return cell;
  const canvas = el("canvas", { width: 1, height: 1, "aria-hidden": "true" });
  pictures.push([path, canvas]);
  cell.append(canvas);
  return cell;
}

/** Draws pictures as they scroll into view, a few at once. */
function drawPictures(
  pictures: readonly (readonly [path: string, canvas: HTMLCanvasElement])[],
  events: NodePageEvents,
  signal: AbortSignal,
): void {
  const paths = new Map<Element, string>(pictures.map(([path, canvas]) => [canvas, path]));
  const draw = async (canvas: Element): Promise<void> => {
    if (!(canvas instanceof HTMLCanvasElement)) return;
    // The array's own page shows the error.
    const drawn = await events.thumbnail(paths.get(canvas) ?? "", canvas, signal).catch(() => false);
    // A row without a picture keeps its height, so that nothing moves.
    canvas.style.visibility = drawn ? "visible" : "hidden";
  };
  whenSeen(paths.keys(), PICTURES, draw, signal);
}

/** Returns the cell of an end of a coordinate that is still to be read. */
const extentCell = (): HTMLElement => el("td", { class: "cell extent", "aria-busy": "true" }, "…");

/** Reads the extents of coordinates, a few at once. */
async function readExtents(
  it: DatasetDescription,
  spans: ReadonlyMap<string, readonly [from: HTMLElement, to: HTMLElement]>,
  signal: AbortSignal,
): Promise<void> {
  const left = [...spans];
  const work = async (): Promise<void> => {
    for (let next = left.shift(); next && !signal.aborted; next = left.shift()) {
      const [name, [from, to]] = next;
      try {
        const extent = await it.extent(name, signal);
        from.textContent = extent?.first ?? "";
        to.textContent = extent?.last ?? "";
      } catch (error) {
        if (signal.aborted) return;
        from.textContent = "not readable";
        from.title = error instanceof Error ? error.message : String(error);
        to.textContent = "";
      }
      busy(from, false);
      busy(to, false);
    }
  };
  await Promise.all(Array.from({ length: EXTENTS }, work));
}

function nameCell(one: Variable, events: NodePageEvents, first = false): HTMLElement {
  return el(
    "th",
    { scope: "row", class: "row-name" },
    el("button", { type: "button", class: "link", onclick: () => events.open(one.path) }, one.name),
    first ? el("span", { class: "badge" }, "shown first") : null,
    one.title && one.title !== one.name ? el("span", { class: "muted small block" }, one.title) : null,
  );
}

function members(it: GroupDescription, store: Hierarchy, events: NodePageEvents): HTMLElement {
  const list = it.members;
  if (list === null)
    return el(
      "p",
      { class: "muted" },
      "The store does not list this group: it has no consolidated metadata, and its server does not list. Type the path of a node under the contents.",
    );
  if (list.length === 0) return el("p", { class: "muted" }, "This group is empty.");
  const rows = list.map(({ path, kind }) => {
    const array = store.known(path);
    return [
      el(
        "th",
        { scope: "row", class: "row-name" },
        icon(kind),
        " ",
        el("button", { type: "button", class: "link", onclick: () => events.open(path) }, nameIn(it.path, path)),
      ),
      el("td", { class: "cell" }, kind === "unknown" ? "" : kind === "group" ? "Group" : "Array"),
      el("td", { class: "cell" }, array ? formatShape(array.shape) : ""),
      el("td", { class: "cell" }, array ? formatShape(array.chunks) : ""),
      el("td", { class: "cell" }, array ? el("code", {}, array.dtype) : null),
    ];
  });
  return table("Members", ["Name", "Kind", "Shape", "Chunks", "Type"], rows) ?? el("p", {}, "Empty");
}

const nameIn = (group: string, path: string): string =>
  path.startsWith(group === "/" ? "/" : `${group}/`) ? path.slice(group === "/" ? 1 : group.length + 1) : path;

/** Formats attributes: texts as text, addresses as links, others as JSON. */
export function attributes(attrs: Readonly<Record<string, unknown>>): HTMLElement | null {
  const entries = Object.entries(attrs).filter(([name]) => name !== "_ARRAY_DIMENSIONS");
  if (entries.length === 0) return null;
  return section(
    "Attributes",
    el(
      "dl",
      { class: "facts wide" },
      ...entries
        .slice(0, ROWS)
        .map(([name, value]) => el("div", {}, el("dt", {}, name), el("dd", {}, attribute(value)))),
    ),
  );
}

function attribute(value: unknown): HTMLElement | string {
  if (typeof value === "string") {
    if (/^https?:\/\/\S+$/.test(value))
      return el("a", { href: value, rel: "noopener noreferrer", target: "_blank" }, value);
    return value.length > 1000 ? folded(value, `${value.slice(0, 160)}…`) : value;
  }
  const text = prettyJson(value);
  return text.includes("\n") ? folded(text, text.replace(/\s+/g, " ").slice(0, 90)) : text;
}

function folded(text: string, short: string): HTMLElement {
  return el(
    "details",
    {},
    el("summary", {}, el("code", {}, short)),
    el("pre", { tabindex: 0, role: "region", "aria-label": "Value" }, text),
  );
}

function section(title: string, ...children: HTMLElement[]): HTMLElement {
  return el("section", { "aria-label": title }, el("h3", { class: "section-title" }, title), ...children);
}

/** Returns a table that scrolls inside its own box, so that it never widens the page. */
function table(title: string, head: readonly string[], rows: readonly HTMLElement[][]): HTMLElement | null {
  if (rows.length === 0) return null;
  const body = el("tbody", {}, ...rows.slice(0, ROWS).map((cells) => el("tr", {}, ...cells)));
  const all = section(
    `${title} (${formatCount(rows.length)})`,
    el(
      "div",
      { class: "table-scroll", tabindex: 0, role: "region", "aria-label": title },
      el("table", {}, el("thead", {}, el("tr", {}, ...head.map((name) => el("th", { scope: "col" }, name)))), body),
    ),
  );
  if (rows.length > ROWS) {
    const more = el("button", { type: "button" }, `Show all ${formatCount(rows.length)}`);
    more.addEventListener("click", () => {
      body.append(...rows.slice(ROWS).map((cells) => el("tr", {}, ...cells)));
      more.remove();
    });
    all.append(more);
  }
  return all;
}
