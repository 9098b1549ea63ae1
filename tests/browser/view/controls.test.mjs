// The controls of the view, each alone in a page, by role and name, with mouse and keyboard.
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { bundled, screenshots, viewing } from "../../lib/viewpage.mjs";

let host;
let script;
before(async () => {
  script = await bundled(
    "controls",
    `import { theme } from "./view/theme.js";
     import * as controls from "./view/controls/index.js";
     const ramp = (f: (t: number) => number[]) => {
       const table = new Uint8Array(1024);
       for (let i = 0; i < 256; i++) table.set([...f(i / 255).map((v) => Math.round(255 * v)), 255], 4 * i);
       return table;
     };
     const tables: Record<string, Uint8Array> = {
       grey: ramp((t) => [t, t, t]),
       heat: ramp((t) => [Math.min(1, 2 * t), t, Math.max(0, 2 * t - 1)]),
       balance: ramp((t) => [t, 1 - 2 * Math.abs(t - 0.5), 1 - t]),
       wheel: ramp((t) => [0.5 + 0.5 * Math.cos(6.283 * t), 0.5 + 0.5 * Math.sin(6.283 * t), 0.6]),
     };
     export const maps = [
       { name: "grey", kind: "sequential" }, { name: "heat", kind: "sequential" },
       { name: "balance", kind: "diverging" }, { name: "wheel", kind: "cyclic" },
     ];
     export const table = (name: string) => tables[name] ?? new Uint8Array(1024);
     /** A bell around a middle. */
     export function bell(least: number, most: number) {
       const histogram = Uint32Array.from({ length: 256 }, (_, i) => Math.round(5000 * Math.exp(-(((i - 110) / 40) ** 2))));
       return { least, most, count: 1, missing: 0, whole: true, histogram, quantile: (share: number) => least + share * (most - least) };
     }
     export const days = (length: number) => {
       const first = Date.UTC(2020, 0, 1);
       const text = (i: number) => new Date(first + i * 864e5).toISOString().slice(0, 10);
       return {
         kind: "time", name: "time", units: "", length,
         number: (i: number) => first + i * 864e5, text,
         find: (what: string) => { const i = Math.round((Date.parse(what) - first) / 864e5); return i >= 0 && i < length ? i : undefined; },
       };
     };
     export function place() {
       const root = document.createElement("div");
       document.body.append(root);
       const shadow = root.attachShadow({ mode: "open" });
       const sheet = new CSSStyleSheet();
       sheet.replaceSync(theme + controls.css);
       shadow.adoptedStyleSheets = [sheet];
       const box = document.createElement("div");
       shadow.append(box);
       return box;
     }
     export { controls };`,
  );
  host = await viewing({ webgl: false });
});
after(() => host?.close());

/** A page in which `set(parts)` ran; `told` collects the events. */
async function open(set, options) {
  const page = await host.page("<style>:root { color-scheme: light dark } body { margin: 12px }</style>", options);
  await page.evaluate(
    async ([address, text]) => {
      window.told = [];
      const parts = await import(address);
      const tell =
        (name) =>
        (...args) =>
          window.told.push([name, ...args]);
      window.control = new Function("parts", "tell", `return (${text})(parts, tell)`)(parts, tell);
    },
    [`${host.url}${script}`, String(set)],
  );
  return page;
}
const told = (page) => page.evaluate(() => window.told.splice(0));

const sliders = (parts, tell) => {
  const axes = [
    { axis: 0, name: "time", title: "Time", length: 366, index: 4, coordinate: parts.days(366) },
    { axis: 1, name: "level", title: "Pressure level", length: 12, index: 0, coordinate: null },
    { axis: 2, name: "run", title: "run", length: 1, index: 0, coordinate: null },
    { axis: 3, name: "reftime", title: "Start", length: 1, index: 0, coordinate: parts.days(1) },
  ];
  window.paint = [];
  window.now = false;
  const control = new parts.controls.Sliders(parts.place(), {
    index(axis, index, step) {
      tell("index")(axis, index, step);
      axes[axis] = { ...axes[axis], index };
      control.show(axes);
    },
    painted: () => (window.now ? Promise.resolve() : new Promise((resolve) => window.paint.push(resolve))),
    playing: tell("playing"),
  });
  control.show(axes);
  return control;
};

