// A program with the types of Viv's loaders and zarrita together.
import { loadOmeZarr, ZarrPixelSource } from "@vivjs/loaders";
import * as zarr from "zarrita";

export async function level(url: string): Promise<Uint8Array | Uint16Array | undefined> {
  const array = await zarr.open(new zarr.FetchStore(url), { kind: "array" });
  const source = new ZarrPixelSource(array, ["y", "x"], 256);
  const { data } = await source.getTile({ x: 0, y: 0, selection: { y: 0, x: 0 } });
  return data instanceof Uint8Array || data instanceof Uint16Array ? data : undefined;
}

export async function image(url: string): Promise<number[][]> {
  const { data } = await loadOmeZarr(url, { type: "multiscales" });
  return data.map(({ shape }) => shape);
}
