// zarr-wasm/geo by the rules that tests/conventions/geo.json has for both languages, and by what must hold of any
// georeference. What expected.json says is in tests/conventions/geo.mjs.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { after, test } from "node:test";
import * as geo from "../../dist/geo-node.js";
import * as zarr from "../../dist/node.js";
import { top } from "./serve.mjs";

after(() => zarr.terminate());

const rules = JSON.parse(readFileSync(`${top}tests/conventions/geo.json`, "utf8"));

const key = (path, name) => `/${path}/${name}`.replaceAll("//", "/");
const document = (value) => new TextEncoder().encode(JSON.stringify(value));

/** A hierarchy in memory: a Map lists, so that groups without consolidated metadata have members. */
function stored(nodes) {
  const store = new Map();
  for (const [path, { shape, dims, attributes = {}, values }] of Object.entries(nodes)) {
    const node = { zarr_format: 3, node_type: shape ? "array" : "group", attributes };
    if (shape) {
      Object.assign(node, {
        shape,
        data_type: "float64",
        chunk_grid: { name: "regular", configuration: { chunk_shape: shape } },
        chunk_key_encoding: { name: "default" },
        fill_value: 0,
        codecs: [{ name: "bytes", configuration: { endian: "little" } }],
        dimension_names: dims,
      });
    }
    store.set(key(path, "zarr.json"), document(node));
    if (values) store.set(key(path, "c/0"), new Uint8Array(Float64Array.from(values).buffer));
  }
  return store;
}

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

for (const { name, nodes, georeference, layout, expect, error } of rules) {
  test(name, async () => {
    const root = zarr.root(stored(nodes));
    const group = await zarr.open(root, { kind: "group" });
    if (georeference !== undefined) {
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
