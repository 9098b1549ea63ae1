// Common parts of the viewer's tests: its page in Chromium, a data server with faults on command,
// and a person's actions.
import assert from "node:assert/strict";
import { mkdirSync, readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { after, before, test } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { stored } from "../describe/stored.mjs";
import { launch } from "../lib/browsers.mjs";
import { serve, top } from "../lib/serve.mjs";

export const screenshots = `${top}build/screenshots`;
export const patience = 60_000;
const axe = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");

/** Starts the requirements of a file's tests. Call it once for each browser. */
export function viewer({ data = "build/fixtures", flags = [], webgl = false } = {}) {
  const it = {};
  before(async () => {
    mkdirSync(screenshots, { recursive: true });
    [it.browser, it.site, it.data] = await Promise.all([
      // The element draws without WebGL where only software draws it, and so does Chromium then.
      launch({ webgl }),
      serve("build/demo"),
      serve(data, "-faults", "-cache", "no-store", ...flags),
    ]);
  });
  after(async () => {
    await it.browser?.close();
    it.site?.close();
    it.data?.close();
  });

  /** Runs a test on its own page, which must not throw and leaves a screenshot. */
  it.onPage = (name, body, { viewport = { width: 1280, height: 800 }, colorScheme = "light", ...more } = {}) =>
    test(name, async () => {
      await it.mend();
      const context = await it.browser.newContext({ viewport, colorScheme, ...more });
      const page = await context.newPage();
      page.setDefaultTimeout(patience);
      const wrong = [];
      page.on("pageerror", (error) => wrong.push(error.message));
      try {
        await body(page);
        assert.deepEqual(wrong, [], "errors of the page");
      } finally {
        await page.screenshot({ path: `${screenshots}/${name.replace(/[^a-z0-9]+/gi, "-")}.png` });
        await context.close();
      }
    });

  /** Adds faults to the data server's answers for a key. */
  it.fault = async (key, ...faults) => {
    const answer = await fetch(`${it.data.url}-/faults`, { method: "POST", body: JSON.stringify({ key, faults }) });
    assert.equal(answer.status, 204);
  };
  /** Removes the faults. */
  it.mend = () => fetch(`${it.data.url}-/faults`, { method: "DELETE" });

  /** Stores a hierarchy of `stored` on the data server, and returns its address. */
  it.put = async (name, nodes, options) => {
    const url = new URL(`=${name}/`, it.data.url).href;
    for (const [key, bytes] of stored(nodes, options)) {
      const answer = await fetch(`${url}${key.slice(1)}`, { method: "PUT", body: bytes });
      assert.ok(answer.ok, `${answer.status} for ${key}`);
    }
    return url;
  };

  /** The viewer's address for an address on the data server, with more of the state. */
  it.link = (path, more = "") => `${it.site.url}#url=${encodeURIComponent(new URL(path, it.data.url).href)}${more}`;

  /** Opens data by a link. */
  it.openUrl = async (page, path, more = "") => {
    // Changing only the hash would not load a page.
    await page.goto("about:blank");
    await page.goto(it.link(path, more));
    return settled(page);
  };
  return it;
}

/** Waits until the viewer has settled, and returns whether it shows data or an error. */
export async function settled(page) {
  // One evaluation: by a second one the viewer may have changed.
  const state = await page.waitForFunction(() => {
    const { state } = document.body.dataset;
    return state === "ready" || state === "error" ? state : false;
  });
  return state.jsonValue();
}

/** Performs an action that makes the viewer work, and waits until it has settled. */
export async function working(page, act) {
  // A state from before the action must not count.
  await page.evaluate(() => {
    document.body.dataset.state = "asked";
  });
  await act();
  return settled(page);
}

/** Types an address into the viewer's box. */
export async function typeUrl(page, address) {
  await page.getByLabel("Address of a Zarr store").fill(address);
  return working(page, () => page.keyboard.press("Enter"));
}

/** Waits until the condition holds in the page. */
export async function until(page, what, condition, argument) {
  // Polls from here: the page's CSP forbids waitForFunction's text.
  for (const end = Date.now() + patience; !(await page.evaluate(condition, argument)); await sleep(20)) {
    assert.ok(Date.now() < end, `never came: ${what}`);
  }
}

/** The page passes all automated accessibility rules. */
export async function accessible(page, what) {
  await page.evaluate(axe);
  const violations = await page.evaluate(async () => {
    const { violations } = await globalThis.axe.run(document, { resultTypes: ["violations"] });
    return violations.map(({ id, nodes }) => `${id}: ${nodes.map(({ html }) => html.slice(0, 160)).join(" | ")}`);
  });
  assert.deepEqual(violations, [], `${what}: accessibility`);
}

export const treeItem = (page, path) => page.getByRole("tree").locator(`[data-path="${path}"]`);
export const alertText = (page) => page.getByRole("alert").innerText();
/** The path of the shown node; the root has the name of its store. */
export const heading = (page) => page.locator("#node-path").innerText();
