// Scrolls, reads and copies tables.
import assert from "node:assert/strict";
import { after, test } from "node:test";
import { bundled, screenshots, viewing } from "../../lib/viewpage.mjs";

const [host, script] = await Promise.all([
  viewing({ webgl: false }),
  bundled(
    "table",
    `export { Table } from "./view/table/table.js";
     export { Value } from "./view/table/value.js";
     export { css } from "./view/table/styles.js";
     export { theme } from "./view/theme.js";`,
  ),
]);
after(() => host.close());

async function tabled(setup, options = {}) {
  const page = await host.page(
    `<style>html { color-scheme: light dark; background: light-dark(#fff, #14181b) } body { margin: 8px }</style><div id="view"></div>
<script type="module">
import { Table, Value, css, theme } from "${host.url}${script}";
const root = document.querySelector("#view").attachShadow({ mode: "open" });
const sheet = new CSSStyleSheet();
sheet.replaceSync(theme + css + ":host { height: 400px }");
root.adoptedStyleSheets = [sheet];
const told = (window.told = []);
${setup}
window.ready = true;
</script>`,
    { width: 800, height: 440, ...options },
  );
  await page.waitForFunction(() => window.ready);
  return page;
}

/** A table of cells and stars; those in \`fails\` cannot be read. */
const stars = (length) => `
const fails = (window.fails = new Set());
const reads = (window.reads = []);
const kinds = ["spiral", "elliptical", "irregular", "a name that is much longer than the others are"];
const of = (row, column) => [
  "obs-" + String(row).padStart(7, "0"), (Math.sin(row) * 90).toFixed(3), row % 11 === 3 ? null : kinds[row % 4], String(row * row % 1e6), String(row % 2 === 0),
  ...Array.from({ length: 60 }, (_, i) => "g" + i + ":" + row)][column];
const source = {
  name: "Galaxies", length: ${length},
  columns: [{ name: "index" }, { name: "declination", note: "°", numeric: true }, { name: "kind" }, { name: "counts", numeric: true }, { name: "seen" },
    ...Array.from({ length: 60 }, (_, i) => ({ name: "gene " + i }))],
  async rows(start, stop, columns, signal) {
    reads.push([start, stop, columns.length]);
    await new Promise((then) => setTimeout(then, 5));
    signal.throwIfAborted();
    if (fails.has(Math.floor(start / 128))) throw new Error("the server answered 503");
    return Array.from({ length: stop - start }, (_, i) => columns.map((column) => of(start + i, column)));
  },
};
const table = (window.table = new Table(root, { cursor: (r, c) => told.push([r, c]), opened: (r) => told.push("opened " + r), unread: (e) => told.push(e.message), failed: (e) => { throw e; } }));
table.show(source);`;

const grid = (page) => page.getByRole("grid", { name: "Galaxies" });

/** The visible rows in the page: number and cells. */
const rows = (page) =>
  grid(page).evaluate((node) =>
    [...node.querySelectorAll(".table-row")].map((row) => ({
      index: Number(row.getAttribute("aria-rowindex")) - 2,
      top: row.getBoundingClientRect().top - node.getBoundingClientRect().top,
      cells: [...row.querySelectorAll("[role=gridcell]")].map((cell) => cell.textContent),
    })),
  );

const settled = async (page, count) => {
  await page.waitForFunction((count) => {
    const node = document.querySelector("#view").shadowRoot.querySelector("[role=grid]");
    const cells = [...node.querySelectorAll("[role=gridcell]")];
    return cells.length > count && node.getAttribute("aria-busy") === "false" && !node.querySelector(".table-waiting");
  }, count ?? 20);
};

/** Waits for a row to be drawn. */
const shows = (page, row) =>
  page.waitForFunction(
    (index) => document.querySelector("#view").shadowRoot.querySelector(`.table-row[aria-rowindex="${index}"]`),
    row + 2,
  );

