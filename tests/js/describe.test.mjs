// Tests zarr-wasm/describe: all fixtures by the list tests/describe/golden.txt, which people have
// read, and the properties of any node with any attributes.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { after, test } from "node:test";
import { describe } from "../../dist/describe.js";
import * as zarr from "../../dist/node.js";
import { decodeArray, TimeArray } from "../../dist/xarray.js";
import { fault, golden, hierarchies } from "../describe/lines.mjs";
import { counted, stored } from "../describe/stored.mjs";
import { arrayV2, json } from "../lib/documents.mjs";
import { random } from "../lib/random.mjs";
import { serve, top } from "../lib/serve.mjs";

after(() => zarr.terminate());

test("each node of the fixtures has its description in the golden list", async () => {
  const is = (await golden(`${top}build/fixtures`, { open: zarr.open, describe })).split("\n");
  const expected = readFileSync(`${top}tests/describe/golden.txt`, "utf8").split("\n");
  assert.ok(expected.length > 2000, `only ${expected.length} lines`);
  assert.deepEqual(
    is.filter((line) => line.includes("FAULT")),
    [],
  );
  let at = "";
  const other = [];
  for (const [i, line] of expected.entries()) {
    if (line.startsWith("# ")) at = line;
    if (is[i] !== line) other.push(`${at}\n  expected ${line}\n  is       ${is[i]}`);
  }
  assert.equal(is.length, expected.length, other[0]);
  assert.deepEqual(other, [], `${other.length} lines differ: node tests/describe/write.mjs writes the list anew`);
});

const at = (store, path = "/") => zarr.open(zarr.root(store).resolve(path));

/** Describes a node of a hierarchy in memory. */
const said = async (nodes, path = "/", options = {}) => describe(await at(stored(nodes), path), options);

/** The field of an array, with the names of its drawn axes. */
async function drawn(nodes, path) {
  const { field, problems } = await said(nodes, path);
  const { x, y, up, left } = field.plane.value;
  const name = (d) => (d === null ? null : field.axes[d].name);
  return { field, problems, plane: [name(y), name(x)], up, left, by: field.plane.by, why: field.plane.why };
}

const lon = {
  shape: [8],
  dims: ["a"],
  values: [0, 45, 90, 135, 180, 225, 270, 315],
  attributes: { units: "degrees_east" },
};
const lat = {
  shape: [4],
  dims: ["b"],
  values: [-60, -20, 20, 60],
  attributes: { units: "degrees_north", long_name: "Breite" },
};

test("the plane is found by meaning, and not by position", async () => {
  const data = { shape: [8, 3, 4], dims: ["a", "k", "b"] };
  const it = await drawn({ data, a: lon, b: lat }, "data");
  assert.deepEqual(
    [it.plane, it.up, it.left, it.by, it.why],
    [["b", "a"], true, false, "stated", "the attribute units"],
  );
  assert.deepEqual(
    it.field.axes.map(({ title, units, role }) => [title, units, role.value]),
    [
      ["a", "°E", "x"],
      ["k", "", "other"],
      ["Breite", "°N", "y"],
    ],
  );
  assert.deepEqual([it.field.place.lonLat, it.field.place.transform, it.field.place.curvilinear], [true, null, null]);
  const by = async (dims, shape = dims.map((_, i) => 5 + i), coordinates = {}) =>
    (await drawn({ data: { shape, dims }, ...coordinates }, "data")).plane;
  assert.deepEqual(await by(["x", "y", "time"]), ["y", "x"]);
  assert.deepEqual(await by(["lat", "lon", "height", "t"]), ["lat", "lon"]);
  assert.deepEqual(await by(["time", "lev", "lat"]), ["lev", "lat"]);
  assert.deepEqual(await by(["time", "lat"]), ["lat", "time"]);
  assert.deepEqual(await by(["time", "station"]), ["station", "time"]);
  assert.deepEqual(await by(["p", "q", "r"]), ["q", "r"]);
  assert.deepEqual(await by(["time", "lat", "lon"], [9, 1, 1]), [null, "time"]);
  assert.deepEqual(await by(["a", "b", "d"], [6, 1, 7]), ["a", "d"]);
  assert.deepEqual(await by(["a"], [6]), [null, "a"]);
  assert.deepEqual(await by(["a", "b"], [1, 1]), [null, null]);
  assert.deepEqual(await by([], []), [null, null]);
  const axis = (letter, n) => ({ shape: [n], dims: [letter], attributes: { axis: letter.toUpperCase() } });
  const odd = {
    p: { ...axis("Y", 5), dims: ["p"] },
    q: { ...axis("T", 6), dims: ["q"] },
    r: { ...axis("X", 7), dims: ["r"] },
  };
  assert.deepEqual(await by(["p", "q", "r"], [5, 6, 7], odd), ["p", "r"]);
});

