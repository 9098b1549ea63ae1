// Reference pictures of the viewer: kinds of node, in two sizes, light and dark. A picture has a
// quarter of the page's width and height. Blocks of it are compared by their averages, so that
// other fonts do not matter.
//
//   node --test tests/browser/demo-pictures.mjs
//   node tests/browser/demo-pictures.mjs --write     writes tests/browser/pictures again
//
// Look at every picture that was written. build/screenshots/pictures has the page of a failed test.
import assert from "node:assert/strict";
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { test } from "node:test";
import { turns } from "../lib/rounds.mjs";
import { top } from "../lib/serve.mjs";
import { kinds } from "./kinds.mjs";
import { screenshots, until, viewer, working } from "./viewerpage.mjs";

mkdirSync(`${screenshots}/pictures`, { recursive: true });
const writes = process.argv.includes("--write");
const folder = `${top}tests/browser/pictures/`;
const it = viewer({ data: "build", flags: ["-list"] });

/** The kinds with a picture: all but one value, which is a short text. */
const pictured = Object.keys(kinds).filter((kind) => kind !== "one value");
const screens = {
  desktop: { viewport: { width: 1280, height: 800 } },
  phone: { viewport: { width: 390, height: 844 }, hasTouch: true, isMobile: true },
};
const pictures = pictured.flatMap((kind, i) =>
  Object.keys(screens).map((screen, k) => ({ kind, screen, scheme: (i + k) % 2 ? "dark" : "light" })),
);
const fileOf = ({ kind, screen, scheme }) => `${kind.replaceAll(" ", "-")}-${screen}-${scheme}.webp`;

/** A page for each screen, and one that compares. */
const pages = new Map();
function pageOf(screen) {
  if (!pages.has(screen)) pages.set(screen, open(screen));
  return pages.get(screen);
}
async function open(screen) {
  const page = await (await it.browser.newContext(screens[screen])).newPage();
  if (!screens[screen]) return page;
  // Another address than the first picture's.
  await it.openUrl(page, "samples/table.zarr", "&node=/");
  return page;
}

/** Opens a kind of node, and returns the page when it is at rest. */
async function shown({ kind, screen, scheme }) {
  const page = await pageOf(screen);
  const [path, node] = kinds[kind];
  await page.emulateMedia({ colorScheme: scheme });
  const hash = new URL(it.link(path, `&node=${node}`)).hash;
  await working(page, () => page.evaluate((hash) => location.assign(hash), hash));
  await rested(page);
  return page;
}

/** Waits until the page and its view neither read nor draw, and no animation runs. */
async function rested(page) {
  await until(page, "the page at rest", async () => {
    const view = document.getElementById("view");
    const roots = [document, view?.shadowRoot ?? document];
    // A visible element begins its work in the frame after it was added.
    for (let frames = 0; frames < 3; frames++) {
      await new Promise(requestAnimationFrame);
      const working = roots.some((root) => root.querySelector("[aria-busy=true], [data-state=reading]"));
      if (working || (view?.loading && !view.hidden) || document.getAnimations().length > 0) return false;
    }
    document.activeElement?.blur();
    return true;
  });
}

/** Runs in the page: the rectangles of texts, and of canvases that texts are drawn on. */
function textsIn() {
  const boxes = [];
  const add = ({ left, top, right, bottom }) => boxes.push([left, top, right, bottom]);
  const range = document.createRange();
  const visit = (root) => {
    const walk = document.createTreeWalker(root, NodeFilter.SHOW_ELEMENT | NodeFilter.SHOW_TEXT);
    while (walk.nextNode()) {
      const node = walk.currentNode;
      if (node.shadowRoot) visit(node.shadowRoot);
      if (node.nodeType === Node.TEXT_NODE && node.data.trim() !== "") {
        range.selectNodeContents(node);
        for (const box of range.getClientRects()) add(box);
      } else if (node.nodeType === Node.ELEMENT_NODE && node.matches("input, select"))
        add(node.getBoundingClientRect());
    }
    // Texts of axes are around the elements of a picture.
    for (const surface of root.querySelectorAll(".surface, .plot, svg")) {
      const outer = surface.getBoundingClientRect();
      const inner = surface.querySelector(".pixels")?.getBoundingClientRect();
      if (!inner) add(outer);
      else {
        add({ left: outer.left, top: outer.top, right: inner.left, bottom: outer.bottom });
        add({ left: outer.left, top: inner.bottom, right: outer.right, bottom: outer.bottom });
      }
    }
  };
  visit(document);
  return boxes;
}

/**
 * Runs in a page: makes a picture of a screenshot, as WebP. With a reference it returns the blocks
 * that differ from it.
 */
