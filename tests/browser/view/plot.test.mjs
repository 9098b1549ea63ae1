// Draws lines and points, and reads them under the pointer.
import assert from "node:assert/strict";
import { after, test } from "node:test";
import { bundled, screenshots, viewing } from "../../lib/viewpage.mjs";

const [host, script] = await Promise.all([
  viewing({ processor: false }),
  bundled(
    "plot",
    `export { LinePlot } from "./view/plot/lines.js";
     export { Scatter } from "./view/plot/scatter.js";
     export { css } from "./view/plot/styles.js";
     export { theme } from "./view/theme.js";`,
  ),
]);
after(() => host.close());

/**
 * A page with an element that has a shadow root, as in the view; `setup` makes \`plot\` and may use
 * \`root\` and all exports.
 */
async function plotted(setup, options = {}) {
  const page = await host.page(
    `<style>html { color-scheme: light dark; background: light-dark(#fff, #14181b) } body { margin: 8px } #view { height: 420px }</style><div id="view"></div>
<script type="module">
import * as parts from "${host.url}${script}";
import { random } from "tests/random";
const { css, theme, LinePlot, Scatter } = parts;
const root = document.querySelector("#view").attachShadow({ mode: "open" });
const sheet = new CSSStyleSheet();
sheet.replaceSync(theme + css + ":host { height: 420px }");
root.adoptedStyleSheets = [sheet];
const values = (length, of) => Float64Array.from({ length }, (_, i) => of(i));
const told = (window.told = []);
const failed = (error) => { throw error; };
${setup}
window.plot = plot;
</script>`,
    { width: 900, height: 480, ...options },
  );
  await page.waitForFunction(() => window.plot?.canvas.dataset.state === "ready");
  return page;
}

const series = `
const days = values(780, (i) => Date.UTC(1950, i, 16));
const coordinate = { kind: "time", name: "time", units: "", length: 780, number: (i) => days[i],
  text: (i) => new Date(days[i]).toISOString().slice(0, 10), find: () => undefined };
const wave = (lag, mean) => values(780, (i) => (i > 300 && i < 330 ? NaN : mean + 8 * Math.sin((i - lag) / 6) + 3 * Math.sin(i / 77)));
const line = (name, data) => ({ name, values: data, text: (i) => (Number.isNaN(data[i]) ? "missing" : data[i].toFixed(2) + " K") });
const plot = new LinePlot(root, { failed, cursor: (i) => told.push(i), chosen: (i) => told.push("chosen " + i) });
plot.show({ name: "Temperature at two points", title: "Temperature", units: "K",
  axis: { title: "time", units: "", length: 780, coordinate },
  series: [line("12°N 30°W", wave(0, 285)), line("60°N 5°E", wave(9, 270))] });`;

const canvasOf = (page) => page.getByRole("slider", { name: "Temperature at two points" });

test("lines have dates on their axis, units in their title, and are looked at by mouse and by keys", async () => {
  const page = await plotted(series);
  const canvas = canvasOf(page);
  const figure = await page.evaluate(() => {
    const { bottom, left, lines } = window.plot.figure();
    return {
      title: left.title,
      texts: bottom.marks.map(({ text }) => text),
      gaps: lines.map(({ strokes }) => strokes.length),
      colours: lines.map(({ colour }) => colour),
    };
  });
  assert.equal(figure.title, "Temperature [K]");
  assert.ok(
    figure.texts.length > 3 && figure.texts.every((text) => /^(19|20)\d[05]$/.test(text)),
    String(figure.texts),
  );
  assert.deepEqual(figure.gaps, [2, 2]);
  assert.equal(new Set(figure.colours).size, 2);
  const box = await canvas.boundingBox();
  await page.mouse.move(box.x + box.width * 0.7, box.y + box.height / 2);
  await page.waitForFunction(() => window.told.length > 0);
  await page.screenshot({ path: `${screenshots}/plot-lines-light.png` });
  const at = await page.evaluate(() => window.told.at(-1));
  assert.ok(at > 450 && at < 600, `${at}`);
  await page.mouse.move(0, 0);
  await canvas.focus();
  await page.keyboard.press("Home");
  assert.match(
    await canvas.getAttribute("aria-valuetext"),
    /^time 1950-01-16, 12°N 30°W \d+\.\d\d K, 60°N 5°E \d+\.\d\d K$/,
  );
  await page.keyboard.press("ArrowRight");
  assert.equal(await canvas.getAttribute("aria-valuenow"), "1");
  await page.keyboard.press("End");
  await page.keyboard.press("Enter");
  assert.equal(await page.evaluate(() => window.told.at(-1)), "chosen 779");
  for (let i = 0; i < 458; i++) await page.evaluate(() => (window.plot.cursor = window.plot.cursor - 1));
  assert.match(await canvas.getAttribute("aria-valuetext"), /missing/);
  await page.keyboard.press("Escape");
  assert.equal(await canvas.getAttribute("aria-valuetext"), "no position");
  await page.end();
});

