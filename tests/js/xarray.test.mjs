// Datasets, beyond the cases of expected.json.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { after, test } from "node:test";
import { inspect } from "node:util";
import * as inline from "../../dist/inline.js";
import * as zarr from "../../dist/node.js";
import { dimensionsOf, openDataset, openDataTree, openNczarr, slice } from "../../dist/xarray.js";
import { arrayV2, json } from "../lib/documents.mjs";
import { random } from "../lib/random.mjs";
import { serve, top } from "../lib/serve.mjs";

const server = await serve("build/fixtures");
after(async () => {
  server.close();
  await zarr.terminate();
  await inline.terminate();
});

const array = (shape, dtype = "|u1", more = {}) => arrayV2(shape, dtype, { chunks: shape, fill_value: null, ...more });

/** A store on the page with documents and bytes, which lists and counts its requests. */
class Store extends Map {
  asked = [];
  constructor(objects) {
    super();
    for (const [key, value] of Object.entries(objects)) {
      const bytes = value instanceof Uint8Array ? value : json(value);
      this.set(`/${key}`, bytes);
    }
  }
  get(key) {
    this.asked.push(key);
    return super.get(key);
  }
  listFolder(path) {
    const prefix = path ? `/${path}/` : "/";
    const below = [...this.keys()].filter((key) => key.startsWith(prefix)).map((key) => key.slice(prefix.length));
    return [...new Set(below.map((name) => name.replace(/\/.*/, "/")))].sort();
  }
}

const weather = () => ({
  ".zgroup": { zarr_format: 2 },
  ".zattrs": { title: "weather" },
  "x/.zarray": array([3]),
  "x/.zattrs": { _ARRAY_DIMENSIONS: ["x"] },
  "x/0": Uint8Array.of(10, 20, 30),
  "time/.zarray": array([2]),
  "time/.zattrs": { _ARRAY_DIMENSIONS: ["time"], units: "days since 2020-01-01", bounds: "time_bnds" },
  "time/0": Uint8Array.of(0, 31),
  "time_bnds/.zarray": array([2, 2]),
  "time_bnds/.zattrs": { _ARRAY_DIMENSIONS: ["time", "nv"] },
  "time_bnds/0.0": Uint8Array.of(0, 31, 31, 60),
  "area/.zarray": array([2, 3]),
  "area/.zattrs": { _ARRAY_DIMENSIONS: ["time", "x"] },
  "area/0.0": Uint8Array.of(1, 1, 1, 2, 2, 2),
  "t/.zarray": array([2, 3]),
  "t/.zattrs": {
    _ARRAY_DIMENSIONS: ["time", "x"],
    units: "K",
    scale_factor: 0.5,
    coordinates: "area",
    ancillary_variables: "q missing",
    grid_mapping: "crs",
  },
  "t/0.0": Uint8Array.of(1, 2, 3, 4, 5, 6),
  "q/.zarray": array([2, 3]),
  "q/.zattrs": { _ARRAY_DIMENSIONS: ["time", "x"], units: "1" },
  "q/0.0": Uint8Array.of(0, 0, 0, 0, 0, 1),
  "crs/.zarray": array([]),
  "crs/.zattrs": { _ARRAY_DIMENSIONS: [], grid_mapping_name: "latitude_longitude" },
  "crs/0": Uint8Array.of(7),
});

const openWeather = async (changed = {}, options = {}, using = zarr) => {
  const store = new Store({ ...weather(), ...changed });
  const group = await using.open(store, { kind: "group" });
  return { store, group, ds: await openDataset(group, options) };
};

