// Checks how Chromium's console shows the package's objects.
import assert from "node:assert/strict";
import { test } from "node:test";
import { hosting } from "../lib/hosting.mjs";

const host = hosting({ playwright: true });

test("a page's console shows readable objects", { timeout: 120_000 }, async () => {
  const page = await host.browser.newPage();
  await page.goto(`${host.server.url}tests/browser/blank.html`);
  const session = await page.context().newCDPSession(page);
  const shown = [];
  const all = new Promise((resolve) => {
    session.on("Runtime.consoleAPICalled", ({ args }) => shown.push(args[0]) === 5 && resolve());
  });
  await session.send("Runtime.enable");
  await page.evaluate(async () => {
    const zarr = await import("/dist/index.js");
    const store = new zarr.FetchStore("/build/fixtures/v3/layout.zarr?secret=1");
    const group = await zarr.open(store, { kind: "group" });
    const array = await group.open("no_attributes", { kind: "array" });
    for (const thing of [array, group, group.resolve("x"), store, String(array)]) console.log(thing);
  });
  await all;
  const [array, group, location, store, text] = shown;
  const own = ({ preview }) =>
    Object.fromEntries(preview.properties.flatMap(({ name, value }) => (name.startsWith("#") ? [] : [[name, value]])));
  assert.deepEqual(
    [array, group, location, store].map(({ description }) => description),
    ["ZarrArray", "Group", "Location", "FetchStore"],
  );
  // It shows five properties; kind is in the name.
  assert.deepEqual(own(array), {
    store: "FetchStore",
    path: "/no_attributes",
    dtype: "int32",
    shape: "Array(1)",
    chunks: "Array(1)",
  });
  assert.deepEqual(own(group), { store: "FetchStore", path: "/", kind: "group" });
  assert.deepEqual(own(location), { store: "FetchStore", path: "/x" });
  assert.deepEqual(own(store), { url: "/build/fixtures/v3/layout.zarr?secret=1" });
  assert.match(
    text.value,
    /^<ZarrArray \/no_attributes shape=\(5\) dtype=int32 chunks=\(\d+\) store=[^ ]*layout.zarr>$/,
  );
  await page.close();
});
