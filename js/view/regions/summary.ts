// The statistics of a region at one index, or at each index of another axis.
import type { Coordinate } from "../../describe/field.js";
import type { Cost } from "../element/budget.js";
import type { Summarised } from "../worker/tasks.js";
import type { ViewWorker } from "../worker/viewworker.js";
import type { Shape } from "./cells.js";
import { type Asked, areaCost, type Ground, hasAreas, statisticsOf } from "./statistics.js";

/** A region, and the axis along which its statistics are computed. */
export interface RegionOf {
  readonly ground: Ground;
  readonly shape: Shape;
  readonly indices: readonly number[];
  /** The axis of the series; null for the index of now only. */
  readonly along: number | null;
}

/** The statistics of the values that are not missing; NaN if all are. */
export interface Statistics {
  readonly count: number;
  readonly missing: number;
  readonly least: number;
  readonly most: number;
  /** The weighted mean. */
  readonly mean: number;
  /** The weighted standard deviation of the population. */
  readonly deviation: number;
  /** The weighted share of each class of the field, from 0 to 1. */
  readonly shares: readonly number[];
}

/** The statistics of a region. */
export interface RegionSummary {
  /** One for each index of the series; a single one without a series. */
  readonly each: readonly Statistics[];
  /** The positions along the axis of the series; null without one. */
  readonly coordinate: Coordinate | null;
  /** Whether elements are weighted by their areas. */
  readonly areas: boolean;
}

function askedOf({ ground, shape, indices, along }: RegionOf): Asked {
  const length = ground.field.axes[along ?? -1]?.length ?? 1;
  return { shape, indices, along: along === null ? null : { axis: along, from: 0, to: length }, by: "plane" };
}

/** Returns the cost of the statistics: chunks, and their decoded bytes. */
export const regionCost = (of: RegionOf): Cost => areaCost(of.ground, askedOf(of));

/** Returns the statistics of one group. */
function statistics(all: Summarised, i: number): Statistics {
  const [count, weights] = [all.count[i] as number, all.weights[i] as number];
  const none = count === 0;
  const classes = all.classes.length / all.count.length;
  return {
    count,
    missing: all.missing[i] as number,
    least: none ? Number.NaN : (all.least[i] as number),
    most: none ? Number.NaN : (all.most[i] as number),
    mean: weights === 0 ? Number.NaN : (all.mean[i] as number),
    deviation: Math.sqrt(Math.max(0, all.squares[i] as number) / weights),
    shares: Array.from(all.classes.subarray(i * classes, (i + 1) * classes), (one) => one / weights),
  };
}

/** Reads a region at each index of the series, and summarises its values. */
export async function summaryOf(
  of: RegionOf,
  worker: ViewWorker,
  signal: AbortSignal,
  progress: (done: number, total: number) => void,
): Promise<RegionSummary> {
  const { ground, along } = of;
  const [found, coordinate] = await Promise.all([
    statisticsOf(ground, askedOf(of), worker, signal, progress),
    along === null ? null : (ground.field.axes[along]?.coordinate(signal) ?? null),
  ]);
  const each = Array.from({ length: found.planes }, (_, i) => statistics(found.statistics, i));
  return { each, coordinate, areas: hasAreas(ground) };
}
