// The calls on hostile data, in Node and on a page: all ways to open and to read. Each must return
// data or a named error, and reports its duration and the requested memory.
import { arrayV2, json } from "../lib/documents.mjs";
import { named } from "./oracle.mjs";

const product = (shape) => shape.reduce((a, b) => a * b, 1);

/** The approximate bytes of a delivered element. */
const weight = ({ kind, size }) =>
  /^(u?int|float|bool|complex|datetime|timedelta|raw|minifloat)$/.test(kind) ? size : size + 64;

/**
 * The memory that a read of these elements requests: its result, and at least one decoded chunk.
 */
function asked(array, elements) {
  const chunk = product(array.shards ?? array.chunks) * array.type.size;
  return elements * weight(array.type) + (chunk < 2 ** 29 ? chunk : 0);
}

/** Reads of an array, with the bytes that they request. */
function* readsOf(zarr, array) {
  const { shape } = array;
  const n = product(shape);
  yield [
    "properties",
    0,
    () => void [array.fillValue, array.chunkGrid, array.nchunks, array.codecs, array.nbytes, String(array)],
  ];
  if (n * weight(array.type) <= 64 * 2 ** 20) yield ["get", asked(array, n), () => array.get()];
  if (n > 0) {
    yield ["get an element", asked(array, 1), () => array.get(shape.map(() => 0))];
    if (shape.length > 0) {
      yield [
        "get the end",
        asked(array, 2 ** shape.length),
        () => array.get(shape.map((d) => zarr.slice(Math.max(0, d - 2), d))),
      ];
      yield ["vindex", asked(array, 2), () => array.vindex(shape.map((d) => [0, Math.min(d, 2 ** 53) - 1]))];
    }
    const chunk = product(array.chunks);
    yield ["getChunk", asked(array, chunk), () => array.getChunk(shape.map(() => 0))];
    yield [
      "chunksIn",
      4 * asked(array, chunk),
      async () => {
        let seen = 0;
        for await (const _ of array.chunksIn()) if (++seen === 3) break;
      },
    ];
  }
}

/**
 * Opens and reads everything in a case.
 * @returns the calls `{ name, ms, cpu, outcome }`, the bytes that the largest requested, and the
 * forbidden outcomes
 */
async function tryAll(zarr, store, cpu = () => 0) {
  const calls = [];
  const wrong = [];
  let most = 0;
  const call = async (name, bytes, run) => {
    const began = performance.now();
    const worked = cpu();
    let outcome = "data";
    let value;
    try {
      value = await run();
    } catch (error) {
      outcome = String(error?.name);
      if (!named(zarr, error)) wrong.push(`${name}: ${outcome}: ${error?.message} ${error?.cause ?? ""}`.slice(0, 300));
    }
    calls.push({ name, ms: performance.now() - began, cpu: cpu() - worked, outcome });
    most = Math.max(most, bytes);
    return value;
  };
  const look = async (node, depth) => {
    await call("attrs", 0, () => void node.attrs);
    await call("metadata", 0, () => void node.metadata);
    if (node.kind === "array") {
      for (const [name, bytes, run] of readsOf(zarr, node)) await call(name, bytes, run);
      return;
    }
    const members = (await call("members", 0, () => node.members())) ?? [];
    await call("tree", 0, async () => void String(await node.tree({ maxDepth: 3 })));
    for (const member of members.slice(0, 3)) {
      const below = await call("open a member", 0, () => zarr.open(member));
      if (below && depth > 0) await look(below, depth - 1);
    }
  };
  const node = await call("open", 0, () => zarr.open(store));
  if (node) await look(node, 1);
  if (Object.prototype.polluted !== undefined) wrong.push("Object.prototype was changed");
  return { calls, most, wrong };
}

/** Reads intact data. */
async function readsWhole(zarr) {
  const store = new Map([
    ["/.zarray", json(arrayV2([4], "|u1", { chunks: [2], fill_value: 7 }))],
    ["/1", Uint8Array.of(1, 2)],
  ]);
  const { data } = await (await zarr.open(store, { kind: "array" })).get();
  return String(data) === "7,7,1,2";
}

/** The subject of the scenario, in Node or on a page. */
export const make = ({ zarr }) => ({
  tryAll: (store, cpu) => tryAll(zarr, store, cpu ?? undefined),
  readsWhole: () => readsWhole(zarr),
  memory: async () => (await zarr.memory()).total,
  async again() {
    zarr.terminate();
    await zarr.init();
    globalThis.gc?.();
  },
});
