// The JSON Schemas of zarr-wasm/model, by ajv, as docs/guides/cookbook.md uses them.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import Ajv from "ajv/dist/2020.js";
import { schemaV2, schemaV3 } from "../../dist/model.js";
import { examples, hierarchy } from "../conventions/model.mjs";
import { random } from "../lib/random.mjs";
import { top } from "../lib/serve.mjs";

const dir = `${top}build/fixtures/conventions/`;
const read = (file) => JSON.parse(readFileSync(dir + file, "utf8"));
const { cases, tables } = read("expected.json");

/** The errors that a schema gives a value, each as its path and the keyword that failed. */
function compile(schema) {
  const judge = new Ajv({ allErrors: true, allowUnionTypes: true, strictTypes: true }).compile(schema);
  return (value) => (judge(value) ? [] : judge.errors.map(({ instancePath, keyword }) => `${instancePath} ${keyword}`));
}

const ours = { "model/schema_v2.json": compile(schemaV2), "model/schema_v3.json": compile(schemaV3) };

test("models are valid by the schemas as the expectations say, by the fixtures' schemas and by the package's", () => {
  const theirs = {};
  for (const { id, note, schema, model_of, model, valid } of tables.model_valid) {
    theirs[schema] ??= compile(read(schema));
    const value = model ?? cases.find((one) => one.id === `model.${model_of}`).expect.model;
    for (const judge of [theirs[schema], ours[schema]]) {
      if (judge) assert.equal(judge(value).length === 0, valid, `${id} (${note}): ${judge(value)}`);
    }
  }
  assert.ok(tables.model_valid.length >= 40);
});

test("the package's schemas accept the table's cases that the ZEP's reject", () => {
  assert.equal(tables.model_schema_corrections.length, 3);
  const [v2, v3] = Object.values(ours);
  const edited = (model, edit) => {
    const copy = structuredClone(model);
    edit(Object.values(copy.members)[0], copy);
    return copy;
  };
  for (const name of ["zarr_format", "node_type"]) {
    const array = edited(examples.v3, (one) => delete one[name]);
    assert.ok(v3(array).includes("/members/array required"), `an array without ${name}: ${v3(array)}`);
    const group = edited(examples.v3, (_, root) => delete root[name]);
    assert.ok(v3(group).includes(" required"), `a group without ${name}: ${v3(group)}`);
  }
  for (const more of [
    { dimension_names: [null, "x"] },
    { data_type: { name: "r8" }, codecs: ["bytes"], chunk_grid: "regular" },
  ]) {
    assert.deepEqual(v3(edited(examples.v3, (array) => Object.assign(array, more))), [], JSON.stringify(more));
  }
  for (const more of [{ compressor: { id: "zlib" } }, { filters: [{ id: "delta" }] }, { dtype: [["a", "<i4"]] }]) {
    assert.deepEqual(v2(edited(examples.v2, (array) => Object.assign(array, more))), [], JSON.stringify(more));
  }
  for (const name of ["fill_value", "zarr_format", "attributes"]) {
    const array = edited(examples.v2, (one) => delete one[name]);
    assert.ok(v2(array).includes("/members/foo required"), `an array without ${name}: ${v2(array)}`);
  }
  for (const name of ["_members", "__members"]) assert.deepEqual(v3({ ...examples.v3, [name]: { v: 1 } }), [], name);
  assert.ok(v3({ ...examples.v3, members_: 1 }).includes(" additionalProperties"));
});

test("models that are damaged at random are valid by the package's schemas where they are by the fixtures'", () => {
  const theirs = { 2: compile(read("model/schema_v2.json")), 3: compile(read("model/schema_v3.json")) };
  const pick = random(66);
  const values = [null, true, 0, -1, 1.5, 3, "C", "group", "array", "x", [], [1], ["x"], [null], [{}], {}];
  values.push({ name: "x" }, { name: 1 }, { name: "x", configuration: [] }, { name: "x", must_understand: false });
  const damage = (node) => {
    const keys = Object.keys(node);
    const key = pick(4) === 0 ? ["extra", "__members", "node_type", "members"][pick(4)] : keys[pick(keys.length)];
    const inner = node[key];
    if (inner && typeof inner === "object" && Object.keys(inner).length > 0 && pick(2)) damage(inner);
    else if (pick(4) === 0) delete node[key];
    else node[key] = structuredClone(values[pick(values.length)]);
  };
  let invalid = 0;
  for (let i = 0; i < 1500; i++) {
    const format = 2 + (i % 2);
    const model = hierarchy(pick, format);
    assert.deepEqual(ours[`model/schema_v${format}.json`](model), [], "a whole model");
    damage(model);
    const valid = ours[`model/schema_v${format}.json`](model).length === 0;
    assert.equal(valid, theirs[format](model).length === 0, JSON.stringify(model));
    if (!valid) invalid++;
  }
  assert.ok(invalid > 300, `only ${invalid} are invalid`);
});
