// Properties of every AnnData, MuData and SpatialData, in stores that these tests write.
import { arrayV2, json } from "../lib/documents.mjs";
import { random } from "../lib/random.mjs";
import { array, group, list, store } from "./written.mjs";

function assert(truth, what) {
  if (!truth) throw new Error(what);
}
const text = (value) =>
  JSON.stringify(value, (_, v) => (typeof v === "bigint" ? `${v}n` : ArrayBuffer.isView(v) ? Array.from(v) : v));
function same(what, is, expected) {
  if (text(is) !== text(expected))
    throw new Error(`${what}: ${text(is)?.slice(0, 300)} instead of ${text(expected)?.slice(0, 300)}`);
}

/** The name of a call's error. An error from outside the package is thrown. */
async function refused(t, what, call) {
  try {
    await call();
  } catch (error) {
    if (t.zarr.isZarrError(error) && error.name !== "EngineError") return error;
    throw new Error(`${what}: ${error?.stack ?? error}`);
  }
  throw new Error(`${what}: was not refused`);
}
async function refusedAs(t, name, what, call) {
  const error = await refused(t, what, call);
  assert(error.name === name, `${what}: ${error.name}: ${error.message} instead of ${name}`);
  return error;
}

const encoded = (type, version, more = {}) => ({ "encoding-type": type, "encoding-version": version, ...more });

/** A sparse matrix and its dense twin. Some elements are stored twice, in arbitrary order. */
function randomMatrix(r) {
  const shape = [1 + r(12), 1 + r(12)];
  const kind = r.of(["csr_matrix", "csc_matrix"]);
  const dtype = r.of(["int8", "uint16", "int32", "int64", "uint64", "float32", "float64", "bool", "complex64"]);
  const [major, minor] = kind === "csr_matrix" ? shape : [shape[1], shape[0]];
  const complex = dtype === "complex64";
  const bool = dtype === "bool";
  const dense = Array.from({ length: shape[0] * shape[1] }, () => (complex ? [0, 0] : 0));
  const [data, indices, indptr] = [[], [], [0]];
  const fullness = r.next();
  for (let i = 0; i < major; i++) {
    for (let n = r(3) === 0 ? 0 : Math.floor(fullness * 1.5 * minor); n > 0; n--) {
      const j = r(minor);
      const value = bool ? r(2) : complex ? [r(9), -r(9)] : 1 + r(5);
      data.push(value);
      indices.push(j);
      const at = kind === "csr_matrix" ? i * shape[1] + j : j * shape[1] + i;
      if (complex) dense[at] = [dense[at][0] + value[0], dense[at][1] + value[1]];
      else dense[at] = bool ? dense[at] | value : dense[at] + value;
    }
    indptr.push(data.length);
  }
  const chunks = () => ({ chunks: [1 + r(Math.max(4, data.length))] });
  const members = {
    data: list(dtype, data, chunks()),
    indices: list(r.of(["int32", "int64", "uint8", "uint32"]), indices, chunks()),
    indptr: list(r.of(["int32", "int64", "uint16"]), indptr, { chunks: [1 + r(major + 1)] }),
  };
  return {
    shape,
    tree: group(
      {},
      {
        sparse: group(encoded(kind, "0.1.0", { shape }), members),
        dense: array(dtype, shape, dense, { chunks: [1 + r(shape[0]), 1 + r(shape[1])] }),
      },
    ),
  };
}

function randomSelector(t, r, n) {
  const any = () => r(n + 4) - Math.floor((n + 4) / 2);
  switch (r(8)) {
    case 0:
      return null;
    case 1:
      return r(12) === 0 ? n : r(2 * n) - n;
    case 2:
    case 3:
      return { start: r.of([null, any()]), stop: r.of([null, any()]), step: r.of([null, 1, 1, 2, 3, -1, -2]) };
    case 4: {
      const mask = Array.from({ length: n - (r(12) === 0) }, () => r(2) === 0);
      return r(2) === 0 ? mask : new t.zarr.BoolArray(mask);
    }
    case 5:
      return Int32Array.from({ length: r(6) }, () => r(n));
    default:
      return Array.from({ length: r(7) }, () => r(2 * n) - n);
  }
}

function randomSelection(t, r, [rows, columns]) {
  switch (r(10)) {
    case 0:
      return r.of([null, [], ["..."], [null, null, null]]);
    case 1:
      return [randomSelector(t, r, rows)];
    case 2:
      return ["...", randomSelector(t, r, columns)];
    default:
      return [randomSelector(t, r, rows), randomSelector(t, r, columns)];
  }
}

/** The dense data of `sparse`'s result. */
function expand({ kind, shape, data, indices, indptr }, like, bool) {
  const width = shape[0] * shape[1] === 0 ? 1 : like.length / (shape[0] * shape[1]);
  const out = new like.constructor(like.length);
  assert(indptr.length === shape[kind === "csr_matrix" ? 0 : 1] + 1, "a pointer for each row, and one more");
  assert(
    indptr[indptr.length - 1] === indices.length && data.length === indices.length * width,
    "an index for each element",
  );
  for (let i = 0; i + 1 < indptr.length; i++) {
    for (let k = indptr[i]; k < indptr[i + 1]; k++) {
      const at = kind === "csr_matrix" ? i * shape[1] + indices[k] : indices[k] * shape[1] + i;
      for (let w = 0; w < width; w++) {
        const sum = bool ? (v) => out[at] | v : (v) => out[at * width + w] + v;
        out[at * width + w] = sum(data[k * width + w]);
      }
    }
  }
  return out;
}

