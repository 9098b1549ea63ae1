import type { Curve } from "./paint/painter.js";

/** The names of projections. */
export const projectionNames = [
  "plate-carree",
  "orthographic",
  "equal-earth",
  "mercator",
  "north-polar",
  "south-polar",
] as const;

/** A projection. */
export type Projection = (typeof projectionNames)[number];

/** The ways to draw a volume. */
export const volumeModes = ["maximum", "average", "shaded", "slices"] as const;

/** A volume of the plane and a third axis. */
export interface VolumeState {
  /**
   * The maximum or the average along each ray, lit surfaces, or the three slices. Categories and
   * labels have lit surfaces in place of a maximum.
   */
  readonly mode: (typeof volumeModes)[number];
  /**
   * Turn and tilt in degrees, the magnification, and the middle of the view. The middle of the box
   * is 0, and its longest edge is 1.
   */
  readonly eye?: readonly [turn: number, tilt: number, zoom: number, x: number, y: number] | undefined;
  /** The first and the last visible index of clipped axes, by their names. */
  readonly clip?: Readonly<Record<string, readonly [first: number, last: number]>> | undefined;
}

/**
 * The state of a view, as plain data for attributes, links and files. The view chooses undefined
 * members.
 */
export interface ViewState {
  /** The path of the node; `"/"` is the root. */
  readonly node?: string | undefined;
  /** The index of each axis, by its name. */
  readonly index?: Readonly<Record<string, number>> | undefined;
  /**
   * The subtraction from each element: another variable by its path, other indices of axes by their
   * names, or both.
   */
  readonly minus?:
    | { readonly node?: string | undefined; readonly index?: Readonly<Record<string, number>> | undefined }
    | undefined;
  /** The shown expression of variables, like `sqrt(u^2 + v^2)`. */
  readonly expression?: string | undefined;
  /**
   * The names of the axes drawn downwards and to the right. `""` and an axis draw a line along it.
   */
  readonly axes?: readonly [y: string, x: string] | undefined;
  /**
   * Whether to draw a curvilinear grid at the places of its elements on the Earth, or as rows and
   * columns. The default is a map if that needs no question.
   */
  readonly map?: boolean | undefined;
  /** The projection of a map. The default is the grid's own rows and columns. */
  readonly projection?: Projection | undefined;
  /** The volume in place of the picture. The default is none. */
  readonly volume?: VolumeState | undefined;
  /** The colour map's name; `-r` at its end reverses it. */
  readonly colormap?: string | undefined;
  /** The values drawn with the first and the last colour. */
  readonly range?: readonly [low: number, high: number] | undefined;
  /** How values map to colours between them. */
  readonly curve?: Curve | undefined;
  /**
   * The middle of the picture in elements of the finest level, and the width of an element in CSS
   * pixels.
   */
  readonly camera?: { readonly x: number; readonly y: number; readonly zoom: number } | undefined;
  /** Whether the first row is at the bottom. */
  readonly up?: boolean | undefined;
  /** Whether the first column is at the right. */
  readonly left?: boolean | undefined;
  /** The drawn level; the finest is 0. The default is the one that fits. */
  readonly level?: number | undefined;
  /** The drawn channels: the index of each, its colour as `rrggbb`, and its range. */
  readonly channels?:
    | readonly {
        readonly index: number;
        readonly colour?: string;
        readonly range?: readonly [low: number, high: number];
      }[]
    | undefined;
  /** The label image over the picture, by its name, and its opacity. */
  readonly labels?: { readonly name: string; readonly opacity: number } | undefined;
  /** The highlighted label; the others are drawn paler. */
  readonly chosen?: number | undefined;
  /** The paths of the components of arrows, along x and y. The default is no arrows. */
  readonly arrows?: readonly [x: string, y: string] | undefined;
  /** The plot beside the picture. The default is none. */
  readonly series?: SeriesState | undefined;
  /** The region or the line drawn over the picture. */
  readonly region?: RegionState | undefined;
  /** The diagram of the region drawn in place of the picture. */
  readonly diagram?: DiagramState | undefined;
  /** The drawn field of a struct. */
  readonly member?: string | undefined;
  /** The drawn component of complex numbers: magnitude, phase, real or imaginary part. */
  readonly component?: "magnitude" | "phase" | "real" | "imaginary" | undefined;
}