test("wheel, drag, keys and buttons zoom and pan, and all is shown again", async () => {
  const page = await plotted(series, { colorScheme: "dark" });
  const box = await canvasOf(page).boundingBox();
  const view = () => page.evaluate(() => window.plot.view);
  const all = await view();
  await page.mouse.move(box.x + box.width / 2, box.y + box.height / 2);
  await page.mouse.wheel(0, -600);
  await page.waitForFunction((span) => window.plot.view.to - window.plot.view.from < span / 3, all.to - all.from);
  const near = await view();
  assert.ok(near.to - near.from < (all.to - all.from) / 3);
  await page.mouse.down();
  await page.mouse.move(box.x + box.width / 2 + 100, box.y + box.height / 2, { steps: 4 });
  await page.mouse.up();
  await page.waitForFunction((from) => window.plot.view.from < from, near.from);
  const moved = await view();
  assert.ok(moved.from < near.from && Math.abs(moved.to - moved.from - (near.to - near.from)) < 1);
  await page.screenshot({ path: `${screenshots}/plot-lines-dark.png` });
  await page.getByRole("button", { name: "Show all" }).click();
  assert.deepEqual(await view(), all);
  await page.getByRole("button", { name: "Zoom in" }).click();
  assert.ok((await view()).to < all.to);
  await page.getByRole("button", { name: "Zoom out" }).click();
  assert.deepEqual(await view(), all);
  await canvasOf(page).focus();
  await page.keyboard.press("+");
  assert.ok((await view()).to < all.to);
  await page.keyboard.press("0");
  assert.deepEqual(await view(), all);
  await page.getByRole("button", { name: "Logarithmic" }).click();
  assert.equal(await page.getByRole("button", { name: "Logarithmic" }).getAttribute("aria-pressed"), "true");
  await page.context().close();
});

test("no peak of ten million values is lost at any zoom", async () => {
  const page = await plotted(`
const length = 1e7;
const data = new Float32Array(length);
for (let i = 0; i < length; i++) data[i] = Math.sin(i / 4e5) + ((i * 7919) % 1000) / 4000;
data[7654321] = 9;
data[1234567] = -6;
data.fill(NaN, 4e6, 4.4e6);
const plot = new LinePlot(root, { failed });
plot.show({ name: "Ten million", title: "signal", units: "mV", axis: { title: "sample", units: "", length, coordinate: null },
  series: [{ name: "signal", values: data, text: (i) => data[i] + " mV" }] });`);
  const found = await page.evaluate(() => {
    const look = () => {
      const { rectangle, left, lines } = window.plot.figure();
      const strokes = lines[0].strokes;
      const most = Math.min(...strokes.map((s) => s[1]));
      const least = Math.max(...strokes.map((s) => s[3]));
      // After the gap the line starts anew.
      const after = strokes.find((s, i) => i > 0 && s[0] - strokes[i - 1][0] > 20);
      return { rectangle, most, least, count: strokes.length, marks: left.marks, after: after[3] - after[1] };
    };
    const all = look();
    return all;
  });
  // The picture's ends are those of the peaks, 5 % of the range away from the frame.
  const { rectangle, most, least } = found;
  const span = rectangle.height / 1.1;
  assert.ok(Math.abs(most - rectangle.y - span * 0.05) < 1.5, `${most}`);
  assert.ok(Math.abs(rectangle.y + rectangle.height - least - span * 0.05) < 1.5, `${least}`);
  assert.ok(
    found.count > 0.9 * rectangle.width && found.count < 0.97 * rectangle.width,
    `${found.count} columns, with a gap of 4 %`,
  );
  assert.ok(found.after < 0.3 * (span / 15) + 2, `${found.after} pixels after the gap`);
  await page.screenshot({ path: `${screenshots}/plot-lines-many.png` });
  await page.end();
});

const cloud = (count, options = "{}") => `
const count = ${count};
const { next } = random(9);
const x = new Float32Array(count), y = new Float32Array(count), kinds = new Float64Array(count), score = new Float64Array(count);
for (let i = 0; i < count; i++) {
  const kind = Math.floor(next() * 7);
  const [r, a] = [Math.sqrt(-2 * Math.log(next() + 1e-9)), next() * 6.283];
  x[i] = Math.cos(kind) * 6 + r * Math.cos(a) * (1 + kind / 5);
  y[i] = Math.sin(kind) * 6 + r * Math.sin(a);
  kinds[i] = i % 50 === 0 ? NaN : kind;
  score[i] = x[i] + y[i];
}
x[0] = 40; y[0] = 40;
window.data = { x, y };
const scatter = new Scatter(root, { failed, text: (i) => "cell " + i, cursor: (i) => told.push(i), chosen: (i) => told.push("chosen " + i) }, ${options});
scatter.show({ name: "Cells", titles: ["umap 1", "umap 2"], x, y });
window.colours = {
  kind: { kind: "category", title: "cell type", values: kinds, labels: ["B", "T", "NK", "mono", "dendritic", "platelet", "stem"] },
  score: { kind: "number", title: "score", units: "", values: score, map: "viridis" },
};
const plot = Object.assign(scatter, { canvas: root.querySelector(".scatter-over") });`;

