// Damages single objects of the golden fixtures at random, and reads them in Node. Every call
// returns data of the right type and shape, or an error with a name, within limits of time.
// Afterwards, intact data reads as before.
import assert from "node:assert/strict";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import * as zarr from "../../dist/node.js";
import { random } from "../lib/random.mjs";
import { top } from "../lib/serve.mjs";
import { damage, isDocument, vocabularyOf } from "./damages.mjs";
import { describe, Hang, named, within } from "./oracle.mjs";

export const count = 2000;

const fixtures = join(top, "build/fixtures");

/** A call that takes longer than this, in milliseconds, fails. */
const slow = 10_000;
const hung = 60_000;
/** The limit of the engine's memory in bytes: wasm has at most 4 GiB. */
const mostMemory = 3 * 2 ** 30;
/** A result with more elements is not read whole each time. */
const many = 2_000_000;

const names = [
  "NotFoundError",
  "InvalidMetadataError",
  "UnknownCodecError",
  "CodecPipelineError",
  "InvalidSelectionError",
  "UnsupportedError",
  "StoreError",
  "LimitError",
];

// ---- the fixtures ---------------------------------------------------------------

const manifest = JSON.parse(readFileSync(join(fixtures, "manifest.json"), "utf8"));

/** All files of a store, by key. */
const files = new Map();
function filesOf(store) {
  if (!files.has(store)) {
    const all = new Map();
    const folder = join(fixtures, store);
    for (const entry of readdirSync(folder, { withFileTypes: true, recursive: true })) {
      if (!entry.isFile()) continue;
      const path = join(entry.parentPath ?? entry.path, entry.name);
      all.set(path.slice(folder.length), new Uint8Array(readFileSync(path)));
    }
    files.set(store, all);
  }
  return files.get(store);
}

/** The objects of an array and the documents of the groups above it. */
function objectsOf({ store, array }) {
  const own = array === "" ? "/" : `/${array}/`;
  const above = own.split("/").map((_, i, names) => `${names.slice(0, i).join("/")}/`);
  return new Map(
    [...filesOf(store)].filter(
      ([key]) => key.startsWith(own) || (isDocument(key) && above.includes(key.slice(0, key.lastIndexOf("/") + 1))),
    ),
  );
}

const cases = [
  ...manifest.cases.filter((c) => c.store_kind === "dir"),
  ...manifest.groups
    .filter((g) => g.store_kind === "dir")
    .map((g) => ({ id: `group.${g.id}`, store: g.store, array: g.group })),
].filter((c) => objectsOf(c).size > 0);

const vocabulary = vocabularyOf(
  [...files.values()].flatMap((all) =>
    [...all].flatMap(([key, bytes]) => {
      try {
        return isDocument(key) ? [JSON.parse(new TextDecoder().decode(bytes))] : [];
      } catch {
        return [];
      }
    }),
  ),
);

// ---- stores ---------------------------------------------------------------------

const stores = {
  map: (objects) => objects,
  ranges: (objects) => ({
    get: async (key) => objects.get(key),
    getRange: async (key, { offset, length, suffixLength }) => {
      const bytes = objects.get(key);
      return suffixLength === undefined ? bytes?.slice(offset, offset + length) : bytes?.slice(-suffixLength);
    },
  }),
  whole: (objects) => ({ get: async (key) => objects.get(key) }),
};

// ---- the oracle -----------------------------------------------------------------

/** A wrong result of a call. The tests stop at it, and the program counts it. */
class Wrong extends Error {}

const demand = (condition, message) => {
  if (!condition) throw new Wrong(message);
};

const product = (shape) => shape.reduce((a, b) => a * b, 1);

/** Checks that data has the class of its type, and the length of its shape. */
function checkBlock(array, block, shape, asBytes = false) {
  demand(block !== null && typeof block === "object", `${String(block)} is not a block`);
  demand(
    block.shape.every((n) => Number.isSafeInteger(n) && n >= 0),
    `the shape is [${block.shape}]`,
  );
  if (shape) demand(block.shape.join() === shape.join(), `the shape is [${block.shape}] and not [${shape}]`);
  demand(block.stride.length === block.shape.length, `strides [${block.stride}] for [${block.shape}]`);
  const n = product(block.shape);
  if (asBytes) demand(block.data.length === n * array.type.size, `${block.data.length} bytes for ${n} elements`);
  else checkData(array.type, block.data, n);
}

