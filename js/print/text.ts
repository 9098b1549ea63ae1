import { isTree, type Printable, printsItself, type Row, rowsOf } from "./describe.js";

/**
 * Returns an array's or group's description as text, in the style of zarr-python's `info`: one line
 * for each property. For a tree, returns its root's description and the drawing. It sends no
 * request to the store.
 *
 * @example
 * console.log(toText(await open("https://example.org/climate.zarr/t2m")));
 */
export function toText(source: Printable): string {
  if (printsItself(source)) return String(source);
  if (!isTree("toText", source)) return linesOf(rowsOf(source));
  const { node } = source;
  return "how" in node ? String(source) : `${linesOf(rowsOf(node))}\n\n${source}`;
}

function linesOf(rows: readonly Row[]): string {
  const width = Math.max(...rows.map(([label]) => label.length));
  return rows.map(([label, text]) => `${label.padEnd(width)} : ${text}`).join("\n");
}
