// A table of a node's metadata, with the documents below it.

import type { Description } from "zarr-wasm/describe";
import { redact } from "../../js/platform/redact.js";
import { copyText, el, fill, icon } from "./dom.js";
import { formatBytes, formatCount, formatShape, prettyJson, product, valueText } from "./format.js";
import { attributes, conventions, problems } from "./nodepage.js";
import { type ArrayNode, isArray, type Node } from "./store.js";

/** Shows a node in the panel. Its description is added once it is known. */
export function showMetadata(host: HTMLElement, node: Node, url: string): void {
  const rows: [string, globalThis.Node | string][] = [];
  const row = (name: string, value: globalThis.Node | string | null): void => {
    if (value !== null && value !== "") rows.push([name, value]);
  };
  row("Kind", isArray(node) ? "Array" : "Group");
  row("Zarr version", String(node.format));
  if (isArray(node)) arrayRows(node, row);
  else row("Consolidated", node.consolidated ? "yes" : "no");
  const parts: (globalThis.Node | null)[] = [el("div", { id: "understood" }), facts(rows, "metadata")];
  parts.push(attributes(node.attrs) ?? el("p", { class: "muted small" }, "No attributes."));
  for (const [name, bytes] of Object.entries(node.documents)) {
    parts.push(section(name, new TextDecoder().decode(bytes), false, "document"));
  }
  if (url !== "") parts.push(copyButton("Copy address", () => joinAddress(redact(url), node.path)));
  fill(host, ...parts);
}

/**
 * Shows the description of a node, with the origin of each fact: stated by its metadata, or guessed
 * by a rule.
 */
export function showUnderstood(host: HTMLElement, described: Description, shown: Description): void {
  const rows: [string, globalThis.Node | string][] = [];
  const row = (name: string, { value, by, why }: { value: string; by: string; why: string }): void => {
    if (value !== "")
      rows.push([
        name,
        el("span", { title: `${by}: ${why}` }, value, el("span", { class: "muted small block" }, `${by}: ${why}`)),
      ]);
  };
  row("Title", described.title);
  if (shown.kind === "array" || shown.kind === "image") {
    const { field } = shown;
    const { x, y } = field.plane.value;
    const name = (d: number | null): string => (d === null ? "" : (field.axes[d]?.name ?? ""));
    if (x !== null) row("Drawn", { ...field.plane, value: y === null ? name(x) : `${name(y)} by ${name(x)}` });
    for (const { name, role } of field.axes) row(`Axis ${name}`, role);
    if (field.units) rows.push(["Units", field.units]);
    if (field.levels.length > 1)
      rows.push(["Levels", field.levels.map(({ array }) => formatShape(array.shape)).join(", ")]);
    if (field.packing.scale !== 1 || field.packing.offset !== 0)
      rows.push(["Value", `stored × ${field.packing.scale} + ${field.packing.offset}`]);
    if (field.packing.missing.length > 0) rows.push(["Missing", field.packing.missing.join(", ")]);
    row("Colours", field.scale);
    if (field.place?.crs) rows.push(["Reference system", field.place.crs]);
  }
  fill(host, conventions(described), problems(described), rows.length > 0 ? facts(rows, "understood") : null);
}

function facts(rows: readonly (readonly [string, globalThis.Node | string])[], testid: string): HTMLElement {
  return el(
    "dl",
    { class: "facts", "data-testid": testid },
    ...rows.map(([name, value]) => el("div", {}, el("dt", {}, name), el("dd", {}, value))),
  );
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
  const shard = array.codecs.find((c) => c.configuration?.index_codecs);
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
      el("pre", { tabindex: 0, role: "region", "aria-label": title }, shown),
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
