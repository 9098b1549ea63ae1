// Opens the pages of examples/ in Chromium as a person would. This machine serves the files that
// they take from CDNs. The package comes from dist/, and jsDelivr's paths from
// tests/clients/node_modules. esbuild bundles the libraries that esm.sh would serve with the page's
// script. The pages name the installed versions.
import assert from "node:assert/strict";
import { existsSync, mkdirSync, readdirSync, readFileSync } from "node:fs";
import { extname, join } from "node:path";
import { after, before, test } from "node:test";
import { build } from "esbuild";
import { launch } from "../lib/browsers.mjs";
import { serve, top } from "../lib/serve.mjs";

const modules = join(top, "tests/clients/node_modules");
const screenshots = join(top, "build/screenshots");
const manifest = (dir) => JSON.parse(readFileSync(join(dir, "package.json"), "utf8"));
const types = {
  ".js": "text/javascript",
  ".mjs": "text/javascript",
  ".css": "text/css",
  ".wasm": "application/wasm",
  ".map": "application/json",
};

let browser;
let server;
before(async () => {
  mkdirSync(screenshots, { recursive: true });
  [browser, server] = await Promise.all([launch({ webgl: true }), serve(".")]);
});
after(async () => {
  await browser?.close();
  server?.close();
});

/** The import map of a page. */
const importsOf = (html) => JSON.parse(/<script type="importmap">([\s\S]*?)<\/script>/.exec(html)[1]).imports;

/** The package, version and path in the address of a CDN. */
function named(address) {
  const [, name, version, path] =
    /^https:\/\/(?:cdn\.jsdelivr\.net\/npm|esm\.sh)\/((?:@[\w.-]+\/)?[\w.-]+)@([\d.]+)(.*)$/.exec(address) ?? [];
  return { name, version, path };
}

/** The script of a page, bundled with its imports from esm.sh. */
async function scriptOf(html) {
  const imports = importsOf(html);
  const others = Object.keys(imports).filter((name) => !imports[name].startsWith("https://esm.sh/"));
  const [, script] = /<script type="module">([\s\S]*?)<\/script>/.exec(html);
  const { outputFiles } = await build({
    stdin: { contents: script, resolveDir: join(top, "tests/clients") },
    bundle: true,
    write: false,
    format: "esm",
    target: "es2022",
    define: { "process.env.NODE_ENV": '"production"' },
    external: others,
    logLevel: "error",
  });
  return outputFiles[0].text;
}

/** Opens an example; `wrong` collects its exceptions and console errors. */
async function opened(name, { width = 1024, height = 640 } = {}) {
  const context = await browser.newContext({ viewport: { width, height } });
  const page = await context.newPage();
  page.setDefaultTimeout(60_000);
  const wrong = [];
  page.on("pageerror", (error) => wrong.push(error.message));
  page.on("console", (message) => message.type() === "error" && wrong.push(message.text()));
  await context.route(/^https:/, async (route) => {
    const { name, path } = named(route.request().url());
    const file = name === "zarr-wasm" ? join(top, path) : join(modules, name ?? "", path ?? "");
    if (!name || !existsSync(file.split("?")[0])) {
      wrong.push(`nothing for ${route.request().url()}`);
      return route.fulfill({ status: 404 });
    }
    await route.fulfill({
      body: readFileSync(file.split("?")[0]),
      contentType: types[extname(file.split("?")[0])],
      headers: { "Access-Control-Allow-Origin": "*" },
    });
  });
  if (name.endsWith(".html")) {
    await context.route(`${server.url}examples/${name}`, async (route) => {
      const html = readFileSync(join(top, "examples", name), "utf8");
      const script = await scriptOf(html);
      const body = html
        .replace(
          /<script type="module">[\s\S]*?<\/script>/,
          () => `<script type="module">${script.replaceAll("</script", "<\\/script")}</script>`,
        )
        .replace("<head>", '<head><link rel="icon" href="data:,">');
      await route.fulfill({ contentType: "text/html", body });
    });
    await page.goto(`${server.url}examples/${name}`);
  }
  return Object.assign(page, { wrong });
}

/** The number of colours in a picture of part of the page. */
async function coloursOf(page, locator) {
  const png = await locator.screenshot();
  return page.evaluate(
    async (url) => {
      const image = await createImageBitmap(await (await fetch(url)).blob());
      const canvas = new OffscreenCanvas(image.width, image.height);
      const context = canvas.getContext("2d");
      context.drawImage(image, 0, 0);
      return new Set(new Uint32Array(context.getImageData(0, 0, image.width, image.height).data.buffer)).size;
    },
    `data:image/png;base64,${png.toString("base64")}`,
  );
}

const looked = async (page, name) => page.screenshot({ path: join(screenshots, `example-${name}.png`) });

