// Plates of many wells, and small pictures within a budget.
import assert from "node:assert/strict";
import { after, test } from "node:test";
import { fullRun } from "../../lib/rounds.mjs";
import { bundled, screenshots, viewing } from "../../lib/viewpage.mjs";

const [host, script] = await Promise.all([
  viewing({ webgl: fullRun }),
  bundled(
    "plate",
    `export { Plate } from "./view/plate/plate.js";
     export { thumbnail } from "./view/plate/thumbnail.js";
     export { css } from "./view/plate/styles.js";
     export { theme } from "./view/theme.js";`,
  ),
]);
after(() => host.close());

async function opened(setup, options) {
  const page = await host.page(
    `<style>html { color-scheme: light dark } #view { height: 420px }</style><div id="view"></div><script type="module">
import { open } from "zarr-wasm";
import { describe } from "zarr-wasm/describe";
import { Plate, thumbnail, css, theme } from "${host.url}${script}";
const fieldOf = async (path, signal) => (await describe(await open("${host.url}build/fixtures/" + path, { signal }), { signal })).field;
window.thumbnail = thumbnail;
window.fieldOf = fieldOf;
${setup}
window.ready = true;
</script>`,
    { width: 900, height: 460, ...options },
  );
  await page.waitForFunction(() => window.ready);
  return page;
}

const many = `
const root = document.querySelector("#view").attachShadow({ mode: "open" });
const sheet = new CSSStyleSheet();
sheet.replaceSync(theme + css + ":host { height: 420px }");
root.adoptedStyleSheets = [sheet];
const seen = (window.seen = { now: 0, most: 0, asked: new Set(), aborted: 0, opened: [] });
const field = await fieldOf("ome/plate_v04.zarr/A/1/0");
const rows = [..."ABCDEFGHIJKLMNOP"], columns = Array.from({ length: 24 }, (_, i) => String(i + 1));
const wells = rows.flatMap((name, row) => columns.map((c, column) => ({ row, column, path: "/" + name + "/" + c })))
  .filter(({ row, column }) => (row + column) % 5 !== 0);
const plate = (window.plate = new Plate(root, {
  thumbnail,
  opened: (path) => seen.opened.push(path),
  async image(path, signal) {
    seen.asked.add(path);
    seen.most = Math.max(seen.most, ++seen.now);
    signal.addEventListener("abort", () => seen.aborted++, { once: true });
    try {
      await new Promise((then, reject) => {
        const timer = setTimeout(then, window.late ?? 10);
        signal.addEventListener("abort", () => { clearTimeout(timer); reject(signal.reason); }, { once: true });
      });
      if (path === "/A/3/0") throw new Error("the server answered 500");
      return path === "/A/4/0" ? null : field;
    } finally {
      seen.now--;
    }
  },
}));
plate.show({ kind: "plate", title: { value: "assay 7" }, rows, columns, wells, images: async (path) => [path + "/0"] });`;

test("visible wells of a large plate are read, four at a time, and hidden ones are aborted", async () => {
  const page = await opened(many);
  await page.waitForFunction(
    () => document.querySelector("#view").shadowRoot.querySelectorAll("[data-state=drawn]").length > 20,
  );
  await page.waitForFunction(() => window.seen.now === 0);
  const first = await page.evaluate(() => ({ ...window.seen, asked: window.seen.asked.size }));
  assert.ok(first.most <= 4, `${first.most} at once`);
  assert.ok(first.asked < 80, `${first.asked} of 307 wells were asked for`);
  for (const state of ["failed", "none"]) {
    await page.waitForFunction(
      (state) => document.querySelector("#view").shadowRoot.querySelectorAll(`[data-state=${state}]`).length === 1,
      state,
    );
  }
  await page.screenshot({ path: `${screenshots}/plate-many-light.png` });
  await page.evaluate(() => {
    window.late = 60_000;
    document.querySelector("#view").shadowRoot.querySelector(".plate").scrollTo(900, 900);
  });
  await page.waitForFunction(() => window.seen.now === 4);
  await page.evaluate(() => {
    window.late = 5;
    document.querySelector("#view").shadowRoot.querySelector(".plate").scrollTo(0, 0);
  });
  await page.waitForFunction(() => window.seen.aborted >= 4 && window.seen.now === 0);
  // An aborted read starts again when its field becomes visible.
  await page.evaluate(() => {
    window.seen.asked.clear();
    document.querySelector("#view").shadowRoot.querySelector(".plate").scrollTo(900, 900);
  });
  await page.waitForFunction(() => window.seen.asked.size > 0);
  await page.getByRole("button", { name: "Well P24" }).scrollIntoViewIfNeeded();
  await page.waitForFunction(
    () => document.querySelector("#view").shadowRoot.querySelector("[aria-label='Well P24']").dataset.state === "drawn",
  );
  await page.end();
});