test("sliders: keys, steps, the index and the position in words", async () => {
  const page = await open(sliders);
  const time = page.getByRole("slider", { name: "time" });
  assert.equal(await time.getAttribute("aria-valuetext"), "2020-01-05");
  await time.focus();
  await page.keyboard.press("ArrowRight");
  await page.keyboard.press("End");
  await page.getByRole("button", { name: "Previous time" }).click();
  assert.deepEqual(await told(page), [
    ["index", 0, 5, 1],
    ["index", 0, 365, 1],
    ["index", 0, 364, -1],
  ]);
  assert.equal(await page.getByRole("textbox", { name: "Position of time" }).inputValue(), "2020-12-30");

  // A position is typed and confirmed by Enter; an invalid one is reported and discarded.
  const position = page.getByRole("textbox", { name: "Position of time" });
  await position.fill("2020-03-01");
  await position.press("Enter");
  assert.equal(await page.getByRole("textbox", { name: "Index of time" }).inputValue(), "60");
  await position.fill("yesterday");
  await position.press("Enter");
  assert.equal(await position.getAttribute("aria-invalid"), "true");
  const reason = page.getByRole("alert");
  assert.equal(await reason.innerText(), "“yesterday” is not a date. For example: 2020-03-01");
  assert.equal(await position.getAttribute("aria-describedby"), await reason.getAttribute("id"));
  const [above, below] = await Promise.all([position.boundingBox(), reason.boundingBox()]);
  assert.ok(
    below.y >= above.y + above.height && below.y < above.y + above.height + 10,
    "the reason is below the field",
  );
  await page.screenshot({ path: `${screenshots}/controls-reason.png` });
  await position.press("Escape");
  assert.equal(await reason.count(), 0);
  assert.equal(await position.inputValue(), "2020-03-01");
  assert.equal(await position.getAttribute("aria-invalid"), null);
  assert.deepEqual(await told(page), [["index", 0, 60, 0]]);

  const index = page.getByRole("textbox", { name: "Index of level" });
  for (const [text, good] of [
    ["12", false],
    ["-1", false],
    ["1.5", false],
    ["", false],
    ["7", true],
  ]) {
    await index.fill(text);
    await index.press("Enter");
    assert.equal((await index.getAttribute("aria-invalid")) === null, good, text);
    assert.deepEqual(await reason.allInnerTexts(), good ? [] : ["Write a whole number from 0 to 11."], text);
  }
  assert.deepEqual(await told(page), [["index", 1, 7, 0]]);
  // A level without coordinates has no field for them. With one element there is nothing to choose.
  assert.equal(await page.getByRole("textbox", { name: "Position of level" }).count(), 0);
  assert.equal(await page.getByRole("group", { name: "run" }).count(), 0);
  assert.equal(await page.getByRole("slider", { name: "reftime" }).count(), 0);
  assert.equal(await page.getByRole("textbox", { name: "Position of reftime" }).inputValue(), "2020-01-01");
  await page.screenshot({ path: `${screenshots}/controls-sliders.png` });
  assert.deepEqual(page.wrong, []);
});