async function selections(t, seed, matrices, each) {
  const r = random(seed);
  let refusals = 0;
  for (let m = 0; m < matrices; m++) {
    const { shape, tree } = randomMatrix(r);
    const root = await t.zarr.open(store(tree), { kind: "group" });
    const dense = await root.open("dense", { kind: "array" });
    const sparse = await t.anndata.openElement(await root.open("sparse"));
    const wanted = Array.from({ length: each }, () => randomSelection(t, r, shape));
    await Promise.all(
      wanted.map(async (selection) => {
        const what = `${sparse} ${text(selection)}`;
        const [is, expected, block] = await Promise.allSettled([
          sparse.get(selection),
          dense.get(selection),
          sparse.sparse(selection),
        ]);
        if (expected.status === "rejected") {
          same(what, is.reason?.name, expected.reason.name);
          same(what, block.reason?.name, expected.reason.name);
          refusals++;
          return;
        }
        if (is.status === "rejected") throw new Error(`${what}: ${is.reason?.stack}`);
        if (block.status === "rejected") throw new Error(`${what}: ${block.reason?.stack}`);
        same(what, is.value, expected.value);
        if (expected.value?.data) {
          assert(
            is.value.data.constructor === expected.value.data.constructor,
            `${what}: ${is.value.data.constructor.name}`,
          );
          same(
            `${what}, sparse`,
            expand(block.value, is.value.data, is.value.data instanceof t.zarr.BoolArray),
            is.value.data,
          );
        }
      }),
    );
  }
  assert(refusals > 0, "no selection was refused");
}

const strings = (values, more) => list("string", values, { attributes: encoded("string-array", "0.2.0"), ...more });
const frame = (index, columns = {}, more = {}) =>
  group(encoded("dataframe", "0.2.0", { _index: "_index", "column-order": Object.keys(columns), ...more }), {
    _index: strings(index),
    ...columns,
  });
const dict = (members = {}) => group(encoded("dict", "0.1.0"), members);
const csr = (shape, indptr, indices, data, more) =>
  group(encoded("csr_matrix", "0.1.0", { shape, ...more }), {
    data: list("float32", data),
    indices: list("int32", indices),
    indptr: list("int32", indptr),
  });

/** A small AnnData with one of everything. */
function small() {
  return group(encoded("anndata", "0.1.0"), {
    X: csr([3, 2], [0, 1, 1, 3], [1, 0, 1], [1, 2, 3]),
    obs: frame(["a", "b", "c"], {
      kind: group(encoded("categorical", "0.2.0", { ordered: true }), {
        codes: list("int8", [1, -1, 0]),
        categories: strings(["low", "high"]),
      }),
      count: group(encoded("nullable-integer", "0.1.0"), {
        values: list("int64", [5, 6, 7]),
        mask: list("bool", [0, 1, 0]),
      }),
      name: group(encoded("nullable-string-array", "0.1.0", { "na-value": "NaN" }), {
        values: strings(["x", "", "z"]),
        mask: list("bool", [0, 1, 0]),
      }),
      size: list("float64", [0.5, 1.5, 2.5]),
      flag: list("bool", [1, 0, 1]),
    }),
    var: frame(["g", "h"]),
    obsm: dict({
      X_umap: array("float32", [3, 2], [1, 2, 3, 4, 5, 6]),
      ragged: group(encoded("awkward-array", "0.1.0", { form: '{"class": "ListOffsetArray"}', length: 3 }), {
        "node0-offsets": list("int64", [0, 1, 1, 2]),
      }),
    }),
    layers: dict(),
    uns: dict({
      nothing: array("bool", [], [0], { attributes: encoded("null", "0.1.0") }),
      three: array("int32", [], [3]),
    }),
  });
}

const opened = async (t, tree, options) => t.zarr.open(store(tree, options), { kind: "group" });