test("the lowest value is at the bottom, except for quantities that grow downwards", async () => {
  const level = (values, attributes) => ({ shape: [3], dims: ["p"], values, attributes });
  const way = async (values, attributes, name = "p") => {
    const { plane, up } = await drawn(
      { data: { shape: [3, 8], dims: [name, "a"] }, [name]: { ...level(values, attributes), dims: [name] }, a: lon },
      "data",
    );
    assert.deepEqual(plane, [name, "a"]);
    return up;
  };
  assert.equal(await way([1000, 500, 100], { units: "hPa" }), true);
  assert.equal(await way([100, 500, 1000], { units: "hPa" }), false);
  assert.equal(await way([0, 10, 20], { units: "m", positive: "up" }), true);
  assert.equal(await way([0, 10, 20], { units: "m", positive: "down" }), false);
  assert.equal(await way([60, 0, -60], { standard_name: "latitude" }), false);
  assert.equal(await way([-60, 0, 60], { standard_name: "latitude" }), true);
  assert.equal(await way([1, 2, 3], {}, "y"), true);
  assert.equal((await drawn({ data: { shape: [3, 8], dims: ["y", "x"] } }, "data")).up, false);
  const west = { ...lon, values: [...lon.values].reverse() };
  assert.equal((await drawn({ data: { shape: [4, 8], dims: ["b", "a"] }, a: west, b: lat }, "data")).left, true);
});

test("red, green and blue are distinguished from bands and short dimensions", async () => {
  const colour = async (shape, dtype, dims) => (await said({ data: { shape, dtype, dims } }, "data")).field.colourAxis;
  assert.equal(await colour([40, 50, 3], "uint8"), 2);
  assert.equal(await colour([40, 50, 4], "uint8"), 2);
  assert.equal(await colour([3, 40, 50], "uint8"), 0);
  assert.equal(await colour([7, 40, 50, 3], "uint8", ["t", "y", "x", "c"]), 3);
  assert.equal(await colour([40, 50, 3], "float32", ["y", "x", "rgb"]), 2);
  assert.equal(await colour([3, 40, 50], "uint8", ["time", "y", "x"]), null);
  assert.equal(await colour([40, 50, 3], "float32"), null);
  assert.equal(await colour([4, 40, 50], "uint16", ["band", "y", "x"]), null);
  assert.equal(await colour([3, 3, 3], "uint8"), null);
  const { field } = await said({ data: { shape: [40, 50, 3], dtype: "uint8" } }, "data");
  assert.deepEqual([field.plane.value.y, field.plane.value.x], [0, 1]);
});

test("missing values come from both sources, and texts give the meaning of elements", async () => {
  const base64 = btoa(String.fromCharCode(...new Uint8Array(Float64Array.of(-999).buffer)));
  const field = async (dtype, attributes) => (await said({ v: { shape: [3], dtype, attributes } }, "v")).field;
  assert.deepEqual((await field("float64", { _FillValue: base64 })).packing.missing, [-999]);
  assert.deepEqual(
    (await field("int16", { _FillValue: -999, missing_value: [-1, -2] })).packing.missing,
    [-999, -1, -2],
  );
  const packed = await field("int16", {
    scale_factor: 0.01,
    add_offset: 273.15,
    _FillValue: -32768,
    units: "K",
    valid_range: [-2000, 5000],
  });
  assert.deepEqual(
    [packed.text(-32768), packed.text(0), packed.text(6000), packed.units],
    ["missing", "273.15 K", "missing", "K"],
  );
  assert.deepEqual(packed.packing, {
    scale: 0.01,
    offset: 273.15,
    missing: [-32768],
    valid: [-2000, 5000],
    type: null,
  });
  assert.deepEqual(
    packed.range.value.map((one) => Math.round(100 * one) / 100),
    [253.15, 323.15],
  );
  const unsigned = await field("int8", { _Unsigned: "true", _FillValue: -1 });
  assert.deepEqual(
    [unsigned.packing.type, unsigned.packing.missing, unsigned.text(-2), unsigned.text(-1)],
    ["uint8", [255], "254", "missing"],
  );
  const flags = await field("uint8", {
    flag_values: [1, 2],
    flag_meanings: "clear_sky cloud",
    flag_colors: "#102030 #ffffff",
  });
  assert.deepEqual(flags.categories, [
    { value: 1, label: "clear sky", colour: [16, 32, 48] },
    { value: 2, label: "cloud", colour: [255, 255, 255] },
  ]);
  assert.deepEqual(
    [flags.values, flags.text(2), flags.text(7), flags.scale.value],
    ["category", "cloud", "7", "categorical"],
  );
  for (const [calendar, date] of [
    ["standard", "2000-03-01"],
    ["noleap", "2000-03-02"],
    ["360_day", "2000-03-01"],
    ["julian", "2000-03-01"],
  ]) {
    const time = await field("int32", { units: "days since 2000-01-01", calendar });
    assert.deepEqual([time.values, time.text(60)], ["time", date], calendar);
  }
  assert.equal((await field("float64", { units: "hours since 2000-01-01" })).text(36.5), "2000-01-02 12:30:00");
  const plain = await field("float32", { units: "m s-1" });
  assert.deepEqual(
    [plain.text(Math.fround(0.1)), plain.text(Number.NaN), plain.units],
    ["0.1 m s⁻¹", "missing", "m s⁻¹"],
  );
  assert.equal((await field("int64", {})).text(2n ** 62n), String(2n ** 62n));
});

test("a v2 array's fill value is missing if xarray wrote it, otherwise a normal value", async () => {
  const missing = async (attributes) => {
    const store = new Map([
      ["/.zgroup", json({ zarr_format: 2 })],
      ["/v/.zarray", json(arrayV2([3], "<i2", { fill_value: -9 }))],
      ["/v/.zattrs", json(attributes)],
    ]);
    return (await describe(await at(store, "v"))).field.packing.missing;
  };
  assert.deepEqual(await missing({ _ARRAY_DIMENSIONS: ["x"] }), [-9]);
  assert.deepEqual(await missing({}), []);
});

