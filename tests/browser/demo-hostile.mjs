// The viewer on a store with hostile texts, and with hostile addresses. No script runs, no request
// goes to a host that only a text names, the page's policy refuses nothing, and texts are shown
// literally.
//
//   node --test tests/browser/demo-hostile.mjs
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { rounds, turns } from "../lib/rounds.mjs";
import { hostile, hostileStates, names, writeStore } from "./hostilestore.mjs";
import { settled, until, viewer, working } from "./viewerpage.mjs";

const paths = writeStore("build/hostile/hostile.zarr");
const it = viewer({ data: "build/hostile", flags: ["-list"] });

/** A page that records its requests, its policy's refusals and its dialogs. */
async function watched(page) {
  const asked = [];
  const wrong = [];
  await page.context().route(/./, (route) => {
    const url = route.request().url();
    if (!url.startsWith(it.site.url) && !url.startsWith(it.data.url) && !/^(data|blob):/.test(url)) asked.push(url);
    return route.continue();
  });
  page.context().on("page", (other) => wrong.push(`a page was opened: ${other.url()}`));
  page.on("dialog", (dialog) => {
    wrong.push(`a dialog: ${dialog.message()}`);
    void dialog.dismiss();
  });
  await page.addInitScript(() => {
    window.refused = [];
    addEventListener("securitypolicyviolation", ({ effectiveDirective, blockedURI, sourceFile }) =>
      window.refused.push(`${effectiveDirective} ${blockedURI} ${sourceFile}`),
    );
  });
  return async (what) => {
    const found = await page.evaluate(() => ({
      ran: globalThis.ran,
      refused: window.refused,
      polluted: [{}.polluted, ...Object.keys(Object.prototype)].filter((one) => one !== undefined),
      markup: document.querySelectorAll("iframe, object, embed, base, [onerror], [onload], [onmouseover]").length,
      links: [...document.links].map(({ href }) => href).filter((href) => !/^(https?|blob|data):/.test(href)),
    }));
    assert.deepEqual(found, { ran: undefined, refused: [], polluted: [], markup: 0, links: [] }, what);
    assert.deepEqual(asked, [], what);
    assert.deepEqual(wrong, [], what);
  };
}

/** Changes the state without reloading the page. */
const goTo = (page, state) =>
  working(page, () =>
    page.evaluate((hash) => {
      location.hash = hash;
    }, state),
  );

const data = () => `url=${encodeURIComponent(new URL("hostile.zarr/", it.data.url).href)}`;

it.onPage("hostile names and attributes are texts", async (page) => {
  const harmless = await watched(page);
  await it.openUrl(page, "hostile.zarr/");
  await harmless("the root");
  // Some of the arrays with hostile names, which are alike.
  const some = paths.filter((path) => path !== "" && !path.includes("/"));
  for (const path of [...some.slice(0, 2), ...names.slice(0, 2), ...some.slice(-7)]) {
    assert.equal(await goTo(page, `${data()}&node=${encodeURIComponent(`/${path}`)}`), "ready", path);
    await harmless(path);
  }
});

it.onPage("trees, search and details show hostile texts as they are", async (page) => {
  const harmless = await watched(page);
  await it.openUrl(page, "hostile.zarr/", "&node=/picture");
  await page.getByRole("button", { name: "Details", exact: true }).click();
  await until(page, "the attributes", () => /javascript:/.test(document.querySelector("#metadata").innerText));
  const details = await page.locator("#metadata").innerText();
  for (const text of hostile.slice(0, 10)) assert.ok(details.includes(text), `${text} is not among the details`);
  const find = page.getByRole("searchbox", { name: "Search the contents" });
  for (const text of ["<img", "javascript:", "__proto__", "constructor", "\u202e", ".*(", "\\"]) {
    await find.fill(text);
    await harmless(`search for ${text}`);
  }
  await find.fill("");
  const tree = page.getByRole("tree");
  for (const name of names) assert.equal(await tree.locator(`[data-path="/${name}"]`).count(), 1, name);
  assert.equal(await working(page, () => tree.locator('[data-path="/__proto__"]').click()), "ready");
  await harmless("the tree");
});

