// Expressions of variables in the element, as a person types them and as a link has them. Values
// are compared with those computed here from the stored numbers.
import assert from "node:assert/strict";
import { after, test } from "node:test";
import { fullRun } from "../../lib/rounds.mjs";
import { screenshots, viewing } from "../../lib/viewpage.mjs";
import { earth, near } from "./earth.mjs";

const host = await viewing({ webgl: fullRun });
after(() => host.close());

async function shown(attributes, options) {
  const page = await earth(host, attributes, options);
  const panel = page.getByRole("dialog", { name: "Calculate an expression" });
  return Object.assign(page, {
    panel,
    field: panel.getByRole("combobox", { name: "Expression" }),
    open: async () => {
      await page.getByRole("button", { name: "Calculate", exact: true }).first().click();
      await panel.getByRole("button", { name: "Calculate" }).waitFor();
    },
  });
}

test("a typed expression is drawn, read under the pointer, kept in the link, and removed", async () => {
  const page = await shown('node="/t2m" index="time:5" controls="all"');
  await page.settled();
  await page.open();
  // Names are completed, and mistakes are named while the person types.
  await page.field.pressSequentially("t2m - t2");
  const offered = await page.field.evaluate((input) => [...input.list.options].map(({ value }) => value));
  assert.deepEqual(offered, ["t2m - t2m"]);
  await page.field.pressSequentially("x[");
  assert.match(await page.panel.getByRole("status").textContent(), /an axis is expected.*\(character 11\)/);
  await page.screenshot({ path: `${screenshots}/element-expression-mistake.png` });
  await page.field.fill("t2m - t2x");
  await page.field.press("Enter");
  await page.waitForFunction(() =>
    /no variable t2x/.test(view.shadowRoot.querySelector(".zc-panel [role=status]")?.textContent),
  );
  assert.match(await page.panel.getByRole("status").textContent(), /\(character 7\)\. The nearest names: t2m/);
  assert.equal(await page.evaluate(() => view.expression), undefined, "a wrong expression changes nothing");

  const text = "(t2m - t2m[time=2024-01-01]) / 2";
  await page.field.fill(text);
  await page.field.press("Enter");
  await page.waitForFunction((text) => view.getAttribute("expression") === text, text);
  await page.settled();
  await page.screenshot({ path: `${screenshots}/element-expression.png` });
  assert.equal(await page.evaluate(() => view.shown.title.value), text);
  assert.equal(await page.evaluate(() => view.shown.field.units), "°C");
  const check = async () => {
    for (const [x, y] of [
      [0.5, 0.4],
      [0.3, 0.6],
      [0.8, 0.3],
    ]) {
      const { index, value } = await page.pointed(x, y);
      const { lat, lon } = index;
      const now = await page.decoded("/t2m", { time: index.time, lat, lon });
      near(value, (now - (await page.decoded("/t2m", { time: 0, lat, lon }))) / 2, JSON.stringify(index));
    }
  };
  await check();
  // The other time stays while the picture steps.
  await page.evaluate(() => view.setAttribute("index", "time:9"));
  await page.settled();
  await check();
  // The series of a point has the values of the expression.
  await page.getByRole("button", { name: "Series" }).click();
  const { index } = await page.pointed(0.5, 0.4);
  await page.mouse.down();
  await page.mouse.up();
  await page.waitForFunction(() => /time,\d+:\d+|,\d+:\d+/.test(view.getAttribute("series")));
  await page.settled();
  await page.screenshot({ path: `${screenshots}/element-expression-series.png` });
  const series = await page.evaluate(
    async ({ lat, lon }) => [
      ...(await view.shown.field.levels[0].array.get([{ start: 0, stop: 3, step: 1 }, lat, lon])).data,
    ],
    index,
  );
  for (const [time, value] of series.entries()) {
    const [a, b] = [await page.decoded("/t2m", { ...index, time }), await page.decoded("/t2m", { ...index, time: 0 })];
    near(value, (a - b) / 2, `time ${time}`);
  }
  await page.open();
  assert.match(await page.panel.getByRole("status").textContent(), /In °C/);
  await page.screenshot({ path: `${screenshots}/element-expression-panel.png` });
  await page.panel.getByRole("button", { name: "Nothing" }).click();
  await page.waitForFunction(() => !view.hasAttribute("expression"));
  await page.settled();
  assert.equal(await page.evaluate(() => view.shown.title.value), "2 metre temperature");
  await page.end();
});

