// The layout of the viewer's page: what is painted stays at its place.
//
//   node --test tests/browser/demo-layout.mjs
import assert from "node:assert/strict";
import { turns } from "../lib/rounds.mjs";
import { kinds } from "./kinds.mjs";
import { screenshots, until, viewer } from "./viewerpage.mjs";

// Each answer takes a while, so that the parts of a page arrive one after the other.
const it = viewer({ data: "build", flags: ["-list", "-latency", "60ms"] });
const { onPage, openUrl } = it;
const consolidated = { consolidated: true };

/** Records the shifts of the layout, with the parts that moved. */
function watch() {
  window.shifts = [];
  const boxOf = ({ x, y, width, height }) => [x, y, width, height].map(Math.round).join();
  new PerformanceObserver((list) => {
    for (const { value, startTime, sources } of list.getEntries()) {
      const parts = sources.map(({ node, previousRect, currentRect }) => {
        const name = node ? `${node.nodeName}.${node.id || node.className || node.textContent?.slice(0, 20)}` : "?";
        return `${name} ${boxOf(previousRect)} to ${boxOf(currentRect)}`;
      });
      window.shifts.push({ value, text: `${value.toFixed(4)} at ${Math.round(startTime)} ms: ${parts.join("; ")}` });
    }
  }).observe({ type: "layout-shift", buffered: true });
}

const screens = {
  desktop: { viewport: { width: 1280, height: 800 } },
  phone: { viewport: { width: 390, height: 844 }, hasTouch: true, isMobile: true },
};

for (const [screen, options] of Object.entries(screens))
  for (const [kind, [path, node]] of turns(Object.entries(kinds), 3)) {
    onPage(
      `nothing moves after the first paint, ${kind}, ${screen}`,
      async (page) => {
        await page.addInitScript(watch);
        await openUrl(page, path, `&node=${node}`);
        // Pictures of variables and names of labels follow the first drawing.
        await until(page, "rest", () => {
          const now = performance.getEntriesByType("resource").length;
          const rest = window.rest?.count === now && performance.now() - window.rest.since > 700;
          if (window.rest?.count !== now) window.rest = { count: now, since: performance.now() };
          return rest;
        });
        const shifts = await page.evaluate(() => window.shifts);
        const sum = shifts.reduce((all, { value }) => all + value, 0);
        if (process.env.SHIFTS)
          console.log(sum.toFixed(4), kind, screen, shifts.map(({ text }) => `\n    ${text}`).join(""));
        assert.ok(sum <= 0.02, `${sum.toFixed(4)}: ${shifts.map(({ text }) => text).join("\n")}`);
      },
      options,
    );
  }

/** Whether a whole element is inside the window, and inside every box that clips it. */
const isSeen = (locator) =>
  locator.evaluate((node) => {
    const box = node.getBoundingClientRect();
    const inside = ({ left, top, right, bottom }) =>
      box.width > 0 && box.left >= left - 1 && box.right <= right + 1 && box.top >= top - 1 && box.bottom <= bottom + 1;
    if (!inside({ left: 0, top: 0, right: innerWidth, bottom: innerHeight })) return false;
    for (let at = node.parentElement ?? node.getRootNode().host; at; at = at.parentElement ?? at.getRootNode().host)
      if (getComputedStyle(at).overflow !== "visible" && !inside(at.getBoundingClientRect())) return false;
    return true;
  });

onPage("the fields of all four channels are in view, and the picture has the rest", async (page) => {
  assert.equal(await openUrl(page, "samples/cells.zarr"), "ready");
  for (const channel of ["nuclei", "actin", "microtubules", "granules"])
    for (const end of ["Lowest", "Highest"])
      assert.ok(await isSeen(page.getByRole("textbox", { name: `${end} value of ${channel}` })), `${end} ${channel}`);
});

