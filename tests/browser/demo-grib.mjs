// A GRIB2 file with the references of `zarr index`, in the viewer.
//
//   node --test tests/browser/demo-grib.mjs
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { copyFileSync, mkdirSync } from "node:fs";
import { top } from "../lib/serve.mjs";
import { accessible, heading, until, viewer } from "./viewerpage.mjs";

const dir = "build/grib";
mkdirSync(`${top}${dir}`, { recursive: true });
copyFileSync(`${top}zarr/prepare/grib/testdata/cube.grib2`, `${top}${dir}/cube.grib2`);
execFileSync(`${top}build/zarr`, ["index", "cube.grib2", "-o", "cube.json"], { cwd: `${top}${dir}` });
const { onPage, openUrl } = viewer({ data: dir });

onPage("a GRIB2 file opens by its references, and zarr-full.wasm draws its messages", async (page) => {
  assert.equal(await openUrl(page, "cube.json", "&node=/t"), "ready");
  assert.equal(await heading(page), "/t");
  await until(page, "the picture of t", () => {
    const canvas = document.querySelector("zarr-view")?.figure();
    const data = canvas?.getContext("2d").getImageData(0, 0, canvas.width, canvas.height).data;
    return data !== undefined && new Set(new Uint32Array(data.buffer)).size > 50;
  });
  assert.equal(await page.locator(".tree-problem").count(), 0, "members are said to be damaged");
  await accessible(page, "a GRIB2 file");
});