function checkData(type, data, n) {
  const length = data.count ?? data.length;
  if (type.kind === "struct") {
    for (const { name, type: of } of type.fields) {
      demand(Object.hasOwn(data, name), `the field ${name} is missing`);
      checkData(of, data[name], n);
    }
    return;
  }
  if (type.kind === "sub") return; // its elements are arrays
  if (typeof data.get === "function" && length !== n && type.size === 0) return;
  demand(length === n, `${length} elements of ${type.name} and not ${n}`);
  if (Array.isArray(data)) {
    for (const i of [0, n - 1]) demand(n === 0 || data[i] !== undefined, `element ${i} of ${n} is undefined`);
  }
}

function checkScalar(value) {
  demand(value !== undefined, "the element is undefined");
}

// ---- reading --------------------------------------------------------------------

/** The calls on a node, each with its expected outcome. */
function* callsOf(pick, node) {
  yield ["properties", () => void [node.attrs, node.metadata, String(node), node.path]];
  if (node.kind === "group") {
    yield ["members", () => node.members()];
    yield ["tree", async () => void String(await node.tree({ maxDepth: 3 }))];
    return;
  }
  const { shape } = node;
  const elements = product(shape);
  yield [
    "properties",
    () => {
      demand(typeof node.nchunks === "number", `nchunks is ${node.nchunks}`);
      demand(node.chunkGrid.shape.length === shape.length, "chunkGrid");
      void [node.fillValue, node.codecs, node.dtype, node.dimensionNames, node.chunks, node.shards, node.nbytes];
    },
  ];
  if (elements <= many || pick(20) === 0) {
    yield [
      "get",
      async () => {
        const all = await node.get();
        if (shape.length > 0) checkBlock(node, all, shape);
        else if (typeof all === "object" && all !== null && "shape" in all) checkBlock(node, all, []);
        else checkScalar(all);
      },
    ];
    if (node.type.size > 0)
      yield ["get as bytes", async () => checkBlock(node, await node.get(null, { as: "bytes" }), shape, true)];
  }
  const within = shape.map((n) => Math.min(n, Number.MAX_SAFE_INTEGER));
  const index = (n) => Math.min(n - 1, Math.floor((pick(2 ** 31) / 2 ** 31) * n));
  if (shape.length > 0 && elements > 0) {
    const parts = within.map((n) => {
      const from = index(n);
      const count = Math.min(n - from, 1 + pick(20));
      switch (pick(4)) {
        case 0:
          return [[from, index(n), from], 3];
        case 1:
          return [zarr.slice(from + count - 1, from === 0 ? null : from - 1, -1), count];
        default:
          return [zarr.slice(from, from + count, 1), count];
      }
    });
    const selection = parts.map(([selector]) => selector);
    const counts = parts.map(([, count]) => count);
    yield ["get a part", async () => checkBlock(node, await node.get(selection), counts)];
    // A second read, or another way to read, returns the same or fails.
    if (node.type.size > 0) {
      const part = async () => {
        const block = await node.get(selection, { as: "bytes" });
        checkBlock(node, block, counts, true);
        return Buffer.from(block.data);
      };
      yield [
        "get a part twice",
        async () => {
          const [first, second] = [await part(), await part()];
          demand(first.equals(second), "a part read twice is not the same");
          if (elements > many) return;
          const whole = await node.get(null, { as: "bytes" }).catch(() => undefined);
          demand(
            !whole || first.equals(cutOut(whole, selection, node.type.size)),
            "the part is not what all of it has there",
          );
        },
      ];
    }
    yield ["get an element", async () => checkScalar(await node.get(within.map(index)))];
    yield ["vindex", async () => checkBlock(node, await node.vindex(within.map((n) => [index(n), index(n), 0])), [3])];
  }
  if (node.nchunks > 0) {
    const coords = node.chunkGrid.shape.map(index);
    yield ["getChunk", async () => checkBlock(node, await node.getChunk(coords))];
    yield [
      "chunksIn",
      async () => {
        let seen = 0;
        for await (const part of node.chunksIn(null, { ahead: 1 + pick(4) })) {
          checkBlock(node, part);
          if (++seen === 6) break;
        }
      },
    ];
  }
  if (node.nchunks < 100) yield ["nchunksInitialized", () => node.nchunksInitialized()];
}

/** The bytes that a selection of slices and lists takes of all bytes. */
function cutOut({ data, stride }, selection, size) {
  const positions = selection.map((s) => {
    if (Array.isArray(s)) return s;
    return Array.from({ length: Math.ceil(((s.stop ?? -1) - s.start) / s.step) }, (_, i) => s.start + i * s.step);
  });
  const at = positions.reduce((all, list, d) => all.flatMap((p) => list.map((i) => p + i * stride[d])), [0]);
  return Buffer.concat(at.map((p) => data.subarray(p * size, (p + 1) * size)));
}