test("playing waits until a slice is painted, begins again at the end, and ends when told", async () => {
  const page = await open(sliders);
  const index = page.getByRole("textbox", { name: "Index of level" });
  await index.fill("10");
  await index.press("Enter");
  await page.getByRole("button", { name: "Playback of level" }).click();
  await page.getByRole("combobox", { name: "Speed" }).selectOption("60");
  assert.ok(await page.getByRole("checkbox", { name: "Repeat" }).isChecked());
  await page.keyboard.press("Escape");
  await told(page);

  await page.getByRole("button", { name: "Play level" }).click();
  const stop = page.getByRole("button", { name: "Pause level" });
  await stop.waitFor();
  await page.waitForFunction(() => window.paint.length === 1);
  // It stays at the one slice until that is painted: ten frames of the page change nothing.
  await page.evaluate(async () => {
    for (let i = 0; i < 10; i++) await new Promise((next) => requestAnimationFrame(next));
  });
  assert.deepEqual(await told(page), [
    ["playing", 1, true],
    ["index", 1, 11, 1],
  ]);
  await page.evaluate(() => window.paint[0]());
  await page.waitForFunction(() => window.paint.length === 2);
  assert.deepEqual(await told(page), [["index", 1, 0, 1]]);
  await stop.click();
  await page.getByRole("button", { name: "Play level" }).waitFor();
  await page.evaluate(() => window.paint[1]());
  assert.deepEqual(await told(page), [["playing", 1, false]]);

  // Without the loop it stops at the last step, and restarts from the first.
  await page.getByRole("button", { name: "Playback of level" }).click();
  await page.getByRole("checkbox", { name: "Repeat" }).uncheck();
  await page.keyboard.press("Escape");
  await page.evaluate(() => {
    window.now = true;
  });
  await index.fill("11");
  await index.press("Enter");
  await told(page);
  await page.getByRole("button", { name: "Play level" }).click();
  await page.waitForFunction(() => window.told.at(-1)?.[2] === false);
  const steps = await told(page);
  assert.deepEqual(
    steps.filter(([name]) => name === "index").map(([, , i]) => i),
    Array.from({ length: 12 }, (_, i) => i),
  );
  // Stepping by hand stops the player.
  await page.getByRole("button", { name: "Play time" }).click();
  await page.waitForFunction(() => window.told.length > 2);
  await page.getByRole("button", { name: "Next level" }).click();
  assert.equal(await page.getByRole("button", { name: "Pause time" }).count(), 1, "another axis plays on");
  await page.getByRole("button", { name: "Next time" }).click();
  await page.getByRole("button", { name: "Play time" }).waitFor();
  assert.deepEqual(page.wrong, []);
});

test("with reduced motion, playing takes one step per second", async () => {
  const page = await open(sliders, { reducedMotion: "reduce" });
  await page.getByRole("button", { name: "Playback of time" }).click();
  assert.equal(await page.getByRole("combobox", { name: "Speed" }).inputValue(), "1");
});

const bar = (parts, tell) => {
  let data = {
    title: "Air temperature",
    units: "K",
    colormap: "heat",
    maps: parts.maps,
    table: parts.table,
    range: [250, 300],
    curve: { kind: "linear" },
    statistics: parts.bell(220, 320),
    stated: [180, 330],
  };
  const change = (name, more) => {
    tell(name)(...Object.values(more));
    data = { ...data, ...more };
    control.show(data);
  };
  const host = parts.place();
  host.style.width = "420px";
  const control = new parts.controls.ColourBar(host, {
    range: (range, auto) => {
      tell("range")(range, auto);
      data = { ...data, range };
      control.show(data);
    },
    curve: (curve) => change("curve", { curve }),
    colormap: (colormap) => change("colormap", { colormap }),
  });
  control.show(data);
  return control;
};

const last = async (page) => (await told(page)).at(-1);
const close = (got, want, by = 1e-6) => {
  assert.equal(got.length, want.length);
  for (const [i, value] of got.entries()) assert.ok(Math.abs(value - want[i]) <= by, `${got} is not ${want}`);
};