test("each example is a page of at most 100 lines, of the versions that are installed here", () => {
  const names = readdirSync(join(top, "examples"));
  assert.deepEqual(names.filter((name) => name !== "README.md").sort(), [
    "deckgl.html",
    "element.html",
    "maplibre.html",
    "notebook.mjs",
    "openlayers.html",
    "plot.html",
    "react.html",
  ]);
  const { version, exports } = manifest(top);
  for (const name of names) {
    const text = readFileSync(join(top, "examples", name), "utf8");
    if (name.endsWith(".md")) continue;
    assert.ok(text.split("\n").length <= 100, name);
    for (const [address] of text.matchAll(/https:\/\/(?:cdn\.jsdelivr|esm\.sh)[^"')`]*/g)) {
      const found = named(address);
      const installed = found.name === "zarr-wasm" ? version : manifest(join(modules, found.name)).version;
      assert.equal(found.version, installed, `${name}: ${address}`);
    }
    if (!name.endsWith(".html")) continue;
    for (const [from, address] of Object.entries(importsOf(text))) {
      if (!from.startsWith("zarr-wasm")) continue;
      const { default: target } = exports[from.replace("zarr-wasm", ".")];
      assert.ok(address.endsWith(target.slice(1)), `${name}: ${from} is ${target} in the package`);
    }
  }
});

test("element: buttons and the pointer", async () => {
  const page = await opened("element.html");
  const view = page.locator("zarr-view");
  const ready = () =>
    page.waitForFunction(
      () => document.querySelector("zarr-view").shown && !document.querySelector("zarr-view").loading,
    );
  await ready();
  await page.getByRole("button", { name: "Temperature in July" }).click();
  await ready();
  assert.equal(await view.getAttribute("index"), "time:13");
  const box = await page.getByRole("application").boundingBox();
  await page.mouse.move(box.x + box.width / 2, box.y + box.height / 2);
  await page.locator("output", { hasText: /2024-07-14, .*°[NS], .*: \S+ °C/ }).waitFor();
  await looked(page, "element");
  await page.getByRole("button", { name: "The sea in January" }).click();
  await ready();
  assert.equal(await page.evaluate(() => document.querySelector("zarr-view").shown.field.name), "sst");
  assert.ok((await coloursOf(page, view)) > 100);
  assert.deepEqual(page.wrong, []);
});

test("react: choices are shown, and the view reports its state", async () => {
  const page = await opened("react.html");
  const shows = (name) =>
    page.waitForFunction(
      (name) =>
        document.querySelector("zarr-view")?.shown?.field.name === name && !document.querySelector("zarr-view").loading,
      name,
    );
  await shows("t2m");
  await page.getByRole("combobox", { name: "Show" }).first().selectOption({ label: "Rain" });
  await shows("rain");
  await page.getByRole("slider", { name: "time" }).fill("7");
  await page.locator("output", { hasText: "time 7" }).waitFor();
  await looked(page, "react");
  assert.deepEqual(page.wrong, []);
});

test("maplibre: the field is on the map, and another time is another picture", async () => {
  const page = await opened("maplibre.html");
  await page.waitForFunction(() => document.body.dataset.state === "ready");
  assert.ok((await coloursOf(page, page.locator("#map"))) > 100);
  await looked(page, "maplibre");
  await page.getByRole("slider").fill("13");
  await page.getByText("2024-07-14").waitFor();
  assert.deepEqual(page.wrong, []);
});

test("openlayers: the source reads by this package", async () => {
  const page = await opened("openlayers.html");
  await page.waitForFunction(() => document.body.dataset.state === "ready");
  assert.ok((await coloursOf(page, page.locator("#map"))) > 100);
  await looked(page, "openlayers");
  assert.deepEqual(page.wrong, []);
});

test("deck.gl: the pyramid is read by tiles", async () => {
  const page = await opened("deckgl.html");
  await page.waitForFunction(() => document.body.dataset.state === "ready");
  await page.waitForFunction(() => document.querySelector("canvas") !== null);
  assert.ok((await coloursOf(page, page.locator("canvas").first())) > 500);
  await looked(page, "deckgl");
  assert.deepEqual(page.wrong, []);
});

test("plot: a line for each place", async () => {
  const page = await opened("plot.html");
  await page.waitForFunction(() => document.body.dataset.state === "ready");
  assert.equal((await page.locator("svg path[stroke]:not([aria-hidden])").count()) >= 4, true);
  for (const place of ["Yakutsk", "Lisbon", "Alice Springs", "Nairobi"]) await page.getByText(place).first().waitFor();
  await looked(page, "plot");
  assert.deepEqual(page.wrong, []);
});

// Jupyter is not installed here. By anywidget's contract, the cell gets a model with get, set, on,
// off and save_changes.
test("notebook: the cell shows the model's state, writes back the user's changes, and cleans up", async () => {
  const page = await opened("notebook.mjs");
  await page.goto(`${server.url}tests/clients/page.html`);
  await page.evaluate(async (src) => {
    const { default: cell } = await import("/examples/notebook.mjs");
    const values = { src, state: { node: "/t2m" } };
    const listeners = new Map();
    const model = {
      get: (name) => values[name],
      set: (name, value) => {
        values[name] = value;
      },
      on: (name, run) => listeners.set(name, run),
      off: (name) => listeners.delete(name),
      save_changes: () => {
        window.saved = structuredClone(values.state);
      },
    };
    Object.assign(window, { values, listeners, done: cell.render({ model, el: document.body }) });
  }, `${server.url}build/samples/earth.zarr`);
  const shows = (name) =>
    page.waitForFunction(
      (name) =>
        document.querySelector("zarr-view")?.shown?.field.name === name && !document.querySelector("zarr-view").loading,
      name,
    );
  await shows("t2m");
  await page.getByRole("slider", { name: "time" }).fill("5");
  await page.waitForFunction(() => window.saved?.index?.time === 5);
  await page.evaluate(() => {
    window.values.state = { node: "/cover" };
    window.listeners.get("change:state")();
  });
  await shows("cover");
  await looked(page, "notebook");
  await page.evaluate(() => window.done());
  assert.deepEqual(
    await page.evaluate(() => [document.querySelectorAll("zarr-view").length, window.listeners.size]),
    [0, 0],
  );
  assert.deepEqual(page.wrong, []);
});
