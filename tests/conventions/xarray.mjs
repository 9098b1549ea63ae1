// Datasets, dimensions and label selection: the cases of kind cf for whole datasets or dimensions,
// and the table sel.
import { equal } from "./values.mjs";

/** The cases of expected.json for xarray. */
export default function* ({ cases, tables }) {
  for (const one of cases) {
    if (one.kind !== "cf") continue;
    if (one.ask.what === "dimensions") yield { id: one.id, run: (t) => dimensions(t, one) };
    if (one.ask.what === "dataset") yield { id: one.id, run: (t) => dataset(t, one) };
  }
  for (const set of ["climate_v2", "climate_v3"]) yield { id: `fixtures.${set}`, run: (t) => climate(t, set) };
  for (const set of ["geno_v2", "geno_v3"]) yield { id: `fixtures.${set}`, run: (t) => genotypes(t, set) };
  for (const store of tables.sel_stores.stores) {
    for (const row of tables.sel) yield { id: `${row.id}.${store.slice(-7, -5)}`, run: (t) => selected(t, store, row) };
  }
}

async function dimensions(t, { store, variable, expect }) {
  const array = await t.open(store, variable, { kind: "array" });
  const { names, problem } = t.xarray.dimensionsOf(array);
  if (expect.dims) {
    equal(names, expect.dims, "names");
    if (problem) throw new Error(problem);
    const ds = await t.xarray.openDataset(await t.open(store, "", { kind: "group" }), { variables: [variable] });
    const one = ds.var(variable);
    equal(
      one.dims,
      names.map((name, i) => name ?? `dim_${i}`),
      "names by position",
    );
    // Positions select even where a name occurs twice or is missing.
    const last = array.shape.map((n) => n - 1);
    equal((await one.isel(last).get()).shape, [], "an element");
  } else if (!problem || names.some((name) => name !== null))
    throw new Error(`${JSON.stringify(names)} and no problem`);
}

const numpy = { float32: "<f4", float64: "<f8", int32: "<i4", uint8: "|u1", string: "string", timedelta: "timedelta" };

async function sha256(data) {
  const copy = data.slice();
  for (const [i, x] of copy.entries()) if (Number.isNaN(x)) copy[i] = NaN;
  const bytes = new Uint8Array(copy.buffer, copy.byteOffset, copy.byteLength);
  return Array.from(new Uint8Array(await crypto.subtle.digest("SHA-256", bytes)), (b) =>
    b.toString(16).padStart(2, "0"),
  ).join("");
}

const iso = (date) => date?.toISOString() ?? null;
const plain = (text) => text?.replace(/\.000000$/, "");

/**
 * The group, and the names of its variables if neither metadata nor the tests' server lists them.
 */
async function groupOf(t, store, group, names) {
  const root = await t.open(store, "", { kind: "group" });
  return [group ? await root.open(group, { kind: "group" }) : root, root.consolidated ? {} : { variables: names }];
}

async function dataset(t, { store, group, expect }) {
  const [node, named] = await groupOf(t, store, group, Object.keys(expect.variables));
  // Numbers with a unit of time decode to durations on request, as in xarray since 2025.
  const options = { decodeTimedelta: true, ...named };
  const ds = await t.xarray.openDataset(node, options);
  const sorted = (map) => [...map.keys()].sort();
  equal(Object.entries(ds.sizes).sort(), Object.entries(expect.dims).sort(), "sizes");
  equal(sorted(ds.coords), expect.coords, "coordinates");
  equal(sorted(ds.dataVars), expect.data_vars, "data variables");
  equal(ds.attrs, expect.attributes, "attributes");
  const all = await t.xarray.openDataset(node, { ...options, decodeCoords: "all" });
  equal(sorted(all.coords), expect.coords_decode_all, "coordinates with all that attributes refer to");
  for (const [name, want] of Object.entries(expect.variables)) {
    const one = ds.var(name);
    const got = await one.get();
    equal(got.dims, want.dims, `${name}: dimensions`);
    equal(got.shape, want.shape, `${name}: shape`);
    equal(one.shape, want.shape, `${name}: shape before it is read`);
    equal(Object.entries(got.attrs).sort(), Object.entries(want.attributes).sort(), `${name}: attributes`);
    if (want.dtype === "datetime" || want.dtype === "cftime") {
      equal(got.dtype, "time", `${name}: type`);
      equal(Array.from(got.data, iso), want.values.map(plain), `${name}: values`);
      if (want.calendar) equal(got.calendar, want.calendar, `${name}: calendar`);
    } else if (want.dtype === "timedelta") {
      const micros = Array.from({ length: got.data.length }, (_, i) => Number(got.data.microseconds(i)));
      equal(micros, want.microseconds, `${name}: values`);
    } else {
      equal(numpy[got.dtype], want.dtype, `${name}: type`);
      equal(got.data, want.values, `${name}: values`);
      if (want.sha256) equal(await sha256(got.data), want.sha256, `${name}: bytes`);
    }
    for (const dim of got.dims) {
      if (expect.coords.includes(dim)) equal(got.coords[dim].shape, [expect.dims[dim]], `${name}: coordinate ${dim}`);
    }
  }
}