async function compared({ shot, reference, texts, limits }) {
  const bitmapOf = async (type, text) =>
    createImageBitmap(await (await fetch(`data:image/${type};base64,${text}`)).blob());
  const whole = await bitmapOf("png", shot);
  const [width, height] = [Math.round(whole.width / 4), Math.round(whole.height / 4)];
  const pixelsOf = (image) => {
    const canvas = new OffscreenCanvas(width, height);
    const context = canvas.getContext("2d", { willReadFrequently: true });
    context.imageSmoothingQuality = "high";
    context.drawImage(image, 0, 0, width, height);
    return { canvas, data: context.getImageData(0, 0, width, height).data };
  };
  const now = pixelsOf(whole);
  if (!reference) {
    const blob = await now.canvas.convertToBlob({ type: "image/webp", quality: 1 });
    return btoa(String.fromCharCode(...new Uint8Array(await blob.arrayBuffer())));
  }
  const before = await bitmapOf("webp", reference);
  if (before.width !== width || before.height !== height)
    return { sizes: [before.width, before.height, width, height] };
  const then = pixelsOf(before).data;
  const { side, slack } = limits;
  /** The average colour of a block. */
  const average = (data, left, top) => {
    const sum = [0, 0, 0];
    for (let y = top; y < top + side; y++)
      for (let x = left; x < left + side; x++) for (let c = 0; c < 3; c++) sum[c] += data[4 * (y * width + x) + c];
    return sum.map((one) => one / side ** 2);
  };
  const different = [];
  let blocks = 0;
  for (let top = 0; top + side <= height; top += side)
    for (let left = 0; left + side <= width; left += side) {
      blocks++;
      const here = average(now.data, left, top);
      let least = 255;
      // Other fonts move what is beside a text by some pixels.
      for (let y = Math.max(0, top - slack); y <= Math.min(height - side, top + slack); y++)
        for (let x = Math.max(0, left - slack); x <= Math.min(width - side, left + slack); x++) {
          const there = average(then, x, y);
          least = Math.min(least, Math.max(...here.map((one, c) => Math.abs(one - there[c]))));
        }
      const worded = texts.some(
        ([l, t, r, b]) => l < 4 * (left + side) && r > 4 * left && t < 4 * (top + side) && b > 4 * top,
      );
      if (least > (worded ? limits.text : limits.other)) different.push([4 * left, 4 * top, Math.round(least)]);
    }
  return { share: different.length / blocks, different };
}

/** Blocks of 16 × 16 CSS pixels, and the differences of colours from 0 to 255 that are allowed. */
const limits = { side: 4, slack: 2, other: 12, text: 48 };
/** The share of blocks that may differ. */
const MOST = 0.005;

async function compare(page, name) {
  const shot = await page.screenshot();
  const argument = { shot: shot.toString("base64"), texts: await page.evaluate(textsIn), limits };
  if (writes)
    writeFileSync(folder + name, Buffer.from(await (await pageOf("comparing")).evaluate(compared, argument), "base64"));
  else writeFileSync(`${screenshots}/pictures/${name.replace("webp", "png")}`, shot);
  return (await pageOf("comparing")).evaluate(compared, {
    ...argument,
    reference: readFileSync(folder + name).toString("base64"),
  });
}

for (const picture of writes ? pictures : turns(pictures, 3)) {
  const name = fileOf(picture);
  test(`the page looks like ${name}`, async () => {
    const found = await compare(await shown(picture), name);
    assert.equal(found.sizes, undefined, `${found.sizes}`);
    if (process.env.SHARES) console.log(found.share.toFixed(4), name, JSON.stringify(found.different.slice(0, 6)));
    assert.ok(
      found.share <= MOST,
      `${(100 * found.share).toFixed(1)} %: ${JSON.stringify(found.different.slice(0, 20))}`,
    );
  });
}

test("every reference picture is of a kind, and all are small", { skip: writes }, () => {
  const files = readdirSync(folder).filter((name) => name.endsWith(".webp"));
  assert.deepEqual(files.sort(), pictures.map(fileOf).sort());
  const bytes = files.reduce((sum, name) => sum + readFileSync(folder + name).length, 0);
  assert.ok(bytes <= 600_000, `${bytes} bytes`);
});

/** Changes to a page, and whether it still looks like its reference. */
const changes = {
  "another font": [
    true,
    (page) =>
      page.evaluate(() => {
        document.documentElement.style.setProperty("--sans", "DejaVu Serif, serif");
        document.documentElement.style.setProperty("--mono", "DejaVu Sans, sans-serif");
      }),
  ],
  "another colour map": [
    false,
    (page) =>
      working(page, () => page.evaluate(() => document.getElementById("view").setAttribute("colormap", "magma"))),
  ],
  "an axis that moved by 24 pixels": [
    false,
    (page) =>
      page.evaluate(() =>
        document
          .getElementById("view")
          .shadowRoot.querySelector(".surface")
          .style.setProperty("transform", "translateX(24px)"),
      ),
  ],
  "a group of controls that is missing": [
    false,
    (page) => page.evaluate(() => document.getElementById("view").shadowRoot.querySelector(".drawer .group").remove()),
  ],
};
const first = pictures.find(({ kind, screen }) => kind === "an array on the Earth" && screen === "desktop");

for (const [change, [alike, act]] of Object.entries(changes))
  test(`${change} is ${alike ? "tolerated" : "noticed"}`, { skip: writes }, async () => {
    const page = await shown(first);
    await act(page);
    await rested(page);
    const { share } = await compare(page, fileOf(first));
    if (process.env.SHARES) console.log(share.toFixed(4), change);
    assert.equal(share <= MOST, alike, `${(100 * share).toFixed(1)} %`);
    await it.openUrl(page, "samples/table.zarr", "&node=/");
  });