test("the quantity determines the kind of colour scale", async () => {
  const scale = async (attributes, dtype = "float32") => {
    const { value, by } = (await said({ v: { shape: [3], dtype, attributes } }, "v")).field.scale;
    return `${value} ${by}`;
  };
  assert.equal(await scale({ standard_name: "air_temperature_anomaly" }), "diverging stated");
  assert.equal(await scale({ standard_name: "eastward_wind", units: "m s-1" }), "diverging stated");
  assert.equal(await scale({ standard_name: "wind_from_direction", units: "degree" }), "cyclic stated");
  assert.equal(await scale({ long_name: "Temperature anomaly" }), "diverging guessed");
  assert.equal(await scale({ standard_name: "projection_x_coordinate" }), "sequential guessed");
  assert.equal(await scale({ valid_range: [-5, 5] }), "diverging guessed");
  assert.equal(await scale({ standard_name: "air_temperature" }), "sequential guessed");
});

test("coordinates give numbers, dates and names, and find typed texts", async () => {
  const time = {
    shape: [4],
    dims: ["time"],
    values: [0, 6, 12, 18],
    attributes: { units: "hours since 2020-02-28 12:00" },
  };
  const { field } = await said({ data: { shape: [4, 4, 8], dims: ["time", "b", "a"] }, time, a: lon, b: lat }, "data");
  const [t, y, x] = await Promise.all(field.axes.map((axis) => axis.coordinate()));
  assert.deepEqual(
    [t.kind, t.text(0), t.text(3), t.number(1)],
    ["time", "2020-02-28 12:00", "2020-02-29 06:00", Date.UTC(2020, 1, 28, 18)],
  );
  assert.deepEqual([t.find("2020-02-29"), t.find("2020-02-28 17:00"), t.find("never")], [2, 1, undefined]);
  assert.deepEqual([x.text(2), x.find("100"), x.find("91 E"), x.number(9), x.length], ["90°E", 2, 2, Number.NaN, 8]);
  assert.deepEqual([y.text(0), y.find("-19.5"), y.find("19.5°S"), y.find("south")], ["60°S", 1, 1, undefined]);
});

test("an unreadable coordinate is requested again", async () => {
  const map = stored({ data: { shape: [4, 8], dims: ["b", "a"] }, a: lon, b: lat });
  let broken = true;
  const store = {
    get: async (key) => {
      if (broken && key === "/a/c/0") throw new Error("no way");
      return map.get(key);
    },
  };
  const { field } = await describe(await at(store, "data"));
  assert.equal(await field.axes[1].coordinate(), null);
  broken = false;
  assert.equal((await field.axes[1].coordinate()).text(1), "45°E");
  const controller = new AbortController();
  controller.abort(new Error("enough"));
  await assert.rejects(field.axes[1].coordinate(controller.signal), /enough/);
});

test("curvilinear coordinates are found by the attribute coordinates", async () => {
  const two = (units) => ({ shape: [4, 8], dims: ["j", "i"], attributes: { units } });
  const nodes = {
    data: { shape: [3, 4, 8], dims: ["time", "j", "i"], attributes: { coordinates: "lat lon mask" } },
    lat: two("degrees_north"),
    lon: two("degrees_east"),
  };
  const { place } = (await said(nodes, "data")).field;
  assert.deepEqual(
    [place.lonLat, place.curvilinear.longitude.path, place.curvilinear.latitude.path],
    [false, "/lon", "/lat"],
  );
});

test("curvilinear coordinates have their corners by the attribute bounds, and may have axes of one element before", async () => {
  const two = (units, bounds) => ({
    shape: [1, 4, 8],
    dims: ["time", "j", "i"],
    attributes: { units, ...(bounds && { bounds }) },
  });
  const corners = (n) => ({ shape: [1, 4, 8, n], dims: ["time", "j", "i", "nv"] });
  const nodes = {
    data: { shape: [3, 4, 8], dims: ["time", "j", "i"], attributes: { coordinates: "lat lon" } },
    lat: two("degrees_north", "lat_b"),
    lon: two("degrees_east", "lon_b"),
    lat_b: corners(4),
    lon_b: corners(4),
  };
  const { bounds } = (await said(nodes, "data")).field.place.curvilinear;
  assert.deepEqual([bounds.longitude.path, bounds.latitude.path], ["/lon_b", "/lat_b"]);
  // Corners of other shapes than the cells', or of only one coordinate, are ignored.
  for (const other of [{ lon_b: corners(2) }, { lon: two("degrees_east") }, { lat_b: undefined }]) {
    const left = Object.fromEntries(Object.entries({ ...nodes, ...other }).filter(([, node]) => node));
    assert.equal((await said(left, "data")).field.place.curvilinear.bounds, null);
  }
  const moving = { ...nodes, lat: { ...nodes.lat, shape: [3, 4, 8] } };
  assert.equal((await said(moving, "data")).field.place, null);
});

