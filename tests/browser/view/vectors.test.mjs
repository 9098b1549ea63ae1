// A person draws arrows of two components over a variable.
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { screenshots, viewing } from "../../lib/viewpage.mjs";

let host;
before(async () => {
  host = await viewing({ webgl: false });
});
after(() => host?.close());

/** A store in memory with t, u10 and v10 on a grid of longitudes and latitudes, at two times. */
const dataset = `
  const text = (value) => new TextEncoder().encode(JSON.stringify(value));
  const store = new Map([["/zarr.json", text({ zarr_format: 3, node_type: "group", attributes: {} })]]);
  const array = (name, names, data, attributes) => {
    const shape = names.map((one) => ({ time: 2, lat: 19, lon: 36 })[one]);
    store.set("/" + name + "/zarr.json", text({
      zarr_format: 3, node_type: "array", shape, data_type: data.constructor.name.replace("Array", "").toLowerCase(),
      fill_value: 0, chunk_grid: { name: "regular", configuration: { chunk_shape: shape } }, attributes,
      chunk_key_encoding: { name: "default" }, dimension_names: names,
      codecs: [{ name: "bytes", configuration: { endian: "little" } }],
    }));
    store.set(["/" + name, "c", ...names.map(() => 0)].join("/"), new Uint8Array(data.buffer));
  };
  array("lat", ["lat"], Float64Array.from({ length: 19 }, (_, i) => 90 - 10 * i), { units: "degrees_north" });
  array("lon", ["lon"], Float64Array.from({ length: 36 }, (_, i) => 10 * i - 180), { units: "degrees_east" });
  const cells = (of) => Float32Array.from({ length: 2 * 19 * 36 }, (_, i) =>
    of(Math.floor(i / 684), Math.floor((i % 684) / 36), i % 36));
  const names = ["time", "lat", "lon"];
  array("t", names, cells((t, y, x) => 280 + y), { units: "K" });
  const wind = (direction) => ({ units: "m s-1", standard_name: direction + "ward_wind" });
  array("u10", names, cells((t, y, x) => t === 0 ? 8 * Math.cos((y - 9) / 4) : 0), wind("east"));
  array("v10", names, cells((t, y, x) => t === 0 ? 3 * Math.sin(x / 5) : -6), wind("north"));
`;

async function shown(attributes = "", recorded = false) {
  const page = await host.page(
    `<style>body { margin: 0 } zarr-view { height: 100vh }</style>
    <zarr-view controls="all" node="/t" ${attributes}></zarr-view><script type="module">
    import "zarr-wasm/view";
    ${dataset}
    window.view = document.querySelector("zarr-view");
    window.read = [];
    // The panel lists the members of a map. Other stores are not listed.
    view.source = ${recorded} ? { get: async (key) => { read.push(key); return store.get(key); } } : store;
  </script>`,
    { width: 1100, height: 760 },
  );
  await page.settled();
  return page;
}

/** The numbers of dark pixels, which arrows have, on the sheet over the picture. */
const dark = (page) =>
  page.evaluate(() => {
    const sheet = view.shadowRoot.querySelector("canvas.over");
    const { data } = sheet.getContext("2d").getImageData(0, 0, sheet.width, sheet.height);
    let count = 0;
    for (let i = 0; i < data.length; i += 4) if (data[i] + data[i + 1] + data[i + 2] < 90 && data[i + 3] > 200) count++;
    return count;
  });

test("arrows of a pair that CF names are chosen, follow the time, and are in the link and on the globe", async () => {
  const page = await shown();
  const before = await dark(page);
  await page.getByRole("button", { name: "Arrows", exact: true }).click();
  const select = page.getByRole("combobox", { name: "Components of the arrows" });
  await select.selectOption({ label: "u10, v10" });
  await page.settled();
  assert.deepEqual(await page.evaluate(() => view.arrows), ["/u10", "/v10"]);
  assert.equal(await page.evaluate(() => view.getAttribute("arrows")), "/u10,/v10");
  const first = await dark(page);
  assert.ok(first > before + 500, `${before} and ${first} dark pixels`);
  await page.keyboard.press("Escape");
  await page.screenshot({ path: `${screenshots}/vectors-grid.png` });
  await page.getByRole("slider", { name: "time", exact: true }).press("ArrowRight");
  await page.settled();
  assert.notEqual(await dark(page), first);
  await page.getByRole("combobox", { name: "Projection" }).selectOption({ label: "Globe" });
  await page.settled();
  await page.screenshot({ path: `${screenshots}/vectors-globe.png` });
  await page.getByRole("button", { name: "Arrows", exact: true }).click();
  await select.selectOption("");
  await page.settled();
  assert.equal(await page.evaluate(() => view.arrows), undefined);
  assert.deepEqual(page.wrong, []);
  await page.context().close();
});

test("arrows of a link that are none are a named error, and the picture stays", async () => {
  const page = await shown(`arrows="/u10,/lat"`);
  await page.getByRole("alert").filter({ hasText: "/lat has no axis lon" }).waitFor();
  await page.evaluate(() => {
    view.arrows = ["/u10", "/v10"];
  });
  await page.settled();
  assert.ok((await dark(page)) > 500);
  await page.context().close();
});

test("arrows below a volume are not requested, and those of the slice are", async () => {
  const page = await shown(`arrows="/u10,/v10" volume="maximum"`, true);
  const winds = () => page.evaluate(() => read.filter((key) => /^.[uv]10.c/.test(key)).length);
  await page.getByRole("application").first().waitFor();
  assert.equal(await winds(), 0);
  await page.evaluate(() => view.removeAttribute("volume"));
  await page.settled();
  assert.equal(await winds(), 2);
  assert.ok((await dark(page)) > 500);
  assert.deepEqual(page.wrong, []);
  await page.context().close();
});
