// The page of a dataset, from a server that lists folders.
//
//   node --test tests/browser/demo-dataset.mjs
import assert from "node:assert/strict";
import { accessible, heading, until, viewer, working } from "./viewerpage.mjs";

const it = viewer({ flags: ["-list"] });
const { onPage, openUrl } = it;

onPage("a dataset's violations are shown, and its groups are listed", async (page) => {
  assert.equal(await openUrl(page, "conventions/cf/unsigned_v3.zarr", "&node=/"), "ready");
  await page.getByRole("list", { name: "Conventions" }).getByText("CF").waitFor();
  const problems = page.locator("#page").getByText("5 things are not as the conventions require");
  await problems.click();
  await page.locator("#page .problems li").first().waitFor();
  assert.equal(await page.locator(".problems li").filter({ visible: true }).count(), 5);
  await accessible(page, "problems");
  assert.equal(await openUrl(page, "conventions/cf/dataset_v3.zarr", "&node=/"), "ready");
  const groups = page.getByRole("region", { name: /^Groups/ });
  assert.equal(await working(page, () => groups.getByRole("button", { name: "forecast" }).click()), "ready");
  assert.equal(await heading(page), "/forecast");
});

onPage("a page is headed by its title, variables come before coordinates, and each has a picture", async (page) => {
  assert.equal(await openUrl(page, "xarray/climate_v3.zarr", "&node=/t2m"), "ready");
  assert.equal(await page.locator("#node-title").innerText(), "2 m temperature [K]");
  assert.equal(await heading(page), "/t2m");
  assert.equal(await openUrl(page, "xarray/climate_v3.zarr", "&node=/"), "ready");
  const names = await page.locator("#page section h3").allInnerTexts();
  const at = (name) => names.findIndex((text) => text.startsWith(name));
  assert.ok(at("Variables") >= 0 && at("Variables") < at("Coordinates"), `${names}`);
  // Drawn pictures have colours; a hidden one has none.
  await until(page, "the pictures of t2m and rain", () => {
    const drawn = [...document.querySelectorAll(".thumb canvas")].filter((canvas) => {
      const { data } = canvas.getContext("2d").getImageData(0, 0, canvas.width, canvas.height);
      return canvas.width > 10 && data.some((value, i) => i % 4 === 3 && value > 0);
    });
    return drawn.length >= 2;
  });
  await accessible(page, "a dataset");
});

onPage("pictures and extents are busy until they have been read", async (page) => {
  for (const key of ["rain/c/0/0/0", "time/c/0"]) await it.fault(`xarray/climate_v3.zarr/${key}`, { hang: true });
  assert.equal(await openUrl(page, "xarray/climate_v3.zarr", "&node=/"), "ready");
  await until(page, "the end of all other reads", () => {
    const busy = [...document.querySelectorAll("#page [aria-busy=true]")];
    const names = busy.map((element) => element.closest("tr").querySelector("button").textContent);
    return `${names}` === "rain,time,time";
  });
});
