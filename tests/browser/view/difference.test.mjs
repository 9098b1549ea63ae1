// The difference of two variables or of two times in the element, as chosen by a person and as
// linked.
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { fullRun } from "../../lib/rounds.mjs";
import { screenshots, viewing } from "../../lib/viewpage.mjs";

let host;
before(async () => {
  host = await viewing({ webgl: fullRun });
});
after(() => host?.close());

const full = "<style>html{color-scheme:light dark}body{margin:0}zarr-view{height:100vh}</style>";

async function shown(attributes) {
  const page = await host.page(`${full}<zarr-view src="${host.url}build/samples/earth.zarr" ${attributes}></zarr-view>
    <script type="module">
      window.told = [];
      window.view = document.querySelector("zarr-view");
      for (const type of ["state", "pointer", "error"])
        view.addEventListener(type, ({ detail }) => told.push([type, detail?.error ? detail.error.name : detail]));
      import "zarr-wasm/view";
    </script>`);
  return Object.assign(page, {
    last: (type) => page.evaluate((type) => told.filter(([name]) => name === type).at(-1)?.[1], type),
    /** The value of a node at indices, unpacked here: NaN where it is missing. */
    decoded: (path, index) =>
      page.evaluate(
        async ([path, index]) => {
          const { open } = await import("zarr-wasm");
          const array = await open(view.src + path);
          const { _FillValue, scale_factor = 1, add_offset = 0 } = array.attrs;
          const stored = await array.get(array.dimensionNames.map((name) => index[name]));
          return stored === _FillValue ? Number.NaN : stored * scale_factor + add_offset;
        },
        [path, index],
      ),
  });
}

test("the difference of two times can be chosen and removed, and is in the state", async () => {
  const page = await shown('node="/t2m" index="time:5"');
  await page.settled();
  await page.getByRole("button", { name: "Compare" }).click();
  const choice = page.getByRole("dialog", { name: "Compare with" });
  const subtract = choice.getByRole("button", { name: "Subtract" });
  await subtract.waitFor();
  assert.equal(await subtract.isDisabled(), true, "nothing is chosen yet");
  await choice.getByLabel("Index of time", { exact: true }).fill("0");
  await choice.getByLabel("Index of time", { exact: true }).press("Enter");
  await page.screenshot({ path: `${screenshots}/element-difference-choice.png` });
  await subtract.click();
  await page.waitForFunction(() => view.getAttribute("minus") === "time:0");
  await page.settled();
  assert.deepEqual((await page.last("state")).minus, { index: { time: 0 } });
  await page.screenshot({ path: `${screenshots}/element-difference.png` });

  // The range is symmetrical about 0, with a diverging map.
  const bar = await page.evaluate(() =>
    [...view.shadowRoot.querySelectorAll(".legend [role=slider]")].map((handle) => Number(handle.ariaValueNow)),
  );
  const [low, high] = bar;
  assert.ok(high > 0 && low === -high, `the ends are ${bar}`);
  const field = await page.evaluate(() => ({
    ...view.shown.field,
    title: view.shown.field.title.value,
    levels: 0,
    axes: 0,
  }));
  assert.match(field.title, /− that at time 2024-01-01/);

  const detail = await page.pointed(0.5, 0.4);
  const { lat, lon } = detail.index;
  const [a, b] = [await page.decoded("/t2m", { time: 5, lat, lon }), await page.decoded("/t2m", { time: 0, lat, lon })];
  assert.ok(Math.abs(detail.value - (a - b)) < 1e-9, `${detail.value} is not ${a} - ${b}`);

  // The picture steps, and the subtracted array stays.
  await page.evaluate(() => view.setAttribute("index", "time:0"));
  await page.settled();
  const zero = await page.pointed(0.5, 0.42);
  assert.equal(zero.value, 0);

  await page.getByRole("button", { name: "Compare" }).click();
  await choice.getByRole("button", { name: "Nothing" }).click();
  await page.waitForFunction(() => !view.hasAttribute("minus"));
  await page.settled();
  assert.equal(await page.evaluate(() => view.shown.field.title.value.includes("−")), false);
  assert.deepEqual(page.wrong, []);
  await page.context().close();
});

test("the difference of two variables is missing where either is, and a link shows it", async () => {
  const page = await shown('node="/t2m" minus="/sst" index="time:3" controls="all"');
  await page.settled();
  await page.screenshot({ path: `${screenshots}/element-difference-variables.png` });
  const found = { missing: 0, known: 0 };
  for (const [x, y] of [
    [0.2, 0.5],
    [0.35, 0.35],
    [0.5, 0.5],
    [0.6, 0.3],
    [0.75, 0.3],
    [0.85, 0.6],
    [0.3, 0.65],
  ]) {
    const { index, value, text } = await page.pointed(x, y);
    const [t2m, sst] = [await page.decoded("/t2m", index), await page.decoded("/sst", index)];
    if (Number.isNaN(t2m) || Number.isNaN(sst)) {
      found.missing++;
      assert.equal(text, "missing");
      assert.ok(Number.isNaN(value));
    } else {
      found.known++;
      assert.ok(Math.abs(value - (t2m - sst)) < 1e-5, `${value} is not ${t2m} - ${sst}`);
    }
  }
  assert.ok(found.missing > 0 && found.known > 0, JSON.stringify(found));
  // A program would read neither of the two.
  await page.getByRole("button", { name: "Take away" }).click();
  assert.ok(await page.getByRole("menuitem", { name: "Code for this slice" }).isDisabled());
  assert.deepEqual(page.wrong, []);
  await page.context().close();
});

test("an invalid subtraction is a named error, and the element works afterwards", async () => {
  const page = await shown('node="/t2m" minus="/rain"');
  await page.waitForFunction(() => told.some(([type]) => type === "error"));
  assert.equal(await page.last("error"), "UnsupportedError");
  await page.evaluate(() => view.setAttribute("minus", "/nothing"));
  await page.waitForFunction(() => told.filter(([type]) => type === "error").length > 1);
  assert.equal(await page.last("error"), "NotFoundError");
  await page.evaluate(() => view.setAttribute("minus", "time:1"));
  await page.settled();
  assert.equal((await page.pointed(0.5, 0.4)).index.time, 0);
  await page.context().close();
});
