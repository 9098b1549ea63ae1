// The requests to describe and read an OME pyramid: documents of the root's version only, and
// nothing twice.
import assert from "node:assert/strict";
import { cpSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, test } from "node:test";
import { describe } from "../../dist/describe.js";
import { open, terminate } from "../../dist/node.js";
import { openImage } from "../../dist/ome.js";
import { arrayV2, json } from "../lib/documents.mjs";
import { serve, top } from "../lib/serve.mjs";

const images = ["img_v04_scale", "img_v05_scale", "labels_v04", "labels_v05"];
const dir = mkdtempSync(join(tmpdir(), "zarr-requests-"));
for (const name of images) {
  cpSync(join(top, "build/fixtures/conventions/ome", `${name}.zarr`), join(dir, name), { recursive: true });
  rmSync(join(dir, name, ".zmetadata"), { force: true });
  const root = join(dir, name, "zarr.json");
  if (!existsSync(root)) continue;
  const { consolidated_metadata: _, ...document } = JSON.parse(readFileSync(root, "utf8"));
  writeFileSync(root, JSON.stringify(document));
}
const server = await serve(dir, "-faults");
after(async () => {
  server.close();
  await terminate();
  rmSync(dir, { recursive: true });
});

/** The paths that are asked for meanwhile. */
async function asked(run) {
  await fetch(`${server.url}-/faults`, { method: "PUT" });
  await run();
  const { requests } = await (await fetch(`${server.url}-/faults`)).json();
  return requests.map(({ path }) => path);
}

for (const name of images) {
  test(`${name}: without consolidated metadata, below the root only documents of its version`, async () => {
    const paths = await asked(async () => {
      const group = await open(server.url + name, { kind: "group" });
      await describe(group);
      const image = await openImage(group);
      for (const level of image.levels) await (await level.array()).get();
    });
    assert.deepEqual([...new Set(paths)].sort(), [...paths].sort(), "nothing is asked for twice");
    const documents = paths.filter((path) => /\/(zarr\.json|\.z\w+)$/.test(path) && path.split("/").length > 3);
    const own = name.includes("v05") ? /\/zarr\.json$/ : /\/\.z\w+$/;
    assert.ok(documents.length > 0);
    assert.deepEqual(
      documents.filter((path) => !own.test(path)),
      [],
    );
  });
}

test("sparing, a group of unknown version costs its documents, and an absent node one document", async () => {
  for (const [name, root, missing] of [
    ["labels_v04", ["zarr.json", ".zgroup", ".zmetadata", ".zattrs"], "nothing/.zgroup"],
    ["labels_v05", ["zarr.json", ".zgroup", ".zmetadata"], "nothing/zarr.json"],
  ]) {
    const options = { kind: "group", sparing: true };
    let group;
    const all = (names) => names.map((one) => `/${name}/${one}`).sort();
    assert.deepEqual(
      (
        await asked(async () => {
          group = await open(server.url + name, { sparing: true });
        })
      ).sort(),
      all(root),
    );
    assert.ok(group.attrs.multiscales ?? group.attrs.ome.multiscales);
    const opened = group.format === 2 ? open.v2 : open.v3;
    assert.deepEqual(
      await asked(() => assert.rejects(opened(group.resolve("nothing"), options), { name: "NotFoundError" })),
      all([missing]),
    );
  }
});

test("a bare v2 array has no attributes and the same elements, and has attributes when opened again", async () => {
  const store = new Map();
  const put = (key, value) => store.set(`/${key}`, json(value));
  put(".zgroup", { zarr_format: 2 });
  put("a/.zarray", arrayV2([2], "|u1"));
  put("a/.zattrs", { k: 1 });
  store.set("/a/0", Uint8Array.of(3, 4));
  const asked = [];
  const watched = {
    get: (key) => {
      asked.push(key);
      return store.get(key);
    },
  };
  const group = await open.v2(watched, { kind: "group" });
  asked.length = 0;
  const bare = await group.open("a", { kind: "array", bare: true });
  assert.deepEqual(asked, ["/a/.zarray"]);
  assert.deepEqual(bare.attrs, {});
  const whole = await group.open("a", { kind: "array" });
  assert.deepEqual(whole.attrs, { k: 1 });
  for (const array of [bare, whole, bare]) assert.deepEqual([...(await array.get()).data], [3, 4]);
  // Another engine opens both unchanged.
  await terminate();
  for (const array of [bare, whole, bare]) assert.deepEqual([...(await array.get()).data], [3, 4]);
});

test("absent chunks of a v2 array are requested once if its metadata states the separator", async () => {
  for (const separator of [".", "/"]) {
    const name = separator === "." ? "dots" : "slashes";
    mkdirSync(join(dir, name));
    const more = { chunks: [2, 2], fill_value: 7, dimension_separator: separator };
    const document = JSON.stringify(arrayV2([4, 4], "<i4", more));
    writeFileSync(join(dir, name, ".zarray"), document);
    const paths = await asked(async () => {
      const { data } = await (await open(server.url + name, { kind: "array" })).get();
      assert.ok(data.every((value) => value === 7));
    });
    const chunks = paths.filter((path) => /\d$/.test(path)).sort();
    assert.deepEqual(
      chunks,
      ["0,0", "0,1", "1,0", "1,1"].map((at) => `/${name}/${at.replace(",", separator)}`),
    );
  }
});
