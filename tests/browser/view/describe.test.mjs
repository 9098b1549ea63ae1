// zarr-wasm/describe in a page, over HTTP: the golden list's lines, and the files that it loads.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { after, test } from "node:test";
import { fullRun } from "../../lib/rounds.mjs";
import { top } from "../../lib/serve.mjs";
import { viewing } from "../../lib/viewpage.mjs";

const host = await viewing({ webgl: fullRun });
after(() => host.close());

/** The lines of the golden list, by hierarchy and path. */
function goldenLines() {
  const lines = new Map();
  let at = "";
  for (const line of readFileSync(`${top}tests/describe/golden.txt`, "utf8").split("\n")) {
    if (line.startsWith("# ")) at = line.slice(2);
    else if (line) lines.set(`${at} ${line.slice(0, line.indexOf(": "))}`, line.slice(line.indexOf(": ") + 2));
  }
  return lines;
}

const nodes = {
  "xarray/climate_v2.zarr": [".", "t2m", "time"],
  "xarray/climate_v3.zarr": [".", "t2m", "land"],
  "conventions/cf/dataset_v2.zarr": [".", "t2m", "tfill"],
  "conventions/cf/flags_v2.zarr": ["flag_values"],
  "conventions/ome/img_v05_tczyx.zarr": [".", "1"],
  "conventions/ome/labels_v04.zarr": [".", "labels/nuclei"],
  "conventions/ome/plate_v05.zarr": ["."],
  "conventions/geo/multiscale_relative.zarr": [".", "1/data"],
  "conventions/anndata/dense_f4.zarr": ["."],
};

test("nodes are described in a page as in Node", async () => {
  const page = await host.page("");
  const lines = await page.evaluate(
    async ({ url, nodes }) => {
      const [{ open }, { describe }, { lineOf }] = await Promise.all([
        import("zarr-wasm"),
        import("zarr-wasm/describe"),
        import(`${url}tests/describe/line.mjs`),
      ]);
      const said = [];
      for (const [at, paths] of Object.entries(nodes)) {
        const root = await open(`${url}build/fixtures/${at}`, { kind: "group" });
        for (const path of paths) {
          const node = path === "." ? root : await root.open(path);
          said.push([`${at} ${path}`, await lineOf(await describe(node))]);
        }
      }
      return said;
    },
    { url: host.url, nodes },
  );
  const golden = goldenLines();
  for (const [at, line] of lines) assert.equal(line, golden.get(at), at);
  assert.equal(lines.length, Object.values(nodes).flat().length);
});

test("the conventions are loaded when a node follows them", async () => {
  const page = await host.page("");
  const loaded = () =>
    page.evaluate(() => {
      const names = performance.getEntriesByType("resource").map(({ name }) => /dist\/([\w-]+)\.js$/.exec(name)?.[1]);
      // Files that belong to no convention.
      const own = /worker|^(chunk-\w+|index|lazy)$/;
      return names.filter((name) => name !== undefined && !own.test(name));
    });
  const look = (path) =>
    page.evaluate(
      async ([url, path]) => {
        const [{ open }, { describe }] = await Promise.all([import("zarr-wasm"), import("zarr-wasm/describe")]);
        return (await describe(await open(`${url}build/fixtures/${path}`))).kind;
      },
      [host.url, path],
    );
  assert.equal(await look("v3/root_array.zarr"), "array");
  assert.deepEqual(await loaded(), ["describe"]);
  assert.equal(await look("ome/image_v05.zarr"), "image");
  assert.deepEqual((await loaded()).slice(1).sort(), ["describe-groups", "ome"]);
  assert.equal(await look("xarray/climate_v3.zarr"), "dataset");
  assert.ok((await loaded()).includes("xarray"));
  assert.ok(!(await loaded()).includes("anndata"));
});
