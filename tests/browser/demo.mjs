// Opens the viewer in Chromium as a person would. Screenshots go to build/screenshots.
//
//   node --test tests/browser/demo.mjs
import assert from "node:assert/strict";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after } from "node:test";
import * as zarr from "../../dist/node.js";
import { arrayV3 } from "../lib/documents.mjs";
import { serve, top } from "../lib/serve.mjs";
import {
  accessible,
  alertText,
  heading,
  screenshots,
  settled,
  treeItem,
  typeUrl,
  until,
  viewer,
  working,
} from "./viewerpage.mjs";

const it = viewer();
const { onPage, fault, openUrl } = it;
let told = 0; // errors with their own screenshots

after(() => zarr.terminate());

async function openSample(page) {
  await page.goto(it.site.url);
  assert.equal(await settled(page), "ready");
}

const CLIMATE = "./sample/climate.zarr";

/** The number of colours in the figure. */
function coloursOf(page) {
  return page.locator("zarr-view").evaluate((view) => {
    const canvas = view.figure();
    const { data } = canvas.getContext("2d").getImageData(0, 0, canvas.width, canvas.height);
    return new Set(new Uint32Array(data.buffer)).size;
  });
}

/** A short hash of the figure, to detect changes. */
function pictureHash(page) {
  return page.locator("zarr-view").evaluate((view) => {
    const canvas = view.figure();
    const { data } = canvas.getContext("2d").getImageData(0, 0, canvas.width, canvas.height);
    let hash = 0;
    for (const byte of data) hash = (Math.imul(hash, 31) + byte) | 0;
    return hash;
  });
}

const viewState = (page) => page.locator("zarr-view").evaluate((view) => view.state);

// ---- the sample ---------------------------------------------------------------------

onPage("sample is shown without a click", async (page) => {
  await openSample(page);
  assert.ok(await page.getByRole("application").isVisible());
  assert.ok((await coloursOf(page)) > 100, "a picture of few colours");
  assert.ok(await page.getByRole("alert").isHidden());
  await page.locator("#traffic", { hasText: /^\d+ requests, [\d.]+ [KMG]?i?B$/ }).waitFor();
  await accessible(page, "sample");
});

onPage(
  "sample in the dark",
  async (page) => {
    await openSample(page);
    await accessible(page, "sample, dark");
  },
  { colorScheme: "dark" },
);

onPage(
  "sample on a narrow screen",
  async (page) => {
    await openSample(page);
    assert.ok(await page.evaluate(() => document.documentElement.scrollWidth <= window.innerWidth));
    await page.getByRole("button", { name: "Contents" }).click();
    await page.getByRole("tree").waitFor();
    await page.keyboard.press("Escape");
    await page.getByRole("tree").waitFor({ state: "hidden" });
  },
  { viewport: { width: 390, height: 800 } },
);

onPage("a second visit asks for nothing that cannot have changed", async (page) => {
  const server = await serve("build/demo", "-faults");
  const own = async () =>
    (await (await fetch(`${server.url}-/faults`)).json()).requests
      .map(({ path }) => path)
      .filter((path) => !path.startsWith("/sample/") && path !== "/favicon.ico");
  try {
    await page.goto(server.url);
    assert.equal(await settled(page), "ready");
    const asked = await own();
    for (const name of [/\/main\.\w+\.js/, /\/style\.\w+\.css/, /\/worker\.\w+\.js/, /\/zarr\.\w+\.wasm/]) {
      assert.equal(asked.filter((path) => name.test(path)).length, 1, `${name} in ${asked}`);
    }
    await fetch(`${server.url}-/faults`, { method: "PUT" });
    await page.goto("about:blank");
    await page.goto(server.url);
    assert.equal(await settled(page), "ready");
    assert.deepEqual(await own(), ["/"]);
  } finally {
    server.close();
  }
});

onPage("tree leads to every array", async (page) => {
  await page.goto(`${it.site.url}#url=${CLIMATE}`);
  assert.equal(await settled(page), "ready");
  for (const name of ["rain", "lat", "station", "t2m"]) {
    assert.equal(await working(page, () => treeItem(page, `/${name}`).click()), "ready");
    assert.equal(await heading(page), `/${name}`);
    assert.equal(await treeItem(page, `/${name}`).getAttribute("aria-selected"), "true");
  }
});

