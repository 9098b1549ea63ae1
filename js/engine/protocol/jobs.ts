/** Messages between an engine, the pool of its helpers, and a helper. */

import type { Place } from "../../worker/scatter.js";
import type { WireError } from "./types.js";

/** Messages from an engine to the pool of its helpers, in the same worker. */
export type FromPoolUser = WirePipeline | WireJob | WirePoolNews;

/** A chain of codecs. Later jobs refer to it by its number. */
export interface WirePipeline {
  pipeline: number;
  /** No job refers to earlier chains any more. */
  forget: boolean;
  format: number;
  depth: number;
  chain: unknown[];
  type: object;
  shape: number[];
  fill: Uint8Array;
}

/** A chunk that a helper decodes or encodes. */
export interface WireJob {
  job: number;
  pipeline: number;
  shape: number[];
  bytes: Uint8Array<ArrayBuffer>;
  want?: number[];
  region?: WireRegion;
  /** The place of the result. Without it, the engine takes the bytes itself. */
  place?: WirePlace;
  /** The number of decoded bytes. */
  size: number;
  /** The bytes are the elements of a chunk to encode. */
  encode?: true;
  dropped?: true;
}

/** A region of a chunk, in elements. */
export interface WireRegion {
  offset: number;
  strides: number[];
  shape: number[];
}

/** The place of a region's elements in a result. */
export interface WirePlace extends Place {
  memory: ArrayBuffer | SharedArrayBuffer;
}

/** Drops a job, asks for one more helper, or asks for a tick. */
export type WirePoolNews = { drop: number } | { grow: true } | { tick: true };

/** Messages to an engine about its helpers. */
export type ToPoolUser =
  | { op: "job"; helpers: number }
  | { op: "job"; tick: true }
  | ({ op: "job" } & WireJobEnd)
  | ({ op: "encoded" } & WireJobEnd);

/**
 * The end of a job to decode or to encode. Without bytes, the decoded elements are already in their
 * place.
 */
export interface WireJobEnd {
  job: number;
  bytes?: ArrayBuffer;
  failed?: boolean;
  error?: string;
}

/** Messages to a helper. */
export type ToHelper =
  | ({ op: "pipeline" } & WirePipeline)
  | { op: "crash"; id: number; why: string; trap?: boolean }
  | ({ op: "decode"; want?: number[]; region?: WireRegion; into?: ArrayBuffer; place?: WirePlace } & WireHelperChunk)
  | ({ op: "encode" } & WireHelperChunk);

/**
 * A chunk for a helper: its stored bytes, or the elements to encode, at the beginning of a buffer.
 */
export interface WireHelperChunk {
  id: number;
  pipeline: number;
  shape: number[];
  bytes: ArrayBuffer;
  length: number;
}

/** Messages to the Go instance of a helper, which does not receive the memory of a place. */
export type ToGoHelper = ToHelper | (Omit<Extract<ToHelper, { op: "decode" }>, "place"> & { place: Place });

/** Messages from a helper. */
export type FromHelper =
  | { booted: true }
  | { fatal: WireError }
  /**
   * The end of a job, and the buffers that came with it. For an encoded chunk, `into` has the
   * encoded bytes.
   */
  | { done: number; memory: number; failed?: boolean; bytes: ArrayBuffer; into?: ArrayBuffer };
