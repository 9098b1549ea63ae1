// Tests zarr-wasm/geo by the rules that tests/conventions/geo.json has for both languages, and by
// properties of any georeference. tests/conventions/geo.mjs has the cases of expected.json.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { after, test } from "node:test";
import * as geo from "../../dist/geo.js";
import * as zarr from "../../dist/node.js";
import { stored } from "../describe/stored.mjs";
import { groupV3, json } from "../lib/documents.mjs";
import { random } from "../lib/random.mjs";
import { top } from "../lib/serve.mjs";

after(() => zarr.terminate());

const rules = JSON.parse(readFileSync(`${top}tests/conventions/geo.json`, "utf8"));

const packed = rules.find(({ name }) => name.startsWith("coordinates that are packed"));

const problemsOf = (problems) => problems.map(({ path, attribute = "" }) => `${path}#${attribute}`);

function factsOf(found) {
  const { crs, gridMapping: mapping, stated = {}, problems, ...facts } = found;
  return {
    ...facts,
    crs: crs && "some",
    code: crs?.code,
    epsg: crs?.epsg,
    crsName: crs?.name,
    mapping: mapping && [mapping.variable, mapping.name, ...(mapping.coordinates ?? [])].join(" "),
    stated: Object.fromEntries(Object.entries(stated).map(([fact, at]) => [fact, problemsOf([at])[0]])),
    problems: problemsOf(problems),
  };
}

function compare(is, expected, at) {
  if (typeof expected === "number" && typeof is === "number") {
    assert.ok(Math.abs(is - expected) <= 1e-9, `${at}: ${is}, not ${expected}`);
  } else if (Array.isArray(expected) && Array.isArray(is)) {
    assert.equal(is.length, expected.length, at);
    for (const [i, one] of expected.entries()) compare(is[i], one, `${at}/${i}`);
  } else assert.deepEqual(is ?? null, expected, at);
}

function check(is, expect, pyramid) {
  for (const [fact, value] of Object.entries(expect)) {
    if (fact === "levelFor") {
      for (const [units, path] of Object.entries(value))
        assert.equal(pyramid.levelFor(Number(units)).path, path, units);
    } else if (fact === "levels") {
      assert.equal(is.levels.length, value.length);
      for (const [i, level] of value.entries()) {
        const own = { ...is.levels[i], crs: is.levels[i].crs?.code };
        for (const [name, one] of Object.entries(level)) compare(own[name], one, `levels/${i}/${name}`);
      }
    } else if (fact === "problems") assert.deepEqual(is.problems.toSorted(), value.toSorted());
    else if (fact === "stated") for (const [name, at] of Object.entries(value)) assert.equal(is.stated[name], at, name);
    else compare(is[fact], value, fact);
  }
}

for (const { name, nodes, georeference, layout, validate, expect, error } of rules) {
  test(name, async () => {
    const root = zarr.root(stored(nodes));
    const group = await zarr.open(root);
    if (validate !== undefined) {
      const found = geo.validate(group.attrs, group);
      const violations = found.map(({ level, convention, attribute }) => `${level} ${convention} ${attribute}`);
      assert.deepEqual(violations.toSorted(), expect.violations.toSorted());
    } else if (georeference !== undefined) {
      const node = await zarr.open(root.resolve(georeference));
      const found = await geo.georeference(node, node.kind === "array" ? { group } : {});
      check(factsOf(found), expect);
    } else if (layout !== undefined) {
      check(factsOf(geo.layoutOf(group.attrs)), expect);
    } else if (error) {
      await assert.rejects(geo.openPyramid(group), (thrown) => zarr.isZarrError(thrown, error));
    } else {
      const found = await geo.openPyramid(group);
      check(factsOf(found), expect, found);
    }
  });
}

/** An affine with rotation, reflection, and any pixel size and offset. */
function randomAffine(pick) {
  const angle = pick.of([0, pick.next() * 2 * Math.PI]);
  const [w, h] = [10 ** (pick.next() * 8 - 4), 10 ** (pick.next() * 8 - 4) * pick.of([1, -1])];
  const place = () => (pick.next() - 0.5) * 2e6;
  return [w * Math.cos(angle), -h * Math.sin(angle), place(), w * Math.sin(angle), h * Math.cos(angle), place()];
}