test("colour bar: handles by keys and mouse", async () => {
  const page = await open(bar);
  const low = page.getByRole("slider", { name: "Lowest value drawn" });
  const high = page.getByRole("slider", { name: "Highest value drawn" });
  assert.equal(await low.getAttribute("aria-valuenow"), "250");
  await low.focus();
  await page.keyboard.press("ArrowRight");
  // A hundredth of the bar, which covers 220 to 320.
  close((await last(page))[1], [251, 300]);
  await page.keyboard.press("PageUp");
  close((await last(page))[1], [261, 300]);
  await page.keyboard.press("Home");
  // The bar's range stays while keys move an end.
  close((await last(page))[1], [220, 300]);
  await high.focus();
  await page.keyboard.press("End");
  close((await last(page))[1], [220, 320]);
  // An end cannot pass the other.
  await page.keyboard.press("Home");
  const [, [l, h]] = await last(page);
  assert.ok(l < h && h < 221);
  await page.keyboard.press("End");

  const box = await high.boundingBox();
  assert.ok(box.width >= 24 && box.height >= 24, "large enough for a finger");
  await page.mouse.move(box.x + box.width / 2, box.y + 10);
  await page.mouse.down();
  await page.mouse.move(box.x + box.width / 2 - 100, box.y + 10, { steps: 4 });
  await page.mouse.up();
  const [, moved] = await last(page);
  const width = await page
    .locator("canvas")
    .first()
    .evaluate((node) => node.clientWidth);
  close(moved, [220, 320 - (100 * 100) / width], 0.5);

  // Dragging between the handles moves both.
  const room = await page.locator(".zc-handles").boundingBox();
  await page.mouse.move(room.x + 100, room.y + 10);
  await page.mouse.down();
  await page.mouse.move(room.x + 140, room.y + 10, { steps: 4 });
  await page.mouse.up();
  const [, both] = await last(page);
  assert.ok(Math.abs(both[1] - both[0] - (moved[1] - moved[0])) < 1e-6 && both[0] > moved[0]);
  assert.deepEqual(page.wrong, []);
});

test("colour bar: fields, buttons, scales, maps", async () => {
  const page = await open(bar);
  await page.screenshot({ path: `${screenshots}/controls-bar.png` });
  await page.getByRole("group", { name: "Colours of Air temperature [K]" }).waitFor();
  await page.getByText("280", { exact: true }).waitFor();
  await page.getByRole("button", { name: "Colours and range" }).click();
  const dialog = page.getByRole("dialog", { name: "Colours and range" });
  await dialog.waitFor();
  const low = dialog.getByRole("textbox", { name: "Lowest value" });
  await low.fill("-5,5");
  await low.press("Enter");
  assert.deepEqual(await last(page), ["range", [-5.5, 300], false]);
  await low.fill("400");
  await low.press("Enter");
  assert.equal(await low.getAttribute("aria-invalid"), "true");
  assert.equal(await page.getByRole("alert").innerText(), "The lowest value must be below the highest.");
  await low.press("Escape");
  await dialog.getByRole("button", { name: "Full" }).click();
  assert.deepEqual(await last(page), ["range", [220, 320], false]);
  await dialog.getByRole("button", { name: "Auto" }).click();
  assert.deepEqual(await last(page), ["range", [222, 318], true]);
  await dialog.getByRole("button", { name: "Stated" }).click();
  assert.deepEqual(await last(page), ["range", [180, 330], false]);
  await dialog.getByRole("checkbox", { name: "Symmetric about 0" }).check();
  assert.deepEqual(await last(page), ["range", [-330, 330], false]);

  // A logarithmic scale begins above 0.
  await dialog.getByRole("combobox", { name: "Scale" }).selectOption("log");
  const [[, curve], [, range]] = await told(page);
  assert.deepEqual(curve, { kind: "log" });
  close(range, [222, 330]);
  await dialog.getByRole("combobox", { name: "Scale" }).selectOption("power");
  assert.deepEqual(await last(page), ["curve", { kind: "power", exponent: 0.5 }]);
  const exponent = dialog.getByRole("textbox", { name: "Exponent" });
  await exponent.fill("0.3");
  await exponent.press("Enter");
  assert.deepEqual(await last(page), ["curve", { kind: "power", exponent: 0.3 }]);

  await dialog.getByRole("radio", { name: "heat" }).focus();
  await page.keyboard.press("ArrowDown");
  assert.deepEqual(await last(page), ["colormap", "balance"]);
  await dialog.getByRole("checkbox", { name: "Reversed" }).check();
  assert.deepEqual(await last(page), ["colormap", "balance-r"]);
  await page.screenshot({ path: `${screenshots}/controls-bar-panel.png` });
  await page.keyboard.press("Escape");
  await dialog.waitFor({ state: "hidden" });
  assert.equal(
    await page.evaluate(() => document.querySelector("div").shadowRoot.activeElement?.ariaLabel),
    "Colours and range",
  );

  // The strip shows the colour of the value below it: reversed, the first is the last of the map.
  const first = await page.evaluate(() => {
    const strip = document.querySelector("div").shadowRoot.querySelector("canvas.zc-strip");
    return [...strip.getContext("2d").getImageData(0, 0, 1, 1).data];
  });
  assert.deepEqual(first, [255, 0, 0, 255]);
  assert.deepEqual(page.wrong, []);
});

