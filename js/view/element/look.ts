import type { Channel, Field } from "../../describe/field.js";
import { hexOf, parseHex } from "../colour/channels.js";
import type { Curve } from "../paint/painter.js";
import type { ChannelState, ViewState } from "../state.js";
import type { Wanted } from "../tiles/tiles.js";

/** A channel as it is drawn. */
export interface LookChannel {
  readonly index: number;
  readonly label: string;
  readonly colour: readonly [red: number, green: number, blue: number];
  /** Null where statistics have to tell. */
  readonly range: readonly [low: number, high: number] | null;
}

/** How a field is looked at: what a state says, and where it says nothing or what does not fit, what the field says. */
export interface Look {
  /** The axis drawn to the right; null where the field is one value. */
  readonly x: number | null;
  /** The axis drawn downwards; null where the field is a line. */
  readonly y: number | null;
  /** Whether the first row is at the bottom. */
  readonly up: boolean;
  /** Whether the first column is at the right. */
  readonly left: boolean;
  /** The index of each axis. */
  readonly indices: readonly number[];
  /** How numbers become colours. */
  readonly kind: "map" | "channel" | "colour" | "category" | "label";
  /** The channels that are drawn, where they are drawn as such. */
  readonly channels: readonly LookChannel[];
  /** The colour map's name, with `-r` at its end reversed; null for the one that fits the field. */
  readonly colormap: string | null;
  /** The range that is stated; null where statistics have to tell. */
  readonly range: readonly [low: number, high: number] | null;
  /** How values run between its ends. */
  readonly curve: Curve;
  /** The label that is told apart; null where none is. */
  readonly chosen: number | null;
  /** The level that is taken; undefined for the one that fits. */
  readonly level: number | undefined;
}

/** At most so many channels are drawn at once. */
export const MOST_CHANNELS = 8;

/** A channel as a state has it. */
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

/** The look of a field in a state. Names that it does not have are passed over, and indices beyond it are its last. */
export function lookOf(field: Field, state: ViewState): Look {
  const named = (name: string | undefined) => field.axes.findIndex((axis) => axis.name === name);
  let { x, y, up, left } = field.plane.value;
  if (state.axes?.[0] === "" && named(state.axes[1]) >= 0)
    [y, x, up, left] = [null, named(state.axes[1]), false, false];
  else if (state.axes) {
    const [row, column] = state.axes.map(named) as [number, number];
    const free = (axis: number) => axis >= 0 && axis !== field.colourAxis && axis !== field.channels?.axis;
    if (row !== column && free(row) && free(column) && (row !== y || column !== x)) {
      // Directions belong to the axes.
      const transposed = row === x && column === y;
      [y, x, up, left] = [row, column, transposed ? left : row === y && up, transposed ? up : column === x && left];
    }
  }
  const indices = field.axes.map(({ name, length }, axis) => {
    if (axis === x || axis === y) return 0;
    return Math.max(0, Math.min(state.index?.[name] ?? field.indices[axis] ?? 0, length - 1));
  });
  const channels = field.channels ? channelsOf(field.channels.list, state) : [];
  const [first] = channels;
  const mapped = first !== undefined && channels.length === 1 && state.colormap !== undefined;
  if (mapped && field.channels) indices[field.channels.axis] = first.index;
  const kind: Look["kind"] =
    field.colourAxis !== null
      ? "colour"
      : field.channels && !mapped
        ? "channel"
        : field.labels
          ? "label"
          : field.categories.length > 0 && field.categories.length <= 256
            ? "category"
            : "map";
  return {
    x,
    y,
    up: state.up ?? up,
    left: state.left ?? left,
    indices,
    kind,
    channels: kind === "channel" ? channels : [],
    colormap: state.colormap ?? null,
    range: state.range ?? (mapped ? first.range : null) ?? field.range?.value ?? null,
    curve: state.curve ?? { kind: "linear" },
    chosen: state.chosen ?? null,
    level: state.level !== undefined ? Math.min(state.level, field.levels.length - 1) : undefined,
  };
}

/** The axes that a picture is made of: those that are drawn, and that of its colours. */
export function takenAxes({ colourAxis, channels }: Field, { x, y, kind }: Look): readonly unknown[] {
  return [x, y, colourAxis, kind === "channel" ? channels?.axis : null];
}

/** Where a page goes that steps by one along one axis; undefined where the indices are the same, and no step where it jumps. */
export function headingOf(before: Look, after: Look): Wanted["heading"] {
  const changed = after.indices.flatMap((index, axis) => (index === before.indices[axis] ? [] : [axis]));
  const [axis] = changed;
  if (axis === undefined) return undefined;
  const step = (after.indices[axis] ?? 0) - (before.indices[axis] ?? 0);
  return { axis, step: changed.length === 1 && Math.abs(step) === 1 ? step : 0 };
}