/**
 * Runs one call, and returns the name of its outcome. Throws a {@link Wrong} for a forbidden one.
 */
async function outcomeOf(run) {
  try {
    await within(hung, run);
    return "data";
  } catch (error) {
    if (error instanceof Wrong || error instanceof Hang) throw error;
    const at = error?.cause?.stack ?? error?.stack;
    demand(named(zarr, error, ...names), `${describe(error)}\n${at}`.slice(0, 1500));
    return error.name;
  }
}

// ---- what is whole reads as before ----------------------------------------------

const good = cases.filter((c) => c.expected?.encoding === "raw-le" && product(c.shape) < 100_000 && !c.expect_error);

async function readsAsBefore(pick) {
  const c = good[pick(good.length)];
  const array = await zarr.open(zarr.root(new Map(objectsOf(c))).resolve(c.array), { kind: "array" });
  const { data } = await array.get(null, { as: "bytes" });
  const digest = Buffer.from(await crypto.subtle.digest("SHA-256", data)).toString("hex");
  demand(digest === c.expected.sha256, `${c.id} reads otherwise after it`);
}

// ---- the scenario ---------------------------------------------------------------

/**
 * Makes one damage and reads the rest.
 * @returns {Promise<{ about: string, wrong: string[] }>} the damage, and the forbidden outcomes
 */
async function damageOne(number, seed, counted, tell) {
  const pick = random(seed, number);
  const c = cases[pick(cases.length)];
  const objects = objectsOf(c);
  const done = damage(pick, objects, vocabulary);
  const kind = Object.keys(stores)[pick(3)];
  const about = `${c.id}, ${kind}, ${done}`;
  tell(about);
  const wrong = [];
  const call = async (name, run) => {
    const began = performance.now();
    const outcome = await outcomeOf(run).catch((error) => {
      wrong.push(`${name}: ${error.message}`);
      return "WRONG";
    });
    const ms = Math.round(performance.now() - began);
    if (ms > slow && ms < hung) wrong.push(`${name}: it took ${ms} ms`);
    counted(name, outcome);
    tell(`  ${name}: ${outcome}, ${ms} ms`);
  };
  const store = stores[kind](objects);
  const here = zarr.root(store).resolve(c.array);
  const open = pick(8) ? zarr.open : pick(2) ? zarr.open.v2 : zarr.open.v3;
  let node;
  await call("open", async () => {
    node = await open(here);
  });
  if (node) for (const [name, run] of callsOf(pick, node)) await call(name, run);
  if (c.array !== "") {
    let root;
    await call("open the root", async () => {
      root = await zarr.open(store);
    });
    if (root?.kind === "group") for (const [name, run] of callsOf(pick, root)) await call(name, run);
  }
  return { about, wrong };
}

export async function run({ engine, count, seed, only, fail }) {
  assert.equal(engine, "node", "damages are read in Node only");
  assert.ok(cases.length > 900 && good.length > 100, "the fixtures are not there: ./build.sh build");
  const outcomes = {}; // the numbers of outcomes, by call
  const counted = (name, outcome) => {
    outcomes[name] ??= {};
    outcomes[name][outcome] = (outcomes[name][outcome] ?? 0) + 1;
  };
  let failures = 0;
  let largest = 0;
  const pick = random(seed, -2);
  for (let i = only ?? 0; i < (only === undefined ? count : only + 1); i++) {
    const { about, wrong } = await damageOne(i, seed, counted, only === undefined ? () => {} : console.log);
    if (i % 20 === 19 || wrong.length > 0) {
      await readsAsBefore(pick).catch((error) => wrong.push(`afterwards: ${error.message}`));
      const { total } = await zarr.memory();
      largest = Math.max(largest, total);
      if (total > mostMemory) wrong.push(`the engine has ${total} bytes`);
    }
    if (wrong.length > 0) {
      failures++;
      fail(i, about, wrong);
    }
    // The next ones start with a new engine, and with the common codecs only.
    if (i % 400 === 399) zarr.terminate();
  }
  zarr.terminate();
  console.table(outcomes);
  const all = Object.values(outcomes).flatMap((of) => Object.entries(of));
  const came = (wanted) => all.reduce((sum, [outcome, n]) => (wanted(outcome) ? sum + n : sum), 0);
  const values = {
    damages: count,
    calls: came(() => true),
    data: came((outcome) => outcome === "data"),
    "errors with a name": came((outcome) => names.includes(outcome)),
    wrong: failures,
    "most memory, MiB": Math.round(largest / 2 ** 20),
  };
  return { passed: (only === undefined ? count : 1) - failures, rows: [{ what: "", values }] };
}
