// What every environment runs: as few lines as a user would write, and what the
// runner wants to know of them.
import * as zarr from "zarr-wasm";

export async function read(url) {
  const array = await zarr.open(url, { kind: "array" });
  const { data, shape } = await array.get([0, null, null]);
  const chunks = [];
  for await (const { coords } of array.chunksIn([0])) chunks.push(coords.join());
  return { dtype: array.dtype, shape, sum: data.reduce((a, b) => a + Number(b), 0), chunks: chunks.length };
}
