// Takes screens of the viewer: every kind of node, in three sizes, light and dark. Each is taken
// 0.3, 1 and 4 seconds after the page is opened. People look at them in build/screenshots/screens,
// and at sheets with a row for each kind.
//
//   node tests/browser/screens.mjs [PATTERN]
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { setTimeout as sleep } from "node:timers/promises";
import { launch } from "../lib/browsers.mjs";
import { serve, top } from "../lib/serve.mjs";
import { kinds } from "./kinds.mjs";

const sizes = {
  desktop: { viewport: { width: 1280, height: 800 } },
  large: { viewport: { width: 1920, height: 1080 } },
  phone: { viewport: { width: 390, height: 844 }, hasTouch: true, isMobile: true },
};
const schemes = ["light", "dark"];
const seconds = [0.3, 1, 4];

const folder = `${top}build/screenshots/screens/`;
mkdirSync(folder, { recursive: true });
const pattern = new RegExp(process.argv[2] ?? "");
const [browser, site, data] = await Promise.all([
  launch({ webgl: true }),
  serve("build/demo"),
  serve("build", "-list", "-cache", "no-store"),
]);
try {
  for (const [size, options] of Object.entries(sizes)) {
    for (const colorScheme of schemes) {
      const shots = [];
      for (const [kind, [path, node]] of Object.entries(kinds)) {
        if (!pattern.test(`${kind} ${size} ${colorScheme}`)) continue;
        const context = await browser.newContext({ ...options, colorScheme });
        const page = await context.newPage();
        const url = encodeURIComponent(new URL(path, data.url).href);
        const begun = performance.now();
        await page.goto(`${site.url}#url=${url}&node=${node}`);
        for (const second of seconds) {
          await sleep(Math.max(0, begun + 1000 * second - performance.now()));
          const name = `${kind}-${size}-${colorScheme}-${second}s`.replaceAll(" ", "-");
          await page.screenshot({ path: `${folder}${name}.png` });
          shots.push(name);
        }
        await context.close();
      }
      await sheet(shots, `sheet-${size}-${colorScheme}`, options.viewport);
    }
  }
} finally {
  await browser.close();
  site.close();
  data.close();
}

/** Writes the pictures of one size as sheets, a row for each kind. */
async function sheet(names, title, { width, height }) {
  const rows = 4;
  for (let first = 0; first < names.length; first += rows * seconds.length) {
    const page = await browser.newPage({ viewport: { width: 1500, height: 900 } });
    const some = names.slice(first, first + rows * seconds.length);
    const images = some.map((name) => {
      const source = readFileSync(`${folder}${name}.png`).toString("base64");
      return `<figure><img src="data:image/png;base64,${source}"><figcaption>${name}</figcaption></figure>`;
    });
    await page.setContent(`<style>
      body { display: grid; grid-template-columns: repeat(${seconds.length}, 1fr); gap: 6px; margin: 6px; font: 11px sans-serif }
      figure { margin: 0 } img { max-width: 100%; max-height: ${width > height ? 420 : 560}px; border: 1px solid #888 }
    </style>${images.join("")}`);
    await page.waitForFunction(() => [...document.images].every(({ complete }) => complete));
    writeFileSync(`${folder}${title}-${first / rows / seconds.length}.png`, await page.screenshot({ fullPage: true }));
    await page.close();
  }
}