test("a table of a thousand million rows is scrolled by wheel, bar and keys, and shows its true rows", async () => {
  const page = await tabled(stars(1_000_000_000));
  await settled(page);
  assert.equal(await grid(page).getAttribute("aria-rowcount"), "1000000001");
  const check = async (what) => {
    await settled(page);
    const seen = await rows(page);
    assert.ok(seen.length > 8, `${what}: ${seen.length} rows`);
    for (const { index, cells } of seen)
      if (cells[0]?.startsWith("obs-")) assert.equal(Number(cells[0].slice(4)), index, what);
    return seen;
  };
  await check("first");
  await page.screenshot({ path: `${screenshots}/table-light.png` });
  const box = await grid(page).boundingBox();
  await page.mouse.move(box.x + 200, box.y + 150);
  await page.mouse.wheel(0, 280);
  await page.waitForFunction(
    () => document.querySelector("#view").shadowRoot.querySelector(".table-row").ariaRowIndex === "12",
  );
  await check("ten rows by the wheel");
  await grid(page).evaluate((node) => {
    node.scrollTop = node.scrollHeight / 2;
  });
  await page.waitForFunction(
    () => Number(document.querySelector("#view").shadowRoot.querySelector(".table-row").ariaRowIndex) > 4e8,
  );
  const middle = await check("the middle by the bar");
  assert.ok(Math.abs(middle[0].index - 5e8) < 1e6, `${middle[0].index}`);
  await grid(page).focus();
  await page.keyboard.press("Control+End");
  await shows(page, 999_999_999);
  const last = await check("the end by keys");
  assert.equal(last.at(-1).index, 999_999_999);
  assert.ok(last.at(-1).top + 28 <= box.height + 1, "the last row is seen whole");
  await page.keyboard.press("Control+Home");
  await page.getByRole("spinbutton", { name: "Go to row" }).fill("123456789");
  await page.keyboard.press("Enter");
  await shows(page, 123_456_789);
  const there = await check("a row by its number");
  assert.ok(there.some(({ index }) => index === 123456789));
  for (const key of ["PageDown", "PageDown", "PageUp", "ArrowDown", "ArrowRight", "End", "Home"]) {
    await grid(page).focus();
    await page.keyboard.press(key);
    await check(key);
  }
  await page.waitForFunction(() => {
    const grid = document.querySelector("#view").shadowRoot.querySelector("[role=grid]");
    return grid.getAttribute("aria-activedescendant")?.endsWith(`-${window.table.cursor.row}-0`);
  });
  const active = await grid(page).evaluate(
    (node) => node.getRootNode().getElementById(node.getAttribute("aria-activedescendant"))?.textContent,
  );
  const at = await page.evaluate(() => window.table.cursor);
  assert.equal(active, `obs-${String(at.row).padStart(7, "0")}`);
  assert.ok((await page.evaluate(() => window.reads.length)) < 40, "only what is seen is read");
  await page.end();
});

test("random scrolling over pages that fail shows true rows or says that they were not read, and again reads them", async () => {
  const page = await tabled(stars(200_000), { colorScheme: "dark" });
  await page.evaluate(() => {
    for (let i = 0; i < 2000; i += 3) window.fails.add(i);
  });
  let state = 7;
  const next = () => {
    state = (state * 48271) % 2147483647;
    return state / 2147483647;
  };
  for (let n = 0; n < 25; n++) {
    await grid(page).evaluate(
      (node, share) => node.scrollTo(share * 2500, share * (node.scrollHeight - node.clientHeight)),
      next(),
    );
    // Sometimes it moves on before the pages arrive.
    if (n % 3 === 0) continue;
    // The table is notified in the next frame.
    await page.evaluate(() => new Promise((then) => requestAnimationFrame(() => requestAnimationFrame(then))));
    await settled(page, 4);
    const seen = await grid(page).evaluate((node) =>
      [...node.querySelectorAll("[role=gridcell]")].map((c) => [
        Number(c.dataset.row),
        Number(c.dataset.column),
        c.textContent,
      ]),
    );
    for (const [row, column, text] of seen) {
      if (Math.floor(row / 128) % 3 === 0 && text === "not read") continue;
      if (column === 0) assert.equal(text, `obs-${String(row).padStart(7, "0")}`);
      if (column === 2 && row % 11 === 3) assert.equal(text, "missing");
      if (column >= 5) assert.equal(text, `g${column - 5}:${row}`);
    }
  }
  await page.evaluate(() => window.table.go(384, 0));
  await page.getByText("the server answered 503").waitFor();
  assert.ok((await page.evaluate(() => window.told)).includes("the server answered 503"));
  await page.screenshot({ path: `${screenshots}/table-failed-dark.png` });
  await page.evaluate(() => window.fails.clear());
  await page.getByRole("button", { name: "Try again" }).click();
  await page.getByRole("gridcell", { name: "obs-0000384" }).waitFor();
  assert.equal(await page.getByText("the server answered 503").count(), 0);
  await page.end();
});