/** The number of pixels of a colour in the figure, by their position. */
const inked = (page) =>
  page.evaluate(() => {
    const canvas = window.plot.picture();
    const { data } = canvas.getContext("2d").getImageData(0, 0, canvas.width, canvas.height);
    const colours = new Map();
    for (let i = 0; i < data.length; i += 4) {
      const spread = Math.max(data[i], data[i + 1], data[i + 2]) - Math.min(data[i], data[i + 1], data[i + 2]);
      if (spread > 60) colours.set(`${data[i] >> 5} ${data[i + 1] >> 5} ${data[i + 2] >> 5}`, true);
    }
    return colours.size;
  });

test("a million points are drawn at once, found under the pointer, and coloured by a column", async () => {
  const page = await plotted(cloud(1_000_000));
  await page.waitForFunction(() => window.plot.ready);
  // The tests' browser has no graphics processor.
  assert.equal(await page.evaluate(() => window.plot.kind), "canvas");
  const times = await page.evaluate(async () => {
    const times = [];
    for (let i = 0; i < 8; i++) {
      const from = performance.now();
      window.plot.redraw();
      await new Promise((then) => requestAnimationFrame(() => requestAnimationFrame(then)));
      times.push(performance.now() - from);
    }
    return times.sort((a, b) => a - b);
  });
  console.log(`a million points: ${times[4].toFixed(0)} ms a frame, two frames waited for`);
  // The distant point is found where it is drawn, and none where there is none.
  const canvas = page.getByRole("slider", { name: "Cells" });
  const box = await canvas.boundingBox();
  const dots = await page.evaluate(() => {
    const box = document.querySelector("#view").shadowRoot.querySelector(".scatter-dots").getBoundingClientRect();
    return { x: box.x, y: box.y, width: box.width, height: box.height };
  });
  const { x, y } = await page.evaluate(() => window.plot.view);
  const at = [
    dots.x + ((40 - x[0]) / (x[1] - x[0])) * dots.width,
    dots.y + ((y[1] - 40) / (y[1] - y[0])) * dots.height,
  ];
  await page.mouse.move(at[0] + 3, at[1] - 3);
  await page.waitForFunction(() => window.told.includes(0));
  await page.mouse.click(at[0] + 2, at[1]);
  assert.ok((await page.evaluate(() => window.told)).includes("chosen 0"));
  await page.mouse.move(at[0] - 60, at[1] + 60);
  await page.waitForFunction(() => window.told.at(-1) === null);
  await page.evaluate(() => window.plot.colour(window.colours.kind));
  await page.screenshot({ path: `${screenshots}/plot-scatter-light.png` });
  assert.ok((await inked(page)) >= 6, "a colour for each kind");
  // No point of a hidden category is found.
  const list = page.getByRole("list", { name: "Categories of cell type" });
  const all = await inked(page);
  for (const name of ["B", "T", "NK", "mono", "dendritic"])
    await list.getByRole("button", { name, exact: true }).click();
  assert.equal(await list.getByRole("button", { name: "T", exact: true }).getAttribute("aria-pressed"), "false");
  assert.ok((await inked(page)) < all);
  await page.mouse.move(box.x + box.width / 2, box.y + box.height / 2);
  await page.mouse.wheel(0, -500);
  await page.waitForFunction((from) => window.plot.view.x[1] - window.plot.view.x[0] < from / 2, x[1] - x[0]);
  await page.getByRole("button", { name: "Show all" }).click();
  await page.evaluate(() => window.plot.colour(window.colours.score));
  await canvas.focus();
  await page.keyboard.press("Home");
  await page.keyboard.press("ArrowRight");
  assert.equal(await canvas.getAttribute("aria-valuetext"), "cell 1");
  await page.end();
});

test("by WebGL points are drawn in the same places", async () => {
  const page = await plotted(cloud(20_000, "{ webgl: true }"), { colorScheme: "dark" });
  await page.waitForFunction(() => window.plot.ready);
  assert.equal(await page.evaluate(() => window.plot.kind), "webgl2");
  // The point far away is alone at its place.
  const alone = await page.evaluate(() => {
    const dots = document.querySelector("#view").shadowRoot.querySelector(".scatter-dots");
    const copy = document.createElement("canvas");
    [copy.width, copy.height] = [dots.width, dots.height];
    const context = copy.getContext("2d");
    context.drawImage(dots, 0, 0);
    const { x, y } = window.plot.view;
    const px = Math.round(((40 - x[0]) / (x[1] - x[0])) * dots.width);
    const py = Math.round(((y[1] - 40) / (y[1] - y[0])) * dots.height);
    const alpha = (dx) => context.getImageData(px + dx, py, 1, 1).data[3];
    return [alpha(-1), alpha(30)];
  });
  assert.ok(alone[0] > 100 && alone[1] === 0, String(alone));
  await page.evaluate(() => window.plot.colour(window.colours.score));
  assert.ok((await inked(page)) > 5);
  await page.screenshot({ path: `${screenshots}/plot-scatter-dark.png` });
  await page.end();
});
