// Links of views with different grids: places are carried over by the values of coordinates. This
// module is loaded when two such views are linked.
import type { Axis, Coordinate, Field } from "../../describe/field.js";
import { valueAt } from "../axes/positions.js";
import { spacingOf } from "../element/aspect.js";
import { lookFromState } from "../element/look.js";
import type { ViewState } from "../state.js";

/** A view of a field. */
export interface Linked {
  readonly field: Field;
  readonly state: ViewState;
}

/** An axis of both views. Their positions are null if neither has any. */
interface Pair {
  readonly axis: Axis;
  readonly other: Axis;
  readonly at: Coordinate | null;
  readonly to: Coordinate | null;
}

const isEast = ({ units }: Coordinate): boolean => /^(°E|degrees?_?e(ast)?)$/i.test(units);

/** Returns the axes of the same name whose positions can be compared, by their names. */
async function pairsOf(from: Field, to: Field): Promise<Map<string, Pair>> {
  const found = new Map<string, Pair>();
  const pairs = from.axes.flatMap((axis) => {
    const other = to.axes.find(({ name }) => name === axis.name);
    return other ? [[axis, other] as const] : [];
  });
  for (const [axis, other] of pairs) {
    const [at, there] = await Promise.all([axis.coordinate(), other.coordinate()]);
    const comparable = at && there ? at.kind === there.kind && at.units === there.units : axis.length === other.length;
    if (comparable)
      found.set(axis.name, at && there ? { axis, other, at, to: there } : { axis, other, at: null, to: null });
  }
  return found;
}

/** The distance of two positions; longitudes are compared around the Earth. */
function distance(coordinate: Coordinate, a: number, b: number): number {
  const apart = Math.abs(a - b);
  return isEast(coordinate) ? Math.min(apart % 360, 360 - (apart % 360)) : apart;
}

/** Returns the index of the position nearest to a value, and its distance. */
function nearestTo(coordinate: Coordinate, value: number): readonly [index: number, apart: number] {
  let [best, least] = [0, Number.POSITIVE_INFINITY];
  for (let i = 0; i < coordinate.length; i++) {
    const apart = distance(coordinate, coordinate.number(i), value);
    if (apart < least) [best, least] = [i, apart];
  }
  return [best, least];
}

/** Returns the distance of an index's position from its neighbour's; 0 without a neighbour. */
function stepAt(coordinate: Coordinate, index: number): number {
  const near = index + 1 < coordinate.length ? index + 1 : index - 1;
  return near < 0 ? 0 : distance(coordinate, coordinate.number(index), coordinate.number(near));
}

/**
 * Returns the index of the other axis nearest to an index of the first one; undefined if none is
 * within a step of it.
 */
function indexIn({ at, to, other }: Pair, index: number): number | undefined {
  if (!at || !to) return index < other.length ? index : undefined;
  if (at.kind === "text") {
    const text = at.text(index);
    for (let i = 0; i < to.length; i++) if (to.text(i) === text) return i;
    return undefined;
  }
  const [found, apart] = nearestTo(to, at.number(index));
  return apart <= Math.max(stepAt(to, found), stepAt(at, index)) ? found : undefined;
}

/** Returns the position of the other axis with the value at a position of the first one. */
function positionIn({ at, to }: Pair, position: number): number | undefined {
  if (!at || !to) return position;
  if (at.kind === "text" || to.length < 2) return undefined;
  const value = valueAt(at, position);
  const [nearest] = nearestTo(to, value);
  const low = Math.min(nearest, to.length - 2);
  const [a, b] = [to.number(low), to.number(low + 1)];
  const turns = isEast(to) ? 360 * Math.round((a - value) / 360) : 0;
  const found = low + 0.5 + (value + turns - a) / (b - a);
  return Number.isFinite(found) ? found : undefined;
}

/** Returns the camera of the other view that shows the same place at the same scale. */
function cameraIn(pairs: ReadonlyMap<string, Pair>, from: Linked, to: Linked, camera: ViewState["camera"]) {
  const [own, others] = [lookFromState(from.field, from.state), lookFromState(to.field, to.state)];
  const name = (field: Field, axis: number | null) => field.axes[axis ?? -1]?.name;
  const x = pairs.get(name(from.field, own.x) ?? "");
  const y = pairs.get(name(from.field, own.y) ?? "");
  if (!x || !y || name(to.field, others.x) !== x.axis.name || name(to.field, others.y) !== y.axis.name) return null;
  if (!camera) return { camera: undefined };
  const [column, row] = [positionIn(x, camera.x), positionIn(y, camera.y)];
  const [step, other] = [
    spacingOf({ axis: x.axis, coordinate: x.at }) ?? 1,
    spacingOf({ axis: x.other, coordinate: x.to }) ?? 1,
  ];
  if (column === undefined || row === undefined) return null;
  return { camera: { x: column, y: row, zoom: (camera.zoom * other) / step } };
}

/** Returns the change of another view that follows a change of one. */
export async function following(from: Linked, change: ViewState, to: Linked): Promise<ViewState> {
  const pairs = await pairsOf(from.field, to.field);
  const index: Record<string, number> = Object.create(null);
  for (const [name, at] of Object.entries(change.index ?? {})) {
    const pair = pairs.get(name);
    const found = pair && indexIn(pair, at);
    if (found !== undefined) index[name] = found;
  }
  return {
    ...(change.index && { index: { ...to.state.index, ...index } }),
    ...("camera" in change && cameraIn(pairs, from, to, change.camera)),
  };
}
