import type { Field } from "../../describe/field.js";
import { rangeOf } from "../colour/range.js";
import { fullRange, positive, type Range, symmetric } from "../controls/span.js";
import type { Curve } from "../paint/painter.js";
import type { Statistics, Tiles } from "../tiles/tiles.js";

/** The ranges that statistics tell. They stay while indices change, until they are asked for again. */
export class Contrast {
  readonly #field: Field;
  readonly #changed: () => void;
  readonly #failed: (error: unknown) => void;
  readonly #kept = new Map<number, Statistics>();
  readonly #serials = new Map<number, number>();
  readonly #asked = new Map<number, AbortController>();

  constructor(field: Field, changed: () => void, failed: (error: unknown) => void) {
    this.#field = field;
    this.#changed = changed;
    this.#failed = failed;
  }

  /** What is known of a channel. */
  statistics(channel: number): Statistics | null {
    return this.#kept.get(channel) ?? null;
  }

  /** Which statistics of a channel are known: 0 for none, and each time others. */
  serial(channel: number): number {
    return this.#serials.get(channel) ?? 0;
  }

  /** The range of a channel; null while it is not known. */
  range(channel: number, curve: Curve): Range | null {
    if (this.#field.values === "boolean") return [0, 1];
    const statistics = this.#kept.get(channel);
    if (!statistics) return null;
    // A field of nothing but missing elements has no range, and needs none.
    if (!(statistics.least <= statistics.most)) return [0, 1];
    const scale = this.#field.scale.value;
    const found = rangeOf(statistics, scale);
    const one = scale === "diverging" ? symmetric(found) : fullRange(statistics);
    const range = found[0] < found[1] ? found : one;
    return curve.kind === "log" ? positive(range, statistics) : range;
  }

  /** Asks for the statistics of channels that are not known and not asked for. */
  want(tiles: Tiles, channels: readonly number[]): void {
    for (const channel of channels) {
      if (this.#kept.has(channel) || this.#asked.has(channel)) continue;
      const controller = new AbortController();
      this.#asked.set(channel, controller);
      tiles.statistics(channel, controller.signal).then(
        (statistics) => {
          if (controller.signal.aborted) return;
          this.#asked.delete(channel);
          this.#kept.set(channel, statistics);
          this.#serials.set(channel, this.serial(channel) + 1);
          this.#changed();
        },
        (error: unknown) => {
          if (controller.signal.aborted) return;
          this.#asked.delete(channel);
          this.#failed(error);
        },
      );
    }
  }

  /** Asks again, at the indices of now; what is known counts until the answer comes. */
  renew(tiles: Tiles, channels: readonly number[]): void {
    for (const channel of channels) {
      this.#asked.get(channel)?.abort();
      this.#asked.delete(channel);
    }
    const before = new Map(this.#kept);
    for (const channel of channels) this.#kept.delete(channel);
    this.want(tiles, channels);
    for (const channel of channels) {
      const statistics = before.get(channel);
      if (statistics) this.#kept.set(channel, statistics);
    }
  }

  /** Ends what is under way. */
  close(): void {
    for (const controller of this.#asked.values()) controller.abort();
    this.#asked.clear();
  }
}
