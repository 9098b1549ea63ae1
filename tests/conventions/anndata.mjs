// AnnData, MuData and SpatialData: the cases of kind anndata, and properties by the standards with
// hostile attributes.
import properties from "./anndata-properties.mjs";

const hex = (bytes) => Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0")).join("");
const sha256 = async (bytes) => hex(new Uint8Array(await crypto.subtle.digest("SHA-256", bytes)));

const classes = {
  "|b1": "BoolArray",
  "|u1": "Uint8Array",
  "<u2": "Uint16Array",
  "<i4": "Int32Array",
  "<i8": "BigInt64Array",
  "<f4": "Float32Array",
  "<f8": "Float64Array",
};

function fail(what, is, expected) {
  throw new Error(`${what}: ${show(is)} instead of ${show(expected)}`);
}
const show = (value) =>
  JSON.stringify(value, (_, v) => (typeof v === "bigint" ? `${v}n` : v === undefined ? "undefined" : v))?.slice(0, 400);
function same(what, is, expected) {
  if (show(is) !== show(expected)) fail(what, is, expected);
}

function assert(truth, what) {
  if (!truth) throw new Error(what);
}

/** A value in the form of expected.json. */
function written(value) {
  if (typeof value === "bigint") return value.toString();
  return typeof value === "number" && !Number.isFinite(value) ? String(value) : value;
}

/** Compares values in the form of expected.json, in both of its forms for 64-bit integers. */
function sameValues(what, values, expected) {
  const loose = (list) => Array.from(list, (value) => (typeof value === "object" ? value : String(value)));
  const is = Array.from(values, written);
  if (is.some((value, i) => typeof value === "string" && typeof expected[i] === "number"))
    same(what, loose(is), loose(expected));
  else same(what, is, expected);
}

function sameClass(t, what, data, dtype) {
  const name = classes[dtype];
  if (data.constructor !== (t.zarr[name] ?? globalThis[name])) fail(`${what}: type`, data.constructor.name, name);
}

async function sameArray(t, what, { data, shape }, expected) {
  same(`${what}: shape`, shape, expected.shape ?? [expected.values.length]);
  if (expected.dtype === "string") return sameValues(what, data, expected.values);
  sameClass(t, what, data, expected.dtype);
  if (expected.values) sameValues(what, data, expected.values);
  const bytes = new Uint8Array(data.buffer, data.byteOffset, data.byteLength);
  if (expected.sha256) same(`${what}: sha256`, await sha256(bytes.slice()), expected.sha256);
  if (expected.file) same(`${what}: bytes`, hex(bytes), hex(await t.bytes(expected.file)));
}

function sameColumn(t, what, column, expected) {
  sameValues(`${what}: values`, column.values, expected.values);
  sameValues(`${what}: one by one`, column, expected.values);
  switch (expected.kind) {
    case "categorical":
      same(`${what}: kind`, column.kind, "categorical");
      same(`${what}: ordered`, column.ordered, expected.ordered);
      sameValues(`${what}: categories`, column.categories, expected.categories);
      sameValues(`${what}: codes`, column.data, expected.codes);
      break;
    case "string":
      same(`${what}: kind`, column.kind, "string-array");
      break;
    case "array":
      if (expected.dtype !== "string") sameClass(t, what, column.data, expected.dtype);
      break;
    case "nullable-string":
      same(`${what}: kind`, column.kind, "nullable-string-array");
      break;
    default:
      same(`${what}: kind`, column.kind, expected.kind);
  }
}

async function sameFrame(t, what, frame, expected) {
  same(`${what}: kind`, frame.kind, "dataframe");
  same(`${what}: columns`, frame.columns, expected.column_order);
  sameValues(`${what}: index`, await frame.index(), expected.index);
  for (const [name, column] of Object.entries(expected.columns)) {
    sameColumn(t, `${what}/${name}`, await frame.column(name), column);
    // A slice of rows equals the rows of the whole.
    const slice = await frame.column(name, { start: -3, stop: 1, step: -2 });
    const rows = expected.values ?? column.values;
    const wanted = [];
    for (let i = rows.length - 3; i > 1; i -= 2) wanted.push(rows[i]);
    sameValues(`${what}/${name}: rows`, slice, wanted);
    sameValues(`${what}/${name}: list`, await frame.column(name, [2, 0, -1, 2]), [
      rows[2],
      rows[0],
      rows.at(-1),
      rows[2],
    ]);
  }
  const table = await frame.read();
  same(`${what}: read`, [...table.columns.keys()], expected.column_order);
  if (!String(await frame.head()).includes(`× ${expected.column_order.length} columns]`))
    fail(`${what}: head`, String(await frame.head()));
}

