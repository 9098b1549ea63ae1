// The element in full screen, and with reduced motion.
import assert from "node:assert/strict";
import { after, test } from "node:test";
import { fullRun } from "../../lib/rounds.mjs";
import { screenshots, viewing } from "../../lib/viewpage.mjs";

const host = await viewing({ webgl: fullRun });
after(() => host.close());

async function shown(options) {
  const attributes = `src="${host.url}build/samples/earth.zarr" node="/t2m"`;
  const page = await host.element(attributes, { style: "height: 300px; width: 420px", ...options });
  await page.settled();
  return page;
}

test("the picture fills the screen by its button, is drawn as large, and comes back by Escape and by the button", async () => {
  const page = await shown({ width: 900, height: 700 });
  const picture = page.getByRole("application");
  const small = await picture.boundingBox();
  const area = ({ width, height }) => width * height;
  const fills = () =>
    page.waitForFunction(() => document.fullscreenElement === view && view.clientHeight === innerHeight);
  const back = () => page.waitForFunction(() => document.fullscreenElement === null && view.clientHeight === 300);
  // A narrow element keeps its buttons in a drawer, which stays open.
  await page.getByRole("button", { name: "Controls" }).click();
  for (const leave of [
    () => page.getByRole("button", { name: "Full screen" }).click(),
    () => page.evaluate(() => document.exitFullscreen()),
  ]) {
    await page.getByRole("button", { name: "Full screen" }).click();
    await fills();
    const large = await picture.boundingBox();
    assert.ok(area(large) > 2.5 * area(small), `${area(large)} beside ${area(small)}`);
    await page.waitForFunction((width) => view.figure().width >= Math.floor(width * devicePixelRatio), large.width);
    // It works there as elsewhere.
    await page.mouse.move(large.x + large.width / 2, large.y + large.height / 2);
    await page.keyboard.press("?");
    const dialog = page.getByRole("dialog", { name: "Keyboard shortcuts" });
    await dialog.waitFor();
    await page.screenshot({ path: `${screenshots}/element-full.png` });
    await dialog.getByRole("button", { name: "Close" }).click();
    await dialog.waitFor({ state: "detached" });
    await leave();
    await back();
  }
  assert.deepEqual(await picture.boundingBox(), small);
  await page.end();
});

test("with reduced motion nothing moves by itself, and stepping works", async () => {
  for (const reducedMotion of ["reduce", "no-preference"]) {
    const page = await shown({ reducedMotion });
    // Every element of the view, in every state.
    const moving = await page.evaluate(() => {
      for (const node of view.shadowRoot.querySelectorAll("[hidden]")) node.hidden = false;
      return [...view.shadowRoot.querySelectorAll("*")].filter((node) => {
        const { transitionDuration, animationName, scrollBehavior } = getComputedStyle(node);
        const lasts = transitionDuration.split(",").some((text) => Number.parseFloat(text) > 0);
        return lasts || animationName !== "none" || scrollBehavior === "smooth";
      }).length;
    });
    assert.equal(moving > 0, reducedMotion === "no-preference", `${moving} parts move with ${reducedMotion}`);
    await page.getByRole("slider", { name: "time" }).fill("3");
    await page.settled();
    assert.equal(await page.evaluate(() => view.index.time), 3);
    await page.end();
  }
});