test("pixels to the world and back, by 10,000 affines", () => {
  const pick = random(1);
  for (let n = 0; n < 10_000; n++) {
    const transform = randomAffine(pick);
    const shape = [1 + pick(1000), 1 + pick(1000)];
    const grid = { transform, shape, registration: pick.of(["pixel", "node", undefined]) };
    const [row, col] = shape.map((size) => pick(size));
    const [x, y] = geo.pixelToWorld(grid, row, col);
    const size = Math.min(...geo.pixelSizeOf(transform));
    const slack = 1e-9 + (1e-15 * (Math.abs(x) + Math.abs(y) + Math.abs(transform[2]) + Math.abs(transform[5]))) / size;
    const back = geo.worldToPixel(grid, x, y);
    const off = Math.max(Math.abs(back[0] - row), Math.abs(back[1] - col));
    assert.ok(off <= slack, `${transform}: ${off} pixels off`);
    if (slack < 0.1) assert.deepEqual(geo.pixelAt(grid, x, y), [row, col]);
    const [xmin, ymin, xmax, ymax] = geo.gridBounds(grid);
    assert.ok(x >= xmin && x <= xmax && y >= ymin && y <= ymax);
    assert.deepEqual(geo.affineFromGdal(geo.affineToGdal(transform)), transform);
    const [a, , , , e] = geo.composeAffine(transform, geo.invertAffine(transform));
    assert.ok(Math.abs(a - 1) < 1e-9 && Math.abs(e - 1) < 1e-9, `${transform}`);
  }
});

test("an affine that has no inverse is an error with a name", () => {
  const pick = random(2);
  const singular = [
    [0, 0, 0, 0, 0, 0],
    [1, 2, 0, 2, 4, 0],
    [Number.NaN, 0, 0, 0, 1, 0],
    [Number.POSITIVE_INFINITY, 0, 0, 0, 1, 0],
    [1e-308, 0, 1e308, 0, 1, 0],
  ];
  for (let n = 0; n < 1000; n++) {
    const [a, b, k] = [pick.next() - 0.5, pick.next() - 0.5, pick.next() - 0.5];
    singular.push([a, b, 1, k * a, k * b, 2]);
  }
  for (const affine of singular) {
    assert.ok(!geo.isInvertible(affine), `${affine}`);
    assert.throws(() => geo.invertAffine(affine), zarr.InvalidMetadataError);
  }
  assert.ok(geo.isInvertible([1e-200, 0, 0, 0, 1e200, 0]));
});

test("the pixels of a box are those that it touches", () => {
  const pick = random(3);
  let found = 0;
  for (let n = 0; n < 10_000; n++) {
    const shape = [1 + pick(9), 1 + pick(9)];
    const turned = pick.next() < 1 / 3;
    // Powers of two: boxes can end exactly at pixels' edges.
    const [w, h] = [2 ** (pick(5) - 2), 2 ** (pick(5) - 2) * pick.of([1, -1])];
    const transform = turned ? randomAffine(pick).map((f, i) => (i % 3 === 2 ? 0 : f)) : [w, 0, pick(9), 0, h, pick(9)];
    const grid = { transform, shape, dimensions: ["y", "x"] };
    const bounds = geo.gridBounds(grid);
    const side = (k) => {
      const place = () => {
        const f = pick.next() * 1.5 - 0.25;
        if (turned || pick.next() < 0.5) return bounds[k] + f * (bounds[k + 2] - bounds[k]);
        return bounds[k] + Math.round(f * shape[1 - k]) * Math.abs(transform[4 * k]);
      };
      return [place(), place()].sort((a, b) => a - b);
    };
    const [[x1, x2], [y1, y2]] = [side(0), side(1)];
    if (x1 === x2 || y1 === y2) continue;
    const touched = [];
    for (let row = 0; row < shape[0]; row++) {
      for (let col = 0; col < shape[1]; col++) {
        const [x, y] = geo.pixelToWorld(grid, row, col);
        const [a, b, c, d] = geo.affineBounds(transform, [col, row, col + 1, row + 1]);
        const touches = turned ? x > x1 && x < x2 && y > y1 && y < y2 : a < x2 && c > x1 && b < y2 && d > y1;
        if (touches) touched.push([row, col]);
      }
    }
    const is = geo.windowOf(grid, [x1, y1, x2, y2]);
    if (touched.length === 0) {
      if (!turned) assert.equal(is, undefined);
      continue;
    }
    found++;
    const span = (k) => [Math.min(...touched.map((p) => p[k])), Math.max(...touched.map((p) => p[k])) + 1];
    const [rows, cols] = [span(0), span(1)];
    if (!turned) {
      assert.deepEqual(is, { rows, cols });
      const selection = geo.selectionOf(grid, [x1, y1, x2, y2]);
      const slice = ([start, stop]) => ({ start, stop, step: null });
      assert.deepEqual(selection, { y: slice(rows), x: slice(cols) });
    } else {
      assert.ok(is.rows[0] <= rows[0] && is.rows[1] >= rows[1] && is.cols[0] <= cols[0] && is.cols[1] >= cols[1]);
    }
  }
  assert.ok(found > 5000, `${found} boxes had pixels`);
});

