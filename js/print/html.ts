import type { ZarrArray } from "../api/array.js";
import type { Group, Tree } from "../api/group.js";
import { isTree, lineOf, type Printable, printsItself, rowsOf } from "./describe.js";
import { escaped } from "./escape.js";
import { sketch } from "./sketch.js";
import { toText } from "./text.js";
import { lineText, valueText } from "./values.js";

/** The maximum of shown attributes of a node, nodes of a tree, and characters of a value. */
const maxAttributes = 100;
const maxNodes = 500;
const maxValue = 400;

// Styles are inline, because some notebooks remove style sheets. Colours are those of the page.
const line = "1px solid rgba(128,128,128,.25)";
const box = `font:13px/1.45 system-ui,sans-serif;color:inherit;text-align:left;border:${line};border-radius:6px;padding:.6em .8em;box-sizing:border-box;max-width:100%`;
const label = "font-weight:600;text-align:left;vertical-align:top;padding:.05em 1em .05em 0;white-space:nowrap";
const value =
  "text-align:left;padding:.05em 0;overflow-wrap:anywhere;unicode-bidi:isolate;font-family:ui-monospace,monospace";
const plain = "background:none;border:0;color:inherit";

/**
 * Returns an array, a group or a tree as HTML for a notebook: its description, a drawing of its
 * chunks, and its folded attributes. A tree's nodes are folded, too. It is one element without a
 * script; its colours are the page's, light or dark. All texts are escaped. It shows at most 100
 * attributes, 400 characters of a value and 500 nodes of a tree; a note reports omissions. It sends
 * no request to the store. An object that prints itself, such as a dataset, returns its own HTML.
 *
 * @example
 * element.innerHTML = toHTML(await open("https://example.org/climate.zarr/t2m"));
 */
export function toHTML(source: Printable): string {
  if (printsItself(source)) return source.toHTML();
  const inner = isTree("toHTML", source) ? treeHTML(source, { left: maxNodes }, true) : nodeHTML(source, true);
  return `<div class="zarr" style="${box}">${inner}</div>`;
}

/**
 * Returns an array, a group or a tree as the MIME bundle that Jupyter's kernels display:
 * `text/plain` and `text/html`.
 *
 * @example
 * display(mimeBundle(array), { raw: true });
 */
export function mimeBundle(source: Printable): { "text/plain": string; "text/html": string } {
  return { "text/plain": toText(source), "text/html": toHTML(source) };
}

const table = (rows: readonly (readonly [string, string])[]) =>
  `<table style="border-collapse:collapse;margin:0;font:inherit;${plain}"><tbody>${rows
    .map(
      ([name, text]) =>
        `<tr style="${plain}"><th scope="row" style="${label};${plain}">${escaped(name)}</th><td style="${value};${plain}">${escaped(text)}</td></tr>`,
    )
    .join("")}</tbody></table>`;

const folded = (summary: string, inner: string, open = false) =>
  `<details${open ? " open" : ""} style="margin:.2em 0"><summary style="cursor:pointer">${summary}</summary><div style="margin:.1em 0 .3em 1.1em">${inner}</div></details>`;

function nodeHTML(node: Group | ZarrArray, drawn: boolean): string {
  const drawing = drawn && node.kind === "array" ? sketch(node) : "";
  const about = `<div style="display:flex;flex-wrap:wrap;gap:.5em 2em;align-items:center"><div style="flex:1 1 22em;min-width:0">${table(rowsOf(node))}</div>${drawing}</div>`;
  return about + attributesHTML(node.attrs);
}

function attributesHTML(attributes: Record<string, unknown>): string {
  const names = Object.keys(attributes);
  if (names.length === 0) return "";
  const rows = names
    .slice(0, maxAttributes)
    .map((name) => [valueText(name, 80), valueText(attributes[name], maxValue)] as const);
  const rest = names.length - rows.length;
  return folded(`Attributes (${names.length})`, table(rows) + (rest > 0 ? note(`and ${rest} more`) : ""));
}

const note = (text: string) => `<div style="opacity:.7">… ${escaped(text)}</div>`;

/** Returns a node and the nodes below it. `room` counts the nodes that may still be shown. */
function treeHTML({ name, node, children }: Tree, room: { left: number }, root = false): string {
  room.left--;
  const summary = `<b>${escaped(valueText(lineText(name || "/"), 80))}</b> ${escaped(lineOf(node))}`;
  const own = "how" in node ? "" : nodeHTML(node, root);
  if (node.kind === "array") return folded(summary, own);
  const below: string[] = [];
  for (const [i, child] of children.entries()) {
    if (room.left <= 0) {
      below.push(note(`${children.length - i} more here`));
      break;
    }
    below.push(treeHTML(child, room));
  }
  return folded(summary, (root ? own : own && folded("About", own)) + below.join(""), root);
}
