import { makeColumn } from "../data/columns.js";
import { scalarAt } from "../data/decode.js";
import { decodeColumn } from "../data/decodecolumn.js";
import { product, strides } from "../data/shape.js";
import type { AnyData } from "../data/types.js";
import type { CodecAnswer } from "../engine/protocol/page.js";
import type { TypeDescription, WireCodecAsk, WireDecodeAsk } from "../engine/protocol/wire.js";
import { type Codec, type CodecChunk, type CodecMeta, registry } from "./registry.js";

interface Made {
  codec: Codec;
  kind: Codec["kind"];
  type: TypeDescription;
  shape: number[];
}

/** The codecs on the page that one engine uses. */
export class PageCodecs {
  readonly #made: Made[] = [];

  /** Answers a question of the engine. */
  answer(ask: WireCodecAsk | WireDecodeAsk): Promise<CodecAnswer> {
    return "codec" in ask ? this.#make(ask) : this.#decode(ask);
  }

  async #make({ codec: name, configuration, dtype, type, shape, fill }: WireCodecAsk): Promise<CodecAnswer> {
    const entry = await registry.get(name)?.();
    if (!entry) throw new Error(`the registry no longer has the codec ${name}`);
    const meta: CodecMeta = { dataType: dtype, shape, codecs: [], fillValue: scalarAt(type, dataOf(type, fill, 1), 0) };
    const codec = entry.fromConfig(configuration ?? {}, meta);
    const kind = codec.kind ?? entry.kind ?? "bytes_to_bytes";
    const handle = this.#made.push({ codec, kind, type, shape }) - 1;
    return { handle, kind };
  }

  async #decode({ decode: handle, bytes }: WireDecodeAsk): Promise<CodecAnswer> {
    const made = this.#made[handle];
    if (!made) throw new Error("no such codec");
    const { codec, kind, type, shape } = made;
    const input =
      kind === "array_to_array"
        ? { data: dataOf(type, new Uint8Array(bytes), product(shape)), shape, stride: strides(shape) }
        : new Uint8Array(bytes);
    const result = await codec.decode(input);
    return { bytes: result instanceof Uint8Array ? result : pack(result as CodecChunk) };
  }
}

/** Returns the data of `count` elements; for a type of variable length, of one element. */
function dataOf(type: TypeDescription, bytes: Uint8Array, count: number): AnyData {
  const own = new Uint8Array(bytes);
  return decodeColumn(type, makeColumn(type, { bytes: own, count, offsets: Uint32Array.of(0, own.length) }), 0, count);
}

/** Packs the elements of a chunk in C order. */
function pack({ data, shape, stride }: CodecChunk): Uint8Array {
  const { buffer, byteOffset, byteLength, BYTES_PER_ELEMENT: width } = data as Uint8Array;
  if (!buffer || !width) throw new TypeError("a codec must return bytes or a chunk of a typed array");
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
