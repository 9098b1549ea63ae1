import { decodeBlock, decodeElement } from "./data.js";
import type { TypeDescription, WireCodecAnswer, WireCodecAsk, WireDecodeAsk } from "./protocol.js";
import { product, strides } from "./shape.js";
import type { AnyData } from "./types.js";

/** What a codec is told of the arrays that it is to decode. */
export interface CodecMeta {
  /** zarrita's name of the data type. */
  dataType: string;
  /** The shape of a chunk. */
  shape: number[];
  /** Empty: a codec here is asked for its own part only. */
  codecs: { name: string; configuration: Record<string, unknown> }[];
  fillValue: unknown;
}

/** A chunk as array codecs have it. */
export interface CodecChunk {
  data: AnyData;
  shape: number[];
  stride: number[];
}

/** A codec of the page's: zarrita's, numcodecs', or the like. */
export interface Codec {
  /** What it turns into what; the default is `"bytes_to_bytes"`. */
  kind?: "array_to_array" | "array_to_bytes" | "bytes_to_bytes" | undefined;
  /** Decodes bytes (or, for an array-to-array codec, a chunk) into bytes or a chunk. */
  // biome-ignore lint/suspicious/noExplicitAny: zarrita's codecs take bytes or chunks, by their kind
  decode(data: any): unknown;
}

/** What {@link registry} gives for a name. */
export interface CodecEntry {
  // biome-ignore lint/suspicious/noExplicitAny: a configuration is what its codec says it is
  fromConfig(configuration: any, meta: any): Codec;
  kind?: Codec["kind"] | undefined;
}

/**
 * Codecs of the page's own, by their name in v3 metadata (`"numcodecs.x"` or `"x"` for the
 * id `x` of v2). They run on this thread. Those that the engine has need not be here; one
 * that is goes before the engine's.
 */
export const registry: Map<string, () => CodecEntry | Promise<CodecEntry>> = /* @__PURE__ */ new Map();

interface Made {
  codec: Codec;
  type: TypeDescription;
  shape: number[];
}

/** The codecs that one engine uses. */
export class PageCodecs {
  readonly #made: Made[] = [];
  #told = "";

  /** The names, when there are others than the last time. */
  news(): string[] | undefined {
    const names = [...registry.keys()];
    const told = JSON.stringify(names);
    if (told === this.#told || (this.#told === "" && names.length === 0)) return undefined;
    this.#told = told;
    return names;
  }

  /** Answers a question of the engine's. */
  answer(ask: WireCodecAsk | WireDecodeAsk): Promise<WireCodecAnswer> {
    return "codec" in ask ? this.#make(ask) : this.#decode(ask);
  }

  async #make({ codec: name, configuration, dtype, type, shape, fill }: WireCodecAsk): Promise<WireCodecAnswer> {
    const entry = await registry.get(name)?.();
    if (!entry) throw new Error(`the registry no longer has the codec ${name}`);
    const meta: CodecMeta = { dataType: dtype, shape, codecs: [], fillValue: decodeElement(type, fill) };
    const codec = entry.fromConfig(configuration ?? {}, meta);
    const handle = this.#made.push({ codec, type, shape }) - 1;
    return { handle, kind: codec.kind ?? entry.kind ?? "bytes_to_bytes" };
  }

  async #decode({ decode: handle, bytes }: WireDecodeAsk): Promise<WireCodecAnswer> {
    const made = this.#made[handle];
    if (!made) throw new Error("no such codec");
    const { codec, type, shape } = made;
    const input =
      codec.kind === "array_to_array"
        ? { data: decodeBlock(type, { buffer: bytes, shape }), shape, stride: strides(shape) }
        : new Uint8Array(bytes);
    const result = await codec.decode(input);
    return { bytes: result instanceof Uint8Array ? result : pack(result as CodecChunk) };
  }
}

/** The packed elements of a chunk in C order. */
function pack({ data, shape, stride }: CodecChunk): Uint8Array {
  const { buffer, byteOffset, byteLength, BYTES_PER_ELEMENT: width } = data as Uint8Array;
  if (!buffer || !width) throw new TypeError("a codec must give bytes or a chunk of a typed array");
  const bytes = new Uint8Array(buffer, byteOffset, byteLength);
  const count = product(shape);
  const out = new Uint8Array(count * width);
  const at = shape.map(() => 0);
  let from = 0;
  for (let i = 0; i < count; i++) {
    out.set(bytes.subarray(from * width, (from + 1) * width), i * width);
    for (let d = shape.length - 1; d >= 0; d--) {
      from += stride[d] as number;
      at[d] = (at[d] as number) + 1;
      if ((at[d] as number) < (shape[d] as number)) break;
      from -= (stride[d] as number) * (shape[d] as number);
      at[d] = 0;
    }
  }
  return out;
}
