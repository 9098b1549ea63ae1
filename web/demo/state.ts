// The hash of the page's address: the opened store, and the state of the view.

import { formatState, parseState, type ViewState } from "zarr-wasm/view";
import { joinPath } from "./url.js";

/** The content of a link. */
interface LinkState {
  /** The address of the store, as written; empty for the sample. */
  url: string;
  /** The state of the view. */
  view: ViewState;
  /** The link of a second view beside the first one; empty for none. */
  beside: string;
  /** Indices and axes by the positions of dimensions, from links of earlier versions. */
  positions: Positions | null;
}

/** Indices and axes by the positions of dimensions. */
export interface Positions {
  readonly indices: readonly number[] | null;
  readonly axes: readonly [y: number, x: number] | null;
}

interface ParsedLink {
  state: LinkState;
  /** Parts that were not understood, one sentence each. */
  problems: string[];
  /** Whether to show only the view, without the page around it. */
  embed: boolean;
}

/** Names of earlier versions, with their current names. */
const EARLIER = { cmap: "colormap", field: "member", flip: "up" } as const;
const MAX_RANK = 64;

/** Parses the state of an address. The hash takes precedence over the query. Never throws. */
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
      beside: found.get("beside") ?? "",
      view: node === undefined ? state : { ...state, node: joinPath("/", node) },
      positions: indices || byPosition ? { indices, axes: byPosition ? [y, x] : null } : null,
    },
    problems,
    embed: found.has("embed"),
  };
}

/** Formats the state as the text after "#". Leaves out defaults. */
export function formatLink(url: string, view: ViewState, beside = ""): string {
  const part = (name: string, value: string) => (value === "" ? "" : `${name}=${encode(value)}`);
  return [part("url", url), formatState(view), part("beside", beside)].filter(Boolean).join("&");
}

/** Percent-encodes a value, but leaves characters readable that are safe in a hash. */
function encode(value: string): string {
  // A lone surrogate has no encoding, so U+FFFD replaces it.
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
        problems.push(`“${clip(name)}” in the address has a broken percent sign, and was used unchanged.`);
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