test("edges of boxes, and invalid boxes", () => {
  const grid = { transform: [0.1, 0, 0, 0, -0.1, 1], shape: [10, 10], dimensions: ["y", "x"] };
  const rows = (box) => geo.windowOf(grid, box)?.rows;
  assert.deepEqual(rows([0.3, 0.3, 0.6, 0.6]), [4, 7]);
  assert.deepEqual(rows([0, 0, 0, 0]), [9, 10]);
  assert.deepEqual(rows([0, 1, 0, 1]), [0, 1]);
  assert.deepEqual(rows([1, -5, 1, 5]), [0, 10]);
  assert.deepEqual(rows([-1e300, -1e300, 1e300, 1e300]), [0, 10]);
  for (const box of [
    [1, 0, 2, 1],
    [-1, 0, 0, 1],
    [1.01, 0.5, 1.01, 0.5],
  ]) {
    assert.equal(rows(box), undefined, `${box}`);
  }
  assert.equal(geo.pixelAt(grid, 2, 2), undefined);
  for (const box of [[1, 0, 0, 1], [Number.NaN, 0, 0, 1], [0, 0, 1], null]) {
    assert.throws(() => geo.windowOf(grid, box), TypeError);
  }
  assert.throws(() => geo.pixelToWorld(grid, Number.NaN, 0), TypeError);
  assert.throws(() => geo.windowOf({ ...grid, shape: undefined }, [0, 0, 1, 1]), zarr.InvalidMetadataError);
  assert.throws(() => geo.worldToPixel({}, 0, 0), zarr.InvalidMetadataError);
  assert.throws(() => geo.selectionOf({ ...grid, dimensions: undefined }, [0, 0, 1, 1]), zarr.InvalidMetadataError);
});

test("Web Mercator and back, and where it ends", () => {
  const pick = random(4);
  for (let n = 0; n < 10_000; n++) {
    const [lon, lat] = [pick.next() * 360 - 180, pick.next() * 179 - 89.5];
    const [back, up] = geo.webMercatorToLonLat(...geo.lonLatToWebMercator(lon, lat));
    assert.ok(Math.abs(back - lon) < 1e-11 && Math.abs(up - lat) < 1e-11, `${lon}, ${lat}`);
  }
  for (const [lon, lat] of [
    [0, 90],
    [0, -90],
    [0, 91],
    [Number.NaN, 0],
    [0, Number.NaN],
    [Number.POSITIVE_INFINITY, 0],
  ]) {
    assert.throws(() => geo.lonLatToWebMercator(lon, lat), zarr.InvalidSelectionError);
  }
  assert.throws(() => geo.webMercatorToLonLat(0, Number.POSITIVE_INFINITY), zarr.InvalidSelectionError);
  assert.throws(() => geo.lonLatToWebMercator("1", 2), TypeError);
  for (const lat of [90, -90, 1e9]) {
    const [x, y] = geo.lonLatToWebMercator(190, lat, { clamp: true });
    assert.ok(Math.abs(Math.abs(y) - geo.webMercatorLimit) < 1e-6 && x > geo.webMercatorLimit);
  }
});