async function sameElement(t, what, element, expected) {
  if (expected === null) return same(what, element, null);
  switch (expected.kind) {
    case "dataframe":
      return sameFrame(t, what, element, expected);
    case "csr":
    case "csc": {
      same(`${what}: kind`, element.kind, `${expected.kind}_matrix`);
      same(`${what}: shape`, element.shape, expected.shape);
      same(`${what}: nnz`, element.nnz, expected.nnz);
      return sameArray(t, what, await element.get(), expected.dense);
    }
    case "categorical":
    case "nullable-integer":
    case "nullable-boolean":
      return sameColumn(t, what, await element.get(), expected);
    case "array": {
      if (expected.dtype !== "string") same(`${what}: kind`, element.kind, "array");
      return sameArray(t, what, await element.get(), expected);
    }
    case "scalar": {
      const value = await t.anndata.readElement(element);
      return same(what, written(value), String(value) === String(expected.value) ? written(value) : expected.value);
    }
    case "dict": {
      // The tests' server cannot list, and only archives among the fixtures name their contents.
      if (element.names) same(`${what}: names`, element.names, Object.keys(expected.items).sort());
      for (const [name, item] of Object.entries(expected.items)) {
        await sameElement(t, `${what}/${name}`, await element.open(name), item);
      }
      return;
    }
    case "rec-array": {
      const { data, shape } = await element.get();
      same(`${what}: fields`, Object.keys(data), Object.keys(expected.fields));
      for (const [name, field] of Object.entries(expected.fields))
        await sameArray(t, `${what}.${name}`, { data: data[name], shape }, field);
      return;
    }
  }
  throw new Error(`${what}: what is ${expected.kind}?`);
}

const selector = (of) => (of && !Array.isArray(of) ? { step: null, ...of } : (of ?? null));

/** Compares a case with what is read. */
export async function judge(t, { id, store, variable, ask, expect }) {
  const options = { kind: "group" };
  if (ask.what === "sparse slice") {
    const matrix = await t.anndata.openElement(await t.open(store, variable, options));
    const selection = [selector(ask.rows), selector(ask.cols)];
    await sameArray(t, "dense", await matrix.get(selection), expect.dense);
    // The sparse parts are the same matrix.
    const block = await matrix.sparse(selection);
    same("shape", block.shape, expect.dense.shape);
    const dense = new Array(block.shape[0] * block.shape[1]).fill(0);
    for (let i = 0; i + 1 < block.indptr.length; i++) {
      for (let k = block.indptr[i]; k < block.indptr[i + 1]; k++) {
        const [row, column] = block.kind === "csr_matrix" ? [i, block.indices[k]] : [block.indices[k], i];
        dense[row * block.shape[1] + column] += block.data[k];
      }
    }
    sameValues("sparse", dense, expect.dense.values);
    return;
  }
  same("ask", ask.what, "anndata");
  const adata = await t.anndata.openAnnData(await t.open(store, "", options));
  same("shape", adata.shape, expect.shape);
  for (const [name, expected] of Object.entries(expect)) {
    if (name === "shape") continue;
    if (mappings.includes(name)) {
      await sameElement(t, name, adata[name], { kind: "dict", items: expected });
    } else await sameElement(t, name, adata[name], expected);
  }
  same("names are known", adata.layers.names !== null, Boolean(t.lists) || store.endsWith(".zip"));
  if (adata.uns.names && expect.uns) {
    same("uns", Object.keys(await t.anndata.readElement(adata.uns)).sort(), Object.keys(expect.uns).sort());
  }
  // For the raw variables, expected.json only says that anndata reads them.
  if (adata.raw) {
    const { data, shape } = await adata.raw.X.get();
    same("raw", [shape, adata.raw.shape], [adata.raw.shape, [expect.shape[0], adata.raw.var.length]]);
    assert(
      data.some((value) => value !== 0),
      "raw has no elements",
    );
    await t.anndata.readElement(adata.raw.var);
  }
  assert(Boolean(adata.raw) === /archive.v0.7/.test(id), "raw");
  same("printed", String(adata), printed(adata, expect));
}

const mappings = ["uns", "obsm", "varm", "layers", "obsp", "varp"];

/** anndata's text of the object, with a question mark for unknown names. */
function printed(adata, expect) {
  const namesOf = (name) => {
    if (!mappings.includes(name)) return expect[name].column_order;
    // Handmade fixtures do not expect all sections.
    return adata[name].names && expect[name] ? Object.keys(expect[name]).sort() : adata[name].names;
  };
  const lines = ["obs", "var", ...mappings]
    .map((name) => [name, namesOf(name)])
    .filter(([, list]) => list?.length !== 0);
  return [
    `AnnData object with n_obs × n_vars = ${expect.shape.join(" × ")}`,
    ...lines.map(([name, list]) => `    ${name}: ${list?.map((one) => `'${one}'`).join(", ") ?? "?"}`),
  ].join("\n");
}

/** The cases of expected.json for anndata, and the properties of every store. */
export default function* (expected) {
  for (const one of expected.cases) {
    if (one.kind === "anndata") yield { id: one.id, run: (t) => judge(t, one) };
  }
  yield* properties();
}
