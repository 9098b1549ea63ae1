import type { Channel, Field } from "../../describe/field.js";
import { own } from "../../shared/attributes.js";
import { hexOf, parseHex } from "../colour/channels.js";
import { classesOf } from "../colour/classes.js";
import type { Curve } from "../paint/painter.js";
import { type ChannelState, type Projection, type ViewState, type VolumeState, volumeModes } from "../state.js";
import type { Wanted } from "../tiles/tiles.js";

/** A drawn channel. */
export interface LookChannel {
  readonly index: number;
  readonly label: string;
  readonly colour: readonly [red: number, green: number, blue: number];
  /** Null until statistics provide it. */
  readonly range: readonly [low: number, high: number] | null;
}

/**
 * The resolved settings of a drawing. The field's defaults replace absent or unsuitable members of
 * the state.
 */
export interface Look {
  /** The axis drawn to the right; null if the field is one value. */
  readonly x: number | null;
  /** The axis drawn downwards; null if the field is a line. */
  readonly y: number | null;
  /** Whether the first row is at the bottom. */
  readonly up: boolean;
  /** Whether the first column is at the right. */
  readonly left: boolean;
  /** The index of each axis. */
  readonly indices: readonly number[];
  /** How numbers map to colours. */
  readonly kind: "map" | "channel" | "colour" | "category" | "label";
  /** The channels that are drawn in their colours; empty for other kinds. */
  readonly channels: readonly LookChannel[];
  /** The indices of the channels whose elements are read; 0 for a field without channels. */
  readonly read: readonly number[];
  /** The colour map's name; `-r` at its end reverses it. Null for the field's default. */
  readonly colormap: string | null;
  /** The stated range; null if statistics provide it. */
  readonly range: readonly [low: number, high: number] | null;
  /** How values map to colours between its ends. */
  readonly curve: Curve;
  /** The highlighted label; null if there is none. */
  readonly chosen: number | null;
  /** The projection of a map; null draws rows and columns. */
  readonly projection: Projection | null;
  /** The chosen level; undefined for the one that fits. */
  readonly level: number | undefined;
}

/** The largest number of channels drawn at once. */
export const MOST_CHANNELS = 8;

/** Converts a channel to its form in the state. */
export function channelState({ index, colour, range }: Omit<LookChannel, "label">): ChannelState {
  return { index, colour: hexOf(colour), ...(range && { range }) };
}

function channelsOf(list: readonly Channel[], state: ViewState): LookChannel[] {
  const asked =
    state.channels?.filter(({ index }) => index < list.length) ??
    list.flatMap(({ visible }, index) => (visible ? [{ index, colour: undefined, range: undefined }] : []));
  return asked.slice(0, MOST_CHANNELS).map(({ index, colour, range }): LookChannel => {
    const { label, colour: own, window } = list[index] as Channel;
    return { index, label, colour: (colour && parseHex(colour)) || own.value, range: range ?? window?.value ?? null };
  });
}

type Plane = Pick<Look, "x" | "y" | "up" | "left">;

/** Returns the plane that a state names, or the field's own if it has no such axes. */
function planeFromState(field: Field, state: ViewState): Plane {
  const named = (name: string | undefined) => field.axes.findIndex((axis) => axis.name === name);
  const { x, y, up, left } = field.plane.value;
  if (!state.axes) return { x, y, up, left };
  if (state.axes[0] === "" && named(state.axes[1]) >= 0)
    return { x: named(state.axes[1]), y: null, up: false, left: false };
  const [row, column] = state.axes.map(named) as [number, number];
  const free = (axis: number) => axis >= 0 && axis !== field.colourAxis && axis !== field.channels?.axis;
  if (row === column || !free(row) || !free(column) || (row === y && column === x)) return { x, y, up, left };
  // The directions belong to the axes and swap with them.
  const transposed = row === x && column === y;
  return { x: column, y: row, up: transposed ? left : row === y && up, left: transposed ? up : column === x && left };
}

/**
 * Returns how a field's numbers become colours; `mapped` is one channel drawn with a colour map.
 */
function kindOf(field: Field, mapped: boolean): Look["kind"] {
  if (field.colourAxis !== null) return "colour";
  if (field.channels && !mapped) return "channel";
  if (field.labels) return "label";
  const { length } = classesOf(field);
  return length > 0 && length <= 256 ? "category" : "map";
}