async function everything(t) {
  const { openAnnData, readElement } = t.anndata;
  for (const consolidated of [true, false]) {
    const objects = store(small(), { consolidated });
    // Like most servers, this store cannot list, and has no consolidated metadata.
    const root = await t.zarr.open({ get: async (key) => objects.get(key) }, { kind: "group" });
    const adata = await openAnnData(root);
    same("names are known", adata.obsm.names, consolidated ? ["X_umap", "ragged"] : null);
    same("shape", adata.shape, [3, 2]);
    const table = await adata.obs.read();
    same("kind", table.columns.get("kind").values, ["high", null, "low"]);
    same("count", table.columns.get("count").values, [5n, null, 7n]);
    same("name", table.columns.get("name").values, ["x", null, "z"]);
    same("flag", table.columns.get("flag").values, [true, false, true]);
    same("size of some", (await adata.obs.column("size", [2, 0])).values, [2.5, 0.5]);
    same("size of one", (await adata.obs.column("size", -1)).values, [2.5]);
    const name = await adata.obs.openColumn("name");
    same("na-value", name.naValue, "NaN");
    same(
      "printed",
      String(table),
      [
        "   kind  count  name  size   flag",
        "a  high      5     x   0.5   true",
        "b  <NA>   <NA>  <NA>   1.5  false",
        "c   low      7     z   2.5   true",
        "[3 rows × 5 columns]",
      ].join("\n"),
    );
    same("head", String(await adata.obs.head(1, { columns: ["size"] })), "   size\na   0.5\n[1 of 3 rows × 1 columns]");
    const ragged = await adata.obsm.open("ragged");
    same("ragged", [ragged.kind, ragged.length, ragged.form], ["awkward-array", 3, { class: "ListOffsetArray" }]);
    same("offsets", (await (await ragged.open("node0-offsets")).get()).data, [0n, 1n, 1n, 2n]);
    await refusedAs(t, "UnsupportedError", "ragged", () => readElement(ragged));
    same("nothing", await adata.uns.open("nothing"), null);
    if (consolidated) {
      same("uns", await readElement(adata.uns), { nothing: null, three: 3 });
      same(
        "adata",
        String(adata),
        [
          "AnnData object with n_obs × n_vars = 3 × 2",
          "    obs: 'kind', 'count', 'name', 'size', 'flag'",
          "    uns: 'nothing', 'three'",
          "    obsm: 'X_umap', 'ragged'",
        ].join("\n"),
      );
    }
    await refusedAs(t, "NotFoundError", "no such layer", () => adata.layers.open("none"));
    await refusedAs(t, "NotFoundError", "no such array", () => adata.varm.open("none"));
    await refusedAs(t, "NotFoundError", "out of the group", () => adata.obsm.open("../X"));
    await refusedAs(t, "NotFoundError", "no such buffer", () => ragged.open("none"));
    await refusedAs(t, "NotFoundError", "out of the group", () => ragged.open("../X_umap"));
    await refusedAs(t, "InvalidSelectionError", "no such column", () => adata.obs.column("none"));
    await refusedAs(t, "InvalidSelectionError", "rows", () => adata.obs.column("size", [3]));
    same("progress", await progress(adata), true);
    // Node's console inspects an object itself.
    for (const one of [adata, adata.X, adata.obs, table, adata.uns, ragged]) {
      same("inspected", one[Symbol.for("nodejs.util.inspect.custom")](), String(one));
    }
    const signal = AbortSignal.abort(new Error("enough"));
    for (const call of [
      () => adata.X.get(null, { signal }),
      () => adata.obs.column("kind", null, { signal }),
      () => openAnnData(adata.group, { signal }),
    ]) {
      const error = await call().catch((reason) => reason);
      same("aborted", error?.message, "enough");
    }
    for (const options of [{ as: "bytes" }, { out: new Uint8Array(3) }, { signal: 3 }]) {
      const error = await adata.X.get(null, options).catch((reason) => reason);
      assert(error instanceof TypeError, `${text(Object.keys(options))}: ${error}`);
    }
  }
}

async function progress(adata) {
  const told = [];
  await adata.X.get(null, { onProgress: (done, total) => told.push([done, total]) });
  const [done, total] = told.at(-1);
  return done === total && total === 3;
}

