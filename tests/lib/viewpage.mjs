// Pages for the tests of zarr-wasm/view: in Chromium with WebGL, through dist/ and over HTTP.
import assert from "node:assert/strict";
import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { build } from "esbuild";
import { launch } from "./browsers.mjs";
import { serve, top } from "./serve.mjs";

export const screenshots = `${top}build/screenshots`;

/** The package names that a page may import. */
const names = ["xarray", "ome", "geo", "anndata", "model", "print", "describe", "view"];

/**
 * Starts a browser and a server of this project. `page(html)` opens a page with this body, in which
 * scripts import `zarr-wasm` and its subpaths. It can have headers, and a nonce for its script;
 * `before` runs before it loads. Its `wrong` collects exceptions and console errors; `end()` closes
 * it, and fails if there were any. `settled()` waits for its elements, and `pointed()` points at a
 * picture. A software renderer draws WebGL, which the element avoids unless `processor` makes it
 * believe in a graphics processor.
 */
export async function viewing({ webgl = true, processor = webgl, flags = [] } = {}) {
  mkdirSync(screenshots, { recursive: true });
  const [browser, server] = await Promise.all([launch({ webgl }), serve(".", ...flags)]);
  const imports = { "zarr-wasm": `${server.url}dist/index.js` };
  for (const name of ["documents", "random"]) imports[`tests/${name}`] = `${server.url}tests/lib/${name}.mjs`;
  for (const name of names) imports[`zarr-wasm/${name}`] = `${server.url}dist/${name}.js`;
  return {
    browser,
    url: server.url,
    async page(
      body,
      { width = 1024, height = 768, colorScheme = "light", headers = {}, nonce = "", before, ...more } = {},
    ) {
      const context = await browser.newContext({ viewport: { width, height }, colorScheme, ...more });
      const page = await context.newPage();
      page.setDefaultTimeout(120_000);
      await slowed(page);
      if (processor) await page.addInitScript(pretend);
      await page.addInitScript(remember);
      const wrong = [];
      page.on("pageerror", (error) => wrong.push(error.message));
      page.on("console", (message) => message.type() === "error" && wrong.push(message.text()));
      // The address is on the server, so that the page's requests have its own origin.
      const html = `<!doctype html><html lang="en"><head><meta charset="utf-8"><title>view</title>
<link rel="icon" href="data:,"><script type="importmap" nonce="${nonce}">${JSON.stringify({ imports })}</script></head><body>${body}</body></html>`;
      await page.route(`${server.url}viewing`, (route) =>
        route.fulfill({ contentType: "text/html", headers, body: html }),
      );
      await before?.(page);
      await page.goto(`${server.url}viewing`);
      return Object.assign(page, {
        wrong,
        settled: () => settled(page),
        pointed: (...at) => pointed(page, ...at),
        pointedAt: (...at) => pointedAt(page, ...at),
        async end() {
          assert.deepEqual(wrong, []);
          await context.close();
        },
      });
    },
    /**
     * Opens a page with an element `view` that fills the window or has the lengths of `style`, and
     * the exports `viewing`. `script` continues its script. `last(type)` returns the detail of its
     * last event of a type, or the error's name.
     */
    async element(attributes, { style = "height: 100vh", script = "", ...options } = {}) {
      const page = await this.page(
        `<style>:root { color-scheme: light dark } body { margin: 0 } zarr-view { ${style} }</style>
<zarr-view ${attributes}></zarr-view><script type="module">
import * as viewing from "zarr-wasm/view";
import { arrayV2, arrayV3, groupV3, json } from "tests/documents";
Object.assign(window, { told: [], view: document.querySelector("zarr-view"), viewing });
for (const type of ["state", "pointer", "error", "loading", "ready"])
  view.addEventListener(type, ({ detail }) => told.push([type, detail?.error ? detail.error.name : detail]));
${script}
</script>`,
        options,
      );
      return Object.assign(page, {
        last: (type) => page.evaluate((type) => told.findLast(([name]) => name === type)?.[1], type),
      });
    },
    async close() {
      await browser.close();
      server.close();
    },
  };
}

/** Slows the page's thread by the factor CPU_THROTTLE: tests must also pass on a slow machine. */
async function slowed(page) {
  const rate = Number(process.env.CPU_THROTTLE ?? 1);
  if (rate <= 1) return;
  const session = await page.context().newCDPSession(page);
  await session.send("Emulation.setCPUThrottlingRate", { rate });
}

/** Records the last position of the pointer, and an element's last event about it. */
function remember() {
  window.pointing = { at: null, told: undefined };
  // Neither event bubbles out of an element, but both begin at the window.
  addEventListener("pointermove", ({ clientX, clientY }) => Object.assign(pointing, { at: [clientX, clientY] }), true);
  addEventListener("pointer", ({ detail }) => Object.assign(pointing, { told: detail }), true);
}

/**
 * Waits until everything requested of a page's elements is drawn. An element is loading from the
 * change on that requests something.
 */
export function settled(page) {
  return page.waitForFunction(() => {
    const views = [...document.querySelectorAll("zarr-view")];
    return views.length > 0 && views.every((view) => view.shown && !view.loading);
  });
}

/**
 * Moves the pointer to a point of the page, and returns the element's text about it when all is
 * drawn.
 */
export async function pointedAt(page, x, y) {
  await page.mouse.move(x, y);
  await page.waitForFunction(
    (at) => pointing.at?.every((value, i) => Math.abs(value - at[i]) <= 1) && pointing.told !== undefined,
    [x, y],
  );
  await settled(page);
  return page.evaluate(() => pointing.told);
}

/** The same for a fraction of a picture, by default the first one. */
export async function pointed(page, x, y, picture = page.getByRole("application").first()) {
  const box = await picture.boundingBox();
  return pointedAt(page, box.x + box.width * x, box.y + box.height * y);
}

/** Makes WebGL name another renderer than the software one. */
function pretend() {
  const { getParameter } = WebGL2RenderingContext.prototype;
  WebGL2RenderingContext.prototype.getParameter = function (name) {
    const unmasked = 0x9246; // UNMASKED_RENDERER_WEBGL
    return name === unmasked || name === this.RENDERER ? "a graphics processor" : getParameter.call(this, name);
  };
}

/** Loads the part for regions from dist/, as the package does: it needs the whole package. */
const regions = {
  name: "regions",
  setup: (build) =>
    build.onResolve({ filter: /^\.\.\/regions\/index\.js$/ }, ({ kind }) =>
      kind === "dynamic-import" ? { path: "../../../dist/view-regions.js", external: true } : undefined,
    ),
};

/**
 * Bundles a module of js/, or a text that imports such modules, for a page, and returns its address
 * below the server's. It serves parts that the package does not export.
 */
export async function bundled(name, contents) {
  const outfile = join(top, "build", "test", "view", `${name}.js`);
  await build({
    absWorkingDir: top,
    stdin: { contents, resolveDir: join(top, "js"), loader: "ts" },
    outfile,
    bundle: true,
    format: "esm",
    target: ["es2022"],
    plugins: [regions],
    logLevel: "warning",
  });
  return `build/test/view/${name}.js`;
}
