// Diagrams of a region: fields that replace the picture's plane. Means over one axis of the region
// have the other one to the right (Hovmöller diagrams). Sections have the distance along a line.
import type { Description } from "../../describe/description.js";
import { stated } from "../../describe/fact.js";
import type { Axis, Coordinate, Field } from "../../describe/field.js";
import { roundText, withUnits } from "../../describe/text.js";
import { UnsupportedError } from "../../index.js";
import type { DiagramState, RegionState, ViewState } from "../state.js";
import type { ViewWorker } from "../worker/viewworker.js";
import { meansArray } from "./means.js";
import { sectionArray, trackOf } from "./section.js";
import { groundOf, placesOf } from "./statistics.js";

/** The axes of a diagram: those of the field without the plane, and one in place of its two. */
interface Axes {
  /** The axes of the field that stay, in order. */
  readonly kept: readonly number[];
  readonly along: number;
  readonly x: number;
  readonly y: number;
}

const refuse = (path: string, message: string) => new UnsupportedError(message, { path, feature: "a diagram of this" });

/** Returns the axes that a diagram names. */
function axesOf({ axes, path, colourAxis }: Field, region: RegionState, { along, across }: DiagramState): Axes {
  const named = (name: string) => {
    const d = axes.findIndex((axis) => axis.name === name);
    if (d < 0 || d === colourAxis) throw refuse(path, `${path} has no axis ${name} for a diagram`);
    return d;
  };
  const [y, x, down] = [named(region.axes[0]), named(region.axes[1]), named(along)] as const;
  if (down === x || down === y) throw refuse(path, `${along} is an axis of the region itself`);
  if (across !== undefined && !region.axes.includes(across))
    throw refuse(path, `${across} is no axis of the region, which has ${region.axes.join(" and ")}`);
  return { kept: axes.flatMap((_, d) => (d === x || d === y ? [] : [d])), along: down, x, y };
}

/** Returns positions of some indices of a coordinate. */
function chosen(coordinate: Coordinate | null, places: readonly number[]): Coordinate | null {
  if (!coordinate) return null;
  const at = (i: number) => places[i] ?? -1;
  return {
    ...coordinate,
    length: places.length,
    number: (i) => coordinate.number(at(i)),
    text: (i) => coordinate.text(at(i)),
    find: (text) => {
      const found = places.indexOf(coordinate.find(text) ?? -1);
      return found < 0 ? undefined : found;
    },
  };
}

/** Reports whether a field has diagrams: sections, or means. Categories have no means. */
export const canDraw = ({ values }: Field, isSection: boolean): boolean =>
  values === "number" || values === "boolean" || (isSection && values === "category");

/** Returns the description of the diagram that a state asks for. */
export async function diagramOf(
  description: Description,
  { region, diagram }: ViewState,
  workers: () => ViewWorker,
  signal: AbortSignal,
): Promise<Description> {
  const { path } = description;
  if (description.kind !== "array" && description.kind !== "image")
    throw refuse(path, `a ${description.kind} has no diagram of a region`);
  if (!region || !diagram) throw refuse(path, "a diagram needs a region");
  const { field } = description;
  const isSection = region.kind === "line";
  if (!canDraw(field, isSection)) throw refuse(path, `${path} has no numbers for a diagram`);
  if (isSection !== (diagram.across === undefined))
    throw refuse(path, isSection ? "a line has sections only" : "a section needs a line");
  const made = isSection
    ? await section(field, region, diagram, workers, signal)
    : await means(field, region, diagram, workers, signal);
  return { ...description, field: made };
}

/**
 * Reports whether the first position of an axis belongs at the bottom. Heights and latitudes grow
 * upwards, and depths and pressures grow downwards.
 */
async function isUpward({ role, name, title, units, length, coordinate }: Axis, signal: AbortSignal): Promise<boolean> {
  if ((role.value !== "y" && role.value !== "z") || length < 2) return false;
  const positions = await coordinate(signal);
  if (positions?.kind !== "number") return false;
  const sinks = /dep|press/i.test(`${name} ${title}`) || /^(h?pa|mb|mbar|dbar|millibars?)$/i.test(units);
  return positions.number(length - 1) > positions.number(0) !== sinks;
}

