import type { Curve } from "./paint/painter.js";

/** What a view shows, as plain data: attributes of the element, a link, a file. What is undefined, the view chooses. */
export interface ViewState {
  /** The path of the node; `"/"` is the root. */
  readonly node?: string | undefined;
  /** The index of each axis, by its name. */
  readonly index?: Readonly<Record<string, number>> | undefined;
  /** The names of the axes drawn downwards and to the right; `""` and an axis for a line along it. */
  readonly axes?: readonly [y: string, x: string] | undefined;
  /** The colour map's name; with `-r` at its end it is reversed. */
  readonly colormap?: string | undefined;
  /** The values drawn with the first and the last colour. */
  readonly range?: readonly [low: number, high: number] | undefined;
  /** How values run between them. */
  readonly curve?: Curve | undefined;
  /** The middle of the picture in elements of the finest level, and device-independent pixels of an element. */
  readonly camera?: { readonly x: number; readonly y: number; readonly zoom: number } | undefined;
  /** Whether the first row is at the bottom. */
  readonly up?: boolean | undefined;
  /** Whether the first column is at the right. */
  readonly left?: boolean | undefined;
  /** The level that is drawn, the finest is 0; undefined: the one that fits. */
  readonly level?: number | undefined;
  /** The channels that are drawn: the index of each, its colour as `rrggbb`, its range. */
  readonly channels?:
    | readonly {
        readonly index: number;
        readonly colour?: string;
        readonly range?: readonly [low: number, high: number];
      }[]
    | undefined;
  /** The image of labels over the picture, by its name, and how opaque it is. */
  readonly labels?: { readonly name: string; readonly opacity: number } | undefined;
  /** The field of a struct that is drawn. */
  readonly member?: string | undefined;
  /** Complex numbers by their magnitude, phase, real or imaginary part. */
  readonly component?: "magnitude" | "phase" | "real" | "imaginary" | undefined;
}

/** The names of the members, in the order in which links have them. Attributes of the element have the same names. */
export const stateNames = [
  "node",
  "index",
  "axes",
  "colormap",
  "range",
  "curve",
  "camera",
  "up",
  "left",
  "level",
  "channels",
  "labels",
  "member",
  "component",
] as const satisfies readonly (keyof ViewState)[];

/** What was read of texts: a state, and a sentence for each text that was not understood. */
export interface ParsedState {
  /** What was understood. */
  readonly state: ViewState;
  /** What was not. */
  readonly problems: readonly string[];
}

const components = ["magnitude", "phase", "real", "imaginary"] as const;

/** Percent-encodes what separates, and what a link cannot hold. */
function encode(name: string): string {
  // A lone surrogate has no encoding.
  return encodeURIComponent(name.replace(/[\ud800-\udfff]/gu, "\ufffd"));
}

