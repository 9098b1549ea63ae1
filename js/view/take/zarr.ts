// A part of a field as a zip archive of Zarr. The archive is read again before it is offered.
import type { ZarrArray } from "../../api/array.js";
import type { AnyData, ByteChunk, Chunk, DataType } from "../../data/types.js";
import { slice } from "../../index.js";
import { hierarchyOf, lengthsOf, type Part, type PartArray, type PartHierarchy, type Range } from "./part.js";

/** The functions that write and read archives. */
export type Tools = Pick<
  typeof import("../../write/index.js"),
  "consolidateMetadata" | "createArray" | "createGroup" | "createLike" | "set"
> &
  Pick<typeof import("../../zip/index.js"), "ZipWriter"> &
  Pick<typeof import("../../index.js"), "open" | "root" | "ZipStore">;

/** Loads the functions that write and read archives. */
export async function loadTools(): Promise<Tools> {
  const [writing, zip, index] = await Promise.all([
    import("../../write/index.js"),
    import("../../zip/index.js"),
    import("../../index.js"),
  ]);
  return { ...writing, ...zip, open: index.open, root: index.root, ZipStore: index.ZipStore };
}

/** The largest number of chunks of an array; smaller chunks are joined. */
const mostChunks = 4096;
/** The largest number of elements of one read. */
const boxElements = 2 ** 20;
/** The number of concurrent reads. */
const reads = 4;

/** Returns a part as a zip archive. `done` receives the finished share. */
export async function zarrOf(
  part: Part,
  tools: Tools,
  signal: AbortSignal,
  done: (share: number) => void = () => {},
): Promise<Blob> {
  const hierarchy = await hierarchyOf(part, signal);
  const zip = new tools.ZipWriter();
  const top = tools.root(zip);
  const { format, attributes } = hierarchy;
  await tools.createGroup(top, { format, attributes, signal });
  const boxes: (readonly [number, Range[]])[] = [];
  const made: ZarrArray[] = [];
  for (const [i, one] of hierarchy.arrays.entries()) {
    const array = await created(one, top.resolve(one.path), hierarchy, tools, signal);
    made.push(array);
    for (const box of boxesOf(array.shape, array.chunks)) boxes.push([i, box]);
  }
  const hashes = new Map<Range[], number>();
  let finished = 0;
  const step = () => done(++finished / (2 * boxes.length));
  await each(boxes, async ([i, box]) => {
    const { array, ranges } = hierarchy.arrays[i] as PartArray;
    const from = box.map(([start, stop], d): Range => {
      const [first] = ranges[d] as Range;
      return [first + start, first + stop];
    });
    const values = await read(array, from, signal);
    hashes.set(box, hashOf(values));
    const into = made[i] as ZarrArray;
    const as = isBytes(values) && { as: "bytes" as const };
    await tools.set(into, selectionOf(box), values as Chunk<DataType>, { ...as, skipEmpty: true, signal });
    step();
  });
  if (format === 2) await tools.consolidateMetadata(top, { signal });
  const blob = await zip.blob();
  const written = tools.root(new tools.ZipStore(blob));
  const opened = await Promise.all(
    hierarchy.arrays.map(({ path }) => tools.open(written.resolve(path), { kind: "array", signal })),
  );
  await each(boxes, async ([i, box]) => {
    const values = await read(opened[i] as unknown as ZarrArray, box, signal);
    if (hashOf(values) !== hashes.get(box)) throw unequal(hierarchy.arrays[i] as PartArray);
    step();
  });
  return blob;
}

const unequal = ({ path }: PartArray): Error =>
  new Error(`the archive has other elements of ${path} than the source; it is not offered`);

/** Runs work for each item, a few at once. After a failure none begins. */
async function each<T>(items: readonly T[], work: (item: T) => Promise<void>): Promise<void> {
  const rest = items.values();
  let failed = false;
  const run = async () => {
    for (const item of rest) {
      if (failed) return;
      await work(item).catch((error: unknown) => {
        failed = true;
        throw error;
      });
    }
  };
  await Promise.all(Array.from({ length: reads }, run));
}

const selectionOf = (box: readonly Range[]) => box.map(([start, stop]) => slice(start, stop));

type Values = ByteChunk | Chunk<DataType>;

const isBytes = (values: Values & { readonly bytes?: true }): boolean => values.bytes === true;

/**
 * Reads a box of an array. Elements of a fixed size are bytes, which keep each bit; those of an
 * array without dimensions too.
 */
