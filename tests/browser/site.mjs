// Uses the documentation site in Chromium as a reader does. ./build.sh docs builds it. It is served
// below a path, as on Pages, and requests beyond the loopback interface fail the tests.
//
//   node --test tests/browser/site.mjs
import assert from "node:assert/strict";
import { mkdirSync, readdirSync, readFileSync } from "node:fs";
import { posix } from "node:path";
import { after, before, test } from "node:test";
import { toldIn } from "../../web/site/live.mjs";
import { liveBlocks, pages } from "../../web/site/pages.mjs";
import { judge } from "../js/snippets.mjs";
import { launch } from "../lib/browsers.mjs";
import { serve, top } from "../lib/serve.mjs";
import { accessible, screenshots } from "./viewerpage.mjs";

const folder = `${top}build/site/`;
const slow = { timeout: 300_000 };
const read = (name) => readFileSync(folder + name, "utf8");
const htmlOf = (page) => page.replace(/\.md$/, ".html");

let browser;
let below; // the site at …/site/
let atRoot; // the site at …/
before(async () => {
  mkdirSync(screenshots, { recursive: true });
  [browser, below, atRoot] = await Promise.all([launch({ webgl: true }), serve("build"), serve("build/site")]);
});
after(async () => {
  await browser?.close();
  below?.close();
  atRoot?.close();
});

