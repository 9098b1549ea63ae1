import type { Field } from "../../describe/field.js";
import { withUnits } from "../../describe/text.js";
import { closeExpression, closeText } from "../colour/close.js";
import { rangeOf } from "../colour/range.js";
import { short } from "../controls/parts.js";
import { positive, type Range } from "../controls/span.js";
import type { Curve } from "../paint/painter.js";
import type { Statistics, Tiles } from "../tiles/tiles.js";

/** Identifies a slice of a field and the rectangle in view, each as a text. */
export interface Seen {
  readonly slice: string;
  readonly view: string;
}

/**
 * Ranges by statistics. They stay while indices change, until the person asks for new ones. A slice
 * without values, or with one only, is the exception: the next slice or view reads new statistics.
 */
export class Contrast {
  readonly #field: Field;
  readonly #changed: () => void;
  readonly #ranged: () => void;
  readonly #failed: (error: unknown) => void;
  readonly #kept = new Map<number, Statistics>();
  /** The slice and the view that each channel's statistics describe. */
  readonly #seen = new Map<number, Seen>();
  readonly #serials = new Map<number, number>();
  readonly #asked = new Map<number, AbortController>();
  /** The slice and the view whose statistics failed, by channel. */
  readonly #broken = new Map<number, Seen>();

  /** The range of all synchronised views of the quantity; null if there is none. */
  #shared: Range | null = null;

  /** `changed` asks for a drawing. `ranged` reports new statistics. */
  constructor(field: Field, changed: () => void, ranged: () => void, failed: (error: unknown) => void) {
    this.#field = field;
    this.#changed = changed;
    this.#ranged = ranged;
    this.#failed = failed;
  }

  /** Returns the statistics of a channel; null if there are none. */
  statistics(channel: number): Statistics | null {
    return this.#kept.get(channel) ?? null;
  }

  /**
   * Returns the serial number of a channel's statistics. It is 0 without statistics and changes
   * with each new ones.
   */
  serial(channel: number): number {
    return this.#serials.get(channel) ?? 0;
  }

  /** Reports whether all elements in the statistics are missing. */
  isEmpty(channel: number): boolean {
    const { count, missing } = this.#kept.get(channel) ?? {};
    return count !== undefined && count > 0 && count === missing;
  }

  /**
   * Reports whether the statistics found no value or only one, in another slice or view than the
   * current one.
   */
  isStale(channel: number, now: Seen): boolean {
    const { least, most } = this.#kept.get(channel) ?? {};
    return (this.isEmpty(channel) || (least !== undefined && least === most)) && !this.#isOf(channel, now);
  }

  /** Whether statistics are requested and have not arrived. */
  get busy(): boolean {
    return this.#asked.size > 0;
  }

  #isOf(channel: number, { slice, view }: Seen): boolean {
    const seen = this.#seen.get(channel);
    return seen?.slice === slice && (this.#kept.get(channel)?.whole === true || seen.view === view);
  }

