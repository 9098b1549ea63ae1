// Reads volumes by parts of their slowest axis, so that a read can be aborted and reports progress.
import type { ZarrArray } from "../../api/array.js";
import type { Chunk, DataType } from "../../data/types.js";
import type { Field, Packing } from "../../describe/field.js";
import type { Pixels } from "../paint/painter.js";
import { Plan } from "../tiles/plan.js";
import { TileReader } from "../tiles/reader.js";
import type { Statistics, TilesOptions } from "../tiles/tiles.js";
import type { Surveyed } from "../worker/tasks.js";
import type { ViewWorker } from "../worker/viewworker.js";
import { type Grid, type Solid, selectionOf } from "./solid.js";
import { volumeStatistics } from "./survey.js";

/** The least number of elements of a part, and the number of concurrent reads. */
const few = 2 ** 20;
const reads = 3;

/** The elements of a volume. */
interface Elements {
  readonly data: Pixels["data"];
  /** Their statistics; null without elements, or if they are no quantities. */
  readonly statistics: Statistics | null;
}

/** Reads the elements of volumes of a field. */
export class VolumeReader {
  readonly #field: Field;
  readonly #plan: Plan;
  readonly #reader: TileReader;
  readonly #worker: ViewWorker;

  constructor(field: Field, worker: ViewWorker, options: TilesOptions) {
    this.#field = field;
    this.#plan = new Plan(field);
    this.#worker = worker;
    this.#reader = new TileReader(field, this.#plan, worker, options);
  }

  /** The meaning of the numbers. */
  get packing(): Packing {
    return this.#reader.packing;
  }

  /** The numbers per element: those of a colour, or one. */
  get parts(): Pixels["parts"] {
    return this.#plan.parts({ x: -1, y: null });
  }

  /** Returns the index of each axis in elements of a level; 0 for the axes of the volume. */
  indicesAt({ axes: [x, y, z] }: Solid, level: number, indices: readonly number[], channel: number): readonly number[] {
    const found = this.#plan.slice({ x, y, indices }, level, channel).indices;
    return found.map((index, axis) => (axis === z ? 0 : index));
  }

  /**
   * Reads a volume in the order of its grid, and with `survey` its statistics. `progress` gets the
   * share of each arrived part.
   */
  async read(
    solid: Solid,
    grid: Grid,
    { indices, channel, survey }: { indices: readonly number[]; channel: number; survey: boolean },
    signal: AbortSignal,
    progress: (share: number) => void,
  ): Promise<Elements> {
    const at = this.indicesAt(solid, grid.level, indices, channel);
    const { array } = this.#field.levels[grid.level] as Field["levels"][number];
    const role = grid.roles[2];
    const [length, step] = [grid.shape[role], grid.steps[role]];
    const { parts } = this;
    const [width, rows] = [grid.shape[grid.roles[0]], grid.shape[grid.roles[1]]];
    const layer = width * rows * parts;
    const chunk = Math.max(1, Math.floor((array.chunks[solid.axes[role]] ?? 1) / step));
    const size = chunk * Math.max(1, Math.ceil(few / layer / chunk));
    const count = Math.ceil(length / size);
    let whole: Pixels["data"] | undefined;
    const surveyed: Surveyed[] = [];
    const colour = parts > 1 ? this.#field.colourAxis : null;
    const part = async (i: number) => {
      const [first, last] = [i * size, Math.min(length, (i + 1) * size)];
      const selection = selectionOf(solid, grid, at, first, last);
      if (colour !== null) selection[colour] = { start: 0, stop: parts, step: 1 };
      const data = await this.#reader.box(grid.level, selection, signal);
      whole ??= new (data.constructor as new (length: number) => Pixels["data"])(layer * length);
      whole.set(data, first * layer);
      if (survey) surveyed.push(await this.#survey(data, width));
      signal.throwIfAborted();
      progress(1 / count);
    };
    let next = 0;
    const some = async () => {
      while (next < count) await part(next++);
    };
    await Promise.all(Array.from({ length: Math.min(reads, count) }, some));
    return { data: whole ?? new Float32Array(), statistics: surveyed.length > 0 ? volumeStatistics(surveyed) : null };
  }

  /** Reads the stored element at an index of each axis; a list for colours. */
  async element(array: ZarrArray, at: readonly number[], signal: AbortSignal): Promise<unknown> {
    if (this.parts === 1) return array.get([...at], { signal });
    const item = (index: number, axis: number) => (axis === this.#field.colourAxis ? null : index);
    const { data } = (await array.get(at.map(item), { signal })) as Chunk<DataType>;
    return Array.from(data as ArrayLike<unknown>);
  }

  #survey(source: Pixels["data"], width: number): Promise<Surveyed> {
    const height = source.length / width;
    const layout = { width, height, parts: 1, strideX: 1, strideY: width, strideC: 0 } as const;
    const meaning = { complex: null, time: false, packing: this.packing };
    return this.#worker.do({ task: "survey", sources: [{ source, layout }], meaning });
  }
}
