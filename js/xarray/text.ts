// Formats datasets and their variables as text and as HTML, in the style of xarray.

/** The members of a DataArray that are printed. */
interface PrintedArray {
  readonly name: string;
  readonly dims: readonly string[];
  readonly shape: readonly number[];
  readonly size: number;
  readonly dtype: string;
  readonly isIndex: boolean;
  readonly attrs: Record<string, unknown>;
  readonly encoding: { readonly calendar?: unknown };
  readonly coords: ReadonlyMap<string, PrintedArray>;
  readonly array: {
    readonly dtype: string;
    readonly chunks: readonly number[];
    readonly type: { readonly size: number };
  };
}

/** The members of a Dataset that are printed. */
interface PrintedDataset {
  readonly path: string;
  readonly sizes: Record<string, number>;
  readonly coords: ReadonlyMap<string, PrintedArray>;
  readonly dataVars: ReadonlyMap<string, PrintedArray>;
  readonly groups: readonly string[];
  readonly attrs: Record<string, unknown>;
  readonly problems: readonly string[];
}

/** The most characters shown of a value. */
const width = 60;

const cut = (text: string) => (text.length > width ? `${text.slice(0, width - 1)}…` : text);

/** An attribute value on one line. */
function valueText(value: unknown): string {
  let text: string | undefined;
  if (typeof value === "string") text = value;
  else {
    text = JSON.stringify(value, (_, v) => {
      if (typeof v === "bigint" || (typeof v === "number" && !Number.isFinite(v))) return String(v);
      return v;
    });
  }
  return cut((text ?? String(value)).replace(/[\s\p{Cc}]+/gu, " "));
}

/** A name on one line. */
const nameText = (name: string) => cut(name.replace(/[\s\p{Cc}]+/gu, " "));

/** The displayed type, with the calendar of times. */
function typeText({ dtype, encoding }: PrintedArray): string {
  const { calendar } = encoding;
  return dtype === "time" && typeof calendar === "string" ? `time[${nameText(calendar)}]` : dtype;
}

function sizeText(bytes: number): string {
  const units = ["B", "kB", "MB", "GB", "TB", "PB"];
  let [size, i] = [bytes, 0];
  while (size >= 1000 && i < units.length - 1) [size, i] = [size / 1000, i + 1];
  return `${size < 10 && i > 0 ? size.toFixed(1) : Math.round(size)}${units[i]}`;
}

const widths: Record<string, number> = { time: 8, timedelta: 8, bool: 1 };

/** The decoded size in bytes; 0 for strings, whose size varies. */
function bytesOf({ dtype, size, array }: PrintedArray): number {
  const bits = /^(?:u?int|float)(\d+)$/.exec(dtype)?.[1];
  const each = bits ? Number(bits) / 8 : (widths[dtype] ?? (dtype === array.dtype ? array.type.size : 0));
  return size * each;
}

const dimsText = (dims: readonly string[], shape: readonly number[]) =>
  `(${dims.map((name, i) => `${nameText(name)}: ${shape[i]}`).join(", ")})`;

const marked = (name: string, { isIndex }: PrintedArray) => `  ${isIndex ? "*" : " "} ${nameText(name)}`;

/** The widest marked name of the variables. */
const widest = (...all: ReadonlyMap<string, PrintedArray>[]) =>
  Math.max(0, ...all.flatMap((variables) => [...variables].map(([name, one]) => marked(name, one).length)));

/** Formats one line per variable, aligned after the names. */
function lines(variables: ReadonlyMap<string, PrintedArray>, column: number): string {
  const rows = [...variables].map(([name, one]) => {
    const bytes = bytesOf(one);
    const about = [`(${one.dims.map(nameText).join(", ")})`, typeText(one), bytes > 0 ? sizeText(bytes) : "", "..."];
    return `${marked(name, one).padEnd(column)}  ${about.filter(Boolean).join(" ")}\n`;
  });
  return rows.join("");
}

function attributeLines(attrs: Record<string, unknown>): string {
  const names = Object.keys(attrs);
  if (names.length === 0) return "";
  const column = Math.max(...names.map((name) => nameText(name).length)) + 1;
  const line = (name: string) => `    ${`${nameText(name)}:`.padEnd(column)}  ${valueText(attrs[name])}\n`;
  return `Attributes:\n${names.map(line).join("")}`;
}

const section = (title: string, text: string) => (text ? `${title}:\n${text}` : "");

