// The page of a dataset, from a server that lists folders.
//
//   node --test tests/browser/demo-dataset.mjs
import assert from "node:assert/strict";
import { accessible, heading, viewer, working } from "./viewerpage.mjs";

const { onPage, openUrl } = viewer({ flags: ["-list"] });

onPage("what a dataset violates is said, and its groups are listed", async (page) => {
  assert.equal(await openUrl(page, "conventions/cf/unsigned_v3.zarr", "&node=/"), "ready");
  await page.getByRole("list", { name: "Conventions" }).getByText("CF").waitFor();
  const problems = page.locator("#page").getByText("5 things are not as the conventions say");
  await problems.click();
  await page.locator("#page .problems li").first().waitFor();
  assert.equal(await page.locator(".problems li").filter({ visible: true }).count(), 5);
  await accessible(page, "problems");
  assert.equal(await openUrl(page, "conventions/cf/dataset_v3.zarr", "&node=/"), "ready");
  const groups = page.getByRole("region", { name: /^Groups/ });
  assert.equal(await working(page, () => groups.getByRole("button", { name: "forecast" }).click()), "ready");
  assert.equal(await heading(page), "/forecast");
});
