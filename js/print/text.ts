import { isTree, type Printable, printsItself, type Row, rowsOf } from "./describe.js";

/**
 * What an array or group is, as text, in the way of zarr-python's `info`: one line for each property. Of a tree, what its root
 * is and the drawing. Nothing is asked of the store.
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
