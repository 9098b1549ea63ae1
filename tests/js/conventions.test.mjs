// Properties of all conventions: nodes of every entry, and invalid arguments.
import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { after, test } from "node:test";
import { inspect } from "node:util";
import { openAnnData } from "../../dist/anndata.js";
import * as geo from "../../dist/geo.js";
import * as inline from "../../dist/inline.js";
import { equalLayout, equalStructure, flatten, stringify, toModel } from "../../dist/model.js";
import * as zarr from "../../dist/node.js";
import { openImage, openLabels, openSeries, validateImage } from "../../dist/ome.js";
import { decodeArray, decoderOf, decodeValues, openDataset } from "../../dist/xarray.js";
import { top } from "../lib/serve.mjs";

after(async () => {
  await zarr.terminate();
  await inline.terminate();
});

/** Like most servers, this store cannot list. */
const unlisted = (path) => ({
  get: (key) => readFile(`${top}build/fixtures/${path}${key}`).catch(() => undefined),
});
const climate = `${top}build/fixtures/xarray/climate_v3.zarr`;
const image = `${top}build/fixtures/ome/image_v05.zarr`;
const examples = "public/BioImageTools+ome-zarr-examples/data/invalid";

for (const [entry, { open }] of Object.entries({ node: zarr, inline })) {
  const at = (path) => open(unlisted(path), { kind: "group" });

  test(`absent and unlisted nodes are recognised: nodes of ${entry}`, async () => {
    const adata = await openAnnData(await at("conventions/anndata/csr_f4.zarr"));
    assert.deepEqual([adata.shape, adata.obsm.names], [[23, 11], null]);
    await assert.rejects(openAnnData(await at("xarray/climate_v3.zarr")), { name: "NotFoundError" });
    assert.deepEqual((await openLabels(await at("ome/image_v05.zarr"))).paths, []);
    assert.deepEqual((await openSeries(await at("conventions/ome/bf2raw_v04_plain.zarr"))).images, ["0", "1"]);
    const report = await validateImage(await at(`${examples}/image-03.zarr`));
    assert.ok(
      report.problems.some(({ message }) => message.startsWith("there is no array")),
      JSON.stringify(report),
    );
  });
}

test("an invalid model is rejected, and equals nothing", async () => {
  const group = await zarr.open(climate, { kind: "group" });
  const model = await toModel(group);
  for (const wrong of [group, await group.tree(), toModel(group), {}, [], null, "model"]) {
    for (const call of [equalStructure, equalLayout]) {
      assert.throws(() => call(wrong, wrong), TypeError, `${call.name} of ${wrong}`);
      assert.throws(() => call(model, wrong), TypeError, `${call.name} of a model and ${wrong}`);
    }
    assert.throws(() => flatten(wrong), TypeError, `flatten ${wrong}`);
  }
  assert.equal(equalStructure(model, JSON.parse(stringify(model))), true);
});

/** The call reports an invalid argument, and does not fail otherwise. */
const told = async (call, message) => {
  await assert.rejects(async () => call(), message);
};

test("invalid arguments are named", async () => {
  const level = (await openImage(await zarr.open(image, { kind: "group" }))).levels[0];
  assert.deepEqual(level.selection(), [null, null, null]);
  for (const wrong of [null, 3, "y", [1, 2]]) await told(() => level.selection(wrong), /a box/);
  for (const wrong of [undefined, null, 3]) {
    await told(() => geo.selectionOf(wrong, [0, 0, 1, 1]), /selectionOf: expected a georeference or a level/);
    await told(() => geo.pixelToWorld(wrong, 0, 0), /a georeference or a level/);
    await told(() => geo.worldToPixel(wrong, 0, 0), /a georeference or a level/);
    await told(() => geo.pixelAt(wrong, 0, 0), /a georeference or a level/);
  }
  const pyramid = await geo.openPyramid(
    await zarr.open(`${top}build/fixtures/conventions/geo/multiscale.zarr`, { kind: "group" }),
  );
  await told(() => pyramid.levelFor("30"), /levelFor: expected a number above 0/);

  const adata = await openAnnData(
    await zarr.open(`${top}build/fixtures/conventions/anndata/csr_f4.zarr`, { kind: "group" }),
  );
  for (const columns of ["f4", 3, [3]])
    await told(() => adata.obs.read(null, { columns }), /columns: expected a list of names/);
  await told(() => adata.obs.head(2, null), /options/);
});

