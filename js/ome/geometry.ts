import { InvalidMetadataError, InvalidSelectionError } from "../errors.js";
import { refuse } from "../shared/arguments.js";
import type { Axis } from "./axes.js";
import type { Transformation } from "./transformation.js";

/**
 * The position of an array's elements: index i lies at `scale * i + translation`, along each axis.
 */
interface Placement {
  readonly scale: readonly number[];
  readonly translation: readonly number[];
}

/** Combines the transformations of a level. */
export function placement(transformations: readonly Transformation[], axes: number, at: string): Placement {
  const scale: number[] = new Array(axes).fill(1);
  const translation: number[] = new Array(axes).fill(0);
  const add = (all: readonly Transformation[]) => {
    for (const one of all) {
      if (one.type === "sequence") add(one.transformations);
      const by = one.type === "scale" ? one.scale : one.type === "translation" ? one.translation : undefined;
      if (by && by.length !== axes)
        throw new InvalidMetadataError(`${at}: a ${one.type} of ${by.length} numbers for ${axes} axes`);
      by?.forEach((value, i) => {
        if (one.type === "scale") scale[i] = (scale[i] as number) * value;
        translation[i] = one.type === "scale" ? (translation[i] as number) * value : (translation[i] as number) + value;
      });
    }
  };
  add(transformations);
  if (scale.some((size) => size === 0) || ![...scale, ...translation].every(Number.isFinite)) {
    throw new InvalidMetadataError(`${at}: the pixels have no finite size`);
  }
  return { scale, translation };
}

/**
 * The size of a level's pixels relative to the first level's. Versions 0.1 to 0.3 state no scales.
 */
export function downsampling(shape: readonly number[], first: readonly number[], at: string): Placement {
  const scale = shape.map((length, i) => {
    const full = first[i] as number;
    if (length === full) return 1;
    if (length === 0 || full === 0)
      throw new InvalidMetadataError(`${at}: a level has no elements, but another one has some`);
    return full / length;
  });
  return { scale, translation: shape.map(() => 0) };
}

/** A view on screen: an extent in physical units and its size in screen pixels, by axis name. */
export interface View {
  /**
   * The visible extent along each axis, in the axis's unit; before 0.4 in elements of the first
   * level.
   */
  viewport: Readonly<Record<string, number>>;
  /** The number of screen pixels for it. */
  pixels: Readonly<Record<string, number>>;
}

/** The index of the axis with this name. */
function axisOf(axes: readonly Axis[], name: string): number {
  const i = axes.findIndex((axis) => axis.name === name);
  if (i < 0) {
    const names = axes.map((axis) => axis.name).join(", ");
    throw new InvalidSelectionError(`there is no axis ${JSON.stringify(name)}: the axes are ${names}`);
  }
  return i;
}

/** Returns the index of the level for a view; see {@link Image.levelFor}. */
export function levelFor(levels: readonly { scale: readonly number[] }[], axes: readonly Axis[], view: View): number {
  const names = Object.keys(view?.viewport ?? {});
  if (names.length === 0) throw new InvalidSelectionError("expected a viewport along at least one axis");
  const wanted = names.map((name): [axis: number, size: number] => {
    const [extent, pixels] = [view.viewport[name] as number, view.pixels?.[name] as number];
    const positive = (value: unknown) => typeof value === "number" && value > 0 && Number.isFinite(value);
    if (!positive(extent) || !positive(pixels)) {
      throw new InvalidSelectionError(`the viewport and the pixels along ${name} must be positive numbers`);
    }
    return [axisOf(axes, name), (extent / pixels) * (1 + 1e-9)];
  });
  let [coarsest, finest] = [-1, 0];
  const size = (i: number) =>
    wanted.reduce((sum, [axis]) => sum + Math.log(Math.abs(levels[i]?.scale[axis] as number)), 0);
  levels.forEach(({ scale }, i) => {
    const fits = wanted.every(([axis, most]) => Math.abs(scale[axis] as number) <= most);
    if (fits && (coarsest < 0 || size(i) > size(coarsest))) coarsest = i;
    if (size(i) < size(finest)) finest = i;
  });
  return coarsest < 0 ? finest : coarsest;
}

/** Physical coordinates by axis name: a range, or a single one. */
export type Box = Readonly<Record<string, number | readonly [from: number, to: number] | null>>;

/** An entry of a selection for `array.get`. */
export type BoxSelector = number | { start: number; stop: number; step: null } | null;

/** Selects the pixels that a box touches; see {@link Level.selection}. */
export function selectionOf({ scale, translation }: Placement, axes: readonly Axis[], box: Box): BoxSelector[] {
  if (box === null || typeof box !== "object" || Array.isArray(box)) refuse("selection", box, "a box, by axes");
  const selection: BoxSelector[] = axes.map(() => null);
  for (const [name, wanted] of Object.entries(box)) {
    const i = axisOf(axes, name);
    if (wanted === null) continue;
    const ends = typeof wanted === "number" ? [wanted, wanted] : wanted;
    if (!Array.isArray(ends) || ends.length !== 2 || !ends.every(Number.isFinite)) {
      throw new InvalidSelectionError(`expected a number or a range of two along ${name}`);
    }
    const at = ends.map((end) => (end - (translation[i] as number)) / (scale[i] as number));
    if (typeof wanted === "number") {
      const index = Math.floor((at[0] as number) + 0.5 + 1e-9);
      if (index < 0) throw new InvalidSelectionError(`${wanted} lies before the first pixel along ${name}`);
      selection[i] = index;
      continue;
    }
    // A pixel extends half a pixel to both sides of its centre. Indices mark centres.
    const start = Math.floor(Math.min(...at) + 0.5 + 1e-9);
    const stop = Math.max(Math.ceil(Math.max(...at) + 0.5 - 1e-9), start + 1);
    selection[i] = { start: Math.max(start, 0), stop: Math.max(stop, 0), step: null };
  }
  return selection;
}