test("levels may be coarser along z and t, and begin elsewhere", async () => {
  const level = (scale, translation) => [
    { type: "scale", scale },
    ...(translation ? [{ type: "translation", translation }] : []),
  ];
  const axes = [
    { name: "t", type: "time" },
    { name: "z", type: "space" },
    { name: "y", type: "space" },
    { name: "x", type: "space" },
  ];
  const datasets = [
    { path: "0", coordinateTransformations: level([1, 1, 0.5, 0.5], [0, 0, 0, 0]) },
    { path: "1", coordinateTransformations: level([2, 2, 1, 1], [0.5, 0.5, 0.25, 0.75]) },
    { path: "2", coordinateTransformations: level([2, 4, 2, 2]) },
  ];
  const attributes = { ome: { version: "0.5", multiscales: [{ axes, datasets }] } };
  const array = (shape) => ({ shape, dtype: "uint16", dims: ["t", "z", "y", "x"] });
  const store = { 0: array([6, 9, 64, 64]), 1: array([3, 5, 32, 32]), 2: array([3, 3, 16, 16]) };
  const image = await said({ "": { attributes }, ...store });
  assert.equal(image.kind, "image", JSON.stringify(image.problems));
  const { levels, indices, plane } = image.field;
  assert.deepEqual(
    levels.map(({ array, factor, start }) => [array.path, factor, start]),
    [
      ["/0", [1, 1, 1, 1], [0, 0, 0, 0]],
      ["/1", [2, 2, 2, 2], [0, 0, 0, 1]],
      ["/2", [2, 4, 4, 4], [0, 0, 0, 0]],
    ],
  );
  assert.deepEqual([indices, plane.value.y, plane.value.x], [[0, 4, 0, 0], 2, 3]);
});

test("the requested one of several images is described", async () => {
  const root = `${top}build/fixtures/conventions/ome/bf2raw_v05_plain.zarr`;
  const group = await zarr.open(root);
  const [first, second] = [await describe(group), await describe(group, { image: "1" })];
  assert.deepEqual([first.images, first.field.path, second.field.path], [["0", "1"], "/0", "/1"]);
});

test("tables give rows in words, numbers and points", async () => {
  const table = await describe(await zarr.open(`${top}build/fixtures/conventions/anndata/csr_f4.zarr`));
  assert.equal(table.kind, "table");
  const rows = await table.rows(
    0,
    3,
    table.columns.map(({ name }) => name),
  );
  assert.deepEqual([rows.length, rows[0].length], [3, table.columns.length]);
  assert.ok(rows.flat().every((one) => one === null || typeof one === "string"));
  const { values, labels } = await table.numbers("cell_type");
  const words = await table.rows(0, table.length, ["cell_type"]);
  assert.deepEqual(
    [...values].map((code) => (Number.isNaN(code) ? null : labels[code])),
    words.map(([one]) => one),
  );
  const nullable = await table.numbers("nint");
  assert.deepEqual(
    [...nullable.values].map(Number.isNaN),
    (await table.rows(0, table.length, ["nint"])).map(([one]) => one === null),
  );
  const { x, y } = await table.points("X_umap");
  const { data } = await (await zarr.open(`${top}build/fixtures/conventions/anndata/csr_f4.zarr/obsm/X_umap`)).get();
  assert.deepEqual([...x], [...data].filter((_, i) => i % 2 === 0).map(Math.fround));
  assert.deepEqual([...y], [...data].filter((_, i) => i % 2 === 1).map(Math.fround));
  assert.deepEqual(await table.rows(20, 99, ["index"]).then((all) => all.length), 3);
  assert.deepEqual(await table.rows(99, 120, ["index"]), []);
});

test("nothing unneeded is requested", async () => {
  const plain = counted(stored({ "": {}, v: { shape: [4, 5] } }));
  const array = await at(plain.store, "v");
  plain.asked.length = 0;
  await describe(array);
  assert.deepEqual(
    [...new Set(plain.asked.map((key) => key.slice(0, key.lastIndexOf("/") + 1)))],
    ["/"],
    `of a plain array the documents of its group: ${plain.asked}`,
  );
  plain.asked.length = 0;
  await describe(array, { group: await at(plain.store) });
  assert.deepEqual(plain.asked, [], "what is known");
  const nodes = {
    data: { shape: [4, 8], dims: ["b", "a"] },
    more: { shape: [4, 6], dims: ["b", "q"] },
    a: lon,
    b: lat,
  };
  const whole = counted(stored(nodes, { consolidated: true }));
  const group = await at(whole.store);
  whole.asked.length = 0;
  const dataset = await describe(group);
  assert.deepEqual(
    [dataset.kind, dataset.variables.map(({ name }) => name), whole.asked],
    ["dataset", ["data", "more"], []],
  );
  assert.deepEqual(await dataset.extent("a"), { first: "0°E", last: "315°E" });
  assert.deepEqual(whole.asked, ["/a/c/0"]);
  whole.asked.length = 0;
  const { field } = await describe(await group.open("data"), { group });
  await Promise.all(field.axes.map((axis) => axis.coordinate()));
  assert.ok(whole.asked.every((key) => /^\/[ab]\/c\/0$/.test(key)) && whole.asked.length <= 2, `${whole.asked}`);
  whole.asked.length = 0;
  await describe(await group.open("more"), { group });
  assert.deepEqual(whole.asked, [], "a dimension without a coordinate is not looked for");
});