/** Faults of an AnnData, with the error on opening it or on reading the faulty part. */
const wrong = {
  "shape of another": [(a) => (a.members.X.attributes.shape = [3, 3]), "InvalidMetadataError"],
  "shape is text": [(a) => (a.members.X.attributes.shape = "3,2"), "InvalidMetadataError"],
  "shape is negative": [(a) => (a.members.X.attributes.shape = [-3, 2]), "InvalidMetadataError"],
  "shape is absurd": [(a) => (a.members.X.attributes.shape = [1e300, 2]), "InvalidMetadataError"],
  "no indptr": [(a) => delete a.members.X.members.indptr, "InvalidMetadataError"],
  "indptr is short": [(a) => (a.members.X.members.indptr = list("int32", [0, 3])), "InvalidMetadataError"],
  "indices are fewer": [(a) => (a.members.X.members.indices = list("int32", [0, 1])), "InvalidMetadataError"],
  "indices are floats": [(a) => (a.members.X.members.indices = list("float32", [0, 1, 0])), "InvalidMetadataError"],
  "data is text": [(a) => (a.members.X.members.data = list("string", ["a", "b", "c"])), "UnsupportedError"],
  "data has two dimensions": [
    (a) => (a.members.X.members.data = array("int8", [3, 1], [1, 2, 3])),
    "InvalidMetadataError",
  ],
  "indptr descends": [(a) => (a.members.X.members.indptr = list("int32", [0, 2, 1, 3])), "CodecPipelineError"],
  "indptr goes too far": [(a) => (a.members.X.members.indptr = list("int32", [0, 2, 2, 4])), "CodecPipelineError"],
  "indptr begins late": [(a) => (a.members.X.members.indptr = list("int32", [1, 2, 2, 3])), "CodecPipelineError"],
  "indptr is negative": [(a) => (a.members.X.members.indptr = list("int32", [0, -2, 2, 3])), "CodecPipelineError"],
  "index out of range": [(a) => (a.members.X.members.indices = list("int32", [0, 2, 1])), "CodecPipelineError"],
  "index negative": [(a) => (a.members.X.members.indices = list("int32", [0, -1, 1])), "CodecPipelineError"],
  "index of 64 bits": [(a) => (a.members.X.members.indices = list("int64", [0, 2n ** 40n, 1])), "CodecPipelineError"],
  "X is a frame": [(a) => (a.members.X = frame(["a"])), "InvalidMetadataError"],
  "X is of one dimension": [(a) => (a.members.X = list("int8", [1, 2, 3])), "InvalidMetadataError"],
  "X is unknown": [(a) => (a.members.X.attributes["encoding-type"] = "coo_matrix"), "UnsupportedError"],
  "X is of the future": [(a) => (a.members.X.attributes["encoding-version"] = "9.0.0"), "UnsupportedError"],
  "X says array": [(a) => (a.members.X.attributes = encoded("array", "0.2.0")), "InvalidMetadataError"],
  "X says 3": [(a) => (a.members.X.attributes["encoding-type"] = 3), "InvalidMetadataError"],
  "no obs": [(a) => delete a.members.obs, "InvalidMetadataError"],
  "obs is an array": [(a) => (a.members.obs = list("int8", [1, 2, 3])), "InvalidMetadataError"],
  "obs is a dict": [(a) => (a.members.obs = dict()), "InvalidMetadataError"],
  "no index": [(a) => delete a.members.obs.attributes._index, "InvalidMetadataError"],
  "index is absent": [(a) => (a.members.obs.attributes._index = "nowhere"), "InvalidMetadataError"],
  "index is elsewhere": [(a) => (a.members.obs.attributes._index = "../var/_index"), "InvalidMetadataError"],
  "index is the root's": [(a) => (a.members.obs.attributes._index = "/var/_index"), "InvalidMetadataError"],
  "index is a list": [(a) => (a.members.obs.attributes._index = ["_index"]), "InvalidMetadataError"],
  "columns are text": [(a) => (a.members.obs.attributes["column-order"] = "kind"), "InvalidMetadataError"],
  "columns are twice": [(a) => (a.members.obs.attributes["column-order"] = ["kind", "kind"]), "InvalidMetadataError"],
  "columns are numbers": [(a) => (a.members.obs.attributes["column-order"] = [1]), "InvalidMetadataError"],
  "column is elsewhere": [(a) => (a.members.obs.attributes["column-order"] = ["../X"]), "InvalidMetadataError"],
  "column is absent": [(a) => a.members.obs.attributes["column-order"].push("nowhere"), "InvalidMetadataError"],
  "column is short": [(a) => (a.members.obs.members.size = list("float64", [1])), "InvalidMetadataError"],
  "column is a matrix": [
    (a) => (a.members.obs.members.size = array("int8", [3, 1], [1, 2, 3])),
    "InvalidMetadataError",
  ],
  "column is a dict": [(a) => (a.members.obs.members.size = dict()), "UnsupportedError"],
  "codes too large": [
    (a) => (a.members.obs.members.kind.members.codes = list("int8", [1, 2, 0])),
    "CodecPipelineError",
  ],
  "codes too small": [
    (a) => (a.members.obs.members.kind.members.codes = list("int8", [1, -2, 0])),
    "CodecPipelineError",
  ],
  "codes are floats": [
    (a) => (a.members.obs.members.kind.members.codes = list("float32", [1, 0, 0])),
    "InvalidMetadataError",
  ],
  "no categories": [(a) => delete a.members.obs.members.kind.members.categories, "InvalidMetadataError"],
  "categories of categories": [
    (a) => (a.members.obs.members.kind.members.categories = a.members.obs.members.kind),
    "InvalidMetadataError",
    true,
  ],
  "mask is short": [(a) => (a.members.obs.members.count.members.mask = list("bool", [1])), "InvalidMetadataError"],
  "mask is of numbers": [
    (a) => (a.members.obs.members.count.members.mask = list("int8", [1, 0, 0])),
    "InvalidMetadataError",
  ],
  "no mask": [(a) => delete a.members.obs.members.count.members.mask, "InvalidMetadataError"],
  "obsm is an array": [(a) => (a.members.obsm = list("int8", [1])), "InvalidMetadataError"],
  "obsm is short": [
    (a) => (a.members.obsm.members.X_umap = array("int8", [2, 2], [1, 2, 3, 4])),
    "InvalidMetadataError",
  ],
  "layer of another shape": [
    (a) => (a.members.layers.members.l = array("int8", [3, 3], new Array(9).fill(1))),
    "InvalidMetadataError",
  ],
  "ragged is short": [(a) => (a.members.obsm.members.ragged.attributes.length = 2), "InvalidMetadataError"],
  "ragged has no length": [(a) => (a.members.obsm.members.ragged.attributes.length = "3"), "InvalidMetadataError"],
  "ragged has no form": [(a) => (a.members.obsm.members.ragged.attributes.form = "{"), "InvalidMetadataError"],
  "raw is empty": [(a) => (a.members.raw = group(encoded("raw", "0.1.0"))), "InvalidMetadataError"],
  "raw has other rows": [
    (a) => (a.members.raw = group(encoded("raw", "0.1.0"), { X: csr([2, 1], [0, 0, 0], [], []), var: frame(["g"]) })),
    "InvalidMetadataError",
  ],
  "another version": [(a) => (a.attributes["encoding-version"] = "1.0.0"), "UnsupportedError"],
  "another thing": [(a) => (a.attributes = encoded("MuData", "0.1.0")), "NotFoundError"],
};