/** Series of points along an axis beside a picture, or the profile along a line in it. */
export interface SeriesState {
  /** The name of the axis. The default is time, or the first axis that is not drawn. */
  readonly along?: string | undefined;
  /** The points, or both ends of the line: column and row in elements of the finest level. */
  readonly points: readonly (readonly [x: number, y: number])[];
  /** Whether the two points are the ends of a line. */
  readonly profile?: boolean | undefined;
  /** The first and the last visible position of the plot. By default all are visible. */
  readonly seen?: readonly [from: number, to: number] | undefined;
  /** Whether values have a logarithmic scale. */
  readonly log?: boolean | undefined;
  /** Whether the mean of the region has a line too. */
  readonly region?: boolean | undefined;
}

/** A region of a plane, or a line in it. */
export interface RegionState {
  /** A box has two opposite corners, a polygon three or more, and a line two or more points. */
  readonly kind: "box" | "polygon" | "line";
  /** The names of the axes drawn downwards and to the right. */
  readonly axes: readonly [y: string, x: string];
  /**
   * Column and row of each corner, in elements of the finest level, rounded to a sixteenth. Element
   * 0 lies between 0 and 1. Columns may lie beyond the ends of a grid that goes around the Earth.
   */
  readonly points: readonly (readonly [x: number, y: number])[];
}

/** A diagram of a region: means along one of its axes, or the section along its line. */
export interface DiagramState {
  /** The name of the axis drawn downwards: time, or depth. */
  readonly along: string;
  /** The axis of the region that is drawn to the right; undefined for the section along a line. */
  readonly across?: string | undefined;
  /** Whether a section interpolates between elements; otherwise it shows those under the line. */
  readonly linear?: true | undefined;
}

/**
 * The names of the members, in the order of links. Attributes of the element have the same names.
 */
export const stateNames = [
  "node",
  "index",
  "minus",
  "expression",
  "axes",
  "map",
  "projection",
  "volume",
  "colormap",
  "range",
  "curve",
  "camera",
  "up",
  "left",
  "level",
  "channels",
  "labels",
  "chosen",
  "arrows",
  "series",
  "region",
  "diagram",
  "member",
  "component",
] as const satisfies readonly (keyof ViewState)[];

/** The result of parsing texts: a state, and a sentence for each invalid text. */
export interface ParsedState {
  /** The valid members. */
  readonly state: ViewState;
  /** The sentences about invalid texts. */
  readonly problems: readonly string[];
}

const components = ["magnitude", "phase", "real", "imaginary"] as const;

/** Percent-encodes separators, and characters that a link cannot hold. */
function encode(name: string): string {
  // A lone surrogate has no encoding.
  return encodeURIComponent(name.replace(/[\ud800-\udfff]/gu, "\ufffd"));
}

/** Encodes a path, and keeps its slashes. */
const encodePath = (path: string): string => encode(path).replaceAll("%2F", "/");

