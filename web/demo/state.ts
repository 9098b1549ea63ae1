// What the page's own address holds, so that a link shows the same: what is opened, and the state of the view.

import { formatState, parseState, type ViewState } from "zarr-wasm/view";
import { joinPath } from "./url.js";

/** What a link says. */
interface LinkState {
  /** What is to be opened, as it was written; empty: the sample. */
  url: string;
  /** What is shown of it. */
  view: ViewState;
  /** Indices and axes by the positions of dimensions, as links of earlier versions have them. */
  positions: Positions | null;
}

/** Dimensions by their positions. */
export interface Positions {
  readonly indices: readonly number[] | null;
  readonly axes: readonly [y: number, x: number] | null;
}

interface ParsedLink {
  state: LinkState;
  /** What could not be understood, one sentence each. */
  problems: string[];
  /** Whether only the view is to be shown, without the page around it. */
  embed: boolean;
}

/** Names of earlier versions, and what they are called now. */
const EARLIER = { cmap: "colormap", field: "member", flip: "up" } as const;
const MAX_RANK = 64;

/** Reads the state of an address; never throws. The hash wins over the query where both say something. */
export function parseLink(search: string, hash: string): ParsedLink {
  const problems: string[] = [];
  const found = new Map<string, string>();
  for (const text of [hash.replace(/^#/, ""), search.replace(/^\?/, "")]) {
    for (const [name, value] of parts(text, problems)) if (!found.has(name)) found.set(name, value);
  }
  for (const [old, name] of Object.entries(EARLIER)) {
    const value = found.get(old);
    if (value !== undefined && value !== "" && !found.has(name))
      found.set(name, old === "flip" ? (value === "1" ? "true" : value === "0" ? "false" : value) : value);
  }
  const indices = found.has("i") ? integers(found.get("i") ?? "") : null;
  const axes = integers(found.get("axes") ?? "");
  const [y, x] = axes ?? [];
  const byPosition = axes?.length === 2 && y !== undefined && x !== undefined && x !== y;
  if (byPosition) found.delete("axes");
  const again = [...found].map(([name, value]) => `${name}=${encode(value)}`).join("&");
  const { state, problems: more } = parseState(again);
  problems.push(...more);
  if (found.get("i") && indices === null)
    problems.push(`The indices in the address are not a list of whole numbers: i=${clip(found.get("i") ?? "")}`);
  const node = state.node;
  return {
    state: {
      url: found.get("url") ?? "",
      view: node === undefined ? state : { ...state, node: joinPath("/", node) },
      positions: indices || byPosition ? { indices, axes: byPosition ? [y, x] : null } : null,
    },
    problems,
    embed: found.has("embed"),
  };
}

/** Writes the state as the text after "#"; what is left at its default is left out. */
export function formatLink(url: string, view: ViewState): string {
  return [url === "" ? "" : `url=${encode(url)}`, formatState(view)].filter(Boolean).join("&");
}

/** Percent-encodes a value but leaves what is harmless in a hash readable. */
function encode(value: string): string {
  // A lone surrogate in a name has no encoding; U+FFFD at least gives a link.
  const out = encodeURIComponent(value.replace(/[\ud800-\udfff]/gu, "\ufffd"));
  return out.replace(/%2F/g, "/").replace(/%3A/g, ":").replace(/%2C/g, ",");
}

function parts(text: string, problems: string[]): [string, string][] {
  return text
    .split("&")
    .filter(Boolean)
    .map((part) => {
      const at = part.indexOf("=");
      const name = at < 0 ? part : part.slice(0, at);
      const raw = at < 0 ? "" : part.slice(at + 1).replace(/\+/g, "%20");
      try {
        return [name, decodeURIComponent(raw)];
      } catch {
        problems.push(`“${clip(name)}” in the address has a broken percent sign, and was taken as it stands.`);
        return [name, raw];
      }
    });
}

function integers(text: string): number[] | null {
  const parts = text.split(",");
  if (parts.length > MAX_RANK || !parts.every((p) => /^\d{1,15}$/.test(p))) return null;
  return parts.map(Number);
}

function clip(text: string): string {
  return text.length > 60 ? `${text.slice(0, 57)}…` : text;
}
