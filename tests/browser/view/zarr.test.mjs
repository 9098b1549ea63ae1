// A person takes a part of the picture away as Zarr: the archive has numpy's elements.
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { createHash } from "node:crypto";
import { copyFileSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, test } from "node:test";
import { top } from "../../lib/serve.mjs";
import { screenshots, viewing } from "../../lib/viewpage.mjs";

const host = await viewing({ webgl: false });
const folder = mkdtempSync(join(tmpdir(), "zarr-"));
after(() => {
  rmSync(folder, { recursive: true });
  return host.close();
});

async function shown(attributes, options = { width: 1100, height: 760 }) {
  const page = await host.element(`controls="all" ${attributes}`, options);
  await page.settled();
  return page;
}

/** Opens the dialog from the menu. */
async function asked(page) {
  await page.getByRole("button", { name: "Take away" }).click();
  await page.getByRole("menuitem", { name: "Zarr in a zip archive…" }).click();
  return page.getByRole("dialog", { name: "Take away as Zarr" });
}

/** Presses the dialog's button, and returns the path of the saved archive. */
async function saved(page, dialog) {
  const [download] = await Promise.all([
    page.waitForEvent("download"),
    dialog.getByRole("button", { name: "Make the file" }).click(),
  ]);
  assert.match(download.suggestedFilename(), /\.zarr\.zip$/);
  // The command detects archives by their names.
  const path = join(folder, `${Math.random()}.zarr.zip`);
  copyFileSync(await download.path(), path);
  return path;
}

/** The elements of an array of an archive, by the command `zarr`. */
const cat = (path, node) =>
  JSON.parse(execFileSync(join(top, "build/zarr"), ["cat", path, node, "--as", "json"], { encoding: "utf8" }));

const flat = (list) => list.flat(Number.POSITIVE_INFINITY);

const { cases } = JSON.parse(readFileSync(join(top, "build/fixtures/manifest.json"), "utf8"));

/** The elements that numpy has of an array of a fixture, checked by the manifest's hash. */
function numpy(name, Of) {
  const fixture = join(top, "build/fixtures/xarray/climate_v3.zarr");
  const bytes = execFileSync(join(top, "build/zarr"), ["cat", fixture, name, "--as", "raw"]);
  const { expected } = cases.find(({ id }) => id === `xarray.climate_v3.${name}`);
  assert.equal(createHash("sha256").update(bytes).digest("hex"), expected.sha256);
  return new Of(new Uint8Array(bytes).buffer);
}

test("the part in view with all its times is saved with numpy's elements and its coordinates", async () => {
  const page = await shown(
    `src="${host.url}build/fixtures/xarray/climate_v3.zarr" node="/t2m" index="time:4" camera="10,9,90"`,
  );
  const dialog = await asked(page);
  const ends = async (name) => {
    const read = (end) => dialog.getByRole("textbox", { name: `${end} index of ${name}` }).inputValue();
    return [Number(await read("First")), Number(await read("Last")) + 1];
  };
  assert.deepEqual(await ends("time"), [4, 5]);
  await dialog.getByText("2000-01-05").first().waitFor();
  const [lat, lon] = [await ends("lat"), await ends("lon")];
  assert.ok(lon[0] > 0 && lon[1] < 36, `${lon} is a part`);
  await page.screenshot({ path: `${screenshots}/zarr-dialog.png` });
  const one = await saved(page, dialog);
  await dialog.waitFor({ state: "detached" });

  const again = await asked(page);
  await again.getByRole("button", { name: "All of time" }).click();
  await again.getByText(/^31 × /).waitFor();
  const all = await saved(page, again);

  const t2m = numpy("t2m", Int16Array);
  const [lats, lons] = [numpy("lat", Float64Array), numpy("lon", Float64Array)];
  for (const [path, times] of [
    [one, [4, 5]],
    [all, [0, 31]],
  ]) {
    const wanted = [];
    for (let t = times[0]; t < times[1]; t++)
      for (let y = lat[0]; y < lat[1]; y++)
        for (let x = lon[0]; x < lon[1]; x++) wanted.push(t2m[(t * 19 + y) * 36 + x]);
    assert.deepEqual(flat(cat(path, "t2m")), wanted);
    assert.deepEqual(cat(path, "lat"), [...lats.slice(...lat)]);
    assert.deepEqual(cat(path, "lon"), [...lons.slice(...lon)]);
    assert.equal(cat(path, "time").length, times[1] - times[0]);
  }
  await page.end();
});

test("a part of an image keeps its drawn channels and its place, and an invalid index says why", async () => {
  const page = await shown(`src="${host.url}build/fixtures/ome/image_v05.zarr" channels="1" camera="100,70,12"`);
  const dialog = await asked(page);
  const first = dialog.getByRole("textbox", { name: "First index of x" });
  const kept = await first.inputValue();
  await first.fill("900");
  await first.press("Enter");
  await dialog.getByText("Write a whole number from 0 to 159.").waitFor();
  await first.press("Escape");
  assert.equal(await first.inputValue(), kept);
  const x = Number(kept);
  assert.ok(x > 0);
  const path = await saved(page, dialog);
  const info = JSON.parse(
    execFileSync(join(top, "build/zarr"), ["info", path, "--attributes", "--json"], { encoding: "utf8" }),
  );
  const text = JSON.stringify(info);
  assert.match(text, /"GFP"/);
  assert.doesNotMatch(text, /"DAPI"/);
  assert.match(text, new RegExp(`"translation":\\[1,[\\d.]+,${x * 0.5}\\]`));
  await page.end();
});

test("cancelling ends the reads and saves nothing, and the view goes on", async () => {
  const page = await shown(`src="${host.url}build/fixtures/xarray/climate_v3.zarr" node="/t2m"`);
  const downloads = [];
  page.on("download", (download) => downloads.push(download));
  // The source does not answer for other times.
  await page.route(/t2m\/c\/[123]\//, () => {});
  const dialog = await asked(page);
  await dialog.getByRole("button", { name: "All of time" }).click();
  await dialog.getByRole("button", { name: "Make the file" }).click();
  const progress = page.getByRole("dialog", { name: "Writing the archive" });
  await progress.getByRole("progressbar").waitFor();
  await progress.getByRole("button", { name: "Cancel" }).click();
  await progress.waitFor({ state: "detached" });
  await page.getByRole("slider", { name: "time", exact: true }).press("ArrowRight");
  await page.waitForFunction(() => view.index?.time === 1);
  await page.settled();
  assert.deepEqual(downloads, []);
  await page.end();
});