it.onPage("hostile addresses and links open nothing of their own", async (page) => {
  const harmless = await watched(page);
  const text = (of) => encodeURIComponent(of.toWellFormed());
  const states = [
    ...[
      "javascript:globalThis.ran=1",
      "data:text/html,<script>globalThis.ran=1</script>",
      "blob:null/x",
      "file:///etc/passwd",
      "//",
      "http://[",
      "\u0000",
    ].map((url) => `url=${text(url)}`),
    ...hostile
      .slice(0, 6)
      .map(
        (of) =>
          `${data()}&node=/picture&colormap=${text(of)}&member=${text(of)}&axes=${text(of)},x&labels=${text(of)}:1`,
      ),
    ...hostile.slice(0, 2).map((of) => `${data()}&node=${text(`/${of}`)}`),
    `${data()}&node=/picture&index=__proto__:1,constructor:2&axes=__proto__,constructor&__proto__=1&constructor=2&toString=3`,
    `${data()}&node=/image&channels=0:ff0000;url(x),1:__proto__&labels=__proto__:1&range=NaN,Infinity&camera=1e309,0,0`,
    `__proto__[polluted]=1&constructor[prototype][polluted]=1&${data()}`,
    `url=${"a".repeat(1 << 20)}`,
    "url=%E0%A4%A&%&&&===",
  ];
  await it.openUrl(page, "hostile.zarr/");
  for (const state of turns(states, 2)) {
    await goTo(page, state).catch((error) => assert.fail(`${state.slice(0, 200)}: ${error}`));
    await harmless(state.slice(0, 100));
  }
  // A page reads its first state in a different way.
  for (const state of [states[0], states[1], `embed&${states.at(-5)}`]) {
    await page.goto("about:blank");
    await page.goto(`${it.site.url}#${state}`);
    await settled(page);
    await harmless(state.slice(0, 100));
  }
});

it.onPage("random hostile links to nodes that open do no harm, and the next good link opens", async (page) => {
  const many = Number(process.env.ROUNDS ?? rounds(30));
  const harmless = await watched(page);
  await it.openUrl(page, "hostile.zarr/");
  const attributes = await page.evaluate(() => customElements.get("zarr-view").observedAttributes);
  const own = attributes.filter((name) => !["src", "node", "sync", "controls"].includes(name));
  const next = hostileStates(1, [...own, "url", "i", "cmap", "field", "flip", "__proto__"]);
  // The last name is written once more, half encoded, or without a value.
  const spoilt = [(text) => text, (text) => `${text}&node`, (text) => `${text}%`, (text) => `${text}&${text}`];
  let shown = 0;
  for (let round = 0; round < many; round++) {
    const { node, ...values } = next();
    const members = Object.entries(values).map(
      ([name, value]) => `${name}=${encodeURIComponent(value.toWellFormed())}`,
    );
    const address = "url" in values ? "" : `${data()}&`;
    const state = spoilt[round % spoilt.length](`${address}node=${encodeURIComponent(node)}&${members.join("&")}`);
    const what = `round ${round}: ${state.slice(0, 300)}`;
    const got = await goTo(page, state).catch((error) => assert.fail(`${what}: ${error}`));
    if (got === "ready") shown++;
    await harmless(what);
    if (round % 10 === 9) assert.equal(await goTo(page, `${data()}&node=/picture`), "ready", `after ${what}`);
  }
  assert.ok(shown > many / 4, `${shown} of ${many} links were shown`);
});

it.onPage("what is taken away of hostile data is inert", async (page) => {
  // A page without the viewer's policy, to read files in.
  const reader = await page.context().newPage();
  const harmless = await watched(page);
  const menu = page.getByRole("button", { name: "Take away" });
  for (const node of turns(["/picture", "/image", "/__proto__"], 3)) {
    await it.openUrl(page, "hostile.zarr/", `&node=${encodeURIComponent(node)}`);
    await menu.click();
    const entries = page.getByRole("menuitem", { name: /^(PNG|SVG|CSV|NPY)/ });
    await entries.first().waitFor();
    const names = await entries.allTextContents();
    assert.deepEqual([...new Set(names.map((text) => text.slice(0, 3)))].sort(), ["CSV", "NPY", "PNG", "SVG"], node);
    await page.keyboard.press("Escape");
    for (const entry of names) {
      await menu.click();
      const [download] = await Promise.all([
        page.waitForEvent("download"),
        page.getByRole("menuitem", { name: entry, exact: true }).click(),
      ]);
      const name = download.suggestedFilename();
      assert.match(name, /^[\p{L}\p{N}_][\p{L}\p{N}._+-]{0,130}\.(png|svg|csv|npy)$/u, name);
      if (!entry.startsWith("SVG")) continue;
      const svg = readFileSync(await download.path(), "utf8");
      const found = await reader.evaluate((text) => {
        const read = new DOMParser().parseFromString(text, "image/svg+xml");
        const all = [...read.querySelectorAll("*")];
        return {
          error: read.querySelector("parsererror")?.textContent,
          elements: all
            .map(({ localName }) => localName)
            .filter((name) => !["svg", "title", "path", "text", "image", "g", "clipPath"].includes(name)),
          attributes: all
            .flatMap((node) => [...node.attributes])
            .filter(
              ({ name, value }) =>
                name.startsWith("on") ||
                /url\((?!#)/.test(value) ||
                (name.endsWith("href") && !value.startsWith("data:image/png")),
            )
            .map(({ name, value }) => `${name}=${value}`),
        };
      }, svg);
      assert.deepEqual(found, { error: undefined, elements: [], attributes: [] }, node);
    }
  }
  await harmless("what is taken away");
});