test("a description can be aborted, and rejects anything but a node", async () => {
  const gone = new AbortController();
  gone.abort(new Error("enough"));
  const group = await zarr.open(`${top}build/fixtures/xarray/climate_v3.zarr`);
  await assert.rejects(describe(group, { signal: gone.signal }), /enough/);
  for (const node of [null, undefined, 3, {}, "x"])
    await assert.rejects(describe(node), /expected an array or a group/);
  const array = await group.open("t2m");
  const other = await zarr.open(`${top}build/fixtures/xarray/climate_v2.zarr`);
  await assert.rejects(describe(array, { group: other }), /a group of the same store/);
  await assert.rejects(describe(array, { group: 3 }), /a group of the same store/);
  await assert.rejects(describe(array, null), /an object/);
});

/** The number of random hierarchies, set by the variable DESCRIBE_ROUNDS. */
const rounds = Number(process.env.DESCRIBE_ROUNDS ?? 30);

/** Any JSON value, and others. */
function junk(roll, depth = 0) {
  const leaves = [
    null,
    true,
    false,
    0,
    -1,
    1e300,
    -0.5,
    255,
    4096,
    "",
    "x",
    "nan",
    "NaN",
    "days since 2000-01-01",
    "hours since never",
    "degrees_east",
    "degrees_north",
    "AAAAAAAA+H8=",
    "0",
    "../..",
    "/",
    "#ff0000",
    "é\u0000",
    "c",
    "0.4",
    "0.5",
    "scale",
    "translation",
    "space",
    "channel",
    9007199254740991,
    1e18,
  ];
  const kind = roll(depth > 3 ? 6 : 9);
  if (kind < 6) return leaves[roll(leaves.length)];
  if (kind === 6) return Array.from({ length: roll(5) }, () => junk(roll, depth + 1));
  if (kind === 7)
    return Object.fromEntries(
      Array.from({ length: roll(4) }, () => [words[roll(words.length)], junk(roll, depth + 1)]),
    );
  return Array.from({ length: roll(4) }, () =>
    Object.fromEntries(Array.from({ length: roll(4) }, () => [words[roll(words.length)], junk(roll, depth + 1)])),
  );
}

const words = (
  "_FillValue missing_value scale_factor add_offset valid_range valid_min valid_max flag_values flag_meanings flag_masks flag_colors units calendar " +
  "standard_name long_name axis positive coordinates grid_mapping _ARRAY_DIMENSIONS _Unsigned dtype actual_range bounds Conventions title name " +
  "multiscales datasets path coordinateTransformations type scale translation axes unit omero channels color label window start end active rdefs " +
  "defaultZ labels image-label colors label-value rgba properties source image plate wells rows columns rowIndex columnIndex well images " +
  "bioformats2raw.layout series ome version encoding-type encoding-version column-order _index spatialdata_attrs spatial:transform spatial:dimensions " +
  "spatial:shape proj:code zarr_conventions layout asset derived_from transform tile_matrix_set pixels_per_tile level crs geo proj _nczarr_array " +
  "_nczarr_group STATISTICS_MINIMUM STATISTICS_MAXIMUM __proto__ constructor toString"
).split(" ");

const attributesOf = (roll) =>
  Object.fromEntries(Array.from({ length: 1 + roll(8) }, () => [words[roll(words.length)], junk(roll)]));

/** Properties of any field. */
async function checkField(field, about) {
  const rank = field.axes.length;
  const ok = (is, what) => assert.ok(is, `${what}: ${about}`);
  ok(field.levels.length > 0, "a level");
  for (const { array, factor, start } of field.levels) {
    ok(array.shape.length === rank && factor.length === rank && start.length === rank, "dimensions of a level");
    ok(factor.every((one) => one > 0 && Number.isFinite(one)) && start.every(Number.isFinite), "where a level lies");
  }
  const { x, y } = field.plane.value;
  ok(
    [x, y].every((d) => d === null || (d >= 0 && d < rank)) && (x !== y || x === null) && (y === null || x !== null),
    "a plane",
  );
  ok(
    field.indices.length === rank && field.indices.every((i, d) => i === 0 || (i > 0 && i < field.axes[d].length)),
    "indices",
  );
  const facts = [
    field.title,
    field.plane,
    field.scale,
    ...field.axes.map(({ role }) => role),
    field.range ?? field.title,
  ];
  ok(
    facts.every(({ by, why }) => /^(stated|guessed)$/.test(by) && typeof why === "string" && why !== ""),
    "why",
  );
  ok(typeof field.title.value === "string" && typeof field.units === "string", "texts");
  if (field.range)
    ok(field.range.value[0] < field.range.value[1] && field.range.value.every(Number.isFinite), "a range");
  const { scale, offset, missing, valid } = field.packing;
  ok(
    Number.isFinite(scale) && Number.isFinite(offset) && missing.every((one) => /number|bigint/.test(typeof one)),
    "packing",
  );
  ok(valid === null || valid.every((one) => !Number.isNaN(one)), "a valid range");
  for (const { colour, label, window } of field.channels?.list ?? []) {
    ok(
      typeof label === "string" && colour.value.every((one) => Number.isInteger(one) && one >= 0 && one < 256),
      "a channel",
    );
    ok(window === null || window.value[0] < window.value[1], "a window");
  }
  ok(
    field.categories.every(({ value, label }) => Number.isFinite(value) && typeof label === "string"),
    "categories",
  );
  for (const value of [
    0,
    1,
    -1,
    0.5,
    Number.NaN,
    1n,
    null,
    undefined,
    "x",
    new Uint8Array(3),
    { re: 1, im: -2 },
    { a: 1 },
  ]) {
    ok(typeof field.text(value) === "string", `text of ${String(value)}`);
  }
  for (const axis of field.axes) {
    const coordinate = await axis.coordinate();
    ok(typeof axis.title === "string" && typeof axis.units === "string" && typeof axis.name === "string", "an axis");
    if (!coordinate) continue;
    ok(coordinate.length === axis.length, "positions");
    for (const i of [0, axis.length - 1, -1, axis.length, 0.5, Number.NaN]) {
      ok(typeof coordinate.text(i) === "string" && typeof coordinate.number(i) === "number", `position ${i}`);
    }
    for (const text of ["", "0", "x", "2000-01-01", "1e999"]) {
      const found = coordinate.find(text);
      ok(found === undefined || (found >= 0 && found < axis.length), `find ${text}`);
    }
  }
}