const channels = (parts, tell) => {
  let list = Array.from({ length: 20 }, (_, index) => ({
    index,
    label: index === 3 ? "<b>DAPI</b>" : `Channel ${index}`,
    colour: [
      [255, 0, 0],
      [0, 255, 0],
      [0, 0, 255],
      [255, 255, 0],
    ][index % 4],
    range: index === 5 ? null : [100, 900],
    visible: index < 7,
    statistics: parts.bell(0, 1000),
  }));
  const host = parts.place();
  const control = new parts.controls.ChannelList(host, {
    visible(index, visible) {
      tell("visible")(index, visible);
      list = list.map((row) => (row.index === index ? { ...row, visible } : row));
      control.show({ channels: list, most: 8 });
    },
    colour: tell("colour"),
    range: tell("range"),
  });
  control.show({ channels: list, most: 8 });
  return control;
};

test("channels: which are drawn, at most 8, their colours and windows", async () => {
  const page = await open(channels, { colorScheme: "dark" });
  await page.getByRole("checkbox", { name: "Channel 9" }).check();
  assert.ok(await page.getByRole("checkbox", { name: "Channel 10" }).isDisabled());
  assert.equal(await page.getByRole("status").textContent(), "At most 8 channels are drawn at once.");
  await page.getByRole("checkbox", { name: "Channel 0" }).uncheck();
  assert.ok(await page.getByRole("checkbox", { name: "Channel 10" }).isEnabled());
  assert.deepEqual(await told(page), [
    ["visible", 9, true],
    ["visible", 0, false],
  ]);
  // Names from the data are shown as text.
  await page.getByRole("checkbox", { name: "<b>DAPI</b>" }).waitFor();
  await page.getByLabel("Colour of Channel 1", { exact: true }).fill("#ff8000");
  assert.deepEqual(await last(page), ["colour", 1, [255, 128, 0]]);
  await page.getByRole("slider", { name: "Highest value of Channel 2" }).focus();
  await page.keyboard.press("ArrowLeft");
  close((await last(page))[2], [100, 890]);
  const low = page.getByRole("textbox", { name: "Lowest value of Channel 2" });
  await low.fill("−50");
  await low.press("Enter");
  assert.deepEqual((await last(page)).slice(0, 2), ["range", 2]);
  await page.getByRole("button", { name: "Auto range of Channel 2" }).click();
  assert.deepEqual(await last(page), ["range", 2, [20, 980], true]);
  await page.screenshot({ path: `${screenshots}/controls-channels-dark.png` });
  await page.getByRole("searchbox", { name: "Find a channel" }).fill("dapi");
  assert.equal(await page.getByRole("checkbox").count(), 1);
  assert.deepEqual(page.wrong, []);
});