onPage("tree is walked by keyboard", async (page) => {
  await page.goto(`${it.site.url}#url=${CLIMATE}`);
  assert.equal(await settled(page), "ready");
  await working(page, () => treeItem(page, "/rain").click());
  await page.keyboard.press("Home");
  await page.keyboard.press("ArrowDown");
  assert.equal(await working(page, () => page.keyboard.press("Enter")), "ready");
  assert.equal(await heading(page), "/crs");
});

onPage("metadata, attributes and facts are shown", async (page) => {
  await page.goto(`${it.site.url}?url=${CLIMATE}&node=/t2m`);
  assert.equal(await settled(page), "ready");
  await page.getByRole("button", { name: "Details" }).click();
  const text = await page.locator("#metadata").innerText();
  for (const word of ["31 × 19 × 36", "int16", "time, lat, lon", "blosc", "2 m temperature", "scale_factor"])
    assert.ok(text.includes(word), `no ${word} in: ${text}`);
  assert.match(await page.getByTestId("understood").innerText(), /lat by lon\s+(stated|guessed)/);
  await accessible(page, "details");
});

onPage("a step of a slider is in the link, which brings back the same picture", async (page) => {
  await page.goto(`${it.site.url}#url=${CLIMATE}&node=/t2m&range=260,310`);
  assert.equal(await settled(page), "ready");
  const before = await pictureHash(page);
  await page.getByRole("slider", { name: "time" }).focus();
  // One by one: the drawing of one step must not count for the next.
  for (let i = 1; i <= 3; i++) assert.equal(await working(page, () => page.keyboard.press("ArrowRight")), "ready");
  await page.waitForURL(/index=time:3/);
  const there = await pictureHash(page);
  assert.notEqual(there, before);
  const link = page.url();
  await page.goto("about:blank");
  await page.goto(link);
  assert.equal(await settled(page), "ready");
  assert.equal(await pictureHash(page), there);
});

onPage("links of earlier versions show the same view", async (page) => {
  await page.goto(`${it.site.url}?url=${CLIMATE}&node=/t2m&i=7,0,0&axes=2,1&cmap=magma`);
  assert.equal(await settled(page), "ready");
  const { index, axes, colormap } = await viewState(page);
  assert.deepEqual([index.time, axes, colormap], [7, ["lon", "lat"], "magma"]);
});

onPage("samples are two clicks away", async (page) => {
  await openSample(page);
  for (const [name, role] of [
    ["Microscopy", "application"],
    ["Table", "grid"],
  ]) {
    await page.getByRole("button", { name: "More" }).click();
    assert.equal(await working(page, () => page.getByRole("button", { name }).click()), "ready");
    assert.ok(role !== "application" || (await page.getByRole(role).isVisible()), name);
    await page.screenshot({ path: `${screenshots}/sample-${name}.png` });
  }
});

onPage("a dataset has a page: dimensions, coordinates with their extent, variables", async (page) => {
  await openSample(page);
  assert.equal(await working(page, () => treeItem(page, "/").click()), "ready");
  const coordinates = page.getByRole("region", { name: "Coordinates", exact: true });
  await coordinates.getByRole("row", { name: /time .*2024-01-01 2024-/ }).waitFor();
  await coordinates.getByRole("row", { name: /lat .*°|lat .*90/ }).waitFor();
  const row = page.getByRole("row", { name: /t2m.*2 metre temperature.*time 24 × lat 144 × lon 288/ });
  await row.waitFor();
  await until(page, "a small picture of each variable", () => {
    const all = [...document.querySelectorAll(".thumb canvas")];
    return all.length === 4 && all.every((canvas) => canvas.width > 30);
  });
  await accessible(page, "dataset");
  assert.equal(await working(page, () => row.getByRole("button", { name: "t2m" }).click()), "ready");
  assert.equal(await heading(page), "/t2m");
});

onPage("a group of groups lists its members", async (page) => {
  assert.equal(await openUrl(page, "v3/layout.zarr", "&node=/"), "ready");
  assert.ok((await page.getByText(/does not list this group|Members/).count()) > 0);
});

onPage("plates and images are shown without a click", async (page) => {
  assert.equal(await openUrl(page, "ome/image_v05.zarr"), "ready");
  assert.equal(await heading(page), "image_v05.zarr");
  assert.ok(await page.getByRole("application").isVisible());
});

onPage("embedded there is only the view", async (page) => {
  await page.goto(`${it.site.url}#url=${CLIMATE}&node=/t2m&embed`);
  assert.equal(await settled(page), "ready");
  const { width, height } = await page.locator("zarr-view").boundingBox();
  assert.deepEqual([width, height], [1280, 800]);
  assert.ok(await page.getByRole("tree").isHidden());
  assert.match(page.url(), /embed/);
});