async function checkDescription(node, about) {
  const described = await describe(node);
  assert.match(described.kind, /^(array|image|dataset|plate|table|group)$/);
  for (const { path, message } of described.problems) {
    assert.ok(typeof path === "string" && typeof message === "string", about);
    assert.doesNotMatch(message, fault, about);
  }
  for (const { name, version } of described.conventions) assert.ok(name !== "" && typeof version === "string", about);
  if (described.field) await checkField(described.field, about);
  if (described.kind === "dataset") for (const { name } of described.coordinates) await described.extent(name);
  return described.kind;
}

test("random attributes give problems and guesses, but no errors", async () => {
  const kinds = new Map();
  const dtypes = ["int8", "uint8", "int16", "uint16", "int32", "int64", "float32", "float64"];
  const names = ["x", "y", "lat", "lon", "time", "c", "z", "0", null];
  for (let seed = 1; seed <= rounds; seed++) {
    const roll = random(seed);
    const array = () => {
      const shape = Array.from({ length: roll(5) }, () => roll(6));
      const dims = roll(2) ? shape.map(() => names[roll(names.length)]) : undefined;
      return { shape, dims, dtype: dtypes[roll(dtypes.length)], attributes: attributesOf(roll) };
    };
    const nodes = {
      "": { attributes: attributesOf(roll) },
      0: array(),
      lat: array(),
      x: array(),
      s: { attributes: attributesOf(roll) },
      "s/0": array(),
    };
    const store = stored(nodes, { consolidated: roll(2) === 0 });
    const about = `seed ${seed}`;
    for (const path of ["/", "0", "lat", "x", "s", "s/0"]) {
      const kind = await checkDescription(await at(store, path), `${about} ${path}`);
      kinds.set(kind, (kinds.get(kind) ?? 0) + 1);
    }
  }
  assert.ok(
    kinds.get("array") >= 4 * rounds && kinds.get("dataset") > 2 && kinds.get("group") > 2,
    JSON.stringify([...kinds]),
  );
});

/** Replaces one value of a valid document by junk, which makes it nearly valid. */
function bent(value, roll) {
  const places = [];
  const visit = (of) => {
    for (const key of Object.keys(of)) {
      places.push([of, key]);
      if (of[key] !== null && typeof of[key] === "object") visit(of[key]);
    }
  };
  const copy = structuredClone(value);
  visit(copy);
  const [of, key] = places[roll(places.length)];
  if (roll(3) === 0) delete of[key];
  else of[key] = junk(roll);
  return copy;
}

test("documents that are nearly right are described as far as they go", async () => {
  const axes = ["t", "c", "z", "y", "x"].map((name) => ({
    name,
    type: { t: "time", c: "channel" }[name] ?? "space",
    unit: "micrometer",
  }));
  const dataset = (path, scale) => ({
    path,
    coordinateTransformations: [{ type: "scale", scale: [1, 1, 1, scale, scale] }],
  });
  const channel = { color: "ff0000", label: "a", active: true, window: { min: 0, max: 9, start: 1, end: 5 } };
  const multiscales = [{ version: "0.4", name: "i", axes, datasets: [dataset("0", 1), dataset("1", 2)] }];
  const image = { multiscales, omero: { channels: [channel, channel], rdefs: { defaultZ: 1 } } };
  const label = {
    multiscales: [{ ...multiscales[0] }],
    "image-label": { version: "0.4", colors: [{ "label-value": 1, rgba: [1, 2, 3, 4] }] },
  };
  const pyramid = {
    zarr_conventions: [{ uuid: "d35379db-88df-4056-af3a-620245f8e347" }],
    multiscales: {
      layout: [
        { asset: "0", transform: { scale: [1, 1] } },
        { asset: "1", derived_from: "0", transform: { scale: [2, 2] } },
      ],
    },
    "spatial:transform": [10, 0, 5, 0, -10, 5],
    "spatial:dimensions": ["y", "x"],
    "proj:code": "EPSG:4326",
  };
  const well = { path: "s/0", rowIndex: 0, columnIndex: 0 };
  const plate = { plate: { version: "0.4", rows: [{ name: "s" }], columns: [{ name: "0" }], wells: [well] } };
  const level = (n) => ({ shape: [2, 2, 3, n, n], dtype: "uint8", dims: ["t", "c", "z", "y", "x"] });
  const cf = {
    units: "days since 2000-01-01",
    scale_factor: 0.5,
    _FillValue: -1,
    flag_values: [1, 2],
    flag_meanings: "a b",
    valid_range: [0, 9],
  };
  const kinds = new Set();
  for (let seed = 1; seed <= rounds; seed++) {
    const roll = random(7000 + seed);
    const attributes = bent([image, label, pyramid, plate][seed % 4], roll);
    const nodes = {
      "": { attributes },
      0: level(8),
      1: level(4),
      v: { shape: [4], dims: ["x"], dtype: "int16", attributes: bent(cf, roll) },
      x: { shape: [4], dims: ["x"], attributes: bent({ units: "degrees_east", axis: "X", long_name: "l" }, roll) },
    };
    const store = stored(nodes, { consolidated: true });
    for (const path of ["/", "0", "1", "v", "x"])
      kinds.add(await checkDescription(await at(store, path), `seed ${seed} ${path}`));
  }
  assert.ok(
    ["image", "array", "plate"].every((kind) => kinds.has(kind)),
    [...kinds].join(),
  );
});