  /**
   * Returns a sentence for a slice whose values are all missing, or all the same; `""` for others.
   */
  note(channels: readonly number[], now: Seen): string {
    const all = channels.map((channel) => this.#kept.get(channel));
    if (all.length === 0 || !channels.every((channel) => this.#isOf(channel, now))) return "";
    const where = all.every((one) => one?.whole) ? "" : " in view";
    if (channels.every((channel) => this.isEmpty(channel))) return this.absence(where);
    const [only] = all;
    if (all.length === 1 && only?.close) {
      const expression = closeExpression(this.#field, only.close);
      const said = closeText(this.#field, only.close, where);
      return expression === "" ? said : `${said}. Calculate ${expression} to see them`;
    }
    if (all.length > 1 || !only || only.least !== only.most || only.missing > 0) return "";
    return `All values${where} are ${withUnits(short(only.least), this.#field.units)}`;
  }

  /** Returns the sentence for values that are all missing, and whether the fill value causes it. */
  absence(where = ""): string {
    const { levels, packing } = this.#field;
    const fill = levels[0]?.array.fillValue;
    const filled = (typeof fill === "number" || typeof fill === "bigint") && packing.missing.includes(fill);
    return `All values${where} are missing${filled ? `: ${fill}, the fill value, counts as missing` : ""}`;
  }

  /** Replaces the ranges of known statistics; null restores them. */
  share(range: Range | null): void {
    if (String(range) === String(this.#shared)) return;
    this.#shared = range;
    for (const channel of this.#kept.keys()) this.#serials.set(channel, this.serial(channel) + 1);
    this.#changed();
  }

  /** Returns the range of a channel; null until it is known. */
  range(channel: number, curve: Curve): Range | null {
    const own = this.own(channel, curve);
    const shared = curve.kind === "log" && !((this.#shared?.[0] ?? 0) > 0) ? null : this.#shared;
    return own && (shared ?? own);
  }

  /** Returns the range of a channel by this view's own statistics; null until it is known. */
  own(channel: number, curve: Curve): Range | null {
    const statistics = this.#kept.get(channel);
    if (!statistics) return null;
    // If all elements are missing, any range will do.
    if (!(statistics.least <= statistics.most)) return [0, 1];
    const range = rangeOf(statistics, this.#field.scale.value);
    return curve.kind === "log" ? positive(range, statistics) : range;
  }

  /**
   * Takes the statistics of a volume. They describe all of its slices, so that slices and volume
   * have one range. Like those of a slice they stay, except for a finer volume, or with `anew`.
   */
  adopt(channel: number, statistics: Statistics, anew: boolean): void {
    const before = this.#kept.get(channel);
    const kept = before?.volume && before.count >= statistics.count && before.least < before.most;
    if (kept && !anew) return;
    this.#asked.get(channel)?.abort();
    this.#asked.delete(channel);
    this.#keep(channel, statistics, { slice: "", view: "" });
  }

  #keep(channel: number, statistics: Statistics, seen: Seen): void {
    this.#kept.set(channel, statistics);
    this.#seen.set(channel, seen);
    this.#serials.set(channel, this.serial(channel) + 1);
    this.#ranged();
    this.#changed();
  }

  /** Requests statistics of channels without current ones, unless they are requested already. */
  want(tiles: Tiles, channels: readonly number[], now: Seen): void {
    for (const channel of channels) {
      if ((this.#kept.has(channel) && !this.isStale(channel, now)) || this.#asked.has(channel)) continue;
      const broken = this.#broken.get(channel);
      if (broken?.slice === now.slice && broken.view === now.view) continue;
      const controller = new AbortController();
      this.#asked.set(channel, controller);
      tiles.statistics(channel, controller.signal).then(
        (statistics) => {
          if (controller.signal.aborted) return;
          this.#asked.delete(channel);
          this.#keep(channel, statistics, now);
        },
        (error: unknown) => {
          if (controller.signal.aborted) return;
          this.#asked.delete(channel);
          this.#broken.set(channel, now);
          this.#failed(error);
        },
      );
    }
  }

  /**
   * Requests new statistics at the current indices. The old ones apply until the new ones arrive.
   */
  renew(tiles: Tiles, channels: readonly number[], now: Seen): void {
    for (const channel of channels) {
      this.#asked.get(channel)?.abort();
      this.#asked.delete(channel);
    }
    this.retry();
    const before = new Map(this.#kept);
    for (const channel of channels) this.#kept.delete(channel);
    this.want(tiles, channels, now);
    for (const channel of channels) {
      const statistics = before.get(channel);
      if (statistics) this.#kept.set(channel, statistics);
    }
  }

  /** Requests failed statistics again. */
  retry(): void {
    this.#broken.clear();
  }

  /** Aborts all requests. */
  close(): void {
    for (const controller of this.#asked.values()) controller.abort();
    this.#asked.clear();
  }
}