// ---- data of another origin ---------------------------------------------------------

onPage("hierarchy of another origin opens by url", async (page) => {
  assert.equal(await openUrl(page, "ome/image_v05.zarr"), "ready");
  assert.ok((await coloursOf(page)) > 10);
  assert.equal(await openUrl(page, "v2/layout.zarr"), "ready");
});

onPage("address typed into the box opens", async (page) => {
  await openSample(page);
  assert.equal(await typeUrl(page, `${it.data.url}ome/image_v04.zarr/1`), "ready");
  assert.equal(await heading(page), "/1");
  await page.waitForURL(/image_v04/);
});

onPage("a grid of more chunks than can be listed opens as any other", async (page) => {
  const folder = mkdtempSync(join(tmpdir(), "zarr-"));
  const huge = await serve(folder);
  try {
    const meta = arrayV3([1e8, 64], "uint8", {
      chunk_grid: { name: "rectilinear", configuration: { kind: "inline", chunk_shapes: [[[1, 1e8]], 64] } },
      fill_value: 7,
    });
    writeFileSync(join(folder, "zarr.json"), JSON.stringify(meta));
    const started = Date.now();
    assert.equal(await openUrl(page, huge.url), "ready");
    assert.ok(Date.now() - started < 60_000, `it took ${Date.now() - started} ms`);
    await page.getByRole("button", { name: "Details" }).click();
    assert.match(await page.getByTestId("metadata").innerText(), /Number of chunks\s+100\s000\s000/);
  } finally {
    huge.close();
    rmSync(folder, { recursive: true });
  }
});

// ---- what fails, in words -----------------------------------------------------------