test("a dimension without a coordinate has an auxiliary one", async () => {
  const along = (attributes, values) => ({ shape: [3], dims: ["obs"], values, attributes });
  const nodes = {
    data: { shape: [3], dims: ["obs"], attributes: { coordinates: "lat when", units: "K" } },
    lat: along({ units: "degrees_north" }, [1, 2, 3]),
    when: along({ units: "days since 2000-01-01", long_name: "time of observation" }, [0, 1, 2]),
  };
  const [axis] = (await said(nodes, "data")).field.axes;
  const coordinate = await axis.coordinate();
  assert.deepEqual([axis.title, axis.role.value, coordinate.text(2)], ["time of observation", "x", "2000-01-03"]);
});

test("SpatialData is a group of its elements, and MuData a table of the shared columns", async () => {
  const spatial = await said({
    "": { attributes: { spatialdata_attrs: { version: "0.2" } } },
    images: {},
    "images/a": {},
    tables: {},
    "tables/t": {},
  });
  assert.deepEqual(
    [spatial.kind, spatial.conventions, spatial.members],
    [
      "group",
      [{ name: "SpatialData", version: "0.2" }],
      [
        { path: "/images/a", kind: "group" },
        { path: "/tables/t", kind: "group" },
      ],
    ],
  );
  const frame = {
    attributes: { "encoding-type": "dataframe", "encoding-version": "0.2.0", _index: "i", "column-order": ["n"] },
  };
  const column = (dtype) => ({
    shape: [2],
    dtype,
    values: [1, 2],
    attributes: { "encoding-type": "array", "encoding-version": "0.2.0" },
  });
  const mudata = await said({
    "": { attributes: { "encoding-type": "MuData", "encoding-version": "0.1.0" } },
    mod: {},
    obs: frame,
    "obs/i": column("int32"),
    "obs/n": column("float64"),
    var: frame,
    "var/i": column("int32"),
    "var/n": column("float64"),
  });
  assert.deepEqual(
    [mudata.kind, mudata.length, mudata.conventions[0].name, mudata.problems],
    ["table", 2, "MuData", []],
  );
  assert.deepEqual(await mudata.rows(0, 2, ["i", "n"]), [
    ["1", "1"],
    ["2", "2"],
  ]);
});

test("nodes of zarr-wasm/inline are described, and no second engine is started for them", async () => {
  const inline = await import("../../dist/inline.js");
  zarr.terminate();
  try {
    const store = stored({ data: { shape: [4, 8], dims: ["b", "a"] }, a: lon, b: lat });
    const group = await inline.open(inline.root(store), { kind: "group" });
    const array = await group.open("data");
    const names = ({ field }) => field.axes.map(({ role }) => role.value);
    assert.deepEqual(names(await describe(array, { group })), ["y", "x"]);
    assert.deepEqual(names(await describe(array)), ["y", "x"], "its group is opened by its own engine");
    assert.equal((await describe(group)).kind, "dataset");
    assert.equal((await zarr.memory()).engine, 0);
  } finally {
    await inline.terminate();
  }
});

test("an array opened by its own address is described with its neighbours", async () => {
  const { url, close } = await serve("build/fixtures");
  try {
    const array = await zarr.open(`${url}xarray/climate_v3.zarr/t2m`);
    const { field, path, node } = await describe(array);
    assert.deepEqual([path, node, field.levels[0].array, field.title.value], ["/", array, array, "2 m temperature"]);
    assert.deepEqual([field.plane.value.up, field.place.lonLat], [true, true]);
    assert.equal((await field.axes[0].coordinate()).text(3), "2000-01-04");
    const level = await describe(await zarr.open(`${url}ome/image_v05.zarr/1`));
    assert.deepEqual([level.field.channels.list.length, level.field.axes[1].units], [2, "µm"]);
    const alone = await describe(await zarr.open(`${url}v3/root_array.zarr`));
    assert.deepEqual([alone.kind, alone.problems], ["array", []]);
  } finally {
    close();
  }
});

test("a group beside the array's path opens the groups above it", async () => {
  const map = stored({ s: {}, "s/data": { shape: [4, 8], dims: ["b", "a"] }, "s/a": lon, "s/b": lat, other: {} });
  const [data, other, root] = await Promise.all([at(map, "s/data"), at(map, "other"), at(map)]);
  for (const group of [other, root, undefined]) {
    const { field } = await describe(data, { group });
    assert.deepEqual(
      field.axes.map(({ units }) => units),
      ["°N", "°E"],
    );
  }
});

