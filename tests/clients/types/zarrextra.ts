// A program with the types of zarrextra and zarrita together.
import { createPrefixedStore, type LazyZarrArray, openExtraConsolidated, unwrap, type ZarrTree } from "zarrextra";
import * as zarr from "zarrita";

export async function table(url: string): Promise<zarr.Chunk<"float32">> {
  const { zarritaStore, tree } = unwrap(await openExtraConsolidated(url));
  const listed: { path: string; kind: "array" | "group" }[] = zarritaStore.contents();
  const leaf = (tree as ZarrTree)[listed[0]?.path.slice(1) ?? ""] as LazyZarrArray<zarr.DataType>;
  const array: zarr.Array<zarr.DataType> = await leaf.get();
  if (!array.is("float32")) throw new Error(`${array.dtype} is no float32`);
  return zarr.get(array, null);
}

export const part = (store: zarr.Readable): zarr.AsyncReadable => createPrefixedStore(store, "images/cells");
