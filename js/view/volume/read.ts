// Reads volumes by parts of their slowest axis, so that a read can be aborted and reports progress.
import type { Field, Packing } from "../../describe/field.js";
import type { Pixels } from "../paint/painter.js";
import { Plan } from "../tiles/plan.js";
import { TileReader } from "../tiles/reader.js";
import type { TilesOptions } from "../tiles/tiles.js";
import type { ViewWorker } from "../worker/viewworker.js";
import { hasValues } from "./pick.js";
import { type Grid, type Solid, selectionOf } from "./solid.js";

/** The least number of elements of a part, and the number of concurrent reads. */
const few = 2 ** 20;
const reads = 3;

/** The elements of a volume. */
interface Elements {
  readonly data: Pixels["data"];
  /** Whether all are missing. */
  readonly empty: boolean;
}

/** Reads the elements of volumes of a field. */
export class VolumeReader {
  readonly #field: Field;
  readonly #plan: Plan;
  readonly #reader: TileReader;

  constructor(field: Field, worker: ViewWorker, options: TilesOptions) {
    this.#field = field;
    this.#plan = new Plan(field);
    this.#reader = new TileReader(field, this.#plan, worker, options);
  }

  /** The meaning of the numbers. */
  get packing(): Packing {
    return this.#reader.packing;
  }

  /** Returns the index of each axis in elements of a level; 0 for the axes of the volume. */
  indicesAt({ axes: [x, y, z] }: Solid, level: number, indices: readonly number[], channel: number): readonly number[] {
    const found = this.#plan.slice({ x, y, indices }, level, channel).indices;
    return found.map((index, axis) => (axis === z ? 0 : index));
  }

  /** Reads a volume in the order of its grid. `progress` gets the share of each arrived part. */
  async read(
    solid: Solid,
    grid: Grid,
    indices: readonly number[],
    channel: number,
    signal: AbortSignal,
    progress: (share: number) => void,
  ): Promise<Elements> {
    const at = this.indicesAt(solid, grid.level, indices, channel);
    const { array } = this.#field.levels[grid.level] as Field["levels"][number];
    const role = grid.roles[2];
    const [length, step] = [grid.shape[role], grid.steps[role]];
    const layer = grid.shape[grid.roles[0]] * grid.shape[grid.roles[1]];
    const chunk = Math.max(1, Math.floor((array.chunks[solid.axes[role]] ?? 1) / step));
    const size = chunk * Math.max(1, Math.ceil(few / layer / chunk));
    const count = Math.ceil(length / size);
    let whole: Pixels["data"] | undefined;
    let empty = true;
    const part = async (i: number) => {
      const [first, last] = [i * size, Math.min(length, (i + 1) * size)];
      const data = await this.#reader.box(grid.level, selectionOf(solid, grid, at, first, last), signal);
      whole ??= new (data.constructor as new (length: number) => Pixels["data"])(layer * length);
      whole.set(data, first * layer);
      empty &&= !hasValues({ width: layer, height: last - first, parts: 1, data }, this.packing);
      progress(1 / count);
    };
    let next = 0;
    const some = async () => {
      while (next < count) await part(next++);
    };
    await Promise.all(Array.from({ length: Math.min(reads, count) }, some));
    return { data: whole ?? new Float32Array(), empty };
  }
}