test("a cell and a selection are copied, columns are made wider, and a row is opened", async () => {
  const page = await tabled(stars(1000), { permissions: ["clipboard-read", "clipboard-write"] });
  await settled(page);
  const clipboard = () => page.evaluate(() => navigator.clipboard.readText());
  // The clipboard may still hold the previous copy.
  const copied = (text) => page.waitForFunction(async (text) => (await navigator.clipboard.readText()) === text, text);
  await page.getByRole("gridcell", { name: "obs-0000002" }).click();
  await page.keyboard.press("Control+c");
  await page.getByText("Copied").waitFor();
  await copied("obs-0000002");
  await page.keyboard.press("Shift+ArrowDown");
  await page.keyboard.press("Shift+ArrowRight");
  await page.keyboard.press("Shift+ArrowRight");
  await page.keyboard.press("Control+c");
  await copied(
    `obs-0000002\t${(Math.sin(2) * 90).toFixed(3)}\tirregular\nobs-0000003\t${(Math.sin(3) * 90).toFixed(3)}\t`,
  );
  assert.equal(await grid(page).locator('[aria-selected="true"]').count(), 6);
  // Copying reads the missing rows.
  await page.keyboard.press("Control+Home");
  await page.keyboard.press("Control+Shift+ArrowDown");
  await page.getByRole("button", { name: "Copy" }).click();
  await page.getByText(/Copied 1000 cells/).waitFor();
  assert.equal((await clipboard()).split("\n").length, 1000);
  await grid(page).focus();
  await page.keyboard.press("Control+a");
  await page.keyboard.press("Enter");
  assert.equal(await page.evaluate(() => window.told.at(-1)), "opened 999");
  await page.keyboard.press("Control+Home");
  await settled(page);
  const width = () => page.getByRole("columnheader", { name: "index" }).evaluate((node) => node.offsetWidth);
  const before = await width();
  await page.keyboard.press("Alt+ArrowRight");
  await page.waitForFunction(
    (w) => document.querySelector("#view").shadowRoot.querySelector(".table-title").offsetWidth > w,
    before,
  );
  const header = await page.getByRole("columnheader", { name: "index" }).boundingBox();
  await page.mouse.move(header.x + header.width, header.y + 10);
  await page.mouse.down();
  await page.mouse.move(header.x + header.width + 60, header.y + 10, { steps: 3 });
  await page.mouse.up();
  await page.waitForFunction(
    (w) => document.querySelector("#view").shadowRoot.querySelector(".table-title").offsetWidth > w + 50,
    before,
  );
  await page.end();
});

test("a table without rows, and one without columns, say so", async () => {
  const page = await tabled(stars(0));
  await page.getByText("No rows").waitFor();
  await grid(page).focus();
  for (const key of ["ArrowDown", "Control+End", "Control+a", "Control+c", "PageUp", "Enter"])
    await page.keyboard.press(key);
  await page.end();
});

test("one value is shown large, with what is stored and its parts", async () => {
  const page = await tabled(`const value = (window.value = new Value(root));
value.show({ title: "Mean radius", text: "6371.0088 km", stored: "", parts: [] });`);
  assert.equal(await page.getByRole("status", { name: "Mean radius" }).textContent(), "6371.0088 km");
  await page.screenshot({ path: `${screenshots}/value-light.png` });
  await page.evaluate(() =>
    window.value.show({
      title: "t",
      text: "x: 1, y: 2",
      stored: "",
      parts: [
        { name: "x", text: "1" },
        { name: "y", text: "2" },
      ],
    }),
  );
  assert.deepEqual(await page.getByRole("definition").allTextContents(), ["1", "2"]);
  await page.end();
});