test("xarray: referenced variables are found", async () => {
  const { ds } = await openWeather();
  assert.deepEqual([...ds.coords.keys()].sort(), ["area", "time", "x"]);
  assert.equal(ds.bounds("time").name, "time_bnds");
  const bounds = await ds.bounds("time").get();
  assert.deepEqual(
    [...bounds.data].map(String),
    ["2020-01-01", "2020-02-01", "2020-02-01", "2020-03-01"].map((d) => `${d}T00:00:00`),
  );
  assert.equal(ds.gridMapping("t").attrs.grid_mapping_name, "latitude_longitude");
  assert.deepEqual(
    ds.ancillary("t").map(({ name }) => name),
    ["q"],
  );
  assert.equal(ds.gridMapping("q"), undefined);
  assert.deepEqual([...ds.var("t").coords.keys()].sort(), ["area", "time", "x"]);
  const { ds: all } = await openWeather({}, { decodeCoords: "all" });
  assert.deepEqual([...all.coords.keys()].sort(), ["area", "crs", "time", "time_bnds", "x"]);
  assert.equal(all.gridMapping("t").name, "crs");
  assert.equal(all.var("t").encoding.grid_mapping, "crs");
  const { ds: none } = await openWeather({}, { decodeCoords: false });
  assert.deepEqual([...none.coords.keys()].sort(), ["time", "x"]);
  assert.throws(() => ds.var("u"), { name: "NotFoundError", message: /no variable "u" in \/; variables: "/ });
});

test("xarray: a result says units, coordinates of each axis and what was masked", async () => {
  const { ds } = await openWeather({
    "t/.zattrs": { _ARRAY_DIMENSIONS: ["time", "x"], units: "K", scale_factor: 0.5, _FillValue: 5, long_name: "T" },
  });
  const got = await ds.var("t").get();
  assert.deepEqual(
    [got.name, got.dims, got.shape, got.stride, got.dtype, got.units, got.masked, got.missing, got.applied],
    ["t", ["time", "x"], [2, 3], [3, 1], "float64", "K", 1, 1, ["_FillValue", "scale_factor"]],
  );
  assert.deepEqual([...got.data], [0.5, 1, 1.5, 2, Number.NaN, 3]);
  assert.deepEqual(got.attrs, { units: "K", long_name: "T" });
  assert.deepEqual([...got.coords.x.data], [10, 20, 30]);
  assert.deepEqual(
    [got.coords.time.dtype, got.coords.time.calendar, got.coords.time.units],
    ["time", "standard", "days since 2020-01-01"],
  );
  assert.equal("area" in (await ds.var("t").get({ coords: false })).coords, false);
});

test("xarray: selections chain, and are one read", async () => {
  const { ds, store } = await openWeather();
  const t = ds.var("t");
  const part = t.isel({ x: slice(null, null, -1) });
  assert.deepEqual([part.shape, part.dims, part.sizes, part.size], [[2, 3], ["time", "x"], { time: 2, x: 3 }, 6]);
  const got = await part
    .sel({ x: slice(25, 5), time: "2020-02" })
    .isel({ x: [1, 0] })
    .get();
  assert.deepEqual(
    [[...got.data], got.shape],
    [
      [2, 2.5],
      [1, 2],
    ],
  );
  assert.deepEqual([...got.coords.x.data], [10, 20]);
  assert.deepEqual([...got.coords.time.data].map(String), ["2020-02-01T00:00:00"]);
  // A dropped dimension leaves a scalar coordinate.
  const one = await t.sel({ time: new Date("2020-02-01"), x: 29 }, { method: { x: "nearest" } }).load();
  assert.deepEqual(
    [[...one.data], one.shape, one.dims, one.coords.x.shape, [...one.coords.x.data]],
    [[3], [], [], [], [30]],
  );
  assert.equal(String(one.coords.time.data.get(0)), "2020-02-01T00:00:00");
  const located = await t.sel({ x: [30, 10] }).locate();
  assert.deepEqual(
    [located.shape, located.dims],
    [
      [2, 2],
      ["time", "x"],
    ],
  );
  // Each coordinate was read once, and each chunk of t.
  const chunks = store.asked.filter((key) => /\/\d[\d.]*$/.test(key));
  assert.deepEqual(chunks.filter((key) => key === "/x/0").length, 1);
  assert.deepEqual(chunks.filter((key) => key === "/time/0").length, 1);
});

test("xarray: a dataset is selected as a whole", async () => {
  const { ds } = await openWeather();
  const part = (await ds.sel({ x: slice(15, 35) })).isel({ time: -1 });
  assert.deepEqual([part.sizes, part.dims.includes("time")], [{ nv: 2, x: 2 }, false]);
  const [t, q, x] = await Promise.all(["t", "q", "x"].map((name) => part.var(name).get()));
  assert.deepEqual(
    [[...t.data], [...q.data], [...x.data]],
    [
      [2.5, 3],
      [0, 1],
      [20, 30],
    ],
  );
  assert.deepEqual([...part.coords.keys()].sort(), ["area", "time", "x"]);
  assert.throws(() => part.isel({ time: 0 }), { name: "InvalidSelectionError" });
  await assert.rejects(ds.sel({ y: 1 }), { name: "InvalidSelectionError", message: /no dimension "y"/ });
  assert.deepEqual((await ds.var("t").get()).shape, [2, 3], "the dataset itself is as it was");
});

test("xarray: invalid selectors are named errors", async () => {
  const { ds } = await openWeather();
  const t = ds.var("t");
  const wrong = { name: "InvalidSelectionError" };
  for (const by of [
    { y: 0 },
    { x: 3 },
    { x: -4 },
    { x: 0.5 },
    { x: "10" },
    { x: {} },
    { x: [true] },
    { x: slice(0, 1, 0) },
    [0, 0, 0],
    null,
    3,
    new Map(),
  ]) {
    assert.throws(() => t.isel(by), wrong, inspect(by));
  }
  for (const by of [
    { y: 0 },
    { x: 11 },
    { x: "10" },
    { x: null },
    { x: undefined },
    { x: {} },
    { x: true },
    { x: [10, 11] },
    { time: "1999" },
    { time: "x" },
    { time: 3 },
    { nv: 1 },
  ]) {
    await assert.rejects(async () => t.sel(by).get(), wrong, inspect(by));
  }
  assert.throws(() => t.sel(new Map()), wrong);
  assert.throws(() => t.sel({ x: 1 }, { method: "closest" }), TypeError);
  assert.throws(() => t.sel({ x: 1 }, { period: 360 }), TypeError);
  await assert.rejects(t.sel({ x: 10 }, { tolerance: 1 }).get(), wrong);
  await assert.rejects(ds.bounds("time").sel({ nv: "a" }).get(), wrong);
  await assert.rejects(ds.bounds("time").sel({ nv: 0 }, { method: "nearest" }).get(), wrong);
  await assert.rejects(openDataset(), TypeError);
  await assert.rejects(openDataset(t.array), TypeError);
  assert.throws(() => dimensionsOf({}), TypeError);
  await assert.rejects(openNczarr(t.array), { name: "TypeError", message: /^openNczarr: expected a group/ });
  await assert.rejects(openDataTree(null), { name: "TypeError", message: /^openDataTree: expected a group/ });
  for (const options of [null, 3, { variables: "t" }, { variables: [1] }, { decodeCoords: "some" }, { signal: 1 }]) {
    await assert.rejects(openDataset(ds.group, options), TypeError, inspect(options));
  }
  await assert.rejects(openDataTree(ds.group, { maxDepth: -1 }), TypeError);
  assert.equal((await t.sel({ x: 10 }).get()).shape[0], 2, "afterwards everything works");
});

test("xarray: random chains of selections equal those of a plain array", async () => {
  const [height, width] = [7, 9];
  const data = Uint8Array.from({ length: height * width }, (_, i) => i);
  const objects = {
    ".zgroup": { zarr_format: 2 },
    "y/.zarray": array([height]),
    "y/.zattrs": { _ARRAY_DIMENSIONS: ["y"] },
    "y/0": Uint8Array.from({ length: height }, (_, i) => 60 - 10 * i),
    "v/.zarray": array([height, width]),
    "v/.zattrs": { _ARRAY_DIMENSIONS: ["y", "x"] },
    "v/0.0": data,
  };
  const ds = await openDataset(await zarr.open(new Store(objects), { kind: "group" }));
  const below = random(7);
  for (let round = 0; round < 300; round++) {
    let v = ds.var("v").sel({});
    let [rows, columns] = [Array.from({ length: height }, (_, i) => i), Array.from({ length: width }, (_, i) => i)];
    for (let i = below(3); i >= 0; i--) {
      const pick = (list) => {
        if (below(2) === 0) {
          const [start, stop] = [below(list.length + 1), below(list.length + 1)].sort((a, b) => a - b);
          const step = below(2) + 1;
          return [slice(start, stop, step), list.slice(start, stop).filter((_, i) => i % step === 0)];
        }
        const places = Array.from({ length: list.length && below(4) }, () => below(list.length));
        return [places, places.map((i) => list[i])];
      };
      const [x, newColumns] = pick(columns);
      const labels = rows.map((row) => 60 - 10 * row);
      const unique = new Set(labels).size === labels.length;
      const found = unique ? pick(labels) : [undefined, labels];
      const [y] = found[0]?.start === undefined ? [found[1]] : [found[1]];
      v = v.isel({ x }).sel(unique ? { y } : {});
      rows = found[1].map((label) => (60 - label) / 10);
      columns = newColumns;
    }
    const got = await v.get({ coords: true });
    assert.deepEqual(got.shape, [rows.length, columns.length]);
    assert.deepEqual(
      [...got.data],
      rows.flatMap((row) => columns.map((column) => row * width + column)),
    );
    assert.deepEqual(
      [...got.coords.y.data],
      rows.map((row) => 60 - 10 * row),
    );
  }
});

test("xarray: an unreadable coordinate is requested again", async () => {
  const objects = weather();
  const whole = objects["x/0"];
  objects["x/0"] = Uint8Array.of(1);
  const { ds, store } = await openWeather(objects);
  const t = ds.var("t");
  await assert.rejects(t.sel({ x: 20 }).get(), { name: "CodecPipelineError" });
  await assert.rejects(t.get(), { name: "CodecPipelineError" });
  assert.deepEqual((await t.get({ coords: false })).shape, [2, 3]);
  store.set("/x/0", whole);
  assert.deepEqual([...(await t.sel({ x: 20 }).get()).data], [1, 2.5]);
});

test("xarray: a read that waits for a coordinate can be aborted, and the others get it", async () => {
  let open;
  const gate = new Promise((resolve) => {
    open = resolve;
  });
  const store = new Store(weather());
  const get = Store.prototype.get;
  let gated = false;
  store.get = function (key) {
    const bytes = get.call(this, key);
    return key === "/x/0" && gated ? gate.then(() => bytes) : bytes;
  };
  const ds = await openDataset(await zarr.open(store, { kind: "group" }));
  gated = true;
  const t = ds.var("t");
  const aborted = new AbortController();
  const [one, other] = [t.sel({ x: 20 }).get({ signal: aborted.signal }), t.sel({ x: 30 }).get()];
  const reason = new Error("no more");
  aborted.abort(reason);
  await assert.rejects(one, reason);
  open();
  assert.deepEqual([...(await other).data], [1.5, 3]);
  await assert.rejects(t.sel({ x: 20 }).get({ signal: aborted.signal }), reason);
  await assert.rejects(openDataset(ds.group, { signal: aborted.signal }), reason);
  assert.deepEqual([...(await t.sel({ x: 20 }).get()).data], [1, 2.5]);
});

test("xarray: groups are a tree of datasets, and have the dimensions of those above", async () => {
  const more = {
    "deep/.zgroup": { zarr_format: 2 },
    "deep/v/.zarray": array([3]),
    "deep/v/.zattrs": { _ARRAY_DIMENSIONS: ["x"] },
    "deep/v/0": Uint8Array.of(1, 2, 3),
    "deep/other/.zgroup": { zarr_format: 2 },
    "deep/other/w/.zarray": array([4]),
    "deep/other/w/.zattrs": { _ARRAY_DIMENSIONS: ["x"] },
    "deep/other/w/0": Uint8Array.of(1, 2, 3, 4),
  };
  const { group, ds } = await openWeather(more);
  assert.deepEqual(ds.groups, ["deep"]);
  const tree = await openDataTree(group);
  const deep = tree.children.get("deep");
  assert.deepEqual([tree.path, deep.path, [...deep.children.keys()]], ["/", "/deep", ["other"]]);
  assert.deepEqual([...(await deep.dataset.var("v").sel({ x: 20 }).get()).data], [2]);
  assert.deepEqual([...deep.dataset.coords.keys()], ["x"]);
  // A dimension of another length is another dimension.
  assert.deepEqual([...deep.children.get("other").dataset.coords.keys()], []);
  assert.equal((await openDataTree(group, { maxDepth: 0 })).children.size, 0);
});

test("xarray: without listing, requested variables open, and the dataset is marked incomplete", async () => {
  const group = await zarr.open(`${server.url}conventions/cf/dataset_v3.zarr`, { kind: "group" });
  await assert.rejects(openDataset(group), { name: "UnsupportedError" });
  const ds = await openDataset(group, { variables: ["t2m"] });
  assert.equal(ds.complete, false);
  assert.deepEqual([...ds.dataVars.keys()].sort(), ["crs", "lat_bnds", "t2m", "time_bnds"]);
  assert.deepEqual([...ds.coords.keys()].sort(), ["height", "lat", "lat2d", "lon", "time"]);
  await assert.rejects(openDataset(group, { variables: ["t3m"] }), { name: "NotFoundError" });
  // NCZarr names its arrays.
  const said = await zarr.open(`${server.url}conventions/nczarr/v3.zarr`, { kind: "group" });
  const named = await openDataset(said);
  assert.deepEqual(
    [named.complete, [...named.variables.keys()].sort(), named.groups],
    [true, ["lat", "scalar", "t"], ["g1"]],
  );
  assert.deepEqual((await named.var("scalar").get()).shape, []);
  assert.equal((await openDataTree(said)).children.get("g1").dataset.var("u").dims.join(), "time,lat");
});

test("xarray: arrays of other entries of the package work as well", async () => {
  const { ds } = await openWeather({}, {}, inline);
  assert.deepEqual([...(await ds.var("t").sel({ x: 20 }).get()).data], [1, 2.5]);
});

test("xarray: datasets print as xarray's users know them", async () => {
  const { ds } = await openWeather({ "below/.zgroup": { zarr_format: 2 } });
  assert.equal(
    String(ds),
    `<Dataset /> Size: 98B
Dimensions:  (time: 2, x: 3, nv: 2)
Coordinates:
    area       (time, x) uint8 6B ...
  * time       (time) time 16B ...
  * x          (x) uint8 3B ...
Data variables:
    crs        () uint8 1B ...
    q          (time, x) uint8 6B ...
    t          (time, x) float64 48B ...
    time_bnds  (time, nv) time 32B ...
Groups:
    below
Attributes:
    title:  weather`.replace("Size: 98B", /Size: \w+/.exec(String(ds))[0]),
  );
  assert.equal(inspect(ds), String(ds));
  assert.equal(
    String(ds.var("t").isel({ x: 0 })),
    `<DataArray t (time: 2)> float64
[2 values, stored as uint8 in chunks of (2, 3)]
Coordinates:
    area  (time) uint8 2B ...
  * time  (time) time 16B ...
    x     () uint8 1B ...
Attributes:
    units:                K
    ancillary_variables:  q missing
    grid_mapping:         crs`,
  );
});

test("xarray: the documented dataset prints as documented, as it does in Go", async () => {
  const ds = await openDataset(await zarr.open(`${server.url}xarray/climate_v3.zarr`, { kind: "group" }));
  const [, documented] = /```text\n([^`]*)\n```/.exec(readFileSync(`${top}docs/guides/xarray.md`, "utf8"));
  assert.equal(String(ds), documented);
});

test("xarray: HTML has no text of the data that is not escaped", async () => {
  const evil = `<img src=x onerror="alert('1')">&`;
  const { ds } = await openWeather({
    ".zattrs": { [evil]: evil, list: [evil, Number.MAX_SAFE_INTEGER], deep: { [evil]: null } },
    [`${encodeURIComponent("v")}/.zarray`]: array([2]),
    "v/.zattrs": { _ARRAY_DIMENSIONS: [evil], units: evil, calendar: evil, [evil]: evil, scale_factor: evil },
    "w/.zarray": array([2]),
    "w/.zattrs": {
      _ARRAY_DIMENSIONS: ["w"],
      units: "days since 2000-01-01",
      calendar: "noleap",
      note: `${evil}\u0000\n${"x".repeat(1e5)}`,
    },
  });
  for (const html of [ds.toHTML(), ...[...ds.variables.values()].map((one) => one.toHTML())]) {
    assert.ok(!/<img|onerror="|<script|javascript:/i.test(html), html.slice(0, 300));
    const left = html.replace(/<\/?(?:div|b|small|table|tr|td|details|summary)(?: open)?(?: style="[^"<>&]*")?>/g, "");
    assert.ok(!/[<>"']/.test(left), /[<>"'].{0,60}/.exec(left)?.[0]);
    assert.ok(html.length < 50_000);
  }
  assert.match(ds.toHTML(), /<details><summary>Attributes <small>\(3\)/);
  assert.ok(String(ds).length < 5000);
});

test("xarray: absurd sizes end quickly, and names cannot leave the group", async () => {
  // A store in which every folder is a group that names others.
  const endless = (names) => ({
    get: (key) => {
      if (key.endsWith("/.zgroup")) return json({ zarr_format: 2 });
      return key.endsWith("/.zattrs") ? json({ _nczarr_group: { arrays: [], groups: names } }) : undefined;
    },
  });
  const deep = await zarr.open(endless(["a"]), { kind: "group" });
  await assert.rejects(openNczarr(deep), { name: "LimitError", limit: "depth" });
  let levels = 0;
  for (let tree = await openDataTree(deep); tree; [tree] = tree.children.values()) levels++;
  assert.equal(levels, 17);
  // Many dimensions and attributes take no longer than many others.
  const many = Object.fromEntries(Array.from({ length: 50_000 }, (_, i) => [`d${i}`, i]));
  const { group, ds } = await openWeather({
    ".zattrs": {
      _nczarr_group: { dimensions: many, arrays: ["t", "../t", "..", ".", "", "t"], groups: [".."] },
      ...many,
    },
    "t/.zattrs": { _ARRAY_DIMENSIONS: ["time", "x"], coordinates: Object.keys(many).join(" "), bounds: "../x .. ." },
  });
  assert.ok(String(ds).length > 50_000);
  const found = await openNczarr(group);
  assert.deepEqual([[...found.variables.keys()], found.groups, found.dimensions.size], [["t"], [""], 50_000]);
});

test("xarray: any attribute may be anything", async () => {
  const values = [
    null,
    0,
    -1,
    1e300,
    "",
    "x",
    "x t time",
    [],
    {},
    [["x"]],
    ["x", "x"],
    true,
    "days since 0000-00-00",
    "a: b: c",
    2n ** 60n,
    "../x",
    Number.NaN,
  ];
  const names = [
    "_ARRAY_DIMENSIONS",
    "coordinates",
    "bounds",
    "grid_mapping",
    "cell_measures",
    "formula_terms",
    "climatology",
    "units",
    "calendar",
    "scale_factor",
    "add_offset",
    "_FillValue",
    "missing_value",
    "_Unsigned",
    "dtype",
    "_nczarr_array",
    "_nczarr_group",
    "_NCZARR_ARRAY",
    "_nczarr_attr",
    "__proto__",
    "constructor",
  ];
  const allowed = ["InvalidMetadataError", "UnsupportedError", "InvalidSelectionError"];
  const places = ["t/", "time/", ""];
  let [reads, turn] = [0, 0];
  for (const name of names) {
    for (const value of values) {
      // JSON has no such numbers, and parsers of Zarr's documents take them.
      const json = typeof value === "bigint" ? String(value) : Number.isNaN(value) ? "NaN" : JSON.stringify(value);
      // One place after the other, so that each name and each value comes to all of them.
      for (const where of [places[turn++ % 3]]) {
        const dims = where === "t/" ? '"_ARRAY_DIMENSIONS":["time","x"],' : "";
        const document = new TextEncoder().encode(`{${dims}${JSON.stringify(name)}:${json}}`);
        const objects = { ...weather(), [`${where}.zattrs`]: document };
        const group = await zarr.open(new Store(objects), { kind: "group" });
        const ds = await openDataset(group, { decodeCoords: "all" });
        assert.ok(String(ds).startsWith("<Dataset /") && ds.toHTML());
        await openNczarr(group);
        for (const variable of [["t", "time"][turn % 2]]) {
          const one = ds.var(variable);
          for (const read of [() => one.get(), () => one.sel({ time: 31 }, { method: "nearest" }).get()]) {
            await read().then(
              () => reads++,
              (error) => assert.ok(allowed.includes(error?.name), `${name}=${json} of ${where}: ${error?.stack}`),
            );
          }
        }
      }
    }
  }
  assert.ok(reads > 200, String(reads));
});
