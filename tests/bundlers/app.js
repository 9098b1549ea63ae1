// What every environment runs: as few lines as a user would write, and what the
// runner wants to know of them.
import * as zarr from "zarr-wasm";

const sumOf = (data) => data.reduce((a, b) => a + Number(b), 0);

export async function read(url) {
  const array = await zarr.open(url, { kind: "array" });
  const { data, shape } = await array.get([0, null, null]);
  const chunks = [];
  for await (const { coords } of array.chunksIn([0])) chunks.push(coords.join());
  // This one needs zarr-full.wasm.
  const rare = await zarr.open(new URL("../../v2/compressor.zarr/bz2_1", url), { kind: "array" });
  return {
    dtype: array.dtype,
    shape,
    sum: sumOf(data),
    chunks: chunks.length,
    rare: sumOf((await rare.get()).data),
  };
}