/** The arrays of the hierarchies of a folder of fixtures. */
async function* arraysBelow(folder) {
  for (const name of hierarchies(`${top}build/fixtures/${folder}`)) {
    const root = await zarr.open(`${top}build/fixtures/${folder}/${name}`);
    if (root.kind !== "group") continue;
    for (const [, array] of await root.arrays()) yield [array, root, `${folder}/${name}${array.path}`];
  }
}

test("a field gives stored elements the meaning of xarray's rules", async () => {
  let looked = 0;
  for (const folder of ["conventions/cf", "conventions/times", "xarray"]) {
    for await (const [array, group, about] of arraysBelow(folder)) {
      const { field, problems } = await describe(array, { group });
      const raw = await array.get();
      const kind = array.type.kind;
      if (!/^(u?int|float)$/.test(kind) || !ArrayBuffer.isView(raw?.data) || raw.data.length > 3000) continue;
      const wrong = problems.some(({ message }) => /scale_factor|add_offset/.test(message));
      if (wrong) continue;
      // Without the attribute, an array's own fill value marks missing elements only in v2 and
      // where xarray wrote it, as here.
      const decoded = await decodeArray(array, null, { validRange: true });
      const { scale, offset, missing, valid, type } = field.packing;
      for (let i = 0; i < raw.data.length; i++) {
        const value = raw.data[i];
        const where = `${about}[${i}] = ${value}`;
        const taken = type === null ? value : reinterpreted(value, kind, type);
        const [least, most] = valid ?? [Number.NEGATIVE_INFINITY, Number.POSITIVE_INFINITY];
        const isMissing =
          Number.isNaN(taken) || missing.some((one) => one === taken) || !(taken >= least && taken <= most);
        const { data } = decoded;
        const expected = data instanceof TimeArray || data.get?.length === 1 ? timeAt(data, i) : data[i];
        const none = expected === null || Number.isNaN(expected);
        assert.equal(isMissing, none, `missing: ${where}`);
        looked++;
        if (none) {
          assert.equal(field.text(value), "missing", where);
          continue;
        }
        if (field.values === "time") assert.equal(field.text(value), dateText(expected), where);
        if (field.values !== "number") continue;
        const number = Number(taken) * scale + offset;
        assert.ok(
          number === Number(expected) || Math.abs(number - Number(expected)) <= 1e-6 * Math.abs(number),
          `${number}, not ${expected}: ${where}`,
        );
      }
    }
  }
  assert.ok(looked > 3000, `only ${looked} elements were looked at`);
});

/** An element of decoded times, null for a missing one, or its count if no date represents it. */
function timeAt(data, i) {
  if (data.isMissing?.(i)) return null;
  try {
    return data.get(i);
  } catch {
    return undefined;
  }
}

/** Reinterprets an integer's bits as another type. */
function reinterpreted(value, kind, type) {
  const bits = Number(/\d+$/.exec(type)[0]);
  const as = type.startsWith("uint") ? BigInt.asUintN : BigInt.asIntN;
  const integer = as(bits, BigInt(value));
  assert.match(kind, /int/);
  return bits === 64 ? integer : Number(integer);
}

const dateText = (date) =>
  String(date)
    .replace(/T00:00:00$/, "")
    .replace("T", " ");

test("a coordinate of any length is its stored numbers, and an evenly spaced one is read in a few places", async () => {
  const n = 2 ** 20 + 3000;
  const chunk = 2 ** 16;
  const cases = {
    even: { dtype: "int64", of: (i) => 1000 + 3 * i, attributes: { units: "seconds since 2001-01-01" } },
    falling: { dtype: "float64", of: (i) => 5 - 0.25 * i },
    jumping: { dtype: "int32", of: (i) => (i < n / 2 ? i : i + 7) },
    bent: { dtype: "float64", of: (i) => Math.sqrt(i) },
  };
  for (const [name, { dtype, of, attributes }] of Object.entries(cases)) {
    const map = stored({
      a: { shape: [n], dims: ["a"], dtype, chunks: [chunk], attributes },
      v: { shape: [n], dims: ["a"] },
    });
    const whole = { int64: BigInt64Array, int32: Int32Array, float64: Float64Array }[dtype];
    for (let k = 0; k * chunk < n; k++) {
      const part = whole.from({ length: chunk }, (_, i) =>
        dtype === "int64" ? BigInt(of(k * chunk + i)) : of(k * chunk + i),
      );
      map.set(`/a/c/${k}`, new Uint8Array(part.buffer));
    }
    const { store, asked } = counted(map);
    const { field } = await describe(await at(store, "/v"), { group: await at(store) });
    const coordinate = await field.axes[0].coordinate();
    const chunks = new Set(asked.filter((key) => key.startsWith("/a/c/"))).size;
    assert.ok(
      name === "even" || name === "falling" ? chunks <= 9 : chunks === Math.ceil(n / chunk),
      `${name}: ${chunks}`,
    );
    const epoch = Date.UTC(2001, 0, 1);
    for (const i of [0, 1, n - 1, n >> 1, ...Array.from({ length: 200 }, () => Math.floor(Math.random() * n))]) {
      assert.equal(coordinate.number(i), attributes ? epoch + 1000 * of(i) : of(i), `${name} at ${i}`);
      assert.equal(coordinate.find(coordinate.text(i)), name === "bent" ? coordinate.find(coordinate.text(i)) : i);
    }
  }
});