/** Returns a field with the kept axes and one more at its end. */
async function withAxes(
  field: Field,
  { kept, along }: Axes,
  last: Axis,
  levels: Field["levels"],
  more: Partial<Field> & { readonly left?: boolean },
  signal: AbortSignal,
): Promise<Field> {
  const { left = false, ...others } = more;
  const down = field.axes[along] as Axis;
  const up = await isUpward(down, signal);
  return {
    ...field,
    axes: [...kept.map((d) => field.axes[d] as Axis), last],
    levels,
    plane: stated({ x: kept.length, y: kept.indexOf(along), up, left }, "a diagram is chosen"),
    indices: [...kept.map((d) => (d === along ? 0 : (field.indices[d] ?? 0))), 0],
    channels: null,
    colourAxis: null,
    place: null,
    ...others,
  };
}

/** Returns the properties of computed values in a field's units. */
function computed({ units }: Field) {
  return {
    values: "number",
    packing: { scale: 1, offset: 0, missing: [], valid: null },
    categories: [],
    labels: false,
    text: (value: unknown) =>
      typeof value !== "number" || Number.isNaN(value) ? "missing" : withUnits(roundText(value), units),
  } as const;
}

async function means(
  field: Field,
  region: RegionState,
  diagram: DiagramState,
  workers: () => ViewWorker,
  signal: AbortSignal,
): Promise<Field> {
  const axes = axesOf(field, region, diagram);
  const ground = await groundOf(field, axes.x, axes.y, signal);
  const by = field.axes[axes.x]?.name === diagram.across ? "column" : "row";
  const [shown, averaged] = by === "column" ? [axes.x, axes.y] : [axes.y, axes.x];
  const axis = field.axes[shown] as Axis;
  const places = placesOf(ground, { shape: region, by });
  if (places.length === 0) throw refuse(field.path, "the region has no elements");
  const coordinate = chosen(by === "column" ? ground.columns : ground.rows, places);
  const level = meansArray({ ground, shape: region, by, kept: axes.kept, places }, workers);
  const last: Axis = { ...axis, length: places.length, coordinate: async () => coordinate };
  // Latitudes that fall are drawn from right to left. Columns may cross the seam of the Earth.
  const falls = coordinate?.kind === "number" && coordinate.number(places.length - 1) < coordinate.number(0);
  const made = {
    left: by === "row" && falls,
    title: stated(`${field.title.value}: mean over ${field.axes[averaged]?.title ?? ""}`, "a diagram is chosen"),
    range: null,
    ...computed(field),
  };
  return withAxes(field, axes, last, [level], made, signal);
}

/** Reports whether values between two elements of a field have a meaning. */
export const isContinuous = ({ values, labels, categories }: Field): boolean =>
  values === "number" && !labels && categories.length === 0;

async function section(
  field: Field,
  region: RegionState,
  diagram: DiagramState,
  workers: () => ViewWorker,
  signal: AbortSignal,
): Promise<Field> {
  const { linear } = diagram;
  if (linear && !isContinuous(field))
    throw refuse(field.path, `${field.path} has names or labels, between which nothing is interpolated`);
  const axes = axesOf(field, region, diagram);
  const ground = await groundOf(field, axes.x, axes.y, signal);
  const track = trackOf(ground, region);
  const last: Axis = {
    name: field.axes.some(({ name }) => name === "distance") ? "distance along the line" : "distance",
    title: "distance",
    role: stated("other", "a diagram is chosen"),
    length: track.places.length,
    units: track.units,
    coordinate: async () => track.coordinate,
  };
  const words = `${field.title.value}: section along a line${linear ? ", interpolated linearly" : ""}`;
  const title = stated(words, "a diagram is chosen");
  const level = sectionArray(ground, track, axes.kept, linear ? workers : null);
  return withAxes(field, axes, last, [level], { title, ...(linear && computed(field)) }, signal);
}
