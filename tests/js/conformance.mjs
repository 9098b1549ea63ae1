// Reads every golden fixture through the built package, over HTTP. The same module runs in Node
// (run-node.mjs) and in a page (browser/conformance.html).
//
// Every array is read twice: as bytes, compared by their SHA-256, and as data, compared with the
// manifest's values.

/**
 * @param {object} o
 * @param {typeof import("zarr-wasm")} o.zarr the package
 * @param {string} o.base URL of the fixtures' directory, with a slash at its end
 * @param {object} o.manifest the fixtures' manifest.json
 * @param {object} o.containers public/containers.json
 * @param {(done: number, total: number) => void} [o.onProgress]
 * @param {RegExp} [o.only] the ids to run
 * @returns {Promise<{passed: number, failed: number, skipped: number, messages: string[]}>}
 */
export async function run({ zarr, base, manifest, containers, onProgress, only }) {
  const result = { passed: 0, failed: 0, skipped: 0, messages: [] };
  const jobs = [
    ...manifest.cases.map((c) => ({ ...c, run: () => runCase(zarr, base, c) })),
    ...manifest.groups.map((g) => ({
      ...g,
      id: `group.${g.id}`,
      class: "group",
      features: [],
      run: () => runGroup(zarr, base, g),
    })),
    ...containers.cases.map((c) => ({
      ...c,
      features: [],
      run: () => runContainer(zarr, new URL("public/", base), c),
    })),
  ].filter((job) => !only || only.test(job.id));
  let done = 0;
  for (const job of jobs) {
    try {
      await job.run();
      result.passed++;
    } catch (error) {
      fail(job, describe(error));
    }
    onProgress?.(++done, jobs.length);
  }
  return result;

  function fail(job, message) {
    result.failed++;
    result.messages.push(`FAIL ${job.id}: ${message}`);
  }
}

/** An unmet expectation. Other exceptions come from the package. */
class Mismatch extends Error {}

function demand(condition, message) {
  if (!condition) throw new Mismatch(message);
}

function describe(error) {
  if (error instanceof Mismatch) return error.message;
  const cause = error?.cause ? ` <- ${error.cause}` : "";
  return `${error?.name ?? typeof error}: ${error?.message ?? error}${cause}`;
}

// ---- cases ----------------------------------------------------------------------

const has = (c, feature) => c.features.includes(feature);

/** The root of a case's store. */
export function rootOf(zarr, base, { store, store_kind: kind }, settings = {}) {
  const url = new URL(store.split("/").map(encodeURIComponent).join("/"), base).href;
  if (kind === "dir") return zarr.root(url);
  return zarr.root({
    [kind.replace("-parquet", "")]: kind === "reference-parquet" ? zarr.root(url).store : url,
    ...settings,
  });
}

function open(zarr, location, format) {
  if (format === 2) return zarr.open.v2(location, { kind: "array" });
  if (format === 3) return zarr.open.v3(location, { kind: "array" });
  return zarr.open(location, { kind: "array" });
}

async function runCase(zarr, base, c) {
  if (c.expect_error) return runErrorCase(zarr, base, c);
  const ways = [has(c, "consolidated-only")];
  if (has(c, "consolidated") && c.array !== "" && !ways[0]) ways.push(true);
  for (const throughRoot of ways) {
    try {
      await readCase(zarr, base, c, throughRoot);
    } catch (error) {
      if (!c.optional || !zarr.isZarrError(error, "UnsupportedError", "UnknownCodecError")) throw error;
    }
  }
}

async function readCase(zarr, base, c, throughRoot) {
  const root = rootOf(zarr, base, c);
  const top = throughRoot ? await zarr.open(root, { kind: "group" }) : root;
  const array = await open(zarr, top.resolve(c.array));
  demand(array.format === c.format, `format ${array.format}, want ${c.format}`);
  demand(same([...array.shape], c.shape), `shape [${array.shape}], want [${c.shape}]`);
  const attributes = c.attributes_nonstandard ?? c.attributes;
  if (attributes) {
    const got = plain(array.attrs);
    demand(same(got, attributes), `attributes ${JSON.stringify(got)}, want ${JSON.stringify(attributes)}`);
  }
  if (c.format === 3 && c.dimension_names) {
    // An empty name is not a name.
    const want = c.dimension_names.map((name) => name ?? null);
    const names = array.dimensionNames ?? [];
    demand(same(names, want), `dimension names ${JSON.stringify(names)}, want ${JSON.stringify(want)}`);
  }
  if (c.expected?.encoding === "raw-le") {
    await compareBytes(array, null, c.shape, c.expected.sha256, "all of it");
  } else if (c.expected) {
    let want = c.expected.values;
    if (c.expected.file) want = (await (await fetch(new URL(c.expected.file, base))).json()).values;
    await compareData(c, array, null, c.shape, want, "all of it");
  }
  await readSelections(array, c);
}

