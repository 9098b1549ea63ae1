// A program with the types of @carbonplan/zarr-layer and zarrita together.
import { codecRegistry, ZarrLayer, type ZarrLayerOptions } from "@carbonplan/zarr-layer";
import * as zarr from "zarrita";

/** A custom store. */
class Store implements zarr.AsyncReadable {
  readonly #inner: zarr.AsyncReadable;
  constructor(inner: zarr.AsyncReadable) {
    this.#inner = inner;
  }
  async get(key: zarr.AbsolutePath, options?: { signal?: AbortSignal }): Promise<Uint8Array | undefined> {
    return await this.#inner.get(key, options);
  }
  async getRange(key: zarr.AbsolutePath, range: zarr.RangeQuery): Promise<Uint8Array | undefined> {
    return await this.#inner.getRange?.(key, range);
  }
}

const options: ZarrLayerOptions = {
  id: "layer",
  variable: "t2m",
  colormap: [[0, 0, 0]],
  clim: [0, 1],
  store: new Store(new zarr.FetchStore("https://example.org/data.zarr")),
};

export const layer = new ZarrLayer(options);
export const codecs: string[] = [...codecRegistry.keys()];

const counted = zarr.defineArrayExtension((array, count: { chunks: number }) => ({
  async getChunk(coords, how) {
    count.chunks++;
    return array.getChunk(coords, how);
  },
}));

export const extended = (store: zarr.AsyncReadable, count: { chunks: number }) =>
  zarr.extendStore(
    store,
    (inner) => zarr.withMaybeConsolidatedMetadata(inner, { format: "v3" }).catch(() => inner),
    (inner) => zarr.withRangeCoalescing(inner),
    zarr.defineStoreExtension(() => ({ arrayExtensions: [(array) => counted(array, count)] })),
  );

export async function chunk(
  root: zarr.Location<zarr.FetchStore | zarr.Listable<zarr.FetchStore> | zarr.Readable>,
): Promise<number[]> {
  const array: zarr.Array<zarr.DataType, zarr.Readable> = await zarr.open(root.resolve("t2m"), { kind: "array" });
  const { data } = await array.getChunk([0, 0]);
  return Array.from(data as ArrayLike<number>);
}
