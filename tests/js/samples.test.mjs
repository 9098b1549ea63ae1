// The viewer's samples: their content by the package and by zarrita, the same bytes each time, and
// small.
import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, test } from "node:test";
import { promisify } from "node:util";
import { FileSystemStore } from "@zarrita/storage";
import * as zarrita from "zarrita";
import { openAnnData } from "../../dist/anndata.js";
import { DirectoryStore, open } from "../../dist/node.js";
import { openImage, validateImage } from "../../dist/ome.js";
import { openDataset } from "../../dist/xarray.js";
import { top } from "../lib/serve.mjs";

const made = join(top, "build/samples");
const again = mkdtempSync(join(tmpdir(), "zarr-samples-"));
await promisify(execFile)(process.execPath, [join(top, "web/samples/build.mjs"), again]);
after(() => rmSync(again, { recursive: true }));

const store = (name) => new DirectoryStore(join(made, `${name}.zarr`));
const files = (dir) =>
  readdirSync(dir, { recursive: true })
    .map(String)
    .filter((name) => statSync(join(dir, name)).isFile())
    .sort();

test("samples are the same bytes each time, and at most 3 MB", () => {
  const names = files(made);
  assert.deepEqual(files(again), names);
  let size = 0;
  for (const name of names) {
    const bytes = readFileSync(join(made, name));
    assert.ok(bytes.equals(readFileSync(join(again, name))), name);
    size += bytes.length;
  }
  assert.ok(size <= 3_000_000, `${size} bytes`);
});

test("zarrita reads the same elements of every array", async () => {
  let count = 0;
  for (const name of ["earth", "cells", "table"]) {
    const root = await open(store(name), { kind: "group" });
    const peer = zarrita.root(new FileSystemStore(join(made, `${name}.zarr`)));
    for (const { path, kind } of Object.values(await nodes(root))) {
      if (kind !== "array") continue;
      const ours = await open(root.resolve(path), { kind: "array" });
      const theirs = await zarrita.open(peer.resolve(path), { kind: "array" });
      assert.deepEqual(ours.shape, theirs.shape, path);
      const [{ data }, { data: expected }] = await Promise.all([ours.get(), zarrita.get(theirs)]);
      assert.equal(data.length, expected.length, path);
      for (let i = 0; i < data.length; i++) {
        if (!Object.is(data[i], expected[i])) assert.fail(`${name}${path}[${i}]: ${data[i]} and not ${expected[i]}`);
      }
      count++;
    }
  }
  assert.ok(count > 25, `${count} arrays`);
});

async function nodes(root) {
  const found = [];
  const visit = (tree) => {
    found.push({ path: tree.node.path, kind: tree.node.kind });
    tree.children.forEach(visit);
  };
  visit(await root.tree());
  return found;
}

test("the climate is one of the Earth", async () => {
  const root = await open(store("earth"), { kind: "group" });
  const data = await openDataset(root);
  assert.deepEqual([...data.dataVars.keys()].sort(), ["cover", "rain", "sst", "t2m"]);
  const at = async (name, lat, lon, time) => {
    const variable = data.var(name);
    const [y, x] = [Math.round((90 - lat) / 1.25 - 0.5), Math.round((lon + 180) / 1.25 - 0.5)];
    return (await variable.isel({ lat: y, lon: x, ...(time === undefined ? {} : { time }) }).get()).data[0];
  };
  const [winter, summer] = [1, 13]; // mid January, mid July
  // Siberia and central Australia: winters are cold in both hemispheres, and seas are milder than
  // continents.
  assert.ok((await at("t2m", 65, 120, winter)) < -25);
  assert.ok((await at("t2m", 65, 120, summer)) > 5);
  assert.ok((await at("t2m", -25, 134, winter)) > (await at("t2m", -25, 134, summer)) + 8);
  assert.ok((await at("t2m", 65, 2, winter)) > (await at("t2m", 65, 120, winter)) + 20);
  // Seas have a temperature, land has none, and every meridian ends in the Arctic sea.
  for (const [lat, lon] of [
    [0, -30],
    [30, -45],
    [0, -140],
    [-40, 80],
    [89, 39.4],
    [80, -179.4],
  ])
    assert.ok(Number.isFinite(await at("sst", lat, lon, 0)), `${lat}, ${lon}`);
  for (const [lat, lon] of [
    [24, 10],
    [45, 85],
    [-10, -55],
    [-85, 39.4],
    [-25, 134],
    [72, -40],
  ])
    assert.ok(Number.isNaN(await at("sst", lat, lon, 0)), `${lat}, ${lon}`);
});

test("the cells are an OME image without a fault, with levels and labels", async () => {
  const root = await open(store("cells"), { kind: "group" });
  const { problems } = await validateImage(root);
  assert.deepEqual(problems, []);
  const image = await openImage(root);
  assert.equal(image.levels.length, 4);
  const coarse = await open(root.resolve("/3"), { kind: "array" });
  const labels = await open(root.resolve("/labels/cells/3"), { kind: "array" });
  const [{ data: light }, { data: numbers }] = await Promise.all([coarse.get([0, null, null]), labels.get()]);
  const inside = [...light].filter((_, i) => numbers[i] > 0);
  const outside = [...light].filter((_, i) => numbers[i] === 0);
  const mean = (list) => list.reduce((sum, value) => sum + value, 0) / list.length;
  assert.ok(mean(inside) > 20 * mean(outside), "nuclei lie in the cells");
  assert.ok(new Set(numbers).size > 30);
});

test("the table is AnnData with separate clusters", async () => {
  const data = await openAnnData(await open(store("table"), { kind: "group" }));
  assert.deepEqual(data.shape, [1500, 80]);
});
