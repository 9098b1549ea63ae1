// The element <zarr-view> as a page's author uses it.
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { viewing } from "../viewpage.mjs";

let host;
before(async () => {
  host = await viewing();
});
after(() => host?.close());

test("importing the module defines the element", async () => {
  const page = await host.page(
    '<zarr-view></zarr-view><script type="module">import "zarr-wasm/view"; window.ready = true;</script>',
  );
  await page.waitForFunction(() => window.ready === true);
  assert.ok(await page.evaluate(() => customElements.get("zarr-view") !== undefined));
  assert.ok(await page.evaluate(() => document.createElement("canvas").getContext("webgl2") !== null), "WebGL2");
  assert.deepEqual(page.wrong, []);
});
