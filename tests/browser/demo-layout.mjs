// The layout of the viewer's page: what is painted stays at its place.
//
//   node --test tests/browser/demo-layout.mjs
import assert from "node:assert/strict";
import { stored } from "../describe/stored.mjs";
import { kinds } from "./kinds.mjs";
import { until, viewer } from "./viewerpage.mjs";

// Each answer takes a while, so that the parts of a page arrive one after the other.
const it = viewer({ data: "build", flags: ["-list", "-latency", "60ms"] });
const { onPage, openUrl } = it;

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
  for (const [kind, [path, node]] of Object.entries(kinds)) {
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

/** Stores a hierarchy on the data server, and returns its address. */
async function put(name, nodes) {
  const url = new URL(`=${name}/`, it.data.url).href;
  for (const [key, bytes] of stored(nodes, { consolidated: true })) {
    const answer = await fetch(`${url}${key.slice(1)}`, { method: "PUT", body: bytes });
    assert.ok(answer.ok, `${answer.status} for ${key}`);
  }
  return url;
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

onPage("names of a deep tree and the columns beside a long title stay in view", async (page) => {
  const levels = 14;
  const paths = Array.from({ length: levels }, (_, i) =>
    Array.from({ length: i + 1 }, (_, k) => `level${k}`).join("/"),
  );
  const deepest = `${paths.at(-1)}/measurement`;
  const groups = Object.fromEntries(paths.map((path) => [path, {}]));
  const deep = await put("deep", { ...groups, [deepest]: { shape: [3, 4], dims: ["y", "x"] } });
  assert.equal(await openUrl(page, deep, `&node=/${deepest}`), "ready");
  for (const path of [...paths, deepest]) {
    const name = page.locator(`[data-path="/${path}"] .tree-name`);
    await name.scrollIntoViewIfNeeded();
    const { width } = await name.boundingBox();
    assert.ok(width >= 44, `${path} is ${width} pixels wide`);
  }
  const long_name = "A title that takes more room than any column ".repeat(12).trim();
  const units = "kg m-2 s-1";
  const titled = await put("titled", {
    y: { shape: [3], dims: ["y"], values: [1, 2, 3] },
    x: { shape: [4], dims: ["x"], values: [1, 2, 3, 4] },
    flux: { shape: [3, 4], dims: ["y", "x"], dtype: "int8", attributes: { long_name, units, scale_factor: 0.5 } },
  });
  assert.equal(await openUrl(page, titled, "&node=/"), "ready");
  const row = page.getByRole("region", { name: "Variables" }).getByRole("row", { name: /A title that/ });
  for (const cell of await row.locator("td").all()) assert.ok(await isSeen(cell), await cell.innerText());
  // The stored type, as in the contents.
  await row.getByText("int8").waitFor();
});