function decode(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

/** A number in full. */
function number(text: string | undefined): number | undefined {
  const found = text?.trim() ? Number(text) : Number.NaN;
  return Number.isFinite(found) ? found : undefined;
}

/** An index: a whole number that is not below 0. */
function natural(text: string | undefined): number | undefined {
  const found = number(text);
  return found !== undefined && Number.isSafeInteger(found) && found >= 0 ? found : undefined;
}

function interval(low: string | undefined, high: string | undefined): readonly [number, number] | undefined {
  const [a, b] = [number(low), number(high)];
  return a === undefined || b === undefined ? undefined : [a, b];
}

type Text<T> = { readonly write: (value: T) => string; readonly read: (text: string) => T | undefined };
type Texts = { readonly [K in keyof ViewState]-?: Text<NonNullable<ViewState[K]>> };
type ChannelState = NonNullable<ViewState["channels"]>[number];

const plain: Text<string> = { write: (value) => value, read: (text) => (text === "" ? undefined : text) };

/** A channel: `index`, `index:rrggbb`, `index:rrggbb:low:high`, `index::low:high`. */
const channel: Text<ChannelState> = {
  write: ({ index, colour = "", range }) => [index, ...(range ? [colour, ...range] : colour ? [colour] : [])].join(":"),
  read: (text) => {
    const [first, colour = "", low, high, ...more] = text.split(":");
    const index = natural(first);
    if (index === undefined || more.length > 0 || (colour !== "" && !/^[0-9a-f]{6}$/i.test(colour))) return undefined;
    const range = low === undefined ? undefined : interval(low, high);
    if (low !== undefined && range === undefined) return undefined;
    return { index, ...(colour && { colour: colour.toLowerCase() }), ...(range && { range }) };
  },
};

const flag: Text<boolean> = {
  write: String,
  read: (text) => (text === "" || text === "true" ? true : text === "false" ? false : undefined),
};

/** How each member is written as a text, and read from one. */
const texts: Texts = {
  node: { write: plain.write, read: (text) => (text === "" ? undefined : text.startsWith("/") ? text : `/${text}`) },
  index: {
    write: (index) =>
      Object.entries(index)
        .map(([name, at]) => `${encode(name)}:${at}`)
        .join(","),
    read: (text) => {
      const index: Record<string, number> = Object.create(null);
      for (const one of text.split(",").filter(Boolean)) {
        const at = one.lastIndexOf(":");
        const found = natural(one.slice(at + 1));
        if (at < 1 || found === undefined) return undefined;
        index[decode(one.slice(0, at))] = found;
      }
      return { ...index };
    },
  },
  axes: {
    write: (axes) => axes.map(encode).join(","),
    read: (text) => {
      const [y, x, ...more] = text.split(",").map(decode);
      return y !== undefined && x && y !== x && more.length === 0 ? [y, x] : undefined;
    },
  },
  colormap: plain,
  range: {
    write: (range) => range.join(","),
    read: (text) => {
      const [low, high, ...more] = text.split(",");
      return more.length === 0 ? interval(low, high) : undefined;
    },
  },
  curve: {
    write: (curve) => (curve.kind === "power" ? `power:${curve.exponent}` : curve.kind),
    read: (text) => {
      if (text === "linear" || text === "log") return { kind: text };
      const exponent = text.startsWith("power:") ? number(text.slice(6)) : undefined;
      return exponent !== undefined && exponent > 0 ? { kind: "power", exponent } : undefined;
    },
  },
  camera: {
    write: ({ x, y, zoom }) => [x, y, zoom].map((n) => Number(n.toPrecision(9))).join(","),
    read: (text) => {
      const [x, y, zoom, ...more] = text.split(",").map(number);
      if (x === undefined || y === undefined || zoom === undefined || more.length > 0) return undefined;
      return zoom > 0 ? { x, y, zoom } : undefined;
    },
  },
  up: flag,
  left: flag,
  level: { write: String, read: natural },
  channels: {
    write: (channels) => channels.map(channel.write).join(","),
    read: (text) => {
      const channels = text.split(",").filter(Boolean).map(channel.read);
      return channels.includes(undefined) ? undefined : (channels as ChannelState[]);
    },
  },
  labels: {
    write: ({ name, opacity }) => `${encode(name)}:${opacity}`,
    read: (text) => {
      const [name, share, ...more] = text.split(":");
      const opacity = share === undefined ? 0.5 : number(share);
      if (!name || opacity === undefined || opacity < 0 || opacity > 1 || more.length > 0) return undefined;
      return { name: decode(name), opacity };
    },
  },
  member: plain,
  component: { write: plain.write, read: (text) => components.find((component) => component === text) },
};

/** The text of one member of a state, as its attribute has it; null where it is undefined. */
export function formatMember<K extends keyof ViewState>(name: K, state: ViewState): string | null {
  const value = state[name];
  return value === undefined ? null : (texts[name] as Text<unknown>).write(value);
}

/** Reads a state from texts by the names of its members, as attributes and links have them. Never throws. */
export function parseMembers(textOf: (name: keyof ViewState) => string | null | undefined): ParsedState {
  const state: Record<string, unknown> = {};
  const problems: string[] = [];
  for (const name of stateNames) {
    const text = textOf(name);
    if (text === null || text === undefined) continue;
    const value = texts[name].read(text);
    if (value !== undefined) state[name] = value;
    else if (text !== "")
      problems.push(`“${name}” is not understood: ${text.length > 60 ? `${text.slice(0, 57)}…` : text}`);
  }
  return { state, problems };
}

/** Writes a state as one text for a link: `node=/t2m&index=time:3&range=250,300`. What is undefined is left out. */
export function formatState(state: ViewState): string {
  const found: string[] = [];
  for (const name of stateNames) {
    const text = formatMember(name, state);
    // Percent signs of names are encoded once more: the link is taken apart before its members are.
    if (text !== null) found.push(`${name}=${encode(text).replace(/%(2F|3A|2C)/g, decode)}`);
  }
  return found.join("&");
}

/** Reads the text of a link, with or without `#` or `?` before it. What else the link has is left alone. Never throws. */
export function parseState(text: string): ParsedState {
  const found = new Map<string, string>();
  for (const part of text.replace(/^[#?]/, "").split("&")) {
    const at = part.indexOf("=");
    const name = at < 0 ? part : part.slice(0, at);
    if (!found.has(name)) found.set(name, at < 0 ? "" : decode(part.slice(at + 1).replaceAll("+", "%20")));
  }
  return parseMembers((name) => found.get(name));
}

/** Whether two states say the same. */
export function sameState(a: ViewState, b: ViewState): boolean {
  return stateNames.every((name) => formatMember(name, a) === formatMember(name, b));
}