const hostile = [
  null,
  true,
  "",
  "x",
  "__proto__",
  "constructor",
  -1,
  0,
  1.5,
  1e308,
  1e-320,
  2 ** 53 + 1,
  2n ** 70n,
  Number.NaN,
  Number.NEGATIVE_INFINITY,
  [],
  [null],
  {},
  { "": null },
  [1e308, 1e308, 1e308, 1e308, 1e308, 1e308],
  [1e-300, 0, 0, 0, 1e-300, 0],
  "EPSG:99999999999",
  "../..",
  "a: b:",
  [1e300, 1e300],
  "spatial_ref",
  ["y", "x"],
];

/** Replaces one or more places of a value. */
function mutate(pick, value) {
  if (Array.isArray(value)) {
    const items = value.map((item) => (pick.next() < 1 / 6 ? pick.of(hostile) : mutate(pick, item)));
    return pick.next() < 0.1 && items.length > 0 ? [...items, pick.of(items)] : items;
  }
  if (value === null || typeof value !== "object") return value;
  const members = Object.entries(value).filter(() => pick.next() > 1 / 6);
  return Object.fromEntries(members.map(([k, v]) => [k, pick.next() < 1 / 6 ? pick.of(hostile) : mutate(pick, v)]));
}

/** Fails if a number of a result is not finite, except in values copied from the input. */
function finite(value, at = "") {
  if (typeof value === "number") assert.ok(Number.isFinite(value), `${at} is ${value}`);
  else if (value && typeof value === "object") {
    for (const [key, one] of Object.entries(value)) {
      if (key !== "projjson" && key !== "parameters") finite(one, `${at}/${key}`);
    }
  }
}

/** A function's result, or undefined if it throws a named error. */
function named(ask) {
  try {
    return ask();
  } catch (error) {
    if (!zarr.isZarrError(error) || zarr.isZarrError(error, "EngineError")) throw error;
    return undefined;
  }
}

const documents = rules.flatMap(({ nodes }) => Object.values(nodes).flatMap(({ attributes }) => attributes ?? []));

function useGrid(grid) {
  named(() => geo.pixelToWorld(grid, 1, 2));
  named(() => geo.worldToPixel(grid, 1, 2));
  named(() => geo.selectionOf(grid, [0, 0, 1, 1]));
}

test("attributes with anything in them are read, or are an error with a name", () => {
  const pick = random(5);
  for (let n = 0; n < 20_000; n++) {
    const attributes = mutate(pick, documents[n % documents.length]);
    finite(geo.conventionsOf(attributes));
    const array = {
      kind: "array",
      dimensionNames: pick.of([undefined, ["y", null], ["lat", "lon"]]),
      shape: [2, 3],
    };
    const violations = geo.validate(attributes, pick.of([undefined, {}, { kind: "group" }, array]));
    for (const { message, section } of violations) assert.ok(message && section);
    const layout = named(() => geo.layoutOf(attributes));
    finite(layout);
    for (const level of layout?.levels ?? []) useGrid(level);
  }
  for (const attributes of hostile) {
    assert.deepEqual(geo.conventionsOf(attributes), []);
    assert.deepEqual(geo.validate(attributes), []);
    assert.equal(geo.layoutOf(attributes), undefined);
    assert.equal(geo.parseGeoTransform(attributes), undefined);
    named(() => geo.parseGridMapping(attributes));
  }
});

test("nodes with anything in their attributes are read, or are an error with a name", async () => {
  const pick = random(6);
  for (let n = 0; n < 300; n++) {
    const text = JSON.stringify(mutate(pick, documents[n % documents.length]), (_, v) =>
      typeof v === "bigint" ? Number(v) : v,
    );
    const attributes = JSON.parse(text);
    const coordinate = (dim, values) => ({ shape: [values.length], dims: [dim], attributes, values });
    const nodes = {
      "": { attributes },
      0: { attributes },
      "0/t": { shape: [2, 3], dims: ["lat", "lon"], attributes },
      t: { shape: [2, 3], dims: ["y", "x"], attributes },
      y: coordinate("y", [1, 2]),
      x: coordinate("x", [1, 2, 3]),
      spatial_ref: coordinate("spatial_ref", [0]),
      utm: coordinate("utm", [0]),
    };
    const group = await zarr.open(stored(nodes), { kind: "group" });
    const asks = [() => geo.georeference(group), () => geo.openPyramid(group)];
    for (const path of ["t", "0/t"]) {
      const array = await group.open(path, { kind: "array" });
      asks.push(
        () => geo.georeference(array, { group }),
        () => geo.georeference(array),
      );
    }
    for (const ask of asks) {
      try {
        const found = await ask();
        finite(found);
        for (const grid of found.levels ?? [found]) useGrid(grid);
      } catch (error) {
        if (!zarr.isZarrError(error) || zarr.isZarrError(error, "EngineError")) error.message += ` of ${text}`;
        if (!zarr.isZarrError(error)) throw error;
        assert.ok(!zarr.isZarrError(error, "EngineError"), error.message);
      }
    }
  }
});

