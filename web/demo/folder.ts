// The front page of a served folder: a card for each hierarchy. The server lists them in
// hierarchies.json.

import type { Description } from "zarr-wasm/describe";
import { byId, el, fill, icon } from "./dom.js";
import { formatBytes, formatCount, formatShape, kindNames } from "./format.js";
import { drawThumbnail } from "./picture.js";
import { whenSeen } from "./seen.js";
import { Hierarchy } from "./store.js";

/** The answer of a server for a folder. */
interface Served {
  /** The folder's name. */
  readonly name: string;
  /** False if the folder has more than the list. */
  readonly complete: boolean;
  readonly hierarchies: readonly { readonly name: string; readonly page: string }[];
}

interface Card {
  readonly item: HTMLElement;
  readonly name: string;
  /** The address of the hierarchy. */
  readonly url: string;
  readonly picture: HTMLElement;
  readonly title: HTMLElement;
  readonly facts: HTMLElement;
}

/** The concurrent readings of hierarchies. */
const READINGS = 3;
/** The size of a thumbnail, in CSS pixels. */
const SIZE = 96;

const count = byId("count", HTMLParagraphElement);
const filter = byId("filter", HTMLInputElement);
const list = byId("list", HTMLUListElement);

try {
  show(await served());
} catch (error) {
  count.textContent = `The list cannot be read: ${error instanceof Error ? error.message : String(error)}`;
}

async function served(): Promise<Served> {
  const response = await fetch("./hierarchies.json");
  if (!response.ok) throw new Error(`the server answers with status ${response.status}`);
  return (await response.json()) as Served;
}

function show({ name, complete, hierarchies }: Served): void {
  document.title = `${name} – Zarr viewer`;
  byId("title", HTMLHeadingElement).textContent = name;
  const within = ({ name: path, page }: Served["hierarchies"][number]): Card =>
    cardOf({ name: path.startsWith(`${name}/`) ? path.slice(name.length + 1) : path, page });
  const cards = hierarchies.map(within);
  fill(list, ...cards.map(({ item }) => item));
  const filtered = (): void => {
    const text = filter.value.trim().toLowerCase();
    for (const { item, name } of cards) item.hidden = !name.toLowerCase().includes(text);
    const shown = cards.filter(({ item }) => !item.hidden).length;
    const all = `${formatCount(cards.length)} datasets`;
    const more = complete ? "" : ". The folder has more than this list.";
    count.textContent = `${shown === cards.length ? all : `${formatCount(shown)} of ${all}`}${more}`;
  };
  filter.addEventListener("input", filtered);
  filtered();
  const byItem = new Map<Element, Card>(cards.map((card) => [card.item, card]));
  const leaving = new AbortController();
  window.addEventListener("pagehide", () => leaving.abort());
  const read = (item: Element): Promise<void> => {
    const card = byItem.get(item);
    return card ? describeIn(card, leaving.signal) : Promise.resolve();
  };
  whenSeen(byItem.keys(), READINGS, read, leaving.signal);
}

function cardOf({ name, page }: Served["hierarchies"][number]): Card {
  const address = new URLSearchParams(page.slice(page.indexOf("#") + 1)).get("url") ?? "";
  const picture = el("span", { class: "picture", "aria-hidden": "true" }, icon("group"));
  const title = el("small", {});
  const facts = el("small", {}, "…");
  const link = el("a", { href: `./${page}` }, picture, el("div", {}, el("b", {}, name), title, facts));
  return { item: el("li", {}, link), name, url: new URL(address, document.baseURI).href, picture, title, facts };
}

/** Fills a card with the title, kind, size and thumbnail of its hierarchy. */
async function describeIn({ url, picture, title, facts }: Card, signal: AbortSignal): Promise<void> {
  try {
    const hierarchy = new Hierarchy(url);
    const node = await hierarchy.node(await hierarchy.start(), signal);
    const it = await hierarchy.described(node, signal);
    const named = it.title.value;
    title.textContent = named === node.path || url.includes(`/${named}.`) ? "" : named;
    facts.textContent = [kindNames[it.kind], ...factsOf(it)].join(" · ");
    if (it.kind === "array") fill(picture, icon("array"));
    const shown = await hierarchy.firstNode(node.path, signal);
    if (shown === null) return;
    const drawn = shown === node.path ? it : await hierarchy.described(await hierarchy.node(shown, signal), signal);
    const canvas = el("canvas", { width: 1, height: 1 });
    if (await drawThumbnail(drawn, canvas, signal, SIZE)) fill(picture, canvas);
  } catch (error) {
    if (signal.aborted) return;
    facts.textContent = `Not readable: ${error instanceof Error ? error.message : String(error)}`;
  }
}

function factsOf(it: Description): string[] {
  switch (it.kind) {
    case "array":
    case "image": {
      const { array } = it.field.levels[0] ?? {};
      return array ? [formatShape(array.shape), array.dtype] : [];
    }
    case "dataset": {
      const bytes = it.variables.reduce((sum, { bytes }) => sum + bytes, 0);
      return [counted(it.variables.length, "variable"), formatBytes(bytes)];
    }
    case "plate":
      return [counted(it.wells.length, "well")];
    case "table":
      return [counted(it.length, "row"), counted(it.columns.length, "column")];
    case "group":
      return it.members ? [counted(it.members.length, "member")] : [];
  }
}

const counted = (n: number, one: string): string => `${formatCount(n)} ${one}${n === 1 ? "" : "s"}`;