onPage(
  "on a phone the picture has the whole width, and the channels open over it",
  async (page) => {
    assert.equal(await openUrl(page, "samples/cells.zarr"), "ready");
    const picture = page.getByRole("application");
    const before = await picture.boundingBox();
    assert.equal(before.width, 390);
    assert.ok(before.height > 500, `${before.height}`);
    await page.getByText("Tap the picture for values").waitFor();
    const low = page.getByRole("textbox", { name: "Lowest value of granules" });
    assert.ok(!(await low.isVisible()));
    await page.getByRole("button", { name: "Controls" }).tap();
    await low.scrollIntoViewIfNeeded();
    assert.ok(await isSeen(low));
    await page.getByRole("button", { name: "Take away" }).scrollIntoViewIfNeeded();
    assert.deepEqual(await picture.boundingBox(), before);
    await page.getByRole("button", { name: "Controls" }).tap();
    assert.ok(!(await low.isVisible()));
  },
  screens.phone,
);

for (const [screen, options] of Object.entries({
  ...screens,
  "short window": { viewport: { width: 800, height: 600 } },
}))
  onPage(
    `a long title is whole with its units, and the picture keeps its share, ${screen}`,
    async (page) => {
      const long_name = "Surface Downwelling Clear-Sky Shortwave Radiation";
      const attributes = { long_name, units: "W m-2" };
      const url = await it.put(
        "longtitle",
        { rsdscs: { shape: [30, 40], dims: ["y", "x"], attributes } },
        consolidated,
      );
      assert.equal(await openUrl(page, url, "&node=/rsdscs"), "ready");
      const title = page.locator("#node-title");
      assert.equal(await title.innerText(), `${long_name} [W m⁻²]`);
      const cut = await title.evaluate((node) => [
        node.scrollWidth - node.clientWidth,
        node.scrollHeight - node.clientHeight,
      ]);
      assert.ok(Math.max(...cut) <= 1, `${cut} pixels of the title are cut`);
      const { height } = await page.getByRole("application").boundingBox();
      assert.ok(height >= 0.45 * options.viewport.height, `${height} pixels`);
    },
    options,
  );

for (const [screen, options] of Object.entries({
  ...screens,
  "short window": { viewport: { width: 800, height: 600 } },
}))
  onPage(
    `a series leaves the readout whole, and its name and scales readable, ${screen}`,
    async (page) => {
      assert.equal(await openUrl(page, "samples/earth.zarr", "&node=/t2m&series=time,5:5"), "ready");
      await page.locator(".plot-series b").waitFor();
      const picture = await page.getByRole("application").boundingBox();
      await page.mouse.click(picture.x + picture.width / 2, picture.y + picture.height / 2);
      const value = page.locator(".readout .value");
      await value.waitFor();
      await until(page, "the second series", () => {
        const { shadowRoot } = document.getElementById("view");
        return shadowRoot.querySelectorAll(".plot-series").length === 2;
      });
      const { height } = await value.boundingBox();
      assert.ok(height < 24, `the value has one line, not ${height} pixels`);
      for (const part of await page.locator(".readout > *").all()) assert.ok(await isSeen(part));
      for (const series of await page.locator(".plot-series").all()) {
        const box = await series.boundingBox();
        assert.ok(box.height < 50, `the name of a series has ${box.height} pixels`);
      }
      const texts = await page.locator(".zc-ticks span").allTextContents();
      assert.ok(texts.length >= 2, `the scale of the colours: ${texts}`);
    },
    options,
  );

onPage("a difference heads its page", async (page) => {
  assert.equal(await openUrl(page, "samples/earth.zarr", "&node=/t2m&minus=time:3"), "ready");
  assert.match(await page.locator("#node-title").innerText(), /^2 metre temperature − that at time 2024-/);
});