test("the work that attributes cause is bounded by their length", async () => {
  const level = (i, n) => ({ asset: `${i}`, derived_from: `${(i + 1) % n}`, transform: { scale: [1, 1] } });
  const circle = Array.from({ length: 20_000 }, (_, i) => level(i, 20_000));
  const line = [...circle.slice(0, -1), { asset: "19999" }];
  const start = performance.now();
  assert.equal(geo.layoutOf({ multiscales: { layout: circle } }).problems.length, 20_000);
  assert.equal(geo.layoutOf({ multiscales: { layout: line } }).problems.length, 0);
  assert.ok(performance.now() - start < 30_000);
  const group = await zarr.open(stored({ "": { attributes: { multiscales: { layout: line } } } }));
  await assert.rejects(geo.openPyramid(group), (error) => zarr.isZarrError(error, "LimitError"));
});

/** A store that counts its requests. */
function counted(nodes) {
  const store = stored(nodes);
  const asked = [];
  const get = async (name) => {
    asked.push(name);
    return store.get(name);
  };
  return { store: { get }, asked };
}

test("requests: none if the attributes suffice, and each node once", async () => {
  const whole = { asset: "0", "spatial:shape": [1, 1], "spatial:transform": [1, 0, 0, 0, 1, 0] };
  const { store, asked } = counted({
    "": { attributes: { multiscales: { layout: [whole] } } },
    t: { shape: [2, 2], dims: ["y", "x"], attributes: { grid_mapping: "crs" } },
    crs: { shape: [], dims: [], attributes: { spatial_ref: "EPSG:4326" } },
    y: { shape: [2], dims: ["y"], values: [1, 2] },
    x: { shape: [2], dims: ["x"], values: [1, 2] },
  });
  const group = await zarr.open.v3(store, { kind: "group" });
  asked.length = 0;
  await geo.openPyramid(group);
  assert.deepEqual(asked, []);
  const array = await group.open("t", { kind: "array" });
  asked.length = 0;
  const found = await geo.georeference(array, { group });
  assert.deepEqual(found.transform, [1, 0, 0.5, 0, 1, 0.5]);
  const documents = asked.filter((name) => name.endsWith("zarr.json"));
  assert.deepEqual(documents.toSorted(), ["/crs/zarr.json", "/x/zarr.json", "/y/zarr.json"]);
  assert.deepEqual(asked.filter((name) => !name.endsWith("zarr.json")).toSorted(), ["/x/c/0", "/y/c/0"]);
  // Without known members, a group has only its attributes.
  const alone = await geo.georeference(group);
  assert.match(alone.problems.map(({ message }) => message).join(), /members are not known/);
});

test("requests: with consolidated metadata the coordinates' chunks alone", async () => {
  const { store, asked } = counted({});
  const from = stored(packed.nodes);
  const documents = [...from].filter(([name]) => name.endsWith("zarr.json"));
  const parsed = documents.map(([name, bytes]) => [name.slice(1, -10), JSON.parse(new TextDecoder().decode(bytes))]);
  const metadata = Object.fromEntries(parsed.filter(([name]) => name));
  const consolidated_metadata = { kind: "inline", must_understand: false, metadata };
  const root = groupV3({}, { consolidated_metadata });
  const chunks = [...from].filter(([name]) => !name.endsWith("zarr.json"));
  const all = new Map([["/zarr.json", json(root)], ...chunks]);
  store.get = async (name) => {
    asked.push(name);
    return all.get(name);
  };
  const group = await zarr.open.v3(store, { kind: "group" });
  asked.length = 0;
  const array = await group.open("t", { kind: "array" });
  const found = await geo.georeference(array, { group });
  assert.deepEqual(found.transform, packed.expect.transform);
  assert.deepEqual(asked.toSorted(), ["/x/c/0", "/y/c/0"]);
  const whole = await geo.georeference(group);
  assert.deepEqual(whole.transform, packed.expect.transform);
  assert.equal(whole.stated.shape.path, "/t");
});