/** Reads everything in an AnnData. */
async function readAll({ openAnnData, readElement }, root) {
  const adata = await openAnnData(root);
  const sections = [adata.uns, adata.obsm, adata.varm, adata.layers, adata.obsp, adata.varp];
  const elements = await Promise.all(
    sections.map(async (one) => Promise.all((one.names ?? []).map((name) => one.open(name)))),
  );
  const all = [adata.X, adata.obs, adata.var, ...elements.flat(), adata.raw?.X ?? null, adata.raw?.var ?? null];
  await Promise.all(all.map((one) => one?.kind !== "awkward-array" && readElement(one)));
  await adata.X?.get();
  return adata;
}

async function refusals(t) {
  await readAll(t.anndata, await opened(t, small(), { consolidated: true }));
  for (const [what, [change, name, cyclic]] of Object.entries(wrong)) {
    const tree = cyclic ? { ...small() } : small();
    change(tree);
    if (cyclic) {
      // The copy avoids a circular tree.
      const { categories, ...rest } = small().members.obs.members.kind.members;
      tree.members.obs.members.kind.members = { ...rest, categories: small().members.obs.members.kind };
    }
    const root = await opened(t, tree, { consolidated: true });
    const first = await refusedAs(t, name, what, () => readAll(t.anndata, root));
    // The second attempt fails in the same way, and valid parts read as before.
    const again = await refusedAs(t, name, `${what}, again`, () => readAll(t.anndata, root));
    same(what, again.message, first.message);
  }
}

/** Impossible sizes are a LimitError before anything is allocated. */
async function limits(t) {
  const huge = 2 ** 32;
  const many = Array.from({ length: 20_000 }, () => 0);
  const grid = { name: "regular", configuration: { chunk_shape: [1024] } };
  const matrix = (shape, pointers) =>
    group(encoded("csr_matrix", "0.1.0", { shape }), {
      data: list("float64", [1]),
      indices: list("int32", [0]),
      indptr: pointers,
    });
  const tree = group(
    {},
    {
      // None of its chunks is stored: all rows begin with element 0.
      tall: matrix([huge, 5], array("int64", [0], [], { document: { shape: [huge + 1], chunk_grid: grid } })),
      wide: matrix([1, huge + 1], list("int32", [0, 1])),
      full: group(encoded("csr_matrix", "0.1.0", { shape: [1, 20_000] }), {
        data: list("float64", many),
        indices: list("int32", many),
        indptr: list("int32", [0, 20_000]),
      }),
    },
  );
  const root = await opened(t, tree);
  const tall = await t.anndata.openElement(await root.open("tall"));
  same("shape", tall.shape, [huge, 5]);
  for (const [what, call] of Object.entries({
    "dense, tall": () => tall.get(),
    "dense column": () => tall.get([null, 0]),
    "sparse, tall": () => tall.sparse(),
    "sparse column": () => tall.sparse([null, [0]]),
  })) {
    const error = await refusedAs(t, "LimitError", what, call);
    same(what, error.limit, "OutputBytes");
  }
  same("a row", (await tall.get([huge - 1, null])).data, [0, 0, 0, 0, 0]);
  const full = await t.anndata.openElement(await root.open("full"));
  await refusedAs(t, "LimitError", "a row many times", () => full.sparse([many]));
  same("a row twice", (await full.sparse([[0, 0]])).indptr, [0, 20_000, 40_000]);
  await refusedAs(t, "UnsupportedError", "wide", async () => t.anndata.openElement(await root.open("wide")));
}

/**
 * The requests: none to open with consolidated metadata, and for a matrix only the necessary
 * chunks, each once.
 */
async function requests(t) {
  const tree = small();
  const x = tree.members.X.members;
  x.data.chunks = [1];
  x.indices.chunks = [1];
  x.indptr.chunks = [2];
  const objects = store(tree, { consolidated: true });
  const counted = async () => {
    const keys = [];
    const get = async (key) => {
      keys.push(key);
      return objects.get(key);
    };
    const root = await t.zarr.open({ get }, { kind: "group" });
    return { root, take: () => keys.splice(0).sort() };
  };
  const { root, take } = await counted();
  take();
  const adata = await t.anndata.openAnnData(root);
  same("open", take(), []);
  same("row", (await adata.X.get([2])).data, [2, 3]);
  same("row", take(), ["/X/data/c/1", "/X/data/c/2", "/X/indices/c/1", "/X/indices/c/2", "/X/indptr/c/1"]);
  const again = await counted();
  const other = await t.anndata.openAnnData(again.root);
  again.take();
  same("rows", (await other.X.get([[0, 1]])).data, [0, 1, 0, 0]);
  same("rows", again.take(), ["/X/data/c/0", "/X/indices/c/0", "/X/indptr/c/0", "/X/indptr/c/1"]);
  same("column", (await other.obs.column("kind", 0)).values, ["high"]);
  same("column", again.take(), ["/obs/kind/categories/c/0", "/obs/kind/codes/c/0"]);
}

