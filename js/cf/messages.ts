import type { Counts, NumberName, Numbers, Output, Plan } from "./plan.js";

/** @internal What the worker that decodes is told. */
export type ToDecoder =
  /** Begins a region of so many elements. */
  | { id: number; plan: Plan; count: number }
  /** Numbers that are taken for a type, and where they belong: `runs` times `run` elements, the first at `at`, from each to the next `stride`. */
  | { id: number; source: Numbers; from: NumberName; at: number; run: number; runs: number; stride: number }
  /** Asks for the region, whose parts are there. */
  | { id: number; finish: true }
  /** Forgets a region. */
  | { id: number; drop: true };

/** @internal What it answers. */
export type FromDecoder =
  /** It has started. */
  | { ready: true }
  /** A part is decoded. */
  | { id: number; decoded: true }
  /** The region. */
  | { id: number; output: Output; counts: Counts }
  /** It cannot be decoded: there is no memory for it. */
  | { id: number; bytes: number };
