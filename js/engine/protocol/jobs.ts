/** What passes between an engine, the pool of its helpers, and a helper. */

import type { Place } from "../../worker/scatter.js";
import type { WireError } from "./types.js";

/** What an engine says to the pool of its helpers, in the same worker. */
export type FromPoolUser = WirePipeline | WireJob | WirePoolNews;

/** A chain of codecs that the jobs after it name. */
export interface WirePipeline {
  pipeline: number;
  /** All that came before are no longer named. */
  forget: boolean;
  format: number;
  depth: number;
  chain: unknown[];
  type: object;
  shape: number[];
  fill: Uint8Array;
}

/** A chunk that a helper is to decode or to encode. */
export interface WireJob {
  job: number;
  pipeline: number;
  shape: number[];
  bytes: Uint8Array<ArrayBuffer>;
  want?: number[];
  region?: WireRegion;
  /** Without one, the engine takes the bytes itself. */
  place?: WirePlace;
  /** Bytes of what is decoded. */
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

/** Where a region's elements belong. */
export interface WirePlace extends Place {
  memory: ArrayBuffer | SharedArrayBuffer;
}

/** That a job is no longer wanted, that there is work for one helper more, or that the engine wants a tick. */
export type WirePoolNews = { drop: number } | { grow: true } | { tick: true };

/** What an engine is told of its helpers. */
export type ToPoolUser =
  | { op: "job"; helpers: number }
  | { op: "job"; tick: true }
  | ({ op: "job" } & WireJobEnd)
  | ({ op: "encoded" } & WireJobEnd);

/** The end of a job to decode or to encode. Without bytes of what is decoded, they are where they belong. */
export interface WireJobEnd {
  job: number;
  bytes?: ArrayBuffer;
  failed?: boolean;
  error?: string;
}

/** What a helper is told. */
export type ToHelper =
  | ({ op: "pipeline" } & WirePipeline)
  | { op: "crash"; id: number; why: string; trap?: boolean }
  | ({ op: "decode"; want?: number[]; region?: WireRegion; into?: ArrayBuffer; place?: WirePlace } & WireHelperChunk)
  | ({ op: "encode" } & WireHelperChunk);

/** What a helper is told of a chunk: its stored bytes, or the elements to encode, at the beginning of a buffer. */
export interface WireHelperChunk {
  id: number;
  pipeline: number;
  shape: number[];
  bytes: ArrayBuffer;
  length: number;
}

/** The same for the Go instance in it, which is not given the memory of a place. */
export type ToGoHelper = ToHelper | (Omit<Extract<ToHelper, { op: "decode" }>, "place"> & { place: Place });

/** What a helper says. */
export type FromHelper =
  | { booted: true }
  | { fatal: WireError }
  /** The end of a job, and the buffers that came with it; `into` of one to encode is what it has been encoded to. */
  | { done: number; memory: number; failed?: boolean; bytes: ArrayBuffer; into?: ArrayBuffer };
