/** Questions and answers of stores and codecs on the page, before they are messages. */

import type { WireByteRange, WireCodecFound, WireFound, WireStoreQuestion } from "./wire.js";

/** A question to a store on the page. `fresh` forbids earlier answers. */
export type StoreQuestion = { key: string; range?: WireByteRange; fresh?: boolean } | WireStoreQuestion;

/** The answer of a store. For a key, absent bytes mean that the key is missing. */
export interface StoreAnswer extends WireFound {
  /** The bytes of a key. They belong to the store. */
  bytes?: Uint8Array;
}

/** The answer of a codec. */
export interface CodecAnswer extends WireCodecFound {
  bytes?: Uint8Array;
}