const rest = (parts, tell) => {
  const { controls, place } = parts;
  const toolbar = new controls.Toolbar(
    { zoom: place(), away: place() },
    {
      zoom: tell("zoom"),
      fit: tell("fit"),
      full: tell("full"),
      take: tell("take"),
      entries: async () => [
        { id: "png", text: "PNG", group: "Figure" },
        { id: "svg", text: "SVG", group: "Figure" },
        { id: "csv", text: "CSV", group: "Slice" },
        { id: "tiff", text: "GeoTIFF", group: "Slice", without: "No coordinates are known." },
      ],
    },
  );
  toolbar.show({ zooms: true, full: false });
  const axes = new controls.AxesPicker(place(), { plane: tell("plane") });
  axes.show({
    axes: ["time", "level", "lat", "lon"].map((name, axis) => ({ axis, name })),
    plane: { x: 3, y: 2, up: true, left: false },
    lines: true,
    turns: true,
  });
  new controls.Legend(place()).show({
    title: "Land use",
    entries: [
      { label: "forest", colour: [20, 120, 40] },
      { label: "<i>water</i>", colour: [40, 90, 200] },
    ],
  });
  new controls.LabelsControl(place(), { labels: tell("labels") }).show({
    names: ["nuclei", "cells"],
    chosen: null,
    opacity: 0.5,
  });
};

test("toolbar, axes, legend and labels", async () => {
  const page = await open(rest, { width: 360 });
  await page.getByRole("button", { name: "Zoom in" }).click();
  await page.getByRole("button", { name: "Show all" }).click();
  assert.deepEqual(await told(page), [["zoom", 1.5], ["fit"]]);
  const take = page.getByRole("button", { name: "Take away" });
  await take.focus();
  await page.keyboard.press("Enter");
  await page.getByRole("menuitem", { name: "PNG" }).waitFor();
  await page.screenshot({ path: `${screenshots}/controls-menu.png` });
  await page.keyboard.press("End");
  await page.keyboard.press("Enter");
  assert.deepEqual(await told(page), [], "what cannot be used does nothing");
  await page.keyboard.press("ArrowUp");
  await page.keyboard.press("Enter");
  assert.deepEqual(await told(page), [["take", "csv"]]);
  await page.getByRole("menu").waitFor({ state: "hidden" });

  await page.getByRole("button", { name: "Axes: lat × lon" }).click();
  const right = page.getByRole("combobox", { name: "To the right" });
  await right.selectOption({ label: "lat" });
  assert.deepEqual((await last(page))[1], { x: 2, y: 3, up: true, left: false });
  await page.getByRole("combobox", { name: "Downwards" }).selectOption({ label: "time" });
  assert.deepEqual((await last(page))[1], { x: 2, y: 0, up: true, left: false });
  await page.getByRole("button", { name: "Exchange the axes" }).click();
  assert.deepEqual((await last(page))[1], { x: 0, y: 2, up: true, left: false });
  await page.getByRole("checkbox", { name: "First row at the bottom" }).uncheck();
  assert.equal((await last(page))[1].up, false);
  await page.getByRole("combobox", { name: "Downwards" }).selectOption("");
  assert.deepEqual((await last(page))[1], { x: 0, y: null, up: false, left: false });
  await page.keyboard.press("Escape");

  await page.getByRole("group", { name: "Colours of Land use" }).getByText("<i>water</i>").waitFor();
  const opacity = page.getByRole("slider", { name: "Opacity of the labels" });
  assert.ok(await opacity.isDisabled());
  await page.getByRole("combobox", { name: "Labels" }).selectOption("cells");
  assert.deepEqual(await last(page), ["labels", "cells", 0.5]);
  await opacity.focus();
  await page.keyboard.press("ArrowRight");
  assert.deepEqual(await last(page), ["labels", "cells", 0.51]);
  assert.deepEqual(page.wrong, []);
});

test("narrow and dark", async () => {
  const page = await open(
    (parts, tell) => {
      const place = parts.place();
      const control = new parts.controls.Sliders(place, { index: tell("index"), painted: async () => {} });
      control.show([{ axis: 0, name: "time", title: "Time", length: 366, index: 4, coordinate: parts.days(366) }]);
    },
    { width: 360, height: 200, colorScheme: "dark" },
  );
  assert.ok(await page.evaluate(() => document.documentElement.scrollWidth <= 360), "no wider than the window");
  await page.screenshot({ path: `${screenshots}/controls-narrow-dark.png` });
});
