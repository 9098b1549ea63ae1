// The element <zarr-view> as a page's author uses it, and as a person does.
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { screenshots, viewing } from "../viewpage.mjs";

let host;
before(async () => {
  host = await viewing();
});
after(() => host?.close());

const climate = () => `${host.url}build/fixtures/xarray/climate_v3.zarr`;
const full = "<style>body{margin:0}zarr-view{height:100vh}</style>";

/** A page with elements; `told` has the events of all of them, `view` is the first. */
async function shown(html, options) {
  const page = await host.page(
    `${full}${html}<script type="module">
    window.told = [];
    for (const view of document.querySelectorAll("zarr-view"))
      for (const type of ["state", "pointer", "error", "loading", "ready"])
        view.addEventListener(type, ({ detail }) => told.push([type, detail?.error ? detail.error.name : detail]));
    window.view = document.querySelector("zarr-view");
    import "zarr-wasm/view";
  </script>`,
    options,
  );
  return Object.assign(page, {
    ready: () => page.waitForFunction(() => customElements.get("zarr-view") && view.shown && !view.loading),
    events: (type) => page.evaluate((type) => told.filter(([name]) => name === type).map(([, detail]) => detail), type),
  });
}

const picture = (page) => page.getByRole("application");

/** The colour of a point of the figure, in CSS pixels of the picture. */
const colourAt = (page, x, y) =>
  page.evaluate(
    ([x, y]) => {
      const figure = view.figure();
      const ratio = devicePixelRatio;
      return [...figure.getContext("2d").getImageData(x * ratio, y * ratio, 1, 1).data];
    },
    [x, y],
  );

test("importing the module defines the element", async () => {
  const page = await host.page(
    '<zarr-view></zarr-view><script type="module">import "zarr-wasm/view"; window.ready = true;</script>',
  );
  await page.waitForFunction(() => window.ready === true);
  assert.ok(await page.evaluate(() => customElements.get("zarr-view") !== undefined));
  assert.ok(await page.evaluate(() => document.createElement("canvas").getContext("webgl2") !== null), "WebGL2");
  assert.deepEqual(page.wrong, []);
});

test("a map with its axes, its sliders and its colour bar", async () => {
  const page = await shown(`<zarr-view src="${climate()}" node="/t2m"></zarr-view>`, { width: 1280, height: 800 });
  await page.ready();
  assert.equal(await page.evaluate(() => view.shown.field.name), "t2m");
  assert.ok(await picture(page).isVisible());
  assert.equal((await page.events("ready")).length > 0, true);
  await page.screenshot({ path: `${screenshots}/element-map.png` });

  const box = await picture(page).boundingBox();
  assert.ok((box.width * box.height) / (1280 * 800) > 0.55, "the picture gets the window");

  // What is under the pointer is the exact element.
  await page.mouse.move(box.x + box.width / 2, box.y + box.height / 2);
  const [detail] = (await page.events("pointer")).slice(-1);
  const exact = await page.evaluate(async ({ lat, lon }) => {
    const { open } = await import("zarr-wasm");
    const array = await open(view.src).then((group) => open(group.resolve("t2m")));
    return array.get([0, lat, lon]);
  }, detail.index);
  assert.equal(detail.value, exact);
  assert.equal(detail.index.time, 0);

  // A slider changes the index: an attribute, a property and an event.
  await page.getByRole("slider", { name: "time" }).fill("7");
  await page.ready();
  assert.equal(await page.evaluate(() => view.getAttribute("index")), "time:7");
  assert.deepEqual((await page.events("state")).at(-1).index, { time: 7 });
  assert.deepEqual(await page.evaluate(() => view.index), { time: 7 });
  assert.deepEqual(page.wrong, []);
});

test("wheel, keys, dragging and buttons move the camera, and 0 shows all again", async () => {
  const page = await shown(`<zarr-view src="${climate()}" node="/t2m"></zarr-view>`);
  await page.ready();
  const camera = () => page.evaluate(() => view.camera);
  const settled = (test) => page.waitForFunction(test);
  const surface = picture(page);
  const box = await surface.boundingBox();
  const [x, y] = [box.x + box.width / 2, box.y + box.height / 2];
  assert.equal(await camera(), undefined);
  await page.mouse.move(x, y);
  await page.mouse.wheel(0, -240);
  await settled(() => view.camera !== undefined);
  const near = await camera();
  await page.mouse.down();
  await page.mouse.move(x + 60, y + 20, { steps: 3 });
  await page.mouse.up();
  await page.waitForFunction((x) => view.camera.x !== x, near.x);
  const moved = await camera();
  assert.ok(moved.x < near.x, "dragging to the right shows what is further left");
  assert.equal(moved.zoom, near.zoom);
  await surface.focus();
  await page.keyboard.press("+");
  await page.waitForFunction((zoom) => view.camera.zoom > zoom * 1.4, moved.zoom);
  await page.keyboard.press("0");
  await settled(() => view.camera === undefined);
  await page.getByRole("button", { name: "Zoom in" }).click();
  await settled(() => view.camera !== undefined);
  await page.getByRole("button", { name: "Show all" }).click();
  await settled(() => view.camera === undefined);
  // The cursor of the keyboard is read out.
  await surface.focus();
  await page.keyboard.press("ArrowRight");
  await page.keyboard.press("ArrowRight");
  const [detail] = (await page.events("pointer")).slice(-1);
  assert.equal(detail.index.lon, 18);
  assert.match(await page.getByRole("status").first().textContent(), /lon 18|lon .*, /);
  assert.deepEqual(page.wrong, []);
});

test("an error has its name in the element, tells the page, and is tried again", async () => {
  const page = await shown(`<zarr-view src="${host.url}build/fixtures/nothing.zarr"></zarr-view>`);
  const alert = page.getByRole("alert");
  await alert.getByText("NotFoundError").waitFor();
  assert.deepEqual(await page.events("error"), ["NotFoundError"]);
  await page.screenshot({ path: `${screenshots}/element-error.png` });
  await page.evaluate((src) => view.setAttribute("src", src), climate());
  await page.evaluate(() => view.setAttribute("node", "/t2m"));
  await page.ready();
  assert.equal(await alert.count(), 0);
});

test("an element that is removed and added again shows what it showed, and ends what it had", async () => {
  const page = await shown(`<zarr-view src="${climate()}" node="/t2m" index="time:3"></zarr-view>`);
  await page.ready();
  const before = await colourAt(page, 500, 300);
  await page.evaluate(async () => {
    view.remove();
    await new Promise((resolve) => setTimeout(resolve));
  });
  assert.equal(await page.evaluate(() => view.shown), null);
  await page.evaluate(() => document.body.append(view));
  await page.ready();
  assert.deepEqual(await colourAt(page, 500, 300), before);
  // Moved in one task it keeps its picture.
  const kept = await page.evaluate(async () => {
    const { shown } = view;
    document.body.prepend(view);
    await new Promise((resolve) => setTimeout(resolve));
    return view.shown === shown;
  });
  assert.ok(kept);
  assert.deepEqual(page.wrong, []);
});

test("an opened node is shown with its store", async () => {
  const page = await shown("<zarr-view></zarr-view>");
  await page.evaluate(async (url) => {
    const { open, root } = await import("zarr-wasm");
    view.source = await open(root(url).resolve("t2m"));
  }, climate());
  await page.ready();
  assert.equal(await page.evaluate(() => view.shown.path), "/t2m");
  await page.evaluate(() => {
    view.node = "/lat";
  });
  await page.ready();
  assert.equal(await page.evaluate(() => view.shown.path), "/lat");
  assert.deepEqual(page.wrong, []);
});