onPage("names of a deep tree and the columns beside a long title stay in view", async (page) => {
  const levels = 14;
  const paths = Array.from({ length: levels }, (_, i) =>
    Array.from({ length: i + 1 }, (_, k) => `level${k}`).join("/"),
  );
  const deepest = `${paths.at(-1)}/measurement`;
  const groups = Object.fromEntries(paths.map((path) => [path, {}]));
  const deep = await it.put("deep", { ...groups, [deepest]: { shape: [3, 4], dims: ["y", "x"] } }, consolidated);
  assert.equal(await openUrl(page, deep, `&node=/${deepest}`), "ready");
  for (const path of [...paths, deepest]) {
    const name = page.locator(`[data-path="/${path}"] .tree-name`);
    await name.scrollIntoViewIfNeeded();
    const { width } = await name.boundingBox();
    assert.ok(width >= 44, `${path} is ${width} pixels wide`);
  }
  const long_name = "A title that takes more room than any column ".repeat(12).trim();
  const units = "kg m-2 s-1";
  const titled = await it.put(
    "titled",
    {
      y: { shape: [3], dims: ["y"], values: [1, 2, 3] },
      x: { shape: [4], dims: ["x"], values: [1, 2, 3, 4] },
      flux: { shape: [3, 4], dims: ["y", "x"], dtype: "int8", attributes: { long_name, units, scale_factor: 0.5 } },
    },
    consolidated,
  );
  assert.equal(await openUrl(page, titled, "&node=/"), "ready");
  const row = page.getByRole("region", { name: "Variables" }).getByRole("row", { name: /A title that/ });
  for (const cell of await row.locator("td").all()) assert.ok(await isSeen(cell), await cell.innerText());
  // The stored type, as in the contents.
  await row.getByText("int8").waitFor();
});

/** Returns the boxes of a view's parts, and the points of its picture that are covered. */
function lookedAt(id) {
  const view = document.getElementById(id);
  const root = view?.hidden === false ? view.shadowRoot : null;
  const picture = root?.querySelector(".surface");
  const content = picture ?? root?.querySelector(".panel > *") ?? document.getElementById("page");
  const boxOf = (node) => {
    const { left, top, right, bottom, width, height } = node.getBoundingClientRect();
    return { left, top, right, bottom, width, height };
  };
  const box = boxOf(content);
  const covered = [];
  for (let i = 1; i < 12; i++)
    for (let k = 1; k < 12; k++) {
      const at = [box.left + (i * box.width) / 12, box.top + (k * box.height) / 12];
      const outer = document.elementFromPoint(...at);
      const inner = outer === view ? root.elementFromPoint(...at) : outer;
      if (outer && !(inner.closest(".stage") ?? content).contains(content)) covered.push(`${at}: ${inner.className}`);
      if (outer && outer !== view && !content.contains(outer)) covered.push(`${at}: ${outer.id || outer.className}`);
    }
  return {
    box,
    covered,
    series: root?.querySelector(".beside:not([hidden])") ? boxOf(root.querySelector(".beside")) : null,
  };
}

/** Returns controls in view that have the role and the name of another one. */
async function alike(page) {
  const session = await page.context().newCDPSession(page);
  const { nodes } = await session.send("Accessibility.getFullAXTree");
  const named = new Map();
  for (const { ignored, role, name, properties = [], backendDOMNodeId } of nodes) {
    if (ignored || role.value === "RootWebArea" || !properties.some(({ name }) => name === "focusable")) continue;
    const key = `${role.value} “${name.value}”`;
    named.set(key, [...(named.get(key) ?? []), backendDOMNodeId]);
  }
  const { width, height } = page.viewportSize();
  const isInView = async (backendNodeId) => {
    const { quads } = await session.send("DOM.getContentQuads", { backendNodeId }).catch(() => ({ quads: [] }));
    return quads.some(([left, top, , , right, bottom]) => left < width && right > 0 && top < height && bottom > 0);
  };
  const found = [];
  for (const [key, ids] of named) {
    if (ids.length < 2) continue;
    const seen = (await Promise.all(ids.map(isInView))).filter(Boolean).length;
    if (seen > 1) found.push(`${seen} × ${key}`);
  }
  await session.detach();
  return found;
}