async function readSelections(array, c) {
  for (const s of c.selections) {
    const sel = s.sel;
    const name = `selection ${JSON.stringify(sel)}`;
    if (s.sha256) await compareBytes(array, sel, s.shape, s.sha256, name);
    // An optional case may list data of another type: bit patterns.
    if (s.values && !c.optional) await compareData(c, array, sel, s.shape, s.values, name);
  }
}

async function compareBytes(array, sel, shape, sha256, name) {
  const got = await array.get(sel, { as: "bytes" });
  demand(same([...got.shape], shape), `${name}: the result's shape is [${got.shape}], want [${shape}]`);
  const digest = new Uint8Array(await crypto.subtle.digest("SHA-256", got.data));
  const hex = Array.from(digest, (b) => b.toString(16).padStart(2, "0")).join("");
  demand(hex === sha256, `${name}: other bytes: ${got.data.length} of them, ${got.data.subarray(0, 16)}...`);
}

async function compareData(c, array, sel, shape, want, name) {
  const got = await array.get(sel);
  let list;
  if (shape.length === 0 && sel !== null && sel.length > 0) {
    list = [got]; // every dimension is selected by an integer: a scalar
  } else {
    // An array of no dimensions gives a scalar or a block of one element.
    const block = shape.length === 0 && !Array.isArray(got?.shape) ? { data: [got], shape: [] } : got;
    demand(same([...block.shape], shape), `${name}: the result's shape is [${block.shape}], want [${shape}]`);
    list = elements(
      block.data,
      shape.reduce((n, d) => n * d, 1),
    );
  }
  demand(list.length === want.length, `${name}: ${list.length} values, want ${want.length}`);
  list.forEach((v, i) => {
    const ok = sameValue(v, want[i]) || (c.null_or_default && want[i] === null && v === "");
    demand(ok, `${name}: value ${i} is ${show(v)}, want ${JSON.stringify(want[i])}`);
  });
}

// ---- data -----------------------------------------------------------------------

/** The elements of what a read returned as data. */
export function elements(data, n) {
  if (typeof data.get === "function") return Array.from({ length: n }, (_, i) => data.get(i));
  if (Array.isArray(data) || ArrayBuffer.isView(data)) return Array.from(data);
  const columns = Object.entries(data).map(([name, column]) => [name, elements(column, n)]);
  return Array.from({ length: n }, (_, i) => Object.fromEntries(columns.map(([name, column]) => [name, column[i]])));
}

/** Compares an element with the manifest's value. */
function sameValue(got, want) {
  if (typeof got === "bigint") return String(got) === String(want);
  // NaN, Infinity
  if (typeof got === "number" && typeof want === "string") return String(got) === want;
  if (want !== null && typeof want === "object") {
    if (got === null || got === undefined) return false;
    if (typeof want.hex === "string") return hexes(got).includes(want.hex);
    if (Array.isArray(want)) {
      if (typeof got.re === "number") return sameValue(got.re, want[0]) && sameValue(got.im, want[1]);
      const list = Array.isArray(got) || ArrayBuffer.isView(got) ? Array.from(got) : undefined;
      return list?.length === want.length && list.every((v, i) => sameValue(v, want[i]));
    }
    const names = Object.keys(want);
    return (
      typeof got === "object" &&
      Object.keys(got).length === names.length &&
      names.every((n) => sameValue(got[n], want[n]))
    );
  }
  return got === want;
}

/** The bytes that an element may represent: of an array, or of text in UTF-8 or Latin-1. */
function hexes(v) {
  const hex = (bytes) => Array.from(bytes, (b) => b.toString(16).padStart(2, "0")).join("");
  if (typeof v !== "string") return ArrayBuffer.isView(v) ? [hex(v)] : [];
  return [hex(new TextEncoder().encode(v)), hex(Array.from(v, (ch) => ch.charCodeAt(0)))];
}

function show(v) {
  return JSON.stringify(v, (_, x) => (typeof x === "bigint" ? `${x}n` : x)) ?? String(v);
}

/** Attributes in the manifest's form: NaN and Infinity as strings. */
function plain(v) {
  if (typeof v === "number" && !Number.isFinite(v)) return String(v);
  if (typeof v === "bigint") return Number(v);
  if (Array.isArray(v)) return v.map(plain);
  if (v !== null && typeof v === "object") return Object.fromEntries(Object.entries(v).map(([k, x]) => [k, plain(x)]));
  return v;
}

function same(a, b) {
  if (a === b) return true;
  if (a === null || b === null || typeof a !== "object" || typeof b !== "object") return false;
  if (Array.isArray(a) !== Array.isArray(b)) return false;
  const keys = Object.keys(a);
  return keys.length === Object.keys(b).length && keys.every((k) => Object.hasOwn(b, k) && same(a[k], b[k]));
}

// ---- cases that must fail ---------------------------------------------------------

