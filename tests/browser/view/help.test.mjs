// A person opens the list of the element's keys.
import assert from "node:assert/strict";
import { after, test } from "node:test";
import { screenshots, viewing } from "../../lib/viewpage.mjs";

const host = await viewing({ webgl: false });
after(() => host.close());

test("? shows the keys in a dialog, Escape closes it, and the focus is where it was", async () => {
  const attributes = `src="${host.url}build/samples/earth.zarr" node="/t2m"`;
  const page = await host.element(attributes, { colorScheme: "dark" });
  await page.settled();
  const picture = page.getByRole("application");
  const dialog = page.getByRole("dialog", { name: "Keyboard shortcuts" });
  await picture.focus();
  for (let i = 0; i < 2; i++) {
    await page.keyboard.press("?");
    await dialog.waitFor();
    assert.match(await dialog.textContent(), /zoom in, zoom out, show all/);
    await page.screenshot({ path: `${screenshots}/element-help.png` });
    await page.keyboard.press("Escape");
    await dialog.waitFor({ state: "detached" });
    assert.equal(await page.evaluate(() => view.shadowRoot.activeElement?.getAttribute("role")), "application");
  }
  // Text that is typed is no shortcut.
  const field = page.getByRole("textbox", { name: /index of time/i }).first();
  await field.focus();
  await page.keyboard.press("?");
  await page.keyboard.press("Escape");
  assert.equal(await dialog.count(), 0);
  await page.evaluate(() => view.help());
  await dialog.getByRole("button", { name: "Close" }).click();
  await dialog.waitFor({ state: "detached" });
  await page.end();
});