/**
 * Debatable rows on which this package differs from xarray 2023.01. A date as fine as the times
 * names one position or none, in every calendar, as with datetime64.
 */
const others = {
  "sel.0385": { index: { noleap: 3 }, coords: { noleap: "2000-01-16T00:00:00" } },
  "sel.0393": { index: { d360: 3 }, coords: { d360: "2000-02-16T00:00:00" } },
  "sel.0392": { error: true },
  "sel.0400": { error: true },
};

/** Datasets of this run, opened once. */
const datasets = new WeakMap();

function datasetAt(t, store) {
  const known = datasets.get(t) ?? new Map();
  datasets.set(t, known);
  const dims = new Set(t.expected.tables.sel.flatMap(({ ask }) => Object.keys(ask.sel)));
  const names = [...dims].map((dim) => `pos_${dim}`);
  const open = async () => t.xarray.openDataset(...(await groupOf(t, store, "", [...names, "grid"])));
  if (!known.has(store)) known.set(store, open());
  return known.get(store);
}

async function selected(t, store, row) {
  const { id, ask, expect, alternative, debatable } = row;
  // A range over descending times follows the rule for numbers, as the row itself says.
  const want = alternative ?? (debatable && others[id]) ?? expect;
  const ds = await datasetAt(t, store);
  const labels = Object.fromEntries(
    Object.entries(ask.sel).map(([dim, label]) => {
      if (Array.isArray(label?.slice)) return [dim, t.xarray.slice(...label.slice)];
      return [dim, label?.list ?? label];
    }),
  );
  const options = { method: ask.method, tolerance: ask.tolerance };
  const dims = Object.keys(labels);
  if (want.error) {
    const refused = async (what, promise) => {
      const error = await promise.then(
        () => undefined,
        (error) => error,
      );
      if (!t.zarr.isZarrError(error, "InvalidSelectionError")) throw new Error(`${what}: ${error ?? "no error"}`);
    };
    await refused("sel of the dataset", ds.sel(labels, options));
    if (dims.length === 1) await refused("sel of a variable", ds.var(`pos_${dims[0]}`).sel(labels, options).get());
    return;
  }
  const part = await ds.sel(labels, options);
  for (const dim of dims) {
    const alone = { [dim]: labels[dim] };
    const read = [part.var(`pos_${dim}`).get(), ds.var(`pos_${dim}`).sel(alone, options).get()];
    for (const got of await Promise.all(read)) {
      const places = Array.from(got.data);
      equal(got.shape.length === 0 ? places[0] : places, want.index[dim], `places of ${dim}`);
      const coordinate = got.coords[dim];
      if (!(dim in want.coords)) {
        equal(coordinate, undefined, `coordinate of ${dim}`);
        continue;
      }
      const values = Array.from(coordinate.data, (one) =>
        one?.toISOString ? iso(one) : typeof one === "bigint" ? Number(one) : one,
      );
      const wanted = [want.coords[dim]].flat().map((one) => (coordinate.dtype === "time" ? plain(one) : one));
      equal(values, wanted, `labels of ${dim}`);
      equal(coordinate.shape, got.shape, `shape of the labels of ${dim}`);
    }
  }
  if (dims.length === 2 && dims.includes("lon360")) {
    const { shape } = await part.var("grid").get();
    equal(
      shape,
      dims.flatMap((dim) => [want.index[dim]].flat(0)).flatMap((index) => (Array.isArray(index) ? [index.length] : [])),
      "grid",
    );
  }
}

