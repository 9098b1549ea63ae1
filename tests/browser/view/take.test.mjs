// Figures and films of a view in a browser: SVG and PNG show the same, and a film shows its
// pictures.
import assert from "node:assert/strict";
import { after, test } from "node:test";
import { bundled, screenshots, viewing } from "../../lib/viewpage.mjs";

const script = await bundled(
  "take",
  `import { tableOf } from "./view/colour/colormaps.js";
   import { drawAxis, place } from "./view/axes/draw.js";
   import { degreeTicks } from "./view/axes/ticks.js";
   export const look = { paper: "#ffffff", ink: "#16202a", muted: "#55636e", line: "#a0a8ae", font: "sans-serif" };
   /** A picture of a formula, with axes. */
   export function figure(more = {}) {
     const table = tableOf("viridis");
     const pixels = document.createElement("canvas");
     pixels.width = 90;
     pixels.height = 45;
     const image = new ImageData(90, 45);
     for (let i = 0; i < 90 * 45; i++) {
       const v = Math.round(127 + 127 * Math.sin((i % 90) / 9) * Math.cos(Math.floor(i / 90) / 9));
       image.data.set(table.subarray(4 * v, 4 * v + 4), 4 * i);
     }
     pixels.getContext("2d").putImageData(image, 0, 0);
     const box = { x: 70, y: 10, width: 400, height: 200 };
     return {
       width: 490, height: 260, title: "Air <temperature> & more", subtitle: "time 2020-01-05, level 850 hPa", look,
       draw(pen) {
         pen.save();
         pen.imageSmoothingEnabled = false;
         pen.drawImage(pixels, box.x, box.y, box.width, box.height);
         pen.restore();
         const measure = (text) => pen.measureText(text).width;
         pen.font = "12px sans-serif";
         const spec = (from, to, toward, title) => ({ from, to, title, units: "", ticks: (low, high, n) => degreeTicks(low, high, n, toward) });
         drawAxis(pen, box, "bottom", place(spec(-180, 180, "east", "longitude"), "bottom", box.width, measure), look);
         drawAxis(pen, box, "left", place(spec(90, -90, "north", "latitude"), "left", box.height, measure), look);
         pen.strokeStyle = look.line;
         pen.strokeRect(box.x - 0.5, box.y - 0.5, box.width + 1, box.height + 1);
       },
       bar: { title: "Air temperature", units: "K", table, range: [220, 310], curve: { kind: "linear" } },
       entries: [{ label: "land", colour: [20, 120, 40] }, { label: "sea", colour: [40, 90, 200] }],
       ...more,
     };
   }`,
);
const host = await viewing({ webgl: false });
after(() => host.close());

test("a figure as SVG is well-formed, has its texts, and looks as the PNG does", async () => {
  const page = await host.page("<style>body { margin: 0 }</style>", { width: 1100, height: 420 });
  const found = await page.evaluate(
    async (address) => {
      const [parts, take] = await Promise.all(address.map((one) => import(one)));
      const figure = parts.figure();
      const svg = take.figureSvg(figure);
      const canvas = take.figureCanvas(figure, 2);
      const png = await take.pngOf(canvas);
      const read = new DOMParser().parseFromString(svg, "image/svg+xml");
      const image = new Image();
      image.src = URL.createObjectURL(new Blob([svg], { type: "image/svg+xml" }));
      await image.decode();
      const other = document.createElement("canvas");
      other.width = canvas.width;
      other.height = canvas.height;
      other.getContext("2d").drawImage(image, 0, 0, other.width, other.height);
      const pixels = (of) => of.getContext("2d").getImageData(0, 0, of.width, of.height).data;
      const [a, b] = [pixels(canvas), pixels(other)];
      let sum = 0;
      for (let i = 0; i < a.length; i++) sum += Math.abs(a[i] - b[i]);
      canvas.style.width = `${canvas.width / 2}px`;
      document.body.append(canvas, image);
      const bytes = new Uint8Array(await png.arrayBuffer());
      return {
        error: read.querySelector("parsererror")?.textContent ?? null,
        texts: [...read.querySelectorAll("text")].map((node) => node.textContent),
        size: [canvas.width, canvas.height, image.naturalWidth, image.naturalHeight],
        difference: sum / a.length,
        signature: [...bytes.subarray(0, 8)],
        type: png.type,
      };
    },
    [`${host.url}${script}`, `${host.url}dist/view-take.js`],
  );
  assert.equal(found.error, null);
  assert.deepEqual(found.signature, [137, 80, 78, 71, 13, 10, 26, 10]);
  assert.equal(found.type, "image/png");
  for (const text of [
    "Air <temperature> & more",
    "time 2020-01-05, level 850 hPa",
    "Air temperature [K]",
    "longitude",
    "90°N",
    "240",
    "land",
    "sea",
  ])
    assert.ok(found.texts.includes(text), `${text} is missing: ${found.texts}`);
  assert.deepEqual(found.size.slice(0, 2), [found.size[2] * 2, found.size[3] * 2]);
  assert.ok(found.difference < 3, `they differ by ${found.difference} of 255`);
  await page.screenshot({ path: `${screenshots}/take-figure.png` });
  assert.deepEqual(page.wrong, []);
});

