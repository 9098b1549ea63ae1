// What the metadata says about a node, as a table, with the documents themselves below.

import { copyText, el, fill, icon } from "./dom.js";
import { formatBytes, formatCount, formatShape, prettyJson, product } from "./format.js";
import { type ArrayNode, isArray, type Node } from "./store.js";
import { valueText } from "./values.js";

/** Shows a node in the panel. */
export function showMetadata(host: HTMLElement, node: Node, url: string): void {
  const rows: [string, globalThis.Node | string][] = [];
  const row = (name: string, value: globalThis.Node | string | null): void => {
    if (value !== null && value !== "") rows.push([name, value]);
  };
  row("Kind", isArray(node) ? "Array" : "Group");
  row("Zarr version", String(node.format));
  if (isArray(node)) arrayRows(node, row);
  else row("Consolidated", node.consolidated ? "yes" : "no");

  const table = el("dl", { class: "facts", "data-testid": "metadata" });
  for (const [name, value] of rows) {
    table.append(el("div", {}, el("dt", {}, name), el("dd", {}, value)));
  }
  const parts: globalThis.Node[] = [table];

  const attributes = Object.keys(node.attrs).length;
  if (attributes > 0) {
    parts.push(section(`Attributes (${formatCount(attributes)})`, prettyJson(node.attrs), true, "attributes"));
  } else {
    parts.push(el("p", { class: "muted small" }, "No attributes."));
  }
  const documents = Object.entries(node.documents);
  for (const [name, bytes] of documents) {
    parts.push(section(name, new TextDecoder().decode(bytes), false, "document"));
  }
  parts.push(copyButton("Copy address", () => joinAddress(url, node.path)));
  fill(host, ...parts);
}

function arrayRows(array: ArrayNode, row: (name: string, value: globalThis.Node | string | null) => void): void {
  const { shape, chunks } = array;
  row("Shape", `${formatShape(shape)}`);
  row(
    "Chunks",
    `${formatShape(chunks)}${array.chunkGrid.name === "regular" ? "" : ` (${array.chunkGrid.name}, the longest)`}`,
  );
  const shards = shardShape(array);
  if (shards) row("Shards", shards);
  row("Data type", typeName(array));
  row("Fill value", fillText(array));
  const names = array.dimensionNames;
  row("Dimensions", names ? names.map((n) => n ?? "–").join(", ") : "not named");
  row("Codecs", codecList(array));
  if (array.order) row("Order", array.order);
  row("Chunk keys", `${array.chunkKeyEncoding.name}, separated by “${array.chunkKeyEncoding.separator}”`);
  const count = array.nchunks;
  row("Number of chunks", Number.isFinite(count) ? formatCount(count) : "more than can be counted");
  const elements = product(shape);
  row("Elements", Number.isFinite(elements) ? formatCount(elements) : "more than can be counted");
  row("Decoded size", array.type.size > 0 ? formatBytes(elements * array.type.size) : "depends on the values");
}

function typeName(array: ArrayNode): string {
  const { type } = array;
  const unit = type.unit ? ` [${type.scale && type.scale !== 1 ? `${type.scale} ` : ""}${type.unit}]` : "";
  const fields = type.fields ? ` { ${type.fields.map((f) => `${f.name}: ${f.type.name}`).join(", ")} }` : "";
  const size = type.size > 0 ? ` · ${formatBytes(type.size)} each` : "";
  return `${array.dtype}${unit}${fields}${size}`;
}

function fillText(array: ArrayNode): string {
  try {
    const value = array.fillValue;
    return value === null ? "undefined" : valueText(value);
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
}

function shardShape(array: ArrayNode): string | null {
  const shard = array.codecs.find((c) => c.name === "sharding_indexed");
  const inner = shard?.configuration?.chunk_shape;
  return Array.isArray(inner) && inner.every((n) => typeof n === "number")
    ? `inner chunks of ${formatShape(inner)}`
    : null;
}

function codecList(array: ArrayNode): globalThis.Node {
  if (array.codecs.length === 0) return el("span", { class: "muted" }, "none");
  const list = el("ol", { class: "codecs" });
  for (const codec of array.codecs) {
    const settings = Object.entries(codec.configuration ?? {})
      .map(([name, value]) => `${name}: ${prettyJson(value).replace(/\s*\n\s*/g, " ")}`)
      .join(", ");
    const short = settings.length > 160 ? `${settings.slice(0, 159)}…` : settings;
    list.append(
      el("li", {}, el("code", {}, codec.name), short ? el("span", { class: "muted small" }, ` ${short}`) : null),
    );
  }
  return list;
}

function section(title: string, text: string, isOpen: boolean, testid: string): HTMLElement {
  const limit = 200_000;
  const shown = text.length > limit ? `${text.slice(0, limit)}\n… cut here; the copy is complete` : text;
  return el(
    "details",
    { class: "document", open: isOpen, "data-testid": testid },
    el("summary", {}, title),
    el(
      "div",
      { class: "document-body" },
      copyButton("Copy", () => text),
      el("pre", { tabindex: 0, "aria-label": title }, shown),
    ),
  );
}

function copyButton(label: string, text: () => string): HTMLButtonElement {
  const button = el("button", { type: "button", class: "ghost copy" }, icon("copy"), el("span", {}, label));
  button.addEventListener("click", () => void copyText(text(), button));
  return button;
}

function joinAddress(url: string, path: string): string {
  const at = url.indexOf("?");
  const base = at < 0 ? url : url.slice(0, at);
  const query = at < 0 ? "" : url.slice(at);
  const encoded = path
    .split("/")
    .filter((s) => s !== "")
    .map((s) => `/${encodeURIComponent(s)}`)
    .join("");
  return base.replace(/\/+$/, "") + encoded + query;
}
