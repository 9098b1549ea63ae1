// The program that every environment runs: a user's few lines, and the facts that the runner
// checks.
import * as zarr from "zarr-wasm";
import { decodeArray } from "zarr-wasm/xarray";
import { arrayInMemory, helped } from "./engine-cases.mjs";

const sumOf = (data) => data.reduce((a, b) => a + Number(b), 0);

export async function read(url) {
  const array = await zarr.open(url, { kind: "array" });
  const { data, shape } = await array.get([0, null, null]);
  const chunks = [];
  for await (const { coords } of array.chunksIn([0])) chunks.push(coords.join());
  // This one needs zarr-full.wasm.
  const rare = await zarr.open(new URL("../../v2/compressor.zarr/bz2_1", url), { kind: "array" });
  // More elements than the page itself decodes.
  const { data: decoded, masked } = await decodeArray(array);
  return {
    decoded: Math.round(sumOf(decoded.filter((value) => !Number.isNaN(value)))),
    masked,
    dtype: array.dtype,
    shape,
    sum: sumOf(data),
    chunks: chunks.length,
    rare: sumOf((await rare.get()).data),
  };
}

/** The number of the engine's helpers once there is work for them. It fails without helpers. */
export async function helpers() {
  await helped(zarr, await zarr.open(await arrayInMemory(), { kind: "array" }));
  return (await zarr.memory()).helpers.length;
}

const told = (error) => ({
  error: `${error.name}: ${error.message}${error.hint ? ` (${error.hint})` : ""} ${error.cause ?? ""}`,
});

/** Counts the workers that the page starts. */
globalThis.pageWorkers = 0;
if (globalThis.document && globalThis.Worker) {
  globalThis.Worker = class extends globalThis.Worker {
    constructor(...args) {
      super(...args);
      globalThis.pageWorkers++;
    }
  };
}

async function report() {
  globalThis.helpers = () => helpers().catch(told);
  const data = new URLSearchParams(location.search).get("data");
  const started = zarr.init({ workers: 2 }); // a machine may have one thread only
  globalThis.result = await started.then(() => read(data)).catch(told);
}

/**
 * On a page: reads the address's arrays, and passes the result to the runner. Frameworks may run it
 * twice.
 */
export function run() {
  globalThis.reported ??= report();
}