/** The least share of the window's height that a picture has. */
const LEAST = 0.45;
const windows = {
  narrow: [360, 640, 390, 844, 600, 613, 641, 700, 768, 1024, 800, 600, 844, 613],
  wide: [861, 600, 900, 613, 1024, 640, 1024, 701, 1280, 720, 1280, 800, 1920, 1080],
};

for (const [name, numbers] of Object.entries(windows))
  for (const [kind, [path, node]] of turns(Object.entries(kinds), 3)) {
    const sizes = numbers.flatMap((width, i) => (i % 2 ? [] : [{ width, height: numbers[i + 1] }]));
    onPage(
      `the picture keeps ${100 * LEAST} % of every ${name} window, uncovered, and no two controls are alike, ${kind}`,
      async (page) => {
        const opened = await openUrl(page, path, `&node=${node}`);
        for (const size of sizes) {
          await page.setViewportSize(size);
          assert.deepEqual(await alike(page), [], `controls at ${size.width} × ${size.height}`);
          if (opened === "error") continue;
          const seen = await page.evaluate(lookedAt, "view");
          const words = `${size.width} × ${size.height}: ${Math.round(seen.box.height)} pixels`;
          assert.ok(seen.box.height >= LEAST * size.height, words);
          assert.ok(seen.box.bottom <= size.height, words);
          assert.deepEqual(seen.covered, [], words);
        }
      },
      { viewport: sizes[0] },
    );
  }

onPage("an open series takes at most about a third of the view", async (page) => {
  assert.equal(await openUrl(page, "samples/earth.zarr", "&node=/t2m"), "ready");
  await page.getByRole("button", { name: "Contents" }).click();
  await page.getByRole("button", { name: "Series", exact: true }).click();
  await page.getByRole("application").click();
  await until(page, "the line", () => document.querySelector("#view").shadowRoot.querySelector(".plot-series"));
  for (const [width, height] of [
    [1280, 800],
    [800, 600],
    [1920, 1080],
    [600, 800],
    [390, 844],
  ]) {
    await page.setViewportSize({ width, height });
    const { box, covered, series } = await page.evaluate(lookedAt, "view");
    const words = `${width} × ${height}: ${JSON.stringify({ box, series })}`;
    assert.ok(series.width * series.height <= 0.45 * (box.width * box.height + series.width * series.height), words);
    assert.ok(box.height >= 0.28 * height && box.width >= Math.min(width, 390), words);
    assert.deepEqual(covered, [], words);
    await page.screenshot({ path: `${screenshots}/series-beside-${width}x${height}.png` });
  }
});

onPage(
  "two addresses on a phone each show a whole picture, with its axis and its colours",
  async (page) => {
    const second = encodeURIComponent(
      `url=${encodeURIComponent(new URL("samples/earth.zarr", it.data.url).href)}&node=/sst`,
    );
    assert.equal(await openUrl(page, "samples/earth.zarr", `&node=/t2m&beside=${second}`), "ready");
    await until(page, "the second picture", () =>
      document.querySelector("#beside zarr-view")?.shadowRoot?.querySelector(".legend .zc-strip"),
    );
    for (const view of await page.locator("zarr-view").all()) {
      await view.scrollIntoViewIfNeeded();
      const parts = await view.evaluate(({ shadowRoot }) =>
        [".surface", ".legend", ".steps", ".bar"].map((name) => {
          const { top, bottom } = shadowRoot.querySelector(name).getBoundingClientRect();
          return { name, top, bottom };
        }),
      );
      for (const [i, { name, top, bottom }] of parts.entries()) {
        assert.ok(bottom > top, name);
        if (i > 0) assert.ok(top >= parts[i - 1].bottom - 1, `${name} begins above the end of ${parts[i - 1].name}`);
      }
      assert.ok(parts[0].bottom - parts[0].top >= 240, JSON.stringify(parts[0]));
    }
  },
  screens.phone,
);