/** With arbitrary attributes, opening and reading fail with a named error, quickly. */
async function mutations(t, seed, count) {
  const r = random(seed);
  const values = [
    null,
    true,
    -1,
    0,
    3,
    2 ** 31,
    1e300,
    0.5,
    "",
    "x",
    "_index",
    "../..",
    "/",
    "dict",
    "csr_matrix",
    "dataframe",
    "0.1.0",
    [],
    [3, 2],
    [null],
    ["a", "a"],
    [[]],
    {},
    { a: 1 },
    "__proto__",
    ["__proto__"],
    "constructor",
  ];
  let failures = 0;
  for (let i = 0; i < count; i++) {
    const tree = small();
    const nodes = [];
    const collect = (node) => {
      nodes.push(node);
      for (const one of Object.values(node.members ?? {})) collect(one);
    };
    collect(tree);
    const done = [];
    for (let n = 1 + r(2); n > 0; n--) {
      const node = r.of(nodes);
      const names = [
        ...Object.keys(node.attributes),
        "encoding-type",
        "categories",
        "h5sparse_format",
        "shape",
        "ordered",
      ];
      const name = r.of(names);
      if (r(5) === 0) delete node.attributes[name];
      else node.attributes[name] = r.of(values);
      done.push([name, node.attributes[name]]);
      if (node.members && r(4) === 0) {
        const [from, to] = [r.of(Object.keys(node.members)), r.of(Object.keys(node.members))];
        if (from) node.members[to] = node.members[from];
        done.push([from, to]);
      }
    }
    const root = await opened(t, tree, { consolidated: r(2) === 0 });
    try {
      await readAll(t.anndata, root);
    } catch (error) {
      failures++;
      if (!t.zarr.isZarrError(error) || error.name === "EngineError") throw new Error(`${text(done)}: ${error?.stack}`);
    }
    for (const call of [() => t.anndata.openMuData(root), () => t.anndata.openSpatialData(root)]) {
      await refused(t, text(done), call);
    }
  }
  assert(failures > count / 5, `only ${failures} of ${count} mutations were refused`);
}

async function old(t) {
  const { openAnnData } = t.anndata;
  // A sparse group with h5sparse attributes, raw beside X, and categories beside columns.
  const tree = group(
    {},
    {
      X: group(
        { h5sparse_format: "csr", h5sparse_shape: [2, 3] },
        {
          data: list("float32", [1, 2]),
          indices: list("int32", [2, 0]),
          indptr: list("int32", [0, 1, 2]),
        },
      ),
      obs: group(encoded("dataframe", "0.1.0", { _index: "index", "column-order": ["kind"] }), {
        index: list("string", ["a", "b"]),
        kind: list("int8", [1, -1], { attributes: { categories: "__categories/kind" } }),
        __categories: group({}, { kind: list("string", ["x", "y"], { attributes: { ordered: true } }) }),
      }),
      var: group(encoded("dataframe", "0.1.0", { _index: "index", "column-order": [] }), {
        index: list("string", ["g", "h", "i"]),
      }),
      "raw.X": array("int8", [2, 1], [7, 8]),
      "raw.var": group(encoded("dataframe", "0.1.0", { _index: "index", "column-order": [] }), {
        index: list("string", ["z"]),
      }),
    },
  );
  const adata = await openAnnData(await opened(t, tree));
  same("X", (await adata.X.get()).data, [0, 0, 1, 2, 0, 0]);
  const kind = await adata.obs.column("kind");
  same("kind", [kind.kind, kind.ordered, kind.values], ["categorical", true, ["y", null]]);
  same(
    "raw",
    [adata.raw.shape, (await adata.raw.X.get()).data, (await adata.raw.var.index()).values],
    [[2, 1], [7, 8], ["z"]],
  );
  same("raw, printed", String(adata.raw), "Raw AnnData with n_obs × n_vars = 2 × 1");
  await refusedAs(t, "NotFoundError", "no AnnData", async () => openAnnData(await opened(t, group({}, {}))));
}

/**
 * Data frames that are arrays of structs, with categories in uns, as anndata wrote them until 0.6.
 */