function decode(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

/** Parses a number; the text must contain nothing else. */
function number(text: string | undefined): number | undefined {
  const found = text?.trim() ? Number(text) : Number.NaN;
  return Number.isFinite(found) ? found : undefined;
}

/** Parses an index: a whole number of at least 0. */
function natural(text: string | undefined): number | undefined {
  const found = number(text);
  // The addition converts -0 to 0.
  return found !== undefined && Number.isSafeInteger(found) && found >= 0 ? found + 0 : undefined;
}

/** Parses a whole number. */
function whole(text: string): number | undefined {
  const found = number(text);
  return Number.isSafeInteger(found) ? (found as number) + 0 : undefined;
}

function interval(low: string | undefined, high: string | undefined): readonly [number, number] | undefined {
  const [a, b] = [number(low), number(high)];
  return a === undefined || b === undefined ? undefined : [a, b];
}

type Text<T> = { readonly write: (value: T) => string; readonly read: (text: string) => T | undefined };
type Texts = { readonly [K in keyof ViewState]-?: Text<NonNullable<ViewState[K]>> };

/** A drawn channel, as in a state. */
export type ChannelState = NonNullable<ViewState["channels"]>[number];

const plain: Text<string> = { write: (value) => value, read: (text) => (text === "" ? undefined : text) };

/** Two different names. */
const pair: Text<readonly [string, string]> = {
  write: (names) => names.map(encodePath).join(","),
  read: (text) => {
    const [first, second, ...more] = text.split(",").map(decode);
    return first !== undefined && second && first !== second && more.length === 0 ? [first, second] : undefined;
  },
};

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

/** Indices by the names of axes: `time:3,height:0`. */
const indices: Text<Readonly<Record<string, number>>> = {
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
};

/**
 * Series: the axis, points as `column:row`, and the words `profile`, `region`, `log` and
 * `seen:from:to`.
 */
const series: Text<SeriesState> = {
  write: ({ along = "", points, profile, seen, log, region }) =>
    [
      encode(along),
      ...points.map((point) => point.join(":")),
      ...(profile ? ["profile"] : []),
      ...(region ? ["region"] : []),
      ...(seen ? [`seen:${seen.join(":")}`] : []),
      ...(log ? ["log"] : []),
    ].join(","),
  read: (text) => {
    const [along = "", ...parts] = text.split(",");
    const points: [number, number][] = [];
    let more: Partial<SeriesState> = along === "" ? {} : { along: decode(along) };
    for (const part of parts) {
      const [first = "", second, third, ...rest] = part.split(":");
      const seen = interval(second, third);
      const [x, y] = [natural(first), natural(second)];
      if (part === "profile") more = { ...more, profile: true };
      else if (part === "region") more = { ...more, region: true };
      else if (part === "log") more = { ...more, log: true };
      else if (first === "seen" && seen && seen[0] < seen[1] && rest.length === 0) more = { ...more, seen };
      else if (x !== undefined && y !== undefined && third === undefined) points.push([x, y]);
      else return undefined;
    }
    return more.profile && points.length !== 2 ? undefined : { ...more, points };
  },
};

/** Rounds to a sixteenth; the addition converts -0 to 0. */
const sixteenth = (n: unknown) => Math.round(Number(n) * 16) / 16 + 0;

/** A region: its kind, its axes, and its corners as `column:row`: `box:lat:lon,20:40,91:100`. */
const region: Text<RegionState> = {
  write: ({ kind, axes, points }) =>
    [[kind, ...axes.map(encode)].join(":"), ...points.map((point) => point.map(sixteenth).join(":"))].join(","),
  read: (text) => {
    const [, kind, y = "", x = "", corners] =
      /^(box|polygon|line):([^:,]+):([^:,]+)((?:,-?\d{1,9}(?:\.\d+)?:-?\d{1,9}(?:\.\d+)?){2,1000})$/.exec(text) ?? [];
    if (!corners || y === x) return undefined;
    const points = corners
      .slice(1)
      .split(",")
      .map((corner) => corner.split(":").map(sixteenth) as [number, number]);
    return { kind: kind as RegionState["kind"], axes: [decode(y), decode(x)], points };
  },
};

/** A volume: its mode, `eye` with five numbers, and clipped axes as `name:first:last`. */
const volume: Text<VolumeState> = {
  write: ({ mode, eye, clip = {} }) =>
    [
      mode,
      ...(eye ? [["eye", ...eye.map((n) => Number(n.toPrecision(6)))].join(":")] : []),
      ...Object.entries(clip).map(([name, ends]) => [encode(name), ...ends].join(":")),
    ].join(","),
  read: (text) => {
    const [name, ...parts] = text.split(",");
    const mode = volumeModes.find((one) => one === name);
    let eye: VolumeState["eye"];
    let clip: VolumeState["clip"];
    for (const part of parts) {
      const [key = "", ...texts] = part.split(":");
      const numbers = texts.map(number);
      const [first, last] = texts.map(natural);
      if (key === "eye" && numbers.length === 5 && !numbers.includes(undefined) && (numbers[2] as number) > 0)
        eye = numbers as unknown as VolumeState["eye"];
      else if (key && texts.length === 2 && first !== undefined && last !== undefined && first <= last)
        // A computed key is an own member whatever its name.
        clip = { ...clip, [decode(key)]: [first, last] };
      else return undefined;
    }
    return mode && { mode, ...(eye && { eye }), ...(clip && { clip }) };
  },
};

/** The formatter and the parser of each member. */
const texts: Texts = {
  node: { write: plain.write, read: (text) => (text === "" ? undefined : text.startsWith("/") ? text : `/${text}`) },
  index: indices,
  minus: {
    // A path begins with a slash, which names of axes percent-encode.
    write: ({ node, index = {} }) =>
      [...(node === undefined ? [] : [encodePath(node)]), indices.write(index)].filter(Boolean).join(","),
    read: (text) => {
      const [, path, rest = ""] = /^(?:(\/[^,]*)(?:,|$))?(.*)$/s.exec(text) ?? [];
      const index = indices.read(rest);
      const none = !index || Object.keys(index).length === 0;
      if (none && (path === undefined || rest !== "")) return undefined;
      const node = path === undefined ? {} : { node: decode(path) };
      return none ? node : { ...node, index };
    },
  },
  axes: pair,
  expression: plain,
  map: flag,
  projection: { write: plain.write, read: (text) => projectionNames.find((name) => name === text) },
  volume,
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
  chosen: { write: String, read: whole },
  arrows: pair,
  series,
  region,
  diagram: {
    write: ({ along, across, linear }) =>
      [along, ...(linear ? ["", "linear"] : across === undefined ? [] : [across])].map(encode).join(":"),
    read: (text) => {
      const [, along = "", across, linear] = /^([^:]+)(?::([^:]+)|:(:linear))?$/.exec(text) ?? [];
      if (along === "" || along === across) return undefined;
      return { along: decode(along), ...(across && { across: decode(across) }), ...(linear && { linear: true }) };
    },
  },
  member: plain,
  component: { write: plain.write, read: (text) => components.find((component) => component === text) },
};

/** Formats one member of a state as its attribute; null if it is undefined. */
export function formatMember<K extends keyof ViewState>(name: K, state: ViewState): string | null {
  const value = state[name];
  return value === undefined ? null : (texts[name] as Text<unknown>).write(value);
}

/** Formats all defined members of a state, with their names. */
export function formatMembers(state: ViewState): (readonly [name: keyof ViewState, text: string])[] {
  return stateNames.flatMap((name) => {
    const text = formatMember(name, state);
    return text === null ? [] : [[name, text] as const];
  });
}

/**
 * Parses a state from texts by the names of its members, as in attributes and links. Never throws.
 */
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

/**
 * Formats a state as one text for a link: `node=/t2m&index=time:3&range=250,300`. Undefined members
 * are left out.
 */
export function formatState(state: ViewState): string {
  // Percent signs in names are encoded twice, because the link is decoded before its members are
  // split.
  const members = formatMembers(state).map(([name, text]) => `${name}=${encode(text).replace(/%(2F|3A|2C)/g, decode)}`);
  return members.join("&");
}

/**
 * Parses the text of a link, with or without `#` or `?` before it. Ignores other parts of the link.
 * Never throws.
 */
export function parseState(text: string): ParsedState {
  const found = new Map<string, string>();
  for (const part of text.replace(/^[#?]/, "").split("&")) {
    const at = part.indexOf("=");
    const name = at < 0 ? part : part.slice(0, at);
    if (!found.has(name)) found.set(name, at < 0 ? "" : decode(part.slice(at + 1).replaceAll("+", "%20")));
  }
  return parseMembers((name) => found.get(name));
}
