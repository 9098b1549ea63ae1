// A program with the types of ome-zarr.js and zarrita together.
import * as omezarr from "ome-zarr.js";
import * as zarr from "zarrita";

export async function first(url: string, { signal }: { signal?: AbortSignal }): Promise<zarr.Scalar<zarr.DataType>> {
  const store: zarr.Readable = new zarr.FetchStore(url);
  const { arr, shapes, scales } = await omezarr.getMultiscaleWithArray(store, 0);
  const array: zarr.Array<zarr.DataType> = arr;
  void [shapes, scales];
  const at: null[] = array.shape.map(() => null);
  const { data } = await zarr.get(array, at, signal ? { opts: { signal } } : {});
  if (array.is("number")) {
    const chunk: zarr.Chunk<zarr.NumberDataType> = await zarr.get(array, [0, zarr.slice(4), null]);
    return chunk.data[0] as number;
  }
  return (data as ArrayLike<zarr.Scalar<zarr.DataType>>)[0] as zarr.Scalar<zarr.DataType>;
}

export async function thumbnail(url: string): Promise<string> {
  const group: zarr.Group<zarr.Readable> = await omezarr.openGroup(url);
  const { multiscale } = await omezarr.getMultiscale(group);
  const levels = await Promise.all(
    multiscale.datasets.map(({ path }) => zarr.open(group.resolve(path), { kind: "array" })),
  );
  return levels.map((array: zarr.Array<zarr.DataType>) => array.dtype).join() + (await omezarr.renderThumbnail(url));
}