async function records(t) {
  const names = ["name", "kind", "size"];
  const rows = [
    ["c0", 1, 0.5],
    ["c1", -1, 1.5],
    ["c2", 0, 2.5],
  ];
  const bytes = new Uint8Array(rows.length * 11);
  const view = new DataView(bytes.buffer);
  for (const [i, [name, kind, size]] of rows.entries()) {
    bytes.set(new TextEncoder().encode(name), i * 11);
    view.setInt8(i * 11 + 2, kind);
    view.setFloat64(i * 11 + 3, size, true);
  }
  const array = (shape, dtype) => json(arrayV2(shape, dtype, { chunks: shape, fill_value: null }));
  const group = json({ zarr_format: 2 });
  const struct = [
    [names[0], "|S2"],
    [names[1], "|i1"],
    [names[2], "<f8"],
  ];
  const tree = new Map([
    ["/.zgroup", group],
    ["/obs/.zarray", array([3], struct)],
    ["/obs/0", bytes],
    [
      "/var/.zarray",
      array(
        [1],
        [
          ["index", "|S1"],
          ["kind", "|i1"],
          ["size", "|i1"],
        ],
      ),
    ],
    ["/var/0", new Uint8Array([0x67, 9, 0])],
    ["/uns/.zgroup", group],
    ["/uns/kind_categories/.zarray", array([2], "|S3")],
    ["/uns/kind_categories/0", new TextEncoder().encode("lowtop")],
    ["/uns/size_categories/.zarray", array([], "|S3")],
    ["/uns/size_categories/0", new TextEncoder().encode("all")],
  ]);
  const metadata = Object.fromEntries(
    [...tree].flatMap(([key, value]) =>
      /\.z(array|group)$/.test(key) ? [[key.slice(1), JSON.parse(new TextDecoder().decode(value))]] : [],
    ),
  );
  tree.set("/.zmetadata", json({ zarr_consolidated_format: 1, metadata }));
  const adata = await t.anndata.openAnnData(await t.zarr.open(tree, { kind: "group" }));
  same("columns", [adata.shape, adata.obs.columns, adata.obs.indexName], [[3, 1], ["kind", "size"], "name"]);
  same("index", (await adata.obs.index()).values, ["c0", "c1", "c2"]);
  const kind = await adata.obs.column("kind");
  same("kind", [kind.kind, kind.values], ["categorical", ["top", null, "low"]]);
  same("kind of some", (await adata.obs.column("kind", [2, 0])).values, ["low", "top"]);
  same("size", (await adata.obs.column("size", { start: 1, stop: null, step: null })).values, [1.5, 2.5]);
  // These numbers are not codes of the categories of that name.
  const single = await adata.var.column("size");
  same("one category", [single.kind, single.values], ["categorical", ["all"]]);
  const other = await adata.var.column("kind");
  same("numbers", [other.kind, other.values], ["array", [9]]);
}

async function modalities(t) {
  const tree = (more) =>
    group(encoded("MuData", "0.1.0", { axis: 0, ...more }), {
      obs: frame(["a", "b", "c", "d"], { all: list("int8", [1, 2, 3, 4]) }),
      var: frame(["g", "h", "p"]),
      mod: group({ "mod-order": ["rna", "prot"] }, { prot: small(), rna: small() }),
      obsmap: dict({ rna: list("uint32", [1, 2, 3, 0]), prot: list("uint32", [0, 1, 2, 3]) }),
      varmap: dict(),
    });
  for (const consolidated of [true, false]) {
    const mdata = await t.anndata.openMuData(await opened(t, tree(), { consolidated }));
    same("mudata", [mdata.shape, mdata.axis, mdata.modalities], [[4, 3], 0, ["rna", "prot"]]);
    same("rna", (await mdata.open("rna")).shape, [3, 2]);
    same("obsmap", (await (await mdata.obsmap.open("rna")).get()).data, [1, 2, 3, 0]);
    same("all", (await mdata.obs.column("all")).values, [1, 2, 3, 4]);
    await refusedAs(t, "NotFoundError", "no such modality", () => mdata.open("atac"));
    if (!consolidated) continue;
    same(
      "printed",
      String(mdata),
      ["MuData object with n_obs × n_vars = 4 × 3", "    obs: 'all'", "    mod: 'rna', 'prot'"].join("\n"),
    );
  }
  await refusedAs(t, "InvalidMetadataError", "axis", async () =>
    t.anndata.openMuData(await opened(t, tree({ axis: 2 }))),
  );
  await refusedAs(t, "NotFoundError", "AnnData", async () => t.anndata.openMuData(await opened(t, small())));
  // An order that lacks a modality is ignored.
  const short = tree();
  short.members.mod.attributes["mod-order"] = ["rna"];
  same("order", (await t.anndata.openMuData(await opened(t, short, { consolidated: true }))).modalities, [
    "prot",
    "rna",
  ]);
}