test("a film shows its pictures in order, even if they are late, and can be stopped", async () => {
  const page = await host.page("");
  const found = await page.evaluate(
    async (address) => {
      const { filmOf } = await import(address[1]);
      const colours = ["rgb(220,20,20)", "rgb(20,200,20)", "rgb(20,20,220)", "rgb(230,230,20)"];
      const picture = async (i, signal) => {
        signal.throwIfAborted();
        // Wait for frames of the page: they do not appear at once.
        await new Promise((resolve) => requestAnimationFrame(resolve));
        const canvas = document.createElement("canvas");
        canvas.width = 65;
        canvas.height = 49;
        const context = canvas.getContext("2d");
        context.fillStyle = colours[i];
        context.fillRect(0, 0, 65, 49);
        return canvas;
      };
      const done = [];
      const film = await filmOf(
        { length: 4, speed: 5, picture, done: (n) => done.push(n) },
        new AbortController().signal,
      );
      const video = document.createElement("video");
      video.muted = true;
      video.src = URL.createObjectURL(film);
      document.body.append(video);
      // a busy machine drops pictures that are shown only for a moment
      video.playbackRate = 0.25;
      const canvas = document.createElement("canvas");
      canvas.width = 1;
      canvas.height = 1;
      const context = canvas.getContext("2d", { willReadFrequently: true });
      const seen = [];
      const look = () => {
        context.drawImage(video, 20, 20, 10, 10, 0, 0, 1, 1);
        const [r, g, b] = context.getImageData(0, 0, 1, 1).data;
        const name = r > 150 && g > 150 ? 3 : r > 120 ? 0 : g > 120 ? 1 : b > 120 ? 2 : null;
        if (name !== null && seen.at(-1) !== name) seen.push(name);
      };
      await new Promise((resolve, reject) => {
        const each = () => {
          look();
          video.requestVideoFrameCallback(each);
        };
        video.requestVideoFrameCallback(each);
        video.onended = resolve;
        video.onerror = () => reject(video.error);
        video.play();
      });
      // A busy machine shows the last picture after the end.
      for (const end = performance.now() + 3000; performance.now() < end && seen.at(-1) !== 3; look())
        await new Promise((resolve) => requestAnimationFrame(resolve));
      const control = new AbortController();
      const ended = filmOf(
        {
          length: 4,
          speed: 5,
          picture,
          done: () => control.abort(),
        },
        control.signal,
      ).then(
        () => "made",
        (error) => error.name,
      );
      return { type: film.type, size: film.size, seen, done, width: video.videoWidth, ended: await ended };
    },
    [`${host.url}${script}`, `${host.url}dist/view-take.js`],
  );
  assert.equal(found.type, "video/webm");
  assert.deepEqual(found.seen, [0, 1, 2, 3]);
  assert.deepEqual(found.done, [1, 2, 3, 4]);
  assert.equal(found.width, 66);
  assert.equal(found.ended, "AbortError");
  assert.deepEqual(page.wrong, []);
});