/** The viewer explains the fault, and then opens good data without a reload. */
async function saysAndRecovers(page, ...words) {
  const text = await alertText(page);
  await page.screenshot({ path: `${screenshots}/error-${++told}.png` });
  for (const word of words) assert.match(text, word);
  assert.ok(!/undefined|\[object|NaN/.test(text), text);
  assert.equal(await typeUrl(page, `${it.data.url}xarray/climate_v3.zarr`), "ready");
  assert.ok(await page.getByRole("alert").isHidden());
  assert.ok((await coloursOf(page)) > 10);
}

onPage("a wrong address shows an error", async (page) => {
  await openSample(page);
  assert.equal(await typeUrl(page, "ftp://nowhere.example/x.zarr"), "error");
  await saysAndRecovers(page, /scheme "ftp": expected http or https/);
});

onPage("a missing hierarchy shows an error", async (page) => {
  assert.equal(await openUrl(page, "no/such.zarr"), "error");
  await saysAndRecovers(page, /Nothing found/, /zarr\.json/, /no\/such\.zarr/);
});

onPage("a failing server shows an error", async (page) => {
  await fault("v3/layout.zarr/zarr.json", { status: 500, body: "oh" });
  assert.equal(await openUrl(page, "v3/layout.zarr"), "error");
  await saysAndRecovers(page, /500/, /zarr\.json/);
});

onPage("a server without CORS shows an error", async (page) => {
  for (const key of ["zarr.json", ".zarray", ".zgroup", ".zattrs", ".zmetadata"]) {
    await fault(`v2/layout.zarr/${key}`, { noCORS: true });
  }
  assert.equal(await openUrl(page, "v2/layout.zarr"), "error");
  await saysAndRecovers(page, /CORS/);
});

onPage("an HTML page in place of data shows an error", async (page) => {
  await fault("*", { html: true });
  assert.equal(await openUrl(page, "v2/no.zarr"), "error");
  const text = await alertText(page);
  assert.match(text, /page|HTML/i);
  await it.mend();
  await saysAndRecovers(page);
});

onPage("truncated metadata shows an error", async (page) => {
  assert.equal(await openUrl(page, "corrupt/v3m_json_broken.zarr"), "error");
  await saysAndRecovers(page, /metadata/i, /zarr\.json/, /line 1/);
});

onPage("an unknown codec shows an error", async (page) => {
  assert.equal(await openUrl(page, "corrupt/v3m_codec_unknown.zarr"), "error");
  await saysAndRecovers(page, /codec/i, /no\.such\.codec/);
});

onPage("a corrupt chunk shows an error", async (page) => {
  assert.equal(await openUrl(page, "corrupt/v2_zlib_checksum.zarr"), "error");
  await saysAndRecovers(page, /chunk/i, /0\.1/, /checksum/);
});

onPage("zarr-full.wasm comes with the first array that needs it", async (page) => {
  let full = 0;
  // The context also sees workers' requests.
  page.context().on("request", (request) => {
    if (/\/zarr-full\.[^/]*wasm$/.test(request.url())) full++;
  });
  assert.equal(await openUrl(page, "v2/compressor.zarr/zlib_1"), "ready");
  assert.equal(full, 0);
  assert.equal(await openUrl(page, "v2/compressor.zarr/bz2_1"), "ready");
  assert.equal(full, 1);
});

onPage("retry reads again after a failure", async (page) => {
  await fault("xarray/climate_v3.zarr/zarr.json", { status: 404 });
  assert.equal(await openUrl(page, "xarray/climate_v3.zarr"), "error");
  await it.mend();
  await page.getByRole("button", { name: "Retry" }).click();
  await page.waitForFunction(() => document.body.dataset.state === "ready");
  assert.ok((await coloursOf(page)) > 10);
});

onPage("a refused access shows an error without terms of programming", async (page) => {
  await fault("*", { status: 403 });
  assert.equal(await openUrl(page, "v2/layout.zarr"), "error");
  assert.doesNotMatch(await alertText(page), /missingStatus|option/i);
  await it.mend();
  await saysAndRecovers(page, /403/, /S3/);
});

onPage("an error of the host leads to its check", async (page) => {
  for (const key of ["zarr.json", ".zarray", ".zgroup", ".zattrs", ".zmetadata"])
    await fault(`v2/layout.zarr/${key}`, { noCORS: true });
  assert.equal(await openUrl(page, "v2/layout.zarr"), "error");
  await accessible(page, "error");
  await page.getByRole("link", { name: "Check the host" }).click();
  await page.getByText("Pages cannot read from this host.").waitFor();
  assert.equal(await page.getByLabel("Address of a Zarr store").inputValue(), `${it.data.url}v2/layout.zarr`);
});

onPage("a host whose 404 has no CORS headers opens", async (page) => {
  for (const key of ["zarr.json", ".zarray"]) await fault(`v2/layout.zarr/${key}`, { noCORS: true });
  assert.equal(await openUrl(page, "v2/layout.zarr"), "ready");
});

onPage("cancelling keeps the picture", async (page) => {
  assert.equal(await openUrl(page, "xarray/climate_v3.zarr", "&node=/t2m&range=260,310"), "ready");
  const before = await pictureHash(page);
  await fault("xarray/climate_v3.zarr/t2m/c/2/0/0", { hang: true });
  await fault("xarray/climate_v3.zarr/t2m/c/2/0/1", { hang: true });
  await page.getByRole("slider", { name: "time" }).fill("25");
  await page.getByRole("button", { name: "Cancel" }).click();
  assert.equal(await settled(page), "ready");
  assert.ok(await page.getByRole("application").isVisible());
  assert.ok((await coloursOf(page)) > 10, "the picture is there");
  assert.ok(before);
  await it.mend();
  assert.equal(await working(page, () => page.getByRole("button", { name: "Retry" }).click()), "ready");
  assert.equal((await viewState(page)).index.time, 25);
});

onPage("a file that is dropped opens", async (page) => {
  await openSample(page);
  const bytes = readFileSync(`${top}build/fixtures/zip/v3_stored.zip`).toString("base64");
  await working(page, () =>
    page.evaluate((text) => {
      const data = new DataTransfer();
      data.items.add(new File([Uint8Array.from(atob(text), (c) => c.charCodeAt(0))], "dropped.zip"));
      document.body.dispatchEvent(new DragEvent("dragover", { bubbles: true, cancelable: true, dataTransfer: data }));
      document.body.dispatchEvent(new DragEvent("drop", { bubbles: true, cancelable: true, dataTransfer: data }));
    }, bytes),
  );
  await treeItem(page, "/a").waitFor();
  assert.equal(await page.getByLabel("Address of a Zarr store").inputValue(), "dropped.zip");
  // After a reload the link explains the failure.
  await page.reload();
  assert.equal(await settled(page), "error");
  assert.match(await alertText(page), /local folder or file/);
});

onPage("a plate is a grid of its wells", async (page) => {
  assert.equal(await openUrl(page, "ome/plate_v04.zarr"), "ready");
  assert.match(await page.locator("#node-summary").innerText(), /Plate/);
  await accessible(page, "plate");
});

onPage("a coordinate is a line", async (page) => {
  await page.goto(`${it.site.url}#url=${CLIMATE}&node=/lat`);
  assert.equal(await settled(page), "ready");
});

// ---- the page around the picture ----------------------------------------------------

onPage("back and forward step through the opened nodes", async (page) => {
  await page.goto(`${it.site.url}#url=${CLIMATE}`);
  assert.equal(await settled(page), "ready");
  assert.equal(await heading(page), "/t2m");
  for (const path of ["/rain", "/lat"]) {
    assert.equal(await working(page, () => treeItem(page, path).click()), "ready");
    assert.equal(await heading(page), path);
  }
  assert.equal(await typeUrl(page, `${it.data.url}v2/layout.zarr`), "ready");
  await working(page, () => page.goBack());
  assert.equal(await heading(page), "/lat");
  assert.match(await page.getByLabel("Address of a Zarr store").inputValue(), /climate/);
  await working(page, () => page.goBack());
  assert.equal(await heading(page), "/rain");
  await working(page, () => page.goForward());
  assert.equal(await heading(page), "/lat");
});

onPage("another variable of the grid is shown at the same place, and other grids are shown whole", async (page) => {
  const place = { time: 3, camera: "20,10,9.5", axes: "lon,lat" };
  const text = `index=time:${place.time}&camera=${place.camera}&axes=${place.axes}&colormap=magma&range=260,310`;
  await page.goto(`${it.site.url}#url=${CLIMATE}&node=/t2m&${text}`);
  assert.equal(await settled(page), "ready");
  const { index, camera, axes } = await viewState(page);
  assert.deepEqual([index.time, axes], [3, ["lon", "lat"]]);
  assert.equal(await working(page, () => treeItem(page, "/rain").click()), "ready");
  const there = await viewState(page);
  assert.deepEqual([there.index.time, there.camera, there.axes], [3, camera, axes]);
  // Colours belong to the variable.
  assert.deepEqual([there.colormap, there.range], [undefined, undefined]);
  const link = page.url();
  assert.equal(await working(page, () => treeItem(page, "/lat").click()), "ready");
  assert.deepEqual(await viewState(page), { node: "/lat" });
  await page.goto("about:blank");
  await page.goto(link);
  assert.equal(await settled(page), "ready");
  assert.deepEqual((await viewState(page)).camera, camera);
});

onPage("the hash holds the state, also for a link with a query", async (page) => {
  const url = `${it.data.url}v2/layout.zarr?signature=secret`;
  await page.goto(`${it.site.url}?url=${encodeURIComponent(url)}`);
  assert.equal(await settled(page), "ready");
  const at = new URL(page.url());
  assert.equal(at.search, "");
  assert.match(decodeURIComponent(at.hash), /signature=secret/);
});

onPage("a copied link has the current range", async (page) => {
  await page.goto(`${it.site.url}#url=${CLIMATE}&node=/t2m`);
  assert.equal(await settled(page), "ready");
  assert.ok(!new URL(page.url()).hash.includes("range="), "what was only opened is not written about");
  await page.getByRole("slider", { name: "time" }).fill("5");
  await until(page, "the range in the hash", () => /index=time:5.*range=/.test(decodeURIComponent(location.hash)));
  const hash = await pictureHash(page);
  await page.reload();
  assert.equal(await settled(page), "ready");
  assert.equal(await pictureHash(page), hash);
});

onPage("? shows the keys of the page and of the view, and the focus goes back", async (page) => {
  await openSample(page);
  const help = page.getByRole("dialog", { name: "Keyboard shortcuts" });
  const inView = page.getByRole("application");
  await inView.focus();
  await page.keyboard.press("?");
  await help.waitFor();
  const text = await help.textContent();
  assert.match(text, /go to the address box/);
  assert.match(text, /zoom in, zoom out, show all/);
  await accessible(page);
  await page.screenshot({ path: `${screenshots}/demo-help.png` });
  await page.keyboard.press("Escape");
  await help.waitFor({ state: "hidden" });
  assert.equal(
    await page.evaluate(() => document.activeElement.shadowRoot?.activeElement?.getAttribute("role")),
    "application",
  );
  const button = page.getByRole("button", { name: "Keyboard shortcuts" });
  await button.click();
  await help.getByRole("button", { name: "Close" }).click();
  await help.waitFor({ state: "hidden" });
  assert.equal(await page.evaluate(() => document.activeElement.id), "keys");
  // In a text field it is an ordinary character.
  await page.getByLabel("Address of a Zarr store").focus();
  await page.keyboard.press("?");
  assert.equal(await help.isVisible(), false);
});

onPage("search in the contents finds known nodes", async (page) => {
  await page.goto(`${it.site.url}#url=${CLIMATE}`);
  assert.equal(await settled(page), "ready");
  const box = page.getByRole("searchbox", { name: "Search the contents" });
  await box.fill("la");
  await treeItem(page, "/lat").waitFor();
  await treeItem(page, "/rain").waitFor({ state: "hidden" });
  assert.equal(await page.getByRole("treeitem").filter({ visible: true }).count(), 3, "the root, land and lat");
  await box.press("ArrowDown");
  assert.equal(await working(page, () => page.keyboard.press("Enter")), "ready");
  assert.equal(await heading(page), "/land");
  await box.fill("");
  await treeItem(page, "/rain").waitFor();
});

onPage("requests are listed with their purpose", async (page) => {
  await page.goto(it.link("xarray/climate_v3.zarr", "&node=/t2m"));
  assert.equal(await settled(page), "ready");
  await page.getByRole("button", { name: /^\d+ requests?, / }).click();
  const panel = page.getByRole("region", { name: "Requests", exact: true });
  await panel
    .getByRole("row", { name: /metadata of \/ .*zarr\.json.* 200 / })
    .first()
    .waitFor();
  await panel
    .getByRole("row", { name: /chunk of \/t2m .*\d+ ms/ })
    .first()
    .waitFor();
  await accessible(page, "requests");
  await panel.getByRole("button", { name: "Close" }).click();
  await panel.waitFor({ state: "hidden" });
});

onPage("addresses that were opened are offered again, until they are cleared", async (page) => {
  const url = `${it.data.url}v2/layout.zarr`;
  assert.equal(await openUrl(page, "v2/layout.zarr"), "ready");
  await openSample(page);
  await page.getByRole("button", { name: "More" }).click();
  await page.getByRole("button", { name: url }).waitFor();
  await accessible(page, "sources");
  assert.equal(await working(page, () => page.getByRole("button", { name: url }).click()), "ready");
  assert.equal(await page.getByLabel("Address of a Zarr store").inputValue(), url);
  await page.getByRole("button", { name: "More" }).click();
  await page.getByRole("button", { name: "Clear" }).click();
  await page.getByRole("button", { name: url }).waitFor({ state: "hidden" });
});

onPage("a picked zip archive and folder open, and offer no link", async (page) => {
  await openSample(page);
  const folder = mkdtempSync(join(tmpdir(), "zarr-"));
  try {
    await page.getByLabel("File", { exact: true }).setInputFiles(`${top}build/fixtures/zip/v3_stored.zip`);
    await until(page, "the archive", () => document.querySelector('[data-path="/a"]') !== null);
    assert.equal(await settled(page), "ready");
    await page.getByLabel("Folder", { exact: true }).setInputFiles(`${top}build/fixtures/xarray/climate_v3.zarr`);
    await until(page, "the folder", () => document.querySelector('[data-path="/t2m"]') !== null);
    assert.equal(await settled(page), "ready");
    assert.match(page.url(), /local:/);
  } finally {
    rmSync(folder, { recursive: true });
  }
});

onPage("containers open by their addresses", async (page) => {
  for (const [address, path] of [
    ["zip/v3_stored.zip", "/a"],
    ["ref/v1.json", "/a"],
  ]) {
    assert.equal(await openUrl(page, address), "ready", address);
    await treeItem(page, path).waitFor();
  }
});

onPage("the view has most of the window, and panels can be closed", async (page) => {
  await openSample(page);
  const share = async () => {
    const { width, height } = await page.locator("zarr-view").boundingBox();
    return (width * height) / (1280 * 800);
  };
  const before = await share();
  assert.ok(before > 0.55, `${before}`);
  await page.getByRole("button", { name: "Contents" }).click();
  await page.getByRole("tree").waitFor({ state: "hidden" });
  assert.ok((await share()) > before);
  await page.getByRole("button", { name: "Details" }).click();
  await page.getByRole("complementary", { name: "Details" }).waitFor();
  assert.ok(
    await page.evaluate(() => document.documentElement.scrollWidth <= window.innerWidth),
    "wider than the window",
  );
  await accessible(page, "picture");
});
