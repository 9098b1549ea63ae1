// What the page's own address holds, so that a link shows the same picture.

import { COLORMAPS, type ColormapName, isColormap } from "./colormap.js";
import { joinPath } from "./url.js";

export interface ViewState {
  /** What was asked to be opened, as written by the person or the link; empty: the sample. */
  url: string;
  /** Path of the node; empty: the page chooses. */
  node: string;
  /** One index a dimension; those of the drawn dimensions are kept but not used. Null: the page chooses. */
  indices: number[] | null;
  /** Dimensions drawn to the right and downwards. Null: the last two. */
  axes: { x: number; y: number } | null;
  colormap: ColormapName;
  /** Whether the first row is at the bottom. Null: the page chooses by the coordinates. */
  flip: boolean | null;
  /** The field of a struct that is drawn; empty: the first. */
  field: string;
}

export interface Parsed {
  state: ViewState;
  /** What could not be understood, one sentence each. */
  problems: string[];
  /** Which part of the address held the state, to write it back to the same place. */
  place: "query" | "hash";
}

export function emptyState(): ViewState {
  return { url: "", node: "", indices: null, axes: null, colormap: "viridis", flip: null, field: "" };
}

const KNOWN = ["url", "node", "i", "axes", "cmap", "flip", "field"];
const MAX_RANK = 64;

/** Reads the state of an address; never throws. The hash wins over the query where both say something. */
export function parseState(search: string, hash: string): Parsed {
  const state = emptyState();
  const problems: string[] = [];
  const fromHash = fields(hash.replace(/^#/, ""), problems);
  const fromQuery = fields(search.replace(/^\?/, ""), problems);
  const inHash = KNOWN.some((name) => fromHash.has(name));
  const read = (name: string): string | null => fromHash.get(name) ?? fromQuery.get(name) ?? null;

  state.url = read("url") ?? "";
  const node = read("node");
  if (node !== null && node !== "") state.node = joinPath("/", node);
  const indices = read("i");
  if (indices !== null && indices !== "") {
    const list = integers(indices);
    if (list) state.indices = list;
    else problems.push(`The indices in the address are not a list of whole numbers: i=${clip(indices)}`);
  }
  const axes = read("axes");
  if (axes !== null && axes !== "") {
    const list = integers(axes);
    const [y, x] = list ?? [];
    if (list?.length === 2 && x !== undefined && y !== undefined && x !== y) state.axes = { x, y };
    else problems.push(`The axes in the address are not two different dimensions: axes=${clip(axes)}`);
  }
  const colormap = read("cmap");
  if (colormap !== null && colormap !== "") {
    if (isColormap(colormap)) state.colormap = colormap;
    else
      problems.push(
        `The colours in the address are unknown: cmap=${clip(colormap)}. There are ${Object.keys(COLORMAPS).join(", ")}.`,
      );
  }
  const flip = read("flip");
  if (flip !== null && flip !== "") {
    if (flip === "1" || flip === "0") state.flip = flip === "1";
    else problems.push(`“flip” in the address is neither 0 nor 1: ${clip(flip)}`);
  }
  state.field = read("field") ?? "";
  return { state, problems, place: inHash ? "hash" : "query" };
}

/** Writes the state as the text after "?" or "#"; what is left at its default is left out. */
export function formatState(state: ViewState): string {
  const parts: string[] = [];
  const put = (name: string, value: string): void => {
    if (value !== "") parts.push(`${name}=${encode(value)}`);
  };
  put("url", state.url);
  put("node", state.node);
  if (state.indices && state.indices.length > 0) put("i", state.indices.join(","));
  if (state.axes) put("axes", `${state.axes.y},${state.axes.x}`);
  if (state.colormap !== "viridis") put("cmap", state.colormap);
  if (state.flip !== null) put("flip", state.flip ? "1" : "0");
  put("field", state.field);
  return parts.join("&");
}

/** Percent-encodes a value but leaves what is harmless in a query and a hash readable. */
function encode(value: string): string {
  let out: string;
  try {
    out = encodeURIComponent(value);
  } catch {
    // A lone surrogate in a name has no encoding; U+FFFD at least gives a link.
    out = encodeURIComponent(value.replace(/[\ud800-\udfff]/g, "\ufffd"));
  }
  return out.replace(/%2F/g, "/").replace(/%3A/g, ":").replace(/%2C/g, ",");
}

function fields(text: string, problems: string[]): Map<string, string> {
  const out = new Map<string, string>();
  for (const part of text.split("&")) {
    const at = part.indexOf("=");
    const name = at < 0 ? part : part.slice(0, at);
    if (!KNOWN.includes(name) || out.has(name)) continue;
    const raw = at < 0 ? "" : part.slice(at + 1).replace(/\+/g, "%20");
    try {
      out.set(name, decodeURIComponent(raw));
    } catch {
      problems.push(`“${name}” in the address has a broken percent sign, and was taken as it stands.`);
      out.set(name, raw);
    }
  }
  return out;
}

function integers(text: string): number[] | null {
  const parts = text.split(",");
  if (parts.length > MAX_RANK || !parts.every((p) => /^\d{1,15}$/.test(p))) return null;
  return parts.map(Number);
}

function clip(text: string): string {
  return text.length > 60 ? `${text.slice(0, 57)}…` : text;
}
