import type { Field } from "../../describe/field.js";
import type { Figure } from "../take/figure.js";
import type { Wish } from "../take/slice.js";

/** The source of downloads and copies. */
export interface Takeable {
  /** Returns the shown field and the part in view. */
  wish(): Wish;
  /** Returns the indices and the positions of the view, as the figure states them. */
  subtitle(): string;
  /** Returns the view as seen, once everything in it can be drawn. */
  figure(): Promise<Figure>;
  /** Returns the rectangle of the elements in the drawn region; undefined without a region. */
  region(): Wish["part"];
  /** The axes along which a film can run. */
  readonly axes: readonly { readonly axis: number; readonly name: string; readonly length: number }[];
  /** Shows an index of an axis. Fulfils when it is painted. */
  go(axis: number, index: number, signal: AbortSignal): Promise<void>;
  /** Reports progress of a long download; null ends it. */
  progress(done: number, total: number): void;
  /** Returns the attributes that show the same view in another page, with the current ranges. */
  attributes(): readonly (readonly [name: string, value: string])[];
  /** The element; it has further attributes of its own. */
  readonly element: HTMLElement;
  /** The reason why no other program or page can read the data; undefined if they can. */
  readonly made: string | undefined;
  /** Whether the source is an image with levels, or an array. */
  readonly kind: "array" | "image";
}

/** Returns the address of a field's store; null if others cannot reach it. */
export function addressOf(field: Field): string | null {
  const { store } = field.levels[0]?.array ?? {};
  const { url, address } = Object(store) as { url?: unknown; address?: unknown };
  const text = String(url ?? address ?? "");
  return /^https?:/.test(text) ? text : null;
}