async function spatial(t) {
  const to = (name) => ({ type: "identity", input: { name: "xy" }, output: { name, axes: [] } });
  const shapes = (version, members) =>
    group(
      {
        "encoding-type": "ngff:shapes",
        axes: ["x", "y"],
        coordinateTransformations: [to("global"), to("slide")],
        spatialdata_attrs: { version },
      },
      members,
    );
  const table = small();
  table.attributes = {
    ...table.attributes,
    "spatialdata-encoding-type": "ngff:regions_table",
    region: "cells",
    region_key: "kind",
    instance_key: "count",
    version: "0.2",
  };
  const tree = group(
    { spatialdata_attrs: { version: "0.2" } },
    {
      images: group(
        {},
        {
          tissue: group(
            {
              ome: {
                version: "0.5-dev-spatialdata",
                multiscales: [
                  {
                    axes: [{ name: "c" }, { name: "y" }, { name: "x" }],
                    coordinateTransformations: [to("global")],
                    datasets: [{ path: "0" }],
                  },
                ],
              },
            },
            {
              0: array("uint8", [2, 2], [1, 2, 3, 4]),
            },
          ),
        },
      ),
      points: group(
        {},
        { spots: group({ "encoding-type": "ngff:points", axes: ["x", "y"], spatialdata_attrs: { version: "0.2" } }) },
      ),
      shapes: group(
        {},
        {
          cells: shapes("0.3"),
          rings: shapes("0.1", { coords: array("float64", [2, 2], [1, 2, 3, 4]), radius: list("float64", [1, 2]) }),
        },
      ),
      tables: group({}, { table }),
    },
  );
  const sdata = await t.anndata.openSpatialData(await opened(t, tree, { consolidated: true }));
  same(
    "names",
    [sdata.version, sdata.images, sdata.labels, sdata.points, sdata.shapes, sdata.tables],
    ["0.2", ["tissue"], [], ["spots"], ["cells", "rings"], ["table"]],
  );
  const image = await sdata.open("images", "tissue");
  same(
    "image",
    [image.version, image.axes, [...image.transformations.keys()]],
    ["0.5-dev-spatialdata", ["c", "y", "x"], ["global"]],
  );
  same("level", (await (await image.open("0")).get()).data, [1, 2, 3, 4]);
  const spots = await sdata.open("points", "spots");
  const error = await refusedAs(t, "UnsupportedError", "points", () => spots.open("points.parquet"));
  assert(/Parquet/.test(error.feature), error.feature);
  const cells = await sdata.open("shapes", "cells");
  same(
    "cells",
    [cells.axes, [...cells.transformations.keys()]],
    [
      ["x", "y"],
      ["global", "slide"],
    ],
  );
  await refusedAs(t, "UnsupportedError", "shapes", () => cells.open("coords"));
  const rings = await sdata.open("shapes", "rings");
  same("rings", (await (await rings.open("coords")).get()).data, [1, 2, 3, 4]);
  const { table: adata, region, regionKey, instanceKey } = await sdata.table("table");
  same("table", [adata.shape, region, regionKey, instanceKey], [[3, 2], ["cells"], "kind", "count"]);
  await refusedAs(t, "NotFoundError", "no such label", () => sdata.open("labels", "none"));
  await refusedAs(t, "NotFoundError", "out of the group", () => image.open("../../tables"));
  await refusedAs(t, "NotFoundError", "no such kind", () => sdata.open("constructor", "none"));
  same(
    "printed",
    String(sdata),
    [
      "SpatialData object",
      "├── Images",
      "│     └── 'tissue'",
      "├── Points",
      "│     └── 'spots'",
      "├── Shapes",
      "│     ├── 'cells'",
      "│     └── 'rings'",
      "└── Tables",
      "      └── 'table'",
    ].join("\n"),
  );
  const objects = store(tree);
  const unlisting = { get: async (key) => objects.get(key) };
  const unlisted = await t.anndata.openSpatialData(await t.zarr.open(unlisting, { kind: "group" }));
  same("unlisted", [unlisted.images, unlisted.labels], [null, []]);
  same("unlisted", (await unlisted.open("shapes", "cells")).axes, ["x", "y"]);
  // Stores before 0.2 have no version, and OME 0.4 attributes. Before 0.1 the only table was
  // "table".
  const before = group(
    {},
    {
      labels: group(
        {},
        {
          cells: group({
            multiscales: [
              {
                version: "0.4",
                axes: [{ name: "y" }, "x"],
                coordinateTransformations: [to("global"), { type: "scale" }],
              },
            ],
          }),
        },
      ),
      table: group({}, { table: small() }),
    },
  );
  const old = await t.anndata.openSpatialData(await opened(t, before, { consolidated: true }));
  same("old", [old.version, old.labels, old.tables], [undefined, ["cells"], ["table"]]);
  const cellsBefore = await old.open("labels", "cells");
  same(
    "old",
    [cellsBefore.version, cellsBefore.axes, [...cellsBefore.transformations.keys()]],
    ["0.4", ["y", "x"], ["global"]],
  );
  same("old", (await old.table("table")).region, []);
  await refusedAs(t, "NotFoundError", "AnnData", async () => t.anndata.openSpatialData(await opened(t, small())));
  await refusedAs(t, "NotFoundError", "nothing", async () => t.anndata.openSpatialData(await opened(t, group())));
}

/** The tests. */
export default function* () {
  yield {
    id: "anndata: 10,000 random selections of sparse matrices are those of dense ones",
    run: (t) => selections(t, 15, 100, 100),
  };
  yield { id: "anndata: each kind of element, with and without consolidated metadata", run: everything };
  yield { id: "anndata: what cannot be is refused by name, again and again", run: refusals };
  yield { id: "anndata: absurd sizes are a LimitError", run: limits };
  yield { id: "anndata: requests", run: requests };
  yield { id: "anndata: random attributes are read or refused by name", run: (t) => mutations(t, 7, 300) };
  yield { id: "anndata: stores of anndata before 0.8", run: old };
  yield { id: "anndata: data frames that are arrays of structs", run: records };
  yield { id: "anndata: MuData", run: modalities };
  yield { id: "anndata: SpatialData", run: spatial };
}