/** Reports whether a field is a map of longitudes and latitudes, or in Web Mercator. */
export const isProjectable = ({ place }: Field): boolean =>
  place !== null && !place.curvilinear && (place.lonLat || place.crs === "EPSG:3857");

/** Returns the projection of a state; null for the one of the field's own rows and columns. */
function projectionOf(field: Field, { x, y }: Pick<Plane, "x" | "y">, { projection }: ViewState): Projection | null {
  const own = field.plane.value;
  if (!projection || !isProjectable(field) || x !== own.x || y !== own.y) return null;
  return projection === "plate-carree" && field.place?.lonLat ? null : projection;
}

/** Returns the index along each axis of a field in a state, inside the axes. */
export const indicesOf = ({ axes, indices }: Pick<Field, "axes" | "indices">, { index }: ViewState): number[] =>
  axes.map(({ name, length }, d) => Math.max(0, Math.min(own(index, name) ?? indices[d] ?? 0, length - 1)));

/**
 * Returns the look of a field in a state. It ignores names that the field does not have, and clamps
 * indices.
 */
export function lookFromState(field: Field, state: ViewState): Look {
  const { x, y, up, left } = planeFromState(field, state);
  const indices = indicesOf(field, state).map((at, axis) => (axis === x || axis === y ? 0 : at));
  const channels = field.channels ? channelsOf(field.channels.list, state) : [];
  const [first] = channels;
  const mapped = first !== undefined && channels.length === 1 && state.colormap !== undefined;
  if (mapped && field.channels) indices[field.channels.axis] = first.index;
  const kind = kindOf(field, mapped);
  return {
    x,
    y,
    up: state.up ?? up,
    left: state.left ?? left,
    indices,
    kind,
    channels: kind === "channel" ? channels : [],
    read: field.channels ? channels.map(({ index }) => index) : [0],
    colormap: state.colormap ?? null,
    range: state.range ?? (mapped ? first.range : null) ?? field.range?.value ?? null,
    curve: state.curve ?? { kind: "linear" },
    chosen: state.chosen ?? null,
    projection: projectionOf(field, { x, y }, state),
    level: state.level !== undefined ? Math.min(state.level, field.levels.length - 1) : undefined,
  };
}

/**
 * Returns the third axis of a volume: a spatial one, or else the last that is not drawn. Null if a
 * look has no volume.
 */
export function depthAxis(field: Field, look: Look): number | null {
  const { x, y } = look;
  const { axes } = field;
  const long = (axis: number | null) => (axes[axis ?? -1]?.length ?? 0) > 1;
  if (!long(x) || !long(y)) return null;
  const taken = [...takenAxes(field, look), field.channels?.axis];
  const free = axes.flatMap((_, axis) => (long(axis) && !taken.includes(axis) ? [axis] : []));
  return free.find((axis) => /^[xyz]$/.test(axes[axis]?.role.value ?? "")) ?? free.at(-1) ?? null;
}

/** Returns the ways to draw a volume of a look. Categories and labels have no largest element. */
export const modesOf = ({ kind }: Pick<Look, "kind">): readonly VolumeState["mode"][] =>
  kind === "label" || kind === "category" ? volumeModes.filter((mode) => mode !== "maximum") : volumeModes;

/** Returns the way in which a look draws a volume: the chosen one, or lit surfaces. */
export const modeOf = (look: Pick<Look, "kind">, mode: VolumeState["mode"]): VolumeState["mode"] =>
  modesOf(look).includes(mode) ? mode : "shaded";

/** Returns the drawn axes and the axis of colours or channels. */
export function takenAxes({ colourAxis, channels }: Field, { x, y, kind }: Look): readonly unknown[] {
  return [x, y, colourAxis, kind === "channel" ? channels?.axis : null];
}

/**
 * Returns the direction of a step along one axis. Returns undefined for equal indices, and a step
 * of 0 for a jump.
 */
export function headingOf(before: Look, after: Look): Wanted["heading"] {
  const changed = after.indices.flatMap((index, axis) => (index === before.indices[axis] ? [] : [axis]));
  const [axis] = changed;
  if (axis === undefined) return undefined;
  const step = (after.indices[axis] ?? 0) - (before.indices[axis] ?? 0);
  return { axis, step: changed.length === 1 && Math.abs(step) === 1 ? step : 0 };
}
