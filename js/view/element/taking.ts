import type { Field } from "../../describe/field.js";
import type { Figure } from "../take/figure.js";
import type { Wish } from "../take/slice.js";

/** What is taken away of. */
export interface Takeable {
  /** What is shown, and which part of it. */
  wish(): Wish;
  /** What is seen. */
  figure(): Figure;
  /** The axes that a film can run along. */
  readonly axes: readonly { readonly axis: number; readonly name: string; readonly length: number }[];
  /** Shows an index of an axis, and fulfils when it is painted. */
  go(axis: number, index: number, signal: AbortSignal): Promise<void>;
  /** Says how much of what takes long is done; null when it is. */
  progress(done: number, total: number): void;
  /** The attributes that show the same in another page, with the ranges of now. */
  attributes(): readonly (readonly [name: string, value: string])[];
  /** The element, whose other attributes are its own. */
  readonly element: HTMLElement;
  /** Why no program reads it, and no other page shows it; undefined where they do. */
  readonly made: string | undefined;
  /** Whether it is an image with levels, or an array. */
  readonly kind: "array" | "image";
}

/** The address of a field's store; null where it is none that others reach. */
export function addressOf(field: Field): string | null {
  const { store } = field.levels[0]?.array ?? {};
  const { url, address } = Object(store) as { url?: unknown; address?: unknown };
  const text = String(url ?? address ?? "");
  return /^https?:/.test(text) ? text : null;
}