test("wells are reached by one tab stop and arrow keys, past places without a well, and opened by Enter", async () => {
  const page = await opened(many);
  const focused = () =>
    page.evaluate(() => document.querySelector("#view").shadowRoot.activeElement?.getAttribute("aria-label"));
  await page.keyboard.press("Tab");
  // The scrolling area may receive the focus first.
  if ((await focused()) === null) await page.keyboard.press("Tab");
  assert.equal(await focused(), "Well A2");
  const keys = [
    ["ArrowRight", "Well A3"],
    ["ArrowRight", "Well A4"],
    ["ArrowRight", "Well A5"],
    ["ArrowRight", "Well A7"],
    ["ArrowDown", "Well B7"],
    ["Home", "Well B1"],
    ["End", "Well B24"],
    ["ArrowRight", "Well B24"],
    ["ArrowUp", "Well A24"],
    ["ArrowLeft", "Well A23"],
  ];
  for (const [key, name] of keys) {
    await page.keyboard.press(key);
    assert.equal(await focused(), name, key);
  }
  await page.keyboard.press("Enter");
  await page.waitForFunction(() => window.seen.opened.length === 1);
  assert.deepEqual(await page.evaluate(() => window.seen.opened), ["/A/23/0"]);
  await page.end();
});

test("a small picture is within its budget, or there is none", async () => {
  const page = await opened("");
  const of = (path, options = {}) =>
    page.evaluate(
      async ([path, options]) => {
        const canvas = document.createElement("canvas");
        const found = await window.thumbnail(await window.fieldOf(path), canvas, options);
        const colours = new Set();
        const { data } = canvas.getContext("2d").getImageData(0, 0, canvas.width, canvas.height);
        for (let i = 0; i < data.length; i += 4) colours.add(data.slice(i, i + 4).join());
        return { found, width: canvas.width, height: canvas.height, colours: colours.size };
      },
      [path, options],
    );
  const before = [];
  page.on("request", (request) => before.push(request.url()));
  const map = await of("xarray/climate_v3.zarr/t2m");
  assert.deepEqual([map.width, map.height], [128, 68]);
  assert.ok(map.colours > 20 && map.found.range[0] < map.found.range[1], JSON.stringify(map));
  const image = await of("ome/image_v05.zarr");
  assert.ok(image.found !== null && image.colours > 20, JSON.stringify(image));
  before.length = 0;
  const none = await of("xarray/climate_v3.zarr/t2m", { chunks: 0 });
  assert.equal(none.found, null);
  assert.deepEqual(
    before.filter((url) => /\/c\//.test(url) && /t2m/.test(url)),
    [],
    "nothing of it is read",
  );
  assert.equal((await of("v3/dtype.zarr/string_2d")).found, null);
  assert.equal((await of("xarray/climate_v3.zarr/time")).found, null);
  const reason = await page.evaluate(async () => {
    const signal = AbortSignal.abort(new Error("no more"));
    return window
      .thumbnail(await window.fieldOf("ome/image_v05.zarr"), document.createElement("canvas"), { signal })
      .catch((e) => e.message);
  });
  assert.equal(reason, "no more");
  await page.end();
});
