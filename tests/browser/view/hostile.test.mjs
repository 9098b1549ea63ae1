// <zarr-view> on hostile data, in a page whose policy allows almost nothing and requires trusted
// types.
import assert from "node:assert/strict";
import { after, test } from "node:test";
import { fullRun, rounds } from "../../lib/rounds.mjs";
import { viewing } from "../../lib/viewpage.mjs";
import { hostile, hostileStates, writeStore } from "../hostilestore.mjs";

writeStore("build/hostile/hostile.zarr");
const host = await viewing({ webgl: fullRun });
after(() => host.close());

const policy = (more = "") =>
  `default-src 'none'; script-src 'self' 'wasm-unsafe-eval' 'nonce-own'; worker-src 'self'; connect-src 'self'; img-src 'self' data: blob:; ` +
  `base-uri 'none'; form-action 'none'; require-trusted-types-for 'script'; ${more}`;

/** A page with the element that records all requests and all refusals of the policy. */
async function strict(csp) {
  const asked = [];
  const page = await host.page(
    `<zarr-view id="view" controls="all"></zarr-view><script type="module" nonce="own">import "zarr-wasm/view"; window.imported = true;</script>`,
    {
      headers: { "Content-Security-Policy": csp },
      nonce: "own",
      before: async (page) => {
        await page.context().route(
          (url) => !url.href.startsWith(host.url) && !/^(data|blob):$/.test(url.protocol),
          (route) => {
            asked.push(route.request().url());
            return route.abort();
          },
        );
        await page.addInitScript(() => {
          window.refused = [];
          addEventListener("securitypolicyviolation", ({ effectiveDirective, blockedURI }) =>
            window.refused.push(`${effectiveDirective} ${blockedURI}`),
          );
        });
      },
    },
  );
  const show = async (attributes) => {
    await page.evaluate(
      ([src, attributes]) => {
        const view = document.createElement("zarr-view");
        view.setAttribute("src", src);
        view.setAttribute("controls", "all");
        for (const [name, value] of Object.entries(attributes)) view.setAttribute(name, value);
        window.failed = false;
        view.addEventListener("error", () => {
          window.failed = true;
        });
        document.querySelector("zarr-view").replaceWith(view);
        window.view = view;
      },
      [`${host.url}build/hostile/hostile.zarr`, attributes],
    );
    return page
      .waitForFunction(() => window.view.shown || window.failed)
      .then(() => page.evaluate(() => Boolean(window.view.shown)));
  };
  const found = () =>
    page.evaluate(() => ({
      // A probe finds out whether workers' addresses must be trusted.
      ran: globalThis.ran,
      refused: window.refused.filter((one) => one !== "require-trusted-types-for trusted-types-sink"),
      polluted: [{}.polluted, ...Object.keys(Object.prototype)].filter((one) => one !== undefined),
      markup: window.view.shadowRoot?.querySelectorAll(
        "iframe, object, embed, script, [onerror], [onload], [onmouseover]",
      ).length,
    }));
  return { page, asked, show, found };
}

const harmless = { ran: undefined, refused: [], polluted: [], markup: 0 };

test("hostile data in a page of strict policy: nothing is tried but to start workers", {
  timeout: 240_000,
}, async () => {
  const { page, asked, show, found } = await strict(policy("trusted-types zarr-wasm zarr-wasm/view zarr-wasm/xarray"));
  for (const node of ["/picture", "/image", "/plate", "/table", "/texts", "/frame", "/__proto__", "/long"]) {
    assert.equal(await show({ node }), true, node);
    assert.deepEqual(await found(), harmless, node);
  }
  for (const text of hostile.slice(0, 5).map((one) => one.replaceAll("\u0000", ""))) {
    await show({
      node: "/picture",
      colormap: text,
      member: text,
      axes: `${encodeURIComponent(text)},x`,
      labels: text,
      channels: text,
    });
    assert.deepEqual(await found(), harmless, text);
  }
  for (const attributes of [
    { index: "y:1" },
    { index: "__proto__:1,constructor:1" },
    { index: "y:1", axes: "toString,__proto__" },
    { index: "y:1", axes: ",constructor" },
  ]) {
    assert.equal(await show({ node: "/axes", ...attributes }), true, JSON.stringify(attributes));
    await page.locator("zarr-view").hover();
    await page.waitForFunction(() => !window.view.loading || window.failed);
    const words = await page.evaluate(() => {
      const { shadowRoot } = window.view;
      const inputs = [...shadowRoot.querySelectorAll("input")].map(({ value }) => value);
      return [shadowRoot.textContent, ...inputs].join(" ");
    });
    assert.equal(await page.evaluate(() => window.failed), false, words);
    assert.doesNotMatch(words, /NaN|native code|\[object/, JSON.stringify(attributes));
    assert.deepEqual(await found(), harmless, JSON.stringify(attributes));
  }
  assert.ok(page.workers().length > 0, "it is without workers");
  assert.deepEqual(asked, []);
  await page.context().close();
});

test("a page that forbids its policy shows the same, without workers", {
  timeout: 120_000,
}, async () => {
  const { page, asked, show, found } = await strict(policy("trusted-types 'none'"));
  assert.equal(await show({ node: "/picture" }), true);
  const { refused, ...more } = await found();
  assert.deepEqual({ ...more, refused: [] }, harmless);
  assert.deepEqual(
    [...new Set(refused)].filter((one) => !/^(require-)?trusted-types/.test(one)),
    [],
  );
  assert.equal(page.workers().length, 0);
  assert.deepEqual(asked, []);
  await page.context().close();
});

test("random hostile attributes on valid nodes are harmless, and the next good state is shown", {
  timeout: 600_000,
}, async () => {
  const many = Number(process.env.ROUNDS ?? rounds(40));
  const { page, asked, show, found } = await strict(policy("trusted-types zarr-wasm zarr-wasm/view zarr-wasm/xarray"));
  const attributes = await page.evaluate(() => customElements.get("zarr-view").observedAttributes);
  const own = attributes.filter((name) => !["src", "node", "sync"].includes(name));
  assert.ok(own.length > 10, `${own}`);
  const next = hostileStates(1, own);
  let shown = 0;
  for (let round = 0; round < many; round++) {
    const state = next();
    if (await show(state)) shown++;
    assert.deepEqual(await found(), harmless, `round ${round}: ${JSON.stringify(state).slice(0, 500)}`);
    if (round % 10 === 9) assert.equal(await show({ node: "/picture" }), true, `after round ${round}`);
  }
  assert.ok(shown > many / 5, `${shown} of ${many} states were shown`);
  assert.deepEqual(asked, []);
  await page.context().close();
});