/** A dataset as text. */
export function datasetText(ds: PrintedDataset): string {
  const { coords, dataVars } = ds;
  const bytes = [...coords.values(), ...dataVars.values()].reduce((sum, one) => sum + bytesOf(one), 0);
  const column = widest(coords, dataVars);
  const sizes = Object.entries(ds.sizes);
  const dims = dimsText(
    sizes.map(([name]) => name),
    sizes.map(([, size]) => size),
  );
  const text = [
    `<Dataset ${ds.path}> Size: ${sizeText(bytes)}\n`,
    `Dimensions:  ${dims}\n`,
    section("Coordinates", lines(coords, column)),
    section("Data variables", lines(dataVars, column) || "    *empty*\n"),
    section("Groups", ds.groups.map((name) => `    ${nameText(name)}\n`).join("")),
    attributeLines(ds.attrs),
    section("Problems", ds.problems.map((problem) => `    ${valueText(problem)}\n`).join("")),
  ];
  return text.join("").trimEnd();
}

/** A variable as text. */
export function arrayText(array: PrintedArray): string {
  const { name, dims, shape, size, coords, attrs } = array;
  const { dtype, chunks } = array.array;
  const text = [
    `<DataArray ${nameText(name)} ${dimsText(dims, shape)}> ${typeText(array)}\n`,
    `[${size} values, stored as ${dtype} in chunks of (${chunks.join(", ")})]\n`,
    section("Coordinates", lines(coords, widest(coords))),
    attributeLines(attrs),
  ];
  return text.join("").trimEnd();
}

// All data must pass through `escaped` before they enter HTML.
const escapes: Record<string, string> = { "&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;", "'": "&#39;" };
const escaped = (text: string) => text.replace(/[&<>"']/g, (c) => escapes[c] as string);

const style =
  "font:13px/1.5 system-ui,sans-serif;overflow:auto;border:1px solid #8884;border-radius:4px;padding:.5em .75em;max-width:60em";
const cell = 'style="padding:0 1em 0 0;text-align:left;vertical-align:top;font-weight:normal"';

const table = (rows: string[][]) =>
  `<table style="border-collapse:collapse;margin:0 0 .25em 1.25em">${rows
    .map((row) => `<tr>${row.map((html) => `<td ${cell}>${html}</td>`).join("")}</tr>`)
    .join("")}</table>`;

const folded = (title: string, count: number, body: string, open: boolean) =>
  count === 0
    ? ""
    : `<details${open ? " open" : ""}><summary>${escaped(title)} <small>(${count})</small></summary>${body}</details>`;

const attributesHtml = (attrs: Record<string, unknown>) =>
  folded(
    "Attributes",
    Object.keys(attrs).length,
    table(Object.entries(attrs).map(([name, value]) => [escaped(nameText(name)), escaped(valueText(value))])),
    false,
  );

function variableRows(variables: ReadonlyMap<string, PrintedArray>): string[][] {
  return [...variables].map(([name, one]) => {
    const shown = escaped(nameText(name));
    const about = `${escaped(`(${one.dims.map(nameText).join(", ")})`)}`;
    const names = Object.keys(one.attrs).length;
    return [
      one.isIndex ? `<b>${shown}</b>` : shown,
      about,
      escaped(typeText(one)),
      escaped(one.shape.join(" × ")),
      names > 0 ? attributesHtml(one.attrs) : "",
    ];
  });
}

const block = (title: string, body: string) =>
  `<div style="${style}"><div style="margin:0 0 .5em"><b>${title}</b></div>${body}</div>`;

const variablesHtml = (title: string, of: ReadonlyMap<string, PrintedArray>) =>
  folded(title, of.size, table(variableRows(of)), true);

/** A dataset as HTML. */
export function datasetHtml(ds: PrintedDataset): string {
  const sizes = Object.entries(ds.sizes).map(([name, size]) => `${nameText(name)}: ${size}`);
  const list = (texts: readonly string[]) => table(texts.map((text) => [escaped(valueText(text))]));
  const parts = [
    `<div>Dimensions: ${escaped(sizes.join(", "))}</div>`,
    variablesHtml("Coordinates", ds.coords),
    variablesHtml("Data variables", ds.dataVars),
    folded("Groups", ds.groups.length, list(ds.groups), false),
    attributesHtml(ds.attrs),
    folded("Problems", ds.problems.length, list(ds.problems), true),
  ];
  return block(`Dataset ${escaped(nameText(ds.path))}`, parts.join(""));
}

/** A variable as HTML. */
export function arrayHtml(array: PrintedArray): string {
  const { name, dims, shape, coords, attrs } = array;
  const stored = `stored as ${array.array.dtype} in chunks of (${array.array.chunks.join(", ")})`;
  const parts = [
    `<div>${escaped(`${dimsText(dims, shape)} ${typeText(array)}, ${stored}`)}</div>`,
    variablesHtml("Coordinates", coords),
    attributesHtml(attrs),
  ];
  return block(`DataArray ${escaped(nameText(name))}`, parts.join(""));
}