/** A set's arrays in the manifest of all fixtures. */
async function manifest(t, store) {
  const { cases } = JSON.parse(await t.text("../manifest.json"));
  return Object.fromEntries(cases.filter((one) => one.store === store).map((one) => [one.array, one]));
}

async function climate(t, set) {
  const store = `xarray/${set}.zarr`;
  const cases = await manifest(t, store);
  const ds = await t.xarray.openDataset(await t.open(`../${store}`, "", { kind: "group" }));
  equal(ds.problems, [], "problems");
  equal(Object.entries(ds.sizes).sort(), Object.entries({ lat: 19, lon: 36, s: 3, time: 31 }), "sizes");
  equal([...ds.coords.keys()].sort(), ["lat", "lon", "time"], "coordinates");
  const { cf_decoded: packed, attributes } = cases.t2m;
  const t2m = await ds.var("t2m").get();
  equal(await sha256(t2m.data), packed.sha256, "t2m: to the bit");
  equal(t2m.missing, t2m.data.filter(Number.isNaN).length, "t2m: missing");
  equal([t2m.units, t2m.dtype, t2m.attrs.long_name], [attributes.units, "float64", attributes.long_name], "t2m");
  equal(t2m.dims, ["time", "lat", "lon"], "t2m: dims");
  equal(Array.from(t2m.coords.time.data, iso), cases.time.cf_decoded.iso, "time");
  equal(ds.gridMapping("t2m")?.name, undefined, "no grid mapping");
  equal((await ds.var("land").get()).dtype, "bool", "land");
  // July's climate is missing; the last day is nearest to it.
  const july = { time: "2000-07", lat: t.xarray.slice(-40, 40), lon: 12.5 };
  const last = await ds
    .var("t2m")
    .sel(july, { method: { time: "nearest", lon: "nearest" } })
    .get();
  equal([last.dims, last.shape, iso(last.coords.time.data.get(0))], [["lat"], [9], "2000-01-31T00:00:00"], "july");
  equal(Array.from(last.coords.lon.data), [10], "the nearest longitude");
  equal(
    Array.from(last.data),
    Array.from({ length: 9 }, (_, i) => t2m.data[(30 * 19 + 5 + i) * 36 + 1]),
    "the profile",
  );
}

async function genotypes(t, set) {
  const store = `geno/${set}.zarr`;
  const cases = await manifest(t, store);
  const variables = Object.keys(cases);
  const group = await t.open(`../${store}`, "", { kind: "group" });
  // By xarray's rule, v2's fill value counts as _FillValue, even the 0 of positions; without it the
  // numbers are the stored ones.
  const ds = await t.xarray.openDataset(group, { variables, useZarrFillValueAsMask: false });
  equal([...ds.dataVars.keys()].sort(), [...variables].sort(), "variables");
  equal(ds.problems, [], "problems");
  equal(
    Object.entries(ds.sizes).sort(),
    Object.entries({ alleles: 2, ploidy: 2, samples: 40, variants: 300 }),
    "sizes",
  );
  for (const [name, { expected, shape }] of Object.entries(cases)) {
    const got = await ds.var(name).get();
    equal(got.shape, shape, `${name}: shape`);
    if (expected.encoding === "json") {
      equal(got.data, JSON.parse(await t.text(`../${expected.file}`)).values.flat(), `${name}: values`);
    } else equal(await sha256(got.data), expected.sha256, `${name}: bytes`);
  }
  const raw = await ds.var("call_genotype").get();
  const calls = await (await t.xarray.openDataset(group, { variables: ["call_genotype"] })).var("call_genotype").get();
  const v2 = set.endsWith("v2");
  equal(calls.dtype, v2 ? "float32" : "int8", "calls: type");
  equal(calls.masked, v2 ? raw.data.filter((x) => x === -1).length : 0, "calls: masked");
}