test("settings of decoding are booleans", async () => {
  const group = await zarr.open(climate, { kind: "group" });
  const array = await group.open("t2m", { kind: "array" });
  const names = [
    "maskAndScale",
    "decodeTimes",
    "decodeTimedelta",
    "concatCharacters",
    "validRange",
    "useZarrFillValueAsMask",
  ];
  for (const name of names) {
    const options = { [name]: "no" };
    const message = new RegExp(`${name}: expected true or false`);
    await told(() => openDataset(group, options), message);
    await told(() => decoderOf(array, options), message);
    await told(() => decodeArray(array, null, options), message);
    assert.doesNotThrow(() => decoderOf(array, { [name]: undefined }));
  }
  await told(() => decoderOf(array, { dtype: "float16" }), /dtype: expected "float32"/);
  await told(() => decoderOf(array, null), /options: expected an object/);
  const ds = await openDataset(group);
  await told(() => ds.var("t2m").isel({ time: 0 }).get({ coords: "some" }), /coords: expected true, false or "all"/);
});

test("the error for a label beyond the tolerance names the tolerance", async () => {
  const ds = await openDataset(await zarr.open(climate, { kind: "group" }));
  const far = (options) => ds.var("t2m").sel({ lat: 50.123 }, options).get();
  await told(() => far({}), /no label 50.123 \(method: "nearest" finds the next one\)/);
  await told(() => far({ method: "nearest", tolerance: 0.01 }), /no label within 0.01 of 50.123/);
  await told(() => ds.var("t2m").sel({ lat: 95 }, { method: "backfill" }).get(), /no label from 95 on/);
});

test("a dataset on a server that does not list says how to open it", async () => {
  const group = await zarr.open(unlisted("conventions/nczarr/nothing"), { kind: "group" }).catch(() => undefined);
  assert.equal(group, undefined);
  const v2 = unlisted("xarray/climate_v2.zarr");
  const plain = { get: (key) => (key.endsWith(".zmetadata") ? undefined : v2.get(key)) };
  const opened = await zarr.open(plain, { kind: "group" });
  await told(() => openDataset(opened), { name: "UnsupportedError", hint: /variables/ });
  const ds = await openDataset(opened, { variables: ["t2m"] });
  assert.deepEqual(ds.var("t2m").shape, [31, 19, 36]);
});

test("times and durations print their meaning", async () => {
  const group = await zarr.open(climate, { kind: "group" });
  const { data } = await decodeArray(await group.open("time", { kind: "array" }));
  const text =
    "TimeArray(31) [2000-01-01T00:00:00, 2000-01-02T00:00:00, 2000-01-03T00:00:00, …, 2000-01-29T00:00:00, 2000-01-30T00:00:00, 2000-01-31T00:00:00]";
  assert.equal(String(data), text);
  assert.equal(inspect(data), text);

  const type = { kind: "float", size: 8 };
  const printed = (units, numbers, options) => {
    const source = { attrs: { units }, dtype: "float64", type, fillValue: null, format: 3 };
    const raw = { data: Float64Array.from(numbers), shape: [numbers.length] };
    return String(decodeValues(decoderOf(source, options), raw).data);
  };
  assert.equal(printed("days since 2000-01-01", []), "TimeArray(0) []");
  assert.equal(printed("days since 2000-01-01", [0.5, Number.NaN]), "TimeArray(2) [2000-01-01T12:00:00, NaT]");
  // No date is that far away: the number is printed, since a console must not fail.
  assert.equal(printed("days since 2000-01-01", [1e300]), "TimeArray(1) [1e+300]");
  assert.equal(printed("hours", [1, Number.NaN], { decodeTimedelta: true }), "TimedeltaArray(2) [1 hours, NaT]");
});

test("coordinates stay cached although their memory belongs to the caller", async () => {
  const ds = await openDataset(await zarr.open(climate, { kind: "group" }));
  const t2m = ds.var("t2m");
  const { coords } = await t2m.get();
  const lat = await ds.var("lat").get();
  const expected = [...coords.lat.data];
  coords.time.data.values.fill(0);
  coords.lon.data.fill(0);
  for (const { data } of [coords.lat, lat]) structuredClone(data, { transfer: [data.buffer] });
  const again = await t2m.sel({ lat: 50, lon: 20, time: "2000-01-03" }).get();
  assert.deepEqual([again.coords.lat.data[0], again.coords.lon.data[0]], [50, 20]);
  assert.equal(String(again.coords.time.data.get(0)), "2000-01-03T00:00:00");
  assert.deepEqual([...(await t2m.get()).coords.lat.data], expected);
});