test("an expression of two variables is missing where either is, in its exports too", async () => {
  const page = await shown('node="/sst" expression="sqrt(t2m^2 + sst^2)" index="time:3" controls="all"');
  await page.settled();
  await page.screenshot({ path: `${screenshots}/element-expression-variables.png` });
  await page.compared(["/t2m", "/sst"], Math.hypot);
  await page.getByRole("button", { name: "Take away" }).click();
  await page.getByRole("menuitem", { name: "Code for this slice" }).click();
  const code = await page.getByRole("textbox", { name: "Code for this slice" }).inputValue();
  assert.match(code, /t2m = dataset\["t2m"\]\.isel\(\{"time": 3\}\)/);
  assert.match(code, /data = np\.sqrt\(\(\(t2m \*\* 2\) \+ \(sst \*\* 2\)\)\)/);
  await page.end();
});

test("an expression in a link that cannot be computed is a named error with a way out", async () => {
  const page = await shown('node="/t2m" expression="t2m - sts"');
  await page.waitForFunction(() => told.some(([type]) => type === "error"));
  const alert = page.getByRole("alert");
  assert.match(await alert.textContent(), /UnsupportedError.*no variable sts \(character 7\).*nearest names: sst/);
  await page.screenshot({ path: `${screenshots}/element-expression-refused.png` });
  await alert.getByRole("button", { name: "Show the variable" }).click();
  await page.waitForFunction(() => !view.hasAttribute("expression"));
  await page.settled();
  assert.equal(await page.evaluate(() => view.shown.title.value), "2 metre temperature");
  await page.context().close();
});

test("a line of an expression is named by it, and returns to its variable by one button", async () => {
  const variable = { shown: "2 metre temperature", attributes: 'node="/t2m" axes=",time"' };
  for (const [computed, name] of [
    ['expression="t2m * 2"', /^t2m \* 2/],
    ['minus="time:0"', /^2 metre temperature − /],
  ]) {
    const page = await shown(`${variable.attributes} ${computed}`, { width: 390, height: 844 });
    await page.settled();
    const legend = page.locator(".plot-legend");
    assert.match(await legend.innerText(), name);
    await page.getByRole("button", { name: "Show the variable" }).press("Enter");
    await page.waitForFunction(() => !view.hasAttribute("expression") && !view.hasAttribute("minus"));
    await page.settled();
    await page.waitForFunction((title) => view.shown.title.value === title, variable.shown);
    assert.match(await legend.innerText(), /^2 metre temperature/);
    assert.equal(await page.getByRole("button", { name: "Show the variable" }).count(), 0);
    await page.end();
  }
});

test("an expression is written on a phone, and by the keyboard alone", async () => {
  const page = await shown('node="/t2m" controls="all"', { width: 390, height: 844 });
  await page.settled();
  await page.getByRole("button", { name: "Controls" }).press("Enter");
  await page.getByRole("button", { name: "Calculate", exact: true }).first().press("Enter");
  await page.field.waitFor();
  assert.equal(await page.field.evaluate((input) => input.getRootNode().activeElement === input), true);
  await page.keyboard.type("t2m * 1.8 + 32");
  const box = await page.panel.boundingBox();
  assert.ok(box.x >= 0 && box.x + box.width <= 390 && box.y >= 0, JSON.stringify(box));
  await page.screenshot({ path: `${screenshots}/element-expression-phone.png` });
  await page.keyboard.press("Enter");
  await page.waitForFunction(() => view.getAttribute("expression") === "t2m * 1.8 + 32");
  await page.settled();
  const { index, value } = await page.pointed(0.5, 0.5);
  near(value, (await page.decoded("/t2m", index)) * 1.8 + 32, JSON.stringify(index));
  await page.end();
});
