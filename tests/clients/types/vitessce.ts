// Vitessce's own sources, and a program with their types and zarrita's together.
import * as zarr from "zarrita";
import AnnDataSource from "../node_modules/@vitessce/zarr/dist-tsc/AnnDataSource.js";
import {
  applyStoreExtensions,
  createZarrArrayAdapter,
  zarrOpenRoot,
} from "../node_modules/@vitessce/zarr-utils/src/index.js";

export async function embedding(url: string): Promise<zarr.TypedArray<"float32">> {
  const source = new AnnDataSource({ url });
  const chunk: zarr.Chunk<zarr.DataType> = await source.loadNumeric("obsm/X_umap");
  return chunk.data as Float32Array;
}

export async function dtypes(url: string): Promise<string[]> {
  const root: zarr.Location<zarr.AsyncReadable> = zarrOpenRoot(url, null, undefined);
  const array: zarr.Array<zarr.DataType, zarr.AsyncReadable> = await zarr.open(root.resolve("X"), { kind: "array" });
  const store = applyStoreExtensions(root.store, url, undefined);
  return [createZarrArrayAdapter(array).dtype, String(await store.get("/zarr.json"))];
}