async function read(array: ZarrArray, box: readonly Range[], signal: AbortSignal): Promise<Values> {
  const selection = selectionOf(box);
  if (array.ref !== undefined && array.type.size > 0)
    return Object.assign(await array.get(selection, { as: "bytes", signal }), { bytes: true as const });
  if (box.length > 0) return (await array.get(selection, { signal })) as Chunk<DataType>;
  const only = (await array.get(selection, { signal })) as unknown;
  return { data: [only], shape: [], stride: [] } as unknown as Chunk<DataType>;
}

/** Returns a hash of elements (FNV-1a). */
function hashOf({ data }: { readonly data: AnyData }): number {
  const bytes = ArrayBuffer.isView(data)
    ? new Uint8Array(data.buffer, data.byteOffset, data.byteLength)
    : new TextEncoder().encode(JSON.stringify(data, (_, one) => (typeof one === "bigint" ? `${one}` : one)));
  let hash = 0x811c9dc5;
  for (let i = 0; i < bytes.length; i++) hash = Math.imul(hash ^ (bytes[i] as number), 0x01000193);
  return hash;
}

/** Returns the boxes of whole chunks of at most `boxElements` elements, or of one chunk. */
function* boxesOf(shape: readonly number[], chunks: readonly number[]): Generator<Range[]> {
  const box = shape.map((length, d) => Math.min(length, chunks[d] ?? 1));
  const elements = () => box.reduce((product, length) => product * length, 1);
  for (let d = shape.length - 1; d >= 0; d--) {
    const [length, chunk] = [shape[d] as number, chunks[d] ?? 1];
    const others = elements() / Math.max(1, box[d] as number);
    const count = Math.max(1, Math.floor(boxElements / (others * chunk)));
    box[d] = Math.min(length, count * chunk);
  }
  if (shape.includes(0)) return;
  const at = shape.map(() => 0);
  for (;;) {
    yield at.map((start, d): Range => [start, Math.min(shape[d] as number, start + (box[d] as number))]);
    let d = shape.length - 1;
    for (; d >= 0; d--) {
      at[d] = (at[d] as number) + (box[d] as number);
      if ((at[d] as number) < (shape[d] as number)) break;
      at[d] = 0;
    }
    if (d < 0) return;
  }
}

/** Returns the chunks of a part: those of the array, joined if there would be very many. */
function chunksOf(array: ZarrArray, shape: readonly number[]): number[] {
  const chunks = shape.map((length, d) => Math.max(1, Math.min(length, array.chunks[d] ?? length)));
  const counts = () => shape.map((length, d) => Math.ceil(length / (chunks[d] as number)));
  while (counts().reduce((product, count) => product * count, 1) > mostChunks) {
    const all = counts();
    const most = all.indexOf(Math.max(...all));
    chunks[most] = 2 * (chunks[most] as number);
  }
  return chunks;
}

type Place = ReturnType<Tools["root"]>;

/** Creates the array of a part: like the original, or with usual codecs if those cannot encode. */
async function created(
  { array, ranges, attributes, names }: PartArray,
  place: Place,
  { format }: PartHierarchy,
  { createArray, createLike }: Tools,
  signal: AbortSignal,
): Promise<ZarrArray> {
  const shape = lengthsOf(ranges);
  const chunks = chunksOf(array, shape);
  const own = { shape, chunks, attributes, signal, ...(names && { dimensionNames: names }) };
  const computed = array.ref === undefined;
  if (computed || array.format === 1) {
    const fillValue = computed ? Number.NaN : array.fillValue;
    return (await createArray(place, { ...own, format, dtype: array.dtype, fillValue })) as unknown as ZarrArray;
  }
  const like = async (codecs: object) =>
    (await createLike(place, array, { ...own, format, ...codecs })) as unknown as ZarrArray;
  try {
    // The codecs of a shard's chunks fit the smaller grid, and those of the shard do not.
    const inner = array.codecs.find(({ name }) => name === "sharding_indexed")?.configuration?.codecs;
    return await like(array.shards ? { codecs: inner } : {});
  } catch (error) {
    if (!/^(UnknownCodecError|UnsupportedError)$/.test((error as Error).name)) throw error;
    const level = { level: 3, checksum: false };
    const codecs = { codecs: [{ name: "zstd", configuration: level }] };
    const filters = array.codecs.filter(({ name }) => name.startsWith("vlen-"));
    return await like(
      format === 3 ? codecs : { compressor: { id: "zstd", level: 3 }, filters: filters.length > 0 ? filters : null },
    );
  }
}
