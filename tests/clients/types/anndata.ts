// A program with the types of anndata.js and zarrita together.
import { type AnnData, type BackedArray, get, readElem, readZarr } from "anndata.js";
import * as zarr from "zarrita";

export async function names(url: string): Promise<string[]> {
  const store = new zarr.FetchStore(url);
  const data: AnnData<zarr.FetchStore, zarr.NumberDataType, zarr.Uint32> = await readZarr(store);
  const chunk: zarr.Chunk<zarr.DataType> = await get(await data.obsNames(), [null]);
  return globalThis.Array.from(chunk.data as string[]);
}

export async function column(store: zarr.Readable, name: string): Promise<BackedArray<zarr.Readable>> {
  const data = await readZarr(store);
  return (await data.obs.has(name)) ? data.obs.get(name) : readElem(await zarr.open(store, { kind: "group" }), name);
}

export function widths(dtype: zarr.Uint8 | zarr.Uint16 | zarr.Uint32): zarr.TypedArrayConstructor<typeof dtype> {
  const classes = { uint8: Uint8Array, uint16: Uint16Array, uint32: Uint32Array };
  return classes[dtype] as zarr.TypedArrayConstructor<typeof dtype>;
}