const kinds = {
  metadata: (e) => e.name === "InvalidMetadataError",
  "unsupported-codec": (e) => e.name === "UnknownCodecError" || e.name === "UnsupportedError",
  "unsupported-dtype": (e) => e.name === "UnsupportedError",
  "unsupported-extension": (e) => e.name === "UnsupportedError",
  codec: (e) => e.name === "CodecPipelineError",
  // The checksum of an archive's member belongs to no codec.
  checksum: (e) => e.code === "CODEC_CHECKSUM" || (e.name === "StoreError" && /CRC-32/.test(e.message)),
  truncated: (e) => e.code === "CODEC_TRUNCATED",
  "too-large": (e) => e.name === "LimitError",
  "not-found": (e) => e.name === "NotFoundError",
  container: (e) => e.name === "StoreError",
};

async function runErrorCase(zarr, base, c) {
  const { kind, at, max_seconds } = c.expect_error;
  const location = rootOf(zarr, base, c).resolve(c.array);
  const began = performance.now();
  let stage = "open";
  let array;
  let error;
  try {
    array = await open(zarr, location, kind === "not-found" ? c.format : undefined);
    stage = "read";
    await array.get(null);
  } catch (e) {
    error = e;
  }
  const seconds = (performance.now() - began) / 1000;
  if (error) {
    demand(at.split("|").includes(stage), `failed at ${stage}, want ${at}: ${describe(error)}`);
    demand(
      zarr.isZarrError(error) && kinds[kind]?.(error),
      `not an error of the kind ${kind}: ${error.code} ${describe(error)}`,
    );
  } else {
    demand(c.optional, "opened and read without an error");
  }
  demand(seconds <= max_seconds, `took ${seconds} s`);
  // The next read works.
  if (c.selections.length > 0) {
    demand(array, "nothing can be read");
    await readSelections(array, c);
  }
}

// ---- groups -----------------------------------------------------------------------

async function runGroup(zarr, base, g) {
  const group = await zarr.open(rootOf(zarr, base, g).resolve(g.group), { kind: "group" });
  const attributes = plain(group.attrs);
  demand(
    same(attributes, g.attributes),
    `attributes ${JSON.stringify(attributes)}, want ${JSON.stringify(g.attributes)}`,
  );
  let members;
  try {
    members = await group.members();
  } catch (error) {
    // The fixtures' server does not list.
    if (g.consolidated === null && zarr.isZarrError(error, "UnsupportedError")) return;
    throw error;
  }
  if (g.consolidated === null) {
    // Members named by attributes or in an archive exist.
    for (const { name, kind, how } of members) {
      demand(how !== "consolidated", `${name} is known by consolidated metadata, which there is none of`);
      demand(g.members[kind === "array" ? "arrays" : "groups"].includes(name), `no ${kind} ${name}`);
    }
    return;
  }
  const names = (kind) =>
    members
      .filter((m) => (m.kind === "array") === kind)
      .map((m) => m.name)
      .sort();
  demand(same(names(true), [...g.members.arrays].sort()), `arrays ${names(true)}, want ${g.members.arrays}`);
  demand(same(names(false), [...g.members.groups].sort()), `groups ${names(false)}, want ${g.members.groups}`);
}

// ---- containers that other projects have written --------------------------------------

async function runContainer(zarr, base, c) {
  const virtual = new URL("virtual/", base).href;
  const settings = { ...c.ref };
  // No test leaves the machine.
  if (c.class === "icechunk" || c.class === "kerchunk") settings.endpoints = { "s3://": virtual };
  const root = rootOf(zarr, base, c, settings);
  if (c.entries) return readEntries(zarr, root.store, c);
  if (c.counts) {
    for (const name of c.counts.arrays) await open(zarr, root.resolve(name));
    return;
  }
  const array = await open(zarr, root.resolve(c.array));
  demand(c.format === undefined || array.format === c.format, `format ${array.format}, want ${c.format}`);
  if (!c.sel && c.shape) demand(same([...array.shape], c.shape), `shape [${array.shape}], want [${c.shape}]`);
  if (c.attributes) {
    const got = plain(array.attrs);
    demand(same(got, plain(c.attributes)), `attributes ${JSON.stringify(got)}, want ${JSON.stringify(c.attributes)}`);
  }
  if (c.expected.encoding === "raw-le") {
    await compareBytes(array, c.sel ?? null, c.shape, c.expected.sha256, "all of it");
  } else await compareData(c, array, null, [c.expected.values.length], c.expected.values, "all of it");
  if (c.values && c.shape) await compareData(c, array, c.sel ?? null, c.shape, c.values, "all of it");
  if (c.sel) return;
  for (const { sel, values } of c.selections ?? []) {
    await compareData(c, array, sel, [values.length], values, `selection ${JSON.stringify(sel)}`);
  }
}

async function readEntries(zarr, store, c) {
  for (const [key, { size, sha256 }] of Object.entries(c.entries)) {
    let got;
    try {
      got = await store.get(`/${key}`);
    } catch (error) {
      if (c.optional && zarr.isZarrError(error, "StoreError", "UnsupportedError")) continue;
      throw error;
    }
    demand(got?.length === size, `${key}: ${got?.length} bytes, want ${size}`);
    const digest = new Uint8Array(await crypto.subtle.digest("SHA-256", got));
    demand(Array.from(digest, (b) => b.toString(16).padStart(2, "0")).join("") === sha256, `${key}: other bytes`);
  }
}
