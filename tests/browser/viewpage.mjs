// Pages for the tests of zarr-wasm/view: in Chromium with WebGL, through dist/ and over HTTP.
import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { build } from "esbuild";
import { serve, top } from "../js/serve.mjs";
import { launch } from "./browser.mjs";

export const screenshots = `${top}build/screenshots`;

/** What a page imports by the package's names. */
const names = ["xarray", "ome", "geo", "anndata", "model", "print", "describe", "view"];

/**
 * Starts a browser and a server of this project; `page(html)` opens a page that holds this as its body, where scripts import `zarr-wasm`
 * and its subpaths. What a page throws, and what it writes as an error to the console, is in its `wrong`.
 */
export async function viewing({ webgl = true, flags = [] } = {}) {
  mkdirSync(screenshots, { recursive: true });
  const [browser, server] = await Promise.all([launch({ webgl }), serve(".", ...flags)]);
  const imports = { "zarr-wasm": `${server.url}dist/index.js` };
  for (const name of names) imports[`zarr-wasm/${name}`] = `${server.url}dist/${name}.js`;
  return {
    browser,
    url: server.url,
    async page(body, { width = 1024, height = 768, colorScheme = "light", ...more } = {}) {
      const context = await browser.newContext({ viewport: { width, height }, colorScheme, ...more });
      const page = await context.newPage();
      page.setDefaultTimeout(30_000);
      const wrong = [];
      page.on("pageerror", (error) => wrong.push(error.message));
      page.on("console", (message) => message.type() === "error" && wrong.push(message.text()));
      // At an address of the server, so that what the page asks for is of its own origin.
      const html = `<!doctype html><html lang="en"><head><meta charset="utf-8"><title>view</title>
<link rel="icon" href="data:,"><script type="importmap">${JSON.stringify({ imports })}</script></head><body>${body}</body></html>`;
      await page.route(`${server.url}viewing`, (route) => route.fulfill({ contentType: "text/html", body: html }));
      await page.goto(`${server.url}viewing`);
      return Object.assign(page, { wrong });
    },
    async close() {
      await browser.close();
      server.close();
    },
  };
}

/**
 * Bundles a module of js/, or a text that imports such, for a page: what it exports is at the address that is given back, below the
 * server's. For parts that the package does not export.
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
    logLevel: "warning",
  });
  return `build/test/view/${name}.js`;
}
