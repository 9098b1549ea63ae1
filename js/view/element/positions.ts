import type { Coordinate, Field } from "../../describe/field.js";
import { type Coast, loadCoast } from "./coastlines.js";
import type { Look } from "./look.js";

/**
 * The longest waits for coordinates, which may turn or stretch the picture, in milliseconds: before
 * elements are read, and before they are painted.
 */
const PATIENCE = { reading: 500, painting: 5000 };

const wait = (milliseconds: number) => new Promise((resolve) => setTimeout(resolve, milliseconds));

/** The positions of a field's axes, and coastlines for axes on the Earth. */
export class Positions {
  readonly #field: Field;
  readonly #changed: () => void;
  readonly #ended: AbortSignal;
  readonly #each: (Coordinate | null | undefined)[];
  #placed = false;
  #settled = false;
  /** Undefined before the request; null if they are unavailable. */
  #coast: Coast | null | undefined;
  #landing = false;

  constructor(field: Field, changed: () => void, ended: AbortSignal) {
    this.#field = field;
    this.#changed = changed;
    this.#ended = ended;
    this.#each = field.axes.map(() => undefined);
  }

  /** The positions of each axis; null if it has none, undefined until they are known. */
  get all(): readonly (Coordinate | null | undefined)[] {
    return this.#each;
  }

  /** Returns the positions of one axis. */
  of(axis: number | null): Coordinate | null {
    return this.#each[axis ?? -1] ?? null;
  }

  /** Whether the positions of the plane are known, or elements should be read without them. */
  get placed(): boolean {
    return this.#placed;
  }

  /** Whether the layout is known: a picture can be painted and stays at its place. */
  get settled(): boolean {
    return this.#settled;
  }

  /** The coastlines; null if none are drawn. */
  get coast(): Coast | null {
    return this.#coast ?? null;
  }

  /** Whether coastlines are loading. */
  get landing(): boolean {
    return this.#landing;
  }

  /** Starts a new wait after a change of the plane. */
  wait(): void {
    this.#placed = false;
    this.#settled = false;
  }

  /**
   * Reads unknown positions. The picture waits a while for those of the plane, which may turn or
   * stretch it.
   */
  async read({ x, y }: Look): Promise<void> {
    const read = async (axis: number) => {
      if (this.#each[axis] !== undefined) return;
      const found = await this.#field.axes[axis]?.coordinate(this.#ended).catch(() => null);
      if (this.#ended.aborted) return;
      this.#each[axis] = found ?? null;
      this.#changed();
    };
    const { axes, colourAxis } = this.#field;
    const drawn = [x, y].filter((axis) => axis !== null);
    const others = axes.map((_, d) => d).filter((d) => !drawn.includes(d) && d !== colourAxis);
    if (this.#settled && [...drawn, ...others].every((axis) => this.#each[axis] !== undefined))
      return this.#land(drawn);
    // An axis of one element has a row of controls only if it has a position.
    const single = others.filter((d) => (axes[d]?.length ?? 0) < 2);
    const all = Promise.all([...drawn, ...single].map(read));
    void Promise.all(others.map(read));
    await Promise.race([all, wait(PATIENCE.reading)]);
    if (this.#ended.aborted) return;
    this.#placed = true;
    const land = this.#land(drawn);
    this.#changed();
    await Promise.race([all, wait(PATIENCE.painting)]);
    if (this.#ended.aborted) return;
    this.#settled = true;
    this.#changed();
    await land;
  }

  /** Loads the coastlines, once. */
  async #land(drawn: readonly number[]): Promise<void> {
    if (!this.#field.place?.lonLat || drawn.length < 2 || this.#landing || this.#coast !== undefined) return;
    this.#landing = true;
    const coast = await loadCoast().catch(() => null);
    if (this.#ended.aborted) return;
    this.#landing = false;
    this.#coast = coast;
    this.#changed();
  }
}
