// Uses the element in React and in notebooks that import it from another origin. Nothing is left
// when it is removed.
import assert from "node:assert/strict";
import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { fileURLToPath } from "node:url";
import { build } from "esbuild";
import { counting } from "../lib/counted.mjs";
import { serve, top } from "../lib/serve.mjs";
import { viewing } from "../lib/viewpage.mjs";

let host;
let elsewhere;
before(async () => {
  [host, elsewhere] = await Promise.all([viewing(), serve(".", "-cors")]);
  mkdirSync(join(top, "build/clients"), { recursive: true });
  const contents =
    'export { createElement, StrictMode, useState } from "react"; export { createRoot } from "react-dom/client"; export { flushSync } from "react-dom";';
  await build({
    stdin: { contents, resolveDir: fileURLToPath(new URL(".", import.meta.url)) },
    bundle: true,
    format: "esm",
    outfile: join(top, "build/clients/react.js"),
    define: { "process.env.NODE_ENV": '"production"' },
    logLevel: "error",
  });
});
after(async () => {
  elsewhere?.close();
  await host?.close();
});

async function listeners(page) {
  const session = await page.context().newCDPSession(page);
  await session.send("Performance.enable");
  for (let i = 0; i < 3; i++) await session.send("HeapProfiler.collectGarbage");
  const { metrics } = await session.send("Performance.getMetrics");
  await session.detach();
  const of = (name) => metrics.find((metric) => metric.name === name).value;
  return { listeners: of("JSEventListeners"), nodes: of("Nodes") };
}

/** Adds and removes it in cycles: after the first ones nothing accumulates. */
async function leavesNothing(page, cycle) {
  for (let i = 0; i < 2; i++) await cycle();
  // A removed element releases its context one task later.
  await page.waitForFunction(() => left().contexts === 0);
  const [before, counts] = [await page.evaluate(() => left()), await listeners(page)];
  for (let i = 0; i < 3; i++) await cycle();
  await page.waitForFunction((before) => JSON.stringify(left()) === JSON.stringify(before), before);
  const now = await listeners(page);
  assert.ok(now.listeners <= counts.listeners + 10, `${counts.listeners} listeners became ${now.listeners}`);
  assert.ok(now.nodes <= counts.nodes + 60, `${counts.nodes} nodes became ${now.nodes}`);
}

const src = () => `${host.url}build/samples/earth.zarr`;

test("React mounts two views, steps them by their state, and unmounts them without a leak", async () => {
  const page = await host.page(
    `<style>zarr-view{height:160px;width:320px}</style><div id="app"></div>
    <script type="module">
      import { createElement as h, createRoot, flushSync, StrictMode, useState } from "${host.url}build/clients/react.js";
      import "zarr-wasm/view";
      function App() {
        const [index, setIndex] = useState({ time: 0 });
        window.setIndex = setIndex;
        const view = (key, node) => h("zarr-view", { key, src: "${src()}", node, index, onstate: ({ detail }) => setIndex(detail.index ?? { time: 0 }) });
        return [view("a", "/t2m"), view("b", "/sst")];
      }
      let root = null;
      window.mount = () => {
        root = createRoot(document.querySelector("#app"));
        flushSync(() => root.render(h(StrictMode, null, h(App))));
      };
      window.unmount = () => root.unmount();
    </script>`,
    { before: counting },
  );
  await page.waitForFunction(() => window.mount);
  const both = (test) =>
    page.waitForFunction((test) => {
      const views = [...document.querySelectorAll("zarr-view")];
      return views.length === 2 && views.every((view) => view.shown && !view.loading && view.index?.time === test);
    }, test);
  await page.evaluate(() => mount());
  await both(0);
  assert.deepEqual(
    await page.evaluate(() => [...document.querySelectorAll("zarr-view")].map((view) => view.shown.path)),
    ["/t2m", "/sst"],
  );
  assert.equal(await page.evaluate(() => left().contexts), 2);
  // An action in one element changes the app's state, and so the other element.
  await page.getByRole("slider", { name: "time" }).first().fill("4");
  await both(4);
  await page.evaluate(() => unmount());
  await leavesNothing(page, async () => {
    await page.evaluate(() => mount());
    await both(0);
    await page.evaluate(() => unmount());
  });
  assert.deepEqual(page.wrong, []);
  await page.context().close();
});

test("cells of a notebook import it from another origin, show it, and run again without a leak", async () => {
  const page = await host.page(
    `<style>zarr-view{height:160px;width:320px}</style><main></main>
    <script type="module">
      // A runtime as of notebooks: a cell has a place to display in, and a promise of being run again.
      const cells = new Map();
      window.run = async (name, cell) => {
        const before = cells.get(name);
        before?.invalidate();
        const place = before?.place ?? document.querySelector("main").appendChild(document.createElement("div"));
        place.replaceChildren();
        let invalidate;
        const invalidation = new Promise((resolve) => { invalidate = resolve; });
        cells.set(name, { place, invalidate });
        return cell({ display: (node) => place.append(node), invalidation });
      };
      window.show = (name, node) =>
        run(name, async ({ display, invalidation }) => {
          await import("${elsewhere.url}dist/view.js");
          const view = Object.assign(document.createElement("zarr-view"), { src: "${src()}", node });
          const ready = new Promise((resolve) => view.addEventListener("ready", resolve, { once: true }));
          invalidation.then(() => view.remove());
          display(view);
          await ready;
          return view.shown.path;
        });
      window.clear = (name) => run(name, async () => {});
    </script>`,
    { before: counting, permissions: ["local-network-access"] },
  );
  await page.waitForFunction(() => window.clear);
  const shown = () => page.evaluate(() => Promise.all([show("a", "/t2m"), show("b", "/rain")]));
  assert.deepEqual(await shown(), ["/t2m", "/rain"]);
  assert.equal(await page.evaluate(() => left().contexts), 2);
  await page.evaluate(() => Promise.all([clear("a"), clear("b")]));
  await leavesNothing(page, async () => {
    await shown();
    await page.evaluate(() => Promise.all([clear("a"), clear("b")]));
  });
  assert.deepEqual(page.wrong, []);
  await page.context().close();
});