test("a signal ends it, a server's failure is an error, and arguments that make no sense are refused", async () => {
  const nodes = packed.nodes;
  const group = await zarr.open(stored(nodes), { kind: "group" });
  const array = await group.open("t", { kind: "array" });
  const reason = new Error("enough");
  await assert.rejects(geo.georeference(array, { group, signal: AbortSignal.abort(reason) }), reason);
  const broken = stored(nodes);
  const failing = {
    get: async (name) => {
      if (name.startsWith("/x/")) throw new Error("the server is down");
      return broken.get(name);
    },
  };
  const root = await zarr.open.v3(failing, { kind: "group" });
  const band = await root.open("t", { kind: "array" });
  await assert.rejects(geo.georeference(band, { group: root }), /the server is down/);
  // The next call works.
  assert.deepEqual((await geo.georeference(array, { group })).transform, packed.expect.transform);

  await assert.rejects(geo.georeference(undefined), TypeError);
  await assert.rejects(geo.georeference({}), TypeError);
  await assert.rejects(geo.georeference(array, null), TypeError);
  await assert.rejects(geo.georeference(array, { group: array }), TypeError);
  await assert.rejects(geo.georeference(array, { signal: 7 }), TypeError);
  await assert.rejects(geo.openPyramid(array), TypeError);
  const far = await zarr.open(zarr.root(stored({ far: {} })).resolve("far"), { kind: "group" });
  await assert.rejects(geo.georeference(array, { group: far }), TypeError);
  const same = await zarr.open(stored(nodes), { kind: "group" });
  await assert.rejects(geo.georeference(array, { group: same }), /opened from/);
  const pyramid = await geo.openPyramid(
    await zarr.open(stored(rules.find(({ name }) => name.startsWith("levels that have no place")).nodes)),
  );
  for (const units of [0, -1, Number.NaN, "x"]) assert.throws(() => pyramid.levelFor(units), TypeError);
});

test("a pyramid prints as its levels", async () => {
  const { nodes } = rules.find(({ name }) => name.startsWith("levels that have no place"));
  const pyramid = await geo.openPyramid(await zarr.open(stored(nodes), { kind: "group" }));
  const [first, ...lines] = String(pyramid).split("\n");
  assert.equal(first, `<GeoPyramid / of ${pyramid.kind}>`);
  assert.equal(lines.length, pyramid.levels.length);
  for (const [i, { path }] of pyramid.levels.entries()) assert.ok(lines[i].includes(JSON.stringify(path)), lines[i]);
});

test("an array alone uses its own attributes, and reports the gaps", async () => {
  const group = await zarr.open(stored(rules[0].nodes));
  const { transform, problems, shape } = await geo.georeference(await group.open("t"));
  assert.equal(transform, undefined);
  assert.deepEqual(shape, [2, 3]);
  assert.match(problems[0].message, /options\.group/);
});

test("reads in any order, and concurrent ones, agree", async () => {
  const pick = random(7);
  const nodes = rules.find(({ name }) => name.startsWith("of a group")).nodes;
  const group = await zarr.open(stored(nodes), { kind: "group" });
  const array = await group.open("b", { kind: "array" });
  const ask = (whole) => geo.georeference(whole ? group : array, whole ? {} : { group });
  const want = [await ask(false), await ask(true)];
  const order = Array.from({ length: 40 }, () => pick(2));
  const found = await Promise.all(order.map((i) => ask(i === 1)));
  for (const [n, i] of order.entries()) assert.deepEqual(found[n], want[i]);
});

test("nodes of the inline entry are read as well", async () => {
  const inline = await import("../../dist/inline.js");
  try {
    const group = await inline.open(stored(packed.nodes), { kind: "group" });
    const found = await geo.georeference(await group.open("t", { kind: "array" }), { group });
    assert.deepEqual(found.transform, packed.expect.transform);
  } finally {
    await inline.terminate();
  }
});
