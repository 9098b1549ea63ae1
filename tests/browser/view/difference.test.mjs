// The difference of two variables or of two times in the element, as chosen by a person and as
// linked.
import assert from "node:assert/strict";
import { after, test } from "node:test";
import { fullRun } from "../../lib/rounds.mjs";
import { screenshots, viewing } from "../../lib/viewpage.mjs";
import { earth, near } from "./earth.mjs";

const host = await viewing({ webgl: fullRun });
after(() => host.close());

const shown = (attributes) => earth(host, attributes);

test("the difference of two times can be chosen and removed, and is in the state", async () => {
  const page = await shown('node="/t2m" index="time:5"');
  await page.settled();
  await page.getByRole("button", { name: "Compare" }).click();
  const choice = page.getByRole("dialog", { name: "Compare with" });
  const subtract = choice.getByRole("button", { name: "Subtract" });
  await subtract.waitFor();
  assert.equal(await subtract.isDisabled(), true, "nothing is chosen yet");
  assert.match(await choice.innerText(), /^Subtract/, "Take away is the name of exports");
  await choice.getByLabel("Index of time in the subtracted variable", { exact: true }).fill("0");
  await choice.getByLabel("Index of time in the subtracted variable", { exact: true }).press("Enter");
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
  near(detail.value, a - b, JSON.stringify(detail.index));

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
  await page.end();
});

test("the difference of two variables is missing where either is, and a link shows it", async () => {
  const page = await shown('node="/t2m" minus="/sst" index="time:3" controls="all"');
  await page.settled();
  await page.screenshot({ path: `${screenshots}/element-difference-variables.png` });
  await page.compared(["/t2m", "/sst"], (t2m, sst) => t2m - sst, 1e-5);
  // A program would read neither of the two.
  await page.getByRole("button", { name: "Take away" }).click();
  assert.ok(await page.getByRole("menuitem", { name: "Code for this slice" }).isDisabled());
  await page.end();
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

test("a variable is compared by its name and by its path also where the address redirects and lists nothing", async () => {
  const before = (page) =>
    page.route("**/moved/**", (route) => {
      const to = new URL(route.request().url());
      to.pathname = to.pathname.replace("/moved/", "/build/samples/");
      return route.fulfill({ status: 302, headers: { location: to.href } });
    });
  const page = await host.element(`src="${host.url}moved/earth.zarr" node="/t2m" index="time:3"`, { before });
  page.setDefaultTimeout(30_000);
  await page.settled();
  for (const typed of ["sst", "/sst"]) {
    await page.getByRole("button", { name: "Compare" }).click();
    const choice = page.getByRole("dialog", { name: "Compare with" });
    const path = choice.getByRole("textbox", { name: "Path of another variable" });
    const other = choice.getByRole("combobox", { name: "Subtracted variable" });
    await other.waitFor();
    if (await path.count()) {
      await path.fill(typed);
      await path.press("Enter");
    } else await other.selectOption({ label: "sst" });
    await choice.getByRole("button", { name: "Subtract" }).click();
    await page.waitForFunction(() => view.shown?.field.title.value.includes("−") && !view.loading);
    assert.match(await page.evaluate(() => view.shown.field.title.value), /−/);
    await page.getByRole("button", { name: "Compare" }).click();
    await choice.getByRole("button", { name: "Nothing" }).click();
    await page.waitForFunction(() => !view.hasAttribute("minus") && !view.loading);
  }
  await page.end();
});