/** Runs a test on a page. It must log no error and request nothing beyond this machine. */
function onPage(name, body, options = {}) {
  test(name, slow, async () => {
    const context = await browser.newContext({ viewport: { width: 1280, height: 900 }, ...options });
    const page = await context.newPage();
    page.setDefaultTimeout(60_000);
    const wrong = [];
    page.on("pageerror", (error) => wrong.push(error.stack ?? error.message));
    page.on("console", (message) => {
      // Absent objects of the data are part of examples.
      const absent = /404/.test(message.text()) && /\/samples?\//.test(message.location().url);
      if (["error", "warning"].includes(message.type()) && !absent) wrong.push(message.text());
    });
    context.on("request", (request) => {
      const { protocol, hostname } = new URL(request.url());
      if (!["blob:", "data:"].includes(protocol) && hostname !== "127.0.0.1") wrong.push(`request: ${request.url()}`);
    });
    context.on("response", (response) => {
      if (response.status() >= 400 && !/\/samples?\//.test(response.url()))
        wrong.push(`${response.status()} ${response.url()}`);
    });
    page.open = async (path, site = `${below.url}site/`) => {
      await page.goto(site + path);
      await page.waitForFunction(() => document.querySelector("#app")?.__vue_app__ !== undefined);
    };
    try {
      await body(page);
      assert.deepEqual(wrong, []);
    } finally {
      await page.screenshot({ path: `${screenshots}/site-${name.replace(/[^a-z0-9]+/gi, "-").slice(0, 60)}.png` });
      await context.close();
    }
  });
}

const picture = (page, name, options) => page.screenshot({ path: `${screenshots}/site-${name}.png`, ...options });
const dark = (page) => page.evaluate(() => document.documentElement.classList.contains("dark"));

/** Presses Run of an example, and waits for its end. Returns what it printed. */
async function run(live) {
  await live.locator(".live-run").click();
  await live.page().waitForFunction((el) => ["done", "failed"].includes(el.dataset.state), await live.elementHandle());
  const text = await live.locator(".live-lines li").allTextContents();
  assert.equal(await live.getAttribute("data-state"), "done", text.join("\n"));
  return text;
}

// ---- the files ------------------------------------------------------------------

const html = readdirSync(folder, { recursive: true }).filter(
  (name) => /\.html$/.test(name) && !/^(viewer|run)\//.test(name),
);
const all = new Set(readdirSync(folder, { recursive: true }));

test("every document is a page, and the contents of every page name it", () => {
  const contents = read("guides/stores.html");
  for (const [page, file] of pages) {
    assert.ok(html.includes(htmlOf(page)), page);
    const link = `href="../${htmlOf(page).replace(/(^|\/)index\.html$/, "$1")}"`;
    if (!/^(background\/decisions\/\d|reports\/(http|imports|layouts))/.test(page))
      assert.ok(contents.includes(link), `${file}: ${link}`);
  }
});

test("every link of every page leads to a file of the site and an anchor of it", () => {
  const anchors = new Map();
  const anchorsOf = (name) => {
    if (!anchors.has(name)) anchors.set(name, new Set([...read(name).matchAll(/ id="([^"]*)"/g)].map(([, id]) => id)));
    return anchors.get(name);
  };
  const broken = [];
  let checked = 0;
  for (const page of html) {
    const links = [...read(page).matchAll(/ (?:href|src)="([^"]*)"/g)].map(([, to]) => to.replaceAll("&amp;", "&"));
    for (const to of new Set(links)) {
      if (/^(https:|data:)/.test(to)) continue;
      checked++;
      assert.doesNotMatch(to, /^\/|^\w+:/, page);
      const [path, anchor] = to.split("#");
      let target = path === "" ? page : posix.join(posix.dirname(page), decodeURI(path));
      if (target === "./" || target.endsWith("/")) target = posix.join(target, "index.html");
      if (!all.has(target) || (anchor && !anchorsOf(target).has(decodeURIComponent(anchor))))
        broken.push(`${page}: ${to}`);
    }
  }
  assert.deepEqual(broken, []);
  assert.ok(checked > 3000, `${checked} links`);
});

test("the documents are plain Markdown: no syntax of the site shows on GitHub", () => {
  for (const file of pages.values()) {
    const text = readFileSync(top + file, "utf8").replace(/^```[\s\S]*?^```$/gm, "");
    assert.doesNotMatch(text, /^:::|^---\n|^<script|<LiveCode|^\[\[toc\]\]/m, file);
  }
});

test("the notices have the licence of each package in the scripts, and those of the package", () => {
  const notices = read("notices.txt");
  const bundled = JSON.parse(readFileSync(`${top}build/site-bundled.json`, "utf8"));
  for (const name of ["vue", "vitepress", "minisearch"])
    assert.ok(
      bundled.some((one) => one === name || one.startsWith(`@${name}/`)),
      name,
    );
  for (const name of bundled)
    assert.match(notices, new RegExp(`^${name.replace("/", "\\/")} \\d\\S* \\([\\w.-]+\\)$`, "m"));
  assert.ok(notices.includes(readFileSync(`${top}THIRD_PARTY_NOTICES`, "utf8").trim()));
});

// ---- a reader -------------------------------------------------------------------

onPage("the start page has a picture, an install line, an example that runs, and a view of data", async (page) => {
  await page.open("");
  assert.ok(await page.locator(".VPHomeHero img").evaluate((image) => image.complete && image.naturalWidth > 0));
  await page.getByText("npm install zarr-wasm").waitFor();
  await page.waitForFunction(() => {
    const view = document.querySelector("zarr-view");
    return view?.shown?.field.name === "t2m" && !view.loading;
  });
  const live = page.locator(".live-example");
  assert.deepEqual(await run(live), ['[31, 19, 36] int16 ["time", "lat", "lon"]', "36 19 686"]);
  const pixel = await live
    .frameLocator("iframe")
    .locator("canvas")
    .evaluate((canvas) => [...canvas.getContext("2d").getImageData(0, 0, 1, 1).data]);
  assert.deepEqual(pixel, [34, 64, 221, 255]);
  await live.getByText("The output is the documented one.").waitFor();
  assert.match(await live.locator(".live-value td").first().textContent(), /^686$/);
  await accessible(page, "the start page");
  await picture(page, "start", { fullPage: true });
});

onPage("changed code runs, an error is shown, and Reset restores the code", async (page) => {
  await page.open("guides/cookbook.html#a-map-is-a-store");
  const live = page.locator(".live-example", { hasText: "fill_value: 9" });
  await live.getByRole("button", { name: "Edit" }).click();
  const editor = live.getByRole("textbox", { name: "Code" });
  const code = await editor.inputValue();
  await editor.fill(code.replace("fill_value: 9", "fill_value: 7").replace("-> [1", "-> whatever ["));
  assert.deepEqual(await run(live), ["Uint8Array(4) [1, 2, 7, 7]"]);
  await editor.fill("throw new TypeError('mine');");
  await live.locator(".live-run").click();
  await live.getByText("TypeError: mine").waitFor();
  await live.getByRole("button", { name: "Reset" }).click();
  assert.deepEqual([await editor.count(), await live.locator("iframe").count()], [0, 0]);
  assert.deepEqual(await run(live), ["Uint8Array(4) [1, 2, 9, 9]"]);
});

onPage("the search finds a section, and opens it", async (page) => {
  await page.open("start/install.html");
  await page.keyboard.press("/");
  await page.locator("#localsearch-input").fill("icechunk repository");
  const result = page.locator('#localsearch-list a.result[data-index="0"]', { hasText: "An Icechunk repository" });
  await result.waitFor();
  await accessible(page, "the search");
  await picture(page, "search");
  await result.click();
  await page.waitForURL(`${below.url}site/guides/cookbook.html#an-icechunk-repository`);
  await page.getByRole("heading", { name: "An Icechunk repository" }).waitFor();
});

onPage("dark mode is a switch, and stays", async (page) => {
  await page.open("guides/viewer.html");
  assert.equal(await dark(page), false);
  await page.locator(".VPNavBarAppearance").getByRole("switch").click();
  assert.equal(await dark(page), true);
  await page.open("");
  assert.equal(await dark(page), true);
  await page.waitForFunction(
    () => document.querySelector("zarr-view")?.shown && !document.querySelector("zarr-view").loading,
  );
  await run(page.locator(".live-example"));
  await accessible(page, "the dark start page");
  await picture(page, "dark", { fullPage: true });
  await page.open("guides/cookbook.html");
  await run(page.locator(".live-example", { hasText: "may be wanted soon" }));
  assert.equal(await page.locator(".live-value canvas").count(), 1);
  await accessible(page, "the dark cookbook");
  await picture(page, "dark-cookbook");
});

onPage("the pages have no violation of accessibility rules", async (page) => {
  for (const path of [
    "guides/viewer.html",
    "api/zarr-wasm/classes/Array.html",
    "reports/formats.html",
    "background/architecture.html",
  ]) {
    await page.open(path);
    await picture(page, path.replace(/\W+/g, "-"));
    await accessible(page, path);
  }
});

onPage(
  "on a phone nothing is wider than the screen",
  async (page) => {
    for (const path of [
      "",
      "start/install.html",
      "guides/cookbook.html",
      "guides/viewer.html",
      "api/zarr-wasm/classes/Array.html",
      "api/zarr-wasm/index.html",
      "reports/formats.html",
    ]) {
      await page.open(path);
      const live = page.locator(".live-example").first();
      if ((await live.count()) > 0) await run(live);
      const wide = await page.evaluate(() => [document.documentElement.scrollWidth, document.body.scrollWidth]);
      await picture(page, `phone-${path.replace(/\W+/g, "-")}`);
      assert.deepEqual(wide, [390, 390], path);
    }
    await accessible(page, "a page on a phone");
  },
  { viewport: { width: 390, height: 844 }, hasTouch: true },
);

onPage("links, the search and examples work at the root of a host, too", async (page) => {
  await page.open("", atRoot.url);
  await page.getByRole("link", { name: "Guides" }).click();
  await page.waitForURL(`${atRoot.url}guides/stores.html`);
  await page.getByRole("link", { name: "xarray and CF" }).first().click();
  await page.waitForURL(`${atRoot.url}guides/xarray.html`);
  await page.getByRole("heading", { name: "xarray and CF", level: 1 }).waitFor();
  const [block] = liveBlocks("docs/guides/xarray.md");
  const live = page.locator(".live-example").first();
  await run(live);
  judge(block, await live.evaluate((el) => el.said));
  await page.keyboard.press("/");
  await page.locator("#localsearch-input").fill("curvilinear grids");
  await page.locator("#localsearch-list a").filter({ hasText: "Curvilinear grids" }).first().click();
  await page.waitForURL(`${atRoot.url}guides/viewer.html#curvilinear-grids`);
  // Through folders of other depths, by the links that the first page came with.
  await page.open("guides/xarray.html", atRoot.url);
  const bar = page.locator(".VPNavBar");
  for (const [link, heading] of [
    [bar.getByRole("link", { name: "API" }), "API of the npm package"],
    [page.getByRole("link", { name: "zarr-wasm/xarray" }).first(), "zarr-wasm/xarray"],
    [page.getByRole("link", { name: "Dataset", exact: true }).first(), "Class: Dataset"],
    [bar.getByRole("link", { name: "Start" }), "Install"],
    [bar.getByRole("link", { name: "Guides" }), "Stores"],
    [page.getByRole("link", { name: "Architecture" }).first(), "Architecture"],
    [bar.getByRole("link", { name: "zarr-wasm" }), /^zarr-wasm/],
  ]) {
    await link.click();
    await page.getByRole("heading", { name: heading, level: 1 }).waitFor();
  }
  await bar.getByRole("link", { name: "Viewer" }).click();
  await page.waitForFunction(() => document.body.dataset.state === "ready");
});

// ---- the examples ---------------------------------------------------------------

test("most blocks that state their output run on the site", () => {
  const blocks = [...pages.values()].flatMap(liveBlocks);
  const lines = blocks.reduce((sum, block) => sum + toldIn(block), 0);
  assert.ok(blocks.length >= 85 && lines > 180, `${blocks.length} examples, ${lines} lines`);
});

for (const [path, file] of pages) {
  const blocks = liveBlocks(file);
  if (blocks.length === 0) continue;
  onPage(`every example prints what ${file} states`, async (page) => {
    await page.open(htmlOf(path));
    const all = page.locator(".live-example");
    assert.equal(await all.count(), blocks.length);
    for (const [i, block] of blocks.entries()) {
      const live = all.nth(i);
      try {
        await run(live);
        judge(block, await live.evaluate((el) => el.said));
      } catch (error) {
        error.message = `${file}:${block.line}: ${error.message}`;
        throw error;
      }
      await live.getByRole("button", { name: "Reset" }).click();
    }
  });
}
